"""Runs without documents whose score is too low to show them: the system would rather say nothing."""

from __future__ import annotations

from untied._core import Run
from untied.errors import UntiedError
from untied.inputs import mismatch


def with_least_score(run: Run, least: float, source: str) -> Run:
    """Return the run without documents below a score. A query may have none left. `source` names the run."""
    kept = {query: {document: score for document, score in run[query] if score >= least} for query in run.queries()}
    dropped = {query: len(run[query]) - len(ranking) for query, ranking in kept.items()}
    if not any(dropped.values()):
        return run
    if not any(kept.values()):
        highest = max(score for query in run.queries() for _, score in run[query])
        raise UntiedError(f"{source}: no document has a score of at least {least:g}; the highest is {highest:g}")
    affected = [query for query, number in dropped.items() if number]
    silent = sum(not kept[query] for query in affected)
    left = f" ({silent:,} with nothing left)" if silent else ""
    mismatch.warn_or_raise(
        f"documents with a score below {least:g}, not retrieved: {sum(dropped.values()):,} in {len(affected):,} of "
        f"{len(kept):,} queries of {source}{left}"
    )
    return Run.from_mapping(kept)
