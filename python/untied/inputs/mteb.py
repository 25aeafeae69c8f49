"""Predictions that MTEB keeps of a task: one file for all subsets of its data and their splits."""

from __future__ import annotations

from untied._core import show_id
from untied.errors import UntiedError, either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MTEB_PREDICTIONS = "predictions of MTEB, {subset: {split: {query: {document: score}}}}"
#: What MTEB says of the model, beside the subsets.
_MODEL = "mteb_model_meta"


def mteb_parts(content: Mapping[str, Any]) -> list[str]:
    """Return the parts of a file, such as default/test: the subsets of the data, each with its splits."""
    return [f"{subset}/{split}" for subset, split, _ in _splits(content)]


def mteb_rankings(content: Mapping[str, Any], part: str | None) -> Mapping[str, Any]:
    """Return the scores of documents in a part. You needn't name it if there is only one."""
    parts = {f"{subset}/{split}": rankings for subset, split, rankings in _splits(content)}
    if part is None:
        if len(parts) > 1:
            raise UntiedError(
                f"there are predictions of several parts, {either(tuple(parts))}; name one: --part (part=)"
            )
        return next(iter(parts.values()), {})
    if part not in parts:
        raise UntiedError(f"there are predictions of {either(tuple(parts))}, not of {show_id(part)}")
    return parts[part]


def _splits(content: Mapping[str, Any]) -> list[tuple[str, str, Mapping[str, Any]]]:
    found: list[tuple[str, str, Mapping[str, Any]]] = []
    for subset, splits in content.items():
        if subset == _MODEL:
            continue
        for split, rankings in splits.items() if isinstance(splits, dict) else [("", None)]:
            if not isinstance(rankings, dict) or not all(isinstance(scores, dict) for scores in rankings.values()):
                raise UntiedError(f"expected {MTEB_PREDICTIONS}, found something else in {show_id(subset)}")
            found.append((subset, split, rankings))
    return found
