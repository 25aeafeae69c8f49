"""Mean ranks of runs over segments."""

from __future__ import annotations

from math import fsum, isnan

from untied._core import ranked, show_id
from untied.errors import UntiedError
from untied.results.table import tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied.results.table import Table


def mean_ranks(results: Any) -> Table:
    """The table of `Results.mean_ranks`."""
    segments = results.segments
    if not segments:
        raise UntiedError("mean ranks are over segments: group the results by a column first")
    rows = []
    for number, measure in enumerate(results._measures):
        ranks: dict[str, list[float]] = {run: [] for run in results.runs}
        for segment, part in segments.items():
            means = [part._evaluations[run].totals()[number][0] for run in results.runs]
            missing = [run for run, mean in zip(results.runs, means, strict=True) if isnan(mean)]
            if missing:
                raise UntiedError(
                    f"run {show_id(missing[0])} has no value of {measure} in the segment {show_id(segment)}"
                )
            places = dict(ranked(means, measure.lower_is_better))
            for place, run in enumerate(results.runs):
                shared = sum(rank == places[place] for rank in places.values())
                ranks[run].append(places[place] + (shared - 1) / 2)
        rows += [
            (run, str(measure), fsum(own) / len(own), fsum(len(results.runs) - rank for rank in own))
            for run, own in ranks.items()
        ]
    return tidy("run measure", "mean_rank borda", rows)
