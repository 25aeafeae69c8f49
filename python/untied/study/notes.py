"""Notes on unusual inputs of a study, and how they count."""

from __future__ import annotations

from untied import _core
from untied._core import show_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from untied._core import Measure, Run
    from untied.study.inputs import Inputs

#: Runs that a note names.
NAMED = 5


def of_queries(inputs: Inputs) -> list[str]:
    """Return notes on judged queries that runs lack, and on queries of runs that are not judged."""
    judged = set(inputs.qrels.queries())
    queries = {name: set(run.queries()) for name, run in inputs.runs.items()}
    return [
        *counted(
            "judged queries that are missing, and count as empty rankings",
            {name: len(judged - had) for name, had in queries.items()},
        ),
        *counted("queries without judgments, left out", {name: len(had - judged) for name, had in queries.items()}),
    ]


def of_compared_queries(inputs: Inputs) -> list[str]:
    """Return a note on queries that only one of two compared runs has. They are left out."""
    queries = {name: set(run.queries()) for name, run in inputs.runs.items()}
    everywhere = set.intersection(*queries.values())
    return counted(
        "queries that are missing from another run, left out when the two runs are compared",
        {name: len(had - everywhere) for name, had in queries.items()},
    )


def of_filled(runs: Mapping[str, Run], measures: Iterable[Measure]) -> list[str]:
    """Return a note on rankings that end before the cutoff of MED, by run."""
    short: dict[int, dict[str, int]] = {}
    for measure in measures:
        cutoff = _core.comparing_info(measure)[0] or 0
        for name, run in runs.items():
            if count := _core.filled_rankings(measure, run, run, None)[0]:
                short.setdefault(cutoff, {})[name] = count
    return [
        note
        for cutoff, counts in sorted(short.items())
        for note in counted(
            f"rankings with fewer than {cutoff} documents (MED fills them up with documents that cannot be judged, so "
            "their distances stay large)",
            counts,
        )
    ]


def counted(what: str, counts: Mapping[str, int]) -> list[str]:
    """Return a note with counts by run. It is None if all counts are 0."""
    named = [f"{number} in {show_id(name)}" for name, number in counts.items() if number]
    if len(named) > NAMED:
        named[NAMED:] = [f"{len(named) - NAMED} more"]
    return [f"{what}: {', '.join(named)}"] if named else []
