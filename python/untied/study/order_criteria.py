"""Criteria 5 to 8 of Typke, Veltkamp & Wiering, tried on rankings.

Each is a demand on two rankings that differ by one small change: two neighbours exchanged, or a document from outside
the truth inserted. The changes are made in every query at once, so each change is a run of its own.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

from untied.study.frame import DIGITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from untied._core import Run
    from untied.evaluation.runs import Evaluator
    from untied.study.rows import Row

#: What each criterion demands, in the paper's numbers.
CRITERIA = {
    5: "exchanging neighbours of the same group changes nothing",
    6: "of two neighbours of different groups, the right order has the higher value",
    7: "inserting a document from outside the truth above a document of the truth lowers the value",
    8: "an inserted document costs more if it is inserted above a document of the truth than below it",
}
#: What can come out.
OUTCOMES = {
    "met": "changes for which the criterion is met",
    "without": "changes that should change the value and do not",
    "against": "changes that change the value the wrong way (5: that change it)",
}
#: Changes are made at that many ranks.
CHANGED = 10
#: The name of the rankings as they are.
UNCHANGED = "as they are"


def tried(run: Run, truths: Mapping[str, Mapping[str, float]], evaluator: Evaluator) -> Iterator[Row]:
    """Count the outcomes of all changes, by criterion and measure."""
    rankings = {
        query: [document for document, _ in run[query]] for query, truth in truths.items() if truth and query in run
    }
    if not rankings:
        return
    outsider = _fresh(truths, rankings)
    changed: dict[str, dict[str, Sequence[str]]] = {UNCHANGED: dict(rankings)}
    for query, ranking in rankings.items():
        for rank in range(min(CHANGED, len(ranking) + 1)):
            longer = [*ranking[:rank], outsider, *ranking[rank:]]
            changed.setdefault(f"insert {rank}", {})[query] = longer
            if rank + 1 < len(ranking):
                exchanged = [*ranking[:rank], ranking[rank + 1], ranking[rank], *ranking[rank + 2 :]]
                changed.setdefault(f"exchange {rank}", {})[query] = exchanged
    results = evaluator.evaluate(changed)
    of_queries = results.per_query
    keys = zip(*map(of_queries.__getitem__, ("run", "query", "measure")), strict=True)
    values = dict(zip(keys, of_queries["value"], strict=True))
    counts = {(number, measure): Counter[str]() for number in CRITERIA for measure in results.measures}
    for query, ranking in rankings.items():
        for number, better, worse in _demands(ranking, truths[query]):
            for measure in results.measures:
                gain = round(values[better, query, measure] - values[worse, query, measure], DIGITS)
                counts[number, measure][_outcome(number, gain)] += 1
    for key, outcomes in counts.items():
        yield (*key, outcomes.total(), *(outcomes[name] for name in OUTCOMES))


def _demands(ranking: Sequence[str], truth: Mapping[str, float]) -> Iterator[tuple[int, str, str]]:
    """Yield each criterion with two changes of a ranking. The first must be better, or for 5 equal."""
    last = max((rank for rank, document in enumerate(ranking) if document in truth), default=-1)
    for rank in range(min(CHANGED, len(ranking))):
        if rank <= last:
            yield 7, UNCHANGED, f"insert {rank}"
        if rank + 1 < CHANGED and ranking[rank] in truth:
            yield 8, f"insert {rank + 1}", f"insert {rank}"
        if rank + 1 < len(ranking) and {ranking[rank], ranking[rank + 1]} <= truth.keys():
            upper, lower = truth[ranking[rank]], truth[ranking[rank + 1]]
            sides = (UNCHANGED, f"exchange {rank}")
            yield (5 if upper == lower else 6, *(sides if upper >= lower else sides[::-1]))


def _outcome(number: int, gain: float) -> str:
    met, without, against = OUTCOMES
    if number == 5:
        return against if gain else met
    return met if gain > 0 else against if gain < 0 else without


def _fresh(truths: Mapping[str, Mapping[str, float]], rankings: Mapping[str, Sequence[str]]) -> str:
    """An id that no document has."""
    name = "outsider"
    while any(name in documents for documents in chain(truths.values(), rankings.values())):
        name += "'"
    return name
