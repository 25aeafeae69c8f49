"""Notes on verdicts."""

from __future__ import annotations

from untied.inputs.mismatch import listed
from untied.results.notes import of_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from untied.verdicts.verdict import Verdict

#: A note says that few queries are judged if the others are more than this times as many.
FEW = 9


def on_queries(facts: Mapping[str, Mapping[str, int]], judged: int) -> Iterator[str]:
    """Notes on queries that only the judgments or only a run has; `judged` is the number of judged queries."""
    yield from of_queries(facts)
    unknown = max(fact["unknown"] for fact in facts.values())
    if unknown > FEW * judged:
        yield f"only {judged:,} of {judged + unknown:,} queries are judged, and they may not stand for the others"


def on_bounds(verdicts: Sequence[tuple[str, Verdict]], columns: Collection[str]) -> Iterator[str]:
    """Notes on what is not exact in these columns, from the verdicts with their measures."""
    enclosing = _counts([measure for measure, verdict in verdicts if not verdict.is_exact])
    if enclosing:
        what = "" if "low" in columns else "ranks from " if "best" in columns else "verdicts from "
        yield f"{what}bounds of the difference that may be wider than necessary: {listed(enclosing)}"
    least = _counts([measure for measure, verdict in verdicts if not verdict.overturn_is_exact])
    if least and ("overturn" in columns or "bound" in columns):  # --explain lists the documents
        yield f"overturn numbers that may be larger than shown: {listed(least)}"
    least = _counts([measure for measure, verdict in verdicts if not verdict.largest_m_is_exact])
    if least and "largest_m" in columns:
        yield f"values of largest_m that may be larger than shown: {listed(least)}"


def _counts(measures: list[str]) -> list[str]:
    return [f"{measures.count(measure)} of {measure}" for measure in dict.fromkeys(measures)]
