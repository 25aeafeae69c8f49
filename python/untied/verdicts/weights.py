"""How much a document adds to a measure that is a sum, by its grade and the ranks of its tie group."""

from __future__ import annotations

from itertools import groupby
from math import fsum
from operator import itemgetter

from untied.errors import MeasureError, UntiedError
from untied.evaluation.runs import evaluate
from untied.inputs import mismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from untied._core import Measure, Run

#: Measures whose value is a sum over documents, each of which depends on its rank and its grade alone.
ADDITIVE = ("P", "Hits", "RBP", "DCG")
#: The most ranks that a measure without a cutoff is asked of, one by one.
DEEPEST = 1_000


def steps(measure: Measure, grades: Sequence[float], longest: int) -> list[list[float]]:
    """The additional value of a document at each rank with each grade, compared with the grade below.

    `grades` are those above 0, the lowest first; `longest` is the length of the longest ranking. For each grade there
    is a list of values by rank, from the first rank to the cutoff. Measures that are not such sums are refused.
    """
    if measure.name not in ADDITIVE or measure.is_geometric or "judged_only" in str(measure):
        raise MeasureError(
            f"{measure}: verdicts from a sample are available only for sums over documents: {', '.join(ADDITIVE)}"
        )
    depth = min(longest, measure.cutoff or longest)
    if depth > DEEPEST:
        raise UntiedError(
            f"{measure}: verdicts from a sample are available only down to rank {DEEPEST:,}; give a cutoff"
        )
    if not grades:
        return []
    # The measure itself says what a document is worth: in each of these queries a single one is relevant.
    documents = [f"d{rank}" for rank in range(depth)]
    queries = {
        f"{rank} {number}": {documents[rank]: grade} for number, grade in enumerate(grades) for rank in range(depth)
    }
    run = {query: documents[: int(query.split()[0]) + 1] for query in queries}
    with mismatch.Silence():  # these are not the user's
        results = evaluate(queries, run, measure)
    worth = [
        [results.value(measure, f"{rank} {number}").mean for rank in range(depth)] for number in range(len(grades))
    ]
    lower = [[0.0] * depth, *worth]
    return [[now - before for now, before in zip(*pair, strict=True)] for pair in zip(worth, lower, strict=False)]


def of_ranking(
    run: Run, query: str, pool: Collection[str], worth: Sequence[Sequence[float]], *, one_order: bool
) -> dict[str, tuple[float, ...]]:
    """What each pooled document of a ranking adds, for each grade: the mean over the ranks of its tie group.

    With `one_order`, ties are ordered by id, descending.
    """
    if query not in run:
        return {}
    depth = len(worth[0]) if worth else 0
    ordered = sorted(run[query], key=itemgetter(1, 0), reverse=True)
    groups = (
        [[one] for one in ordered] if one_order else [list(same) for _, same in groupby(ordered, key=itemgetter(1))]
    )
    weights: dict[str, tuple[float, ...]] = {}
    rank = 0
    for group in groups:
        if rank >= depth:
            break
        mean = tuple(fsum(of[rank : rank + len(group)]) / len(group) for of in worth)
        weights |= {document: mean for document, _ in group if document in pool}
        rank += len(group)
    return weights
