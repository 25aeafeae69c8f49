"""MTEB's retrieval scores (2.26), computed by untied.

The two lines are ::

    import untied.compat.mteb
    untied.compat.mteb.install(ties="expected")

MTEB has no place to register another evaluator, so `install` replaces what its module of retrieval metrics calls:
pytrec_eval's evaluator (nDCG, MAP, recall, precision, hit rate) and its own functions for MRR and capped recall.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from types import SimpleNamespace

from untied._core import Policies
from untied.compat._scores import with_finite_scores
from untied.compat.pytrec_eval import RelevanceEvaluator
from untied.evaluation.runs import evaluate
from untied.inputs.mismatch import Silence
from untied.measures import RR, RelP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeAlias

    from untied._core import Measure
    from untied._literals import TiesOfOneValue

    #: Grades or scores by query and document.
    Numbers: TypeAlias = Mapping[str, Mapping[str, float]]

__all__ = ["install", "mrr", "recall_cap", "uninstall"]

MODULE = "mteb._evaluators.retrieval_metrics"
#: Replaced functions of MTEB's modules, by name: MTEB's and ours.
_replaced: dict[str, tuple[Any, Any]] = {}


def install(*, ties: TiesOfOneValue = "trec") -> None:
    """Let MTEB compute its retrieval scores with untied, from now on in this process.

    Parameters
    ----------
    ties : str
        How to order documents with equal scores:

        * ``"trec"``: by document id, descending, after rounding scores to 32 bits. This gives MTEB's numbers. MTEB
          itself still computes MRR and capped recall, for which it does not round.
        * ``"expected"``: by the mean over all orders, for these two as well
        * others as for `untied.evaluate`, but not ``"range"``
    """
    uninstall()
    metrics = import_module(MODULE)
    ours: dict[str, Any] = {"pytrec_eval": SimpleNamespace(RelevanceEvaluator=partial(RelevanceEvaluator, ties=ties))}
    if ties != "trec":
        ours.update(mrr=partial(mrr, ties=ties), recall_cap=partial(recall_cap, ties=ties))
    _replaced.update({name: (getattr(metrics, name), function) for name, function in ours.items()})
    for name, (theirs, function) in _replaced.items():
        _replace(name, theirs, function)


def uninstall() -> None:
    """Give MTEB its own functions back."""
    while _replaced:
        name, (theirs, ours) = _replaced.popitem()
        _replace(name, ours, theirs)


def _replace(name: str, old: Any, new: Any) -> None:
    """Replace a function in all of MTEB's modules, because its tasks import functions by name."""
    for module in [module for key, module in sys.modules.items() if key.partition(".")[0] == "mteb"]:
        if vars(module).get(name) is old:
            setattr(module, name, new)


def mrr(
    qrels: Numbers, results: Numbers, k_values: Sequence[int], *, ties: TiesOfOneValue = "docid"
) -> dict[str, list[float]]:
    """Return ``{"MRR@10": [...]}`` as MTEB's ``mrr`` does, with a value for each query of the results."""
    return _values(qrels, results, {f"MRR@{k}": RR @ k for k in k_values}, ties)


def recall_cap(
    qrels: Numbers, results: Numbers, k_values: Sequence[int], *, ties: TiesOfOneValue = "docid"
) -> dict[str, list[float | None]]:
    """Return ``{"R_cap_at_10": [...]}`` as MTEB's ``recall_cap`` does, with a value for each query.

    The value of a query without relevant documents is None.
    """
    capped = _values(qrels, results, {f"R_cap_at_{k}": RelP @ k for k in k_values}, ties)
    has_relevant = [any(grade > 0 for grade in qrels[query].values()) for query in results]
    return {
        name: [value if there else None for value, there in zip(values, has_relevant, strict=True)]
        for name, values in capped.items()
    }


def _values(
    qrels: Numbers, results: Numbers, measures: dict[str, Measure], ties: TiesOfOneValue
) -> dict[str, list[float]]:
    """Return the values of each query in the results. Every grade above 0 is relevant."""
    if not results:
        return {}
    binary = {query: {doc: int(grade > 0) for doc, grade in qrels[query].items()} for query in results}
    with Silence():  # the original package does not warn either
        policies = Policies("one-value", ties=ties)
        evaluation = evaluate(binary, with_finite_scores(results, policies), list(measures.values()), ties=ties)
    return {
        name: [evaluation.value(measure, query=query).mean for query in results] for name, measure in measures.items()
    }
