"""Infinite scores: the packages we replace rank them like any others; untied's own functions refuse them."""

from __future__ import annotations

from ctypes import c_float
from math import isfinite, isnan

from untied.errors import UntiedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from untied._core import Policies

#: Up to here whole numbers are floats, and floats have a place in 32 bits.
_SMALL = 2.0**53


def with_finite_scores(run: Mapping[Any, Any], policies: Policies) -> dict[Any, Any]:
    """Return the run with finite scores in the same order and with the same ties; NaN is an error.

    A query changes only if one of its scores is infinite, or becomes infinite when it is rounded to 32 bits.
    """
    single = policies["score_dtype"] == "float32"
    return {query: finite_scores(query, documents, single=single) for query, documents in run.items()}


def finite_scores(query: Any, documents: Mapping[Any, Any], *, single: bool) -> Mapping[Any, Any]:
    """Return the documents of one query, with ranks in place of scores if a score is infinite.

    With `single`, scores are rounded to 32 bits first.
    """
    try:
        if sum(map(abs, documents.values())) < _SMALL:  # the usual case: nothing is infinite or NaN
            return documents
        read = _single if single else float
        scores = {document: read(score) for document, score in documents.items()}
    except (AttributeError, TypeError):
        return documents  # no mapping, or no numbers: whoever reads it next says so
    for document, score in scores.items():
        if isnan(score):
            raise UntiedError(f'query "{query}", document "{document}": the score cannot be NaN')
    if all(map(isfinite, scores.values())):
        return scores if single else documents
    ranks = {score: rank for rank, score in enumerate(sorted(set(scores.values())))}
    return {document: ranks[score] for document, score in scores.items()}


def _single(score: Any) -> float:
    return c_float(score).value
