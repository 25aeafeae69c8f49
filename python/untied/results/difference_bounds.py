"""Bounds of the differences of two runs, in which a document has the same grade in both runs."""

from __future__ import annotations

from array import array
from itertools import chain

from untied import _core
from untied.errors import MeasureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from untied._core import Lengths, Measure, Policies, Qrels, Run


class DifferenceBounds:
    """The inputs of an evaluation with ``unjudged="range"``, from which differences are bounded as for verdicts.

    A document has the same grade in both runs. One that only the other run retrieves counts, too: if it is relevant, it
    changes R and the ideal ranking. `runs` is empty if they were streamed.
    """

    def __init__(
        self, qrels: Qrels, runs: Mapping[str, Run], policies: Policies, docs: Lengths | None, threads: int | None
    ) -> None:
        self._qrels = qrels
        self._runs = runs
        self._policies = policies
        self._docs = docs
        self._threads = threads

    def __reduce__(self) -> tuple[Any, ...]:
        return DifferenceBounds, (self._qrels, self._runs, self._policies, self._docs, self._threads)

    def bounds(
        self, measure: Measure, pairs: Sequence[tuple[str, str]], queries: Sequence[str] | None = None
    ) -> list[tuple[array[float], array[float]]] | None:
        """The lowest and highest difference of each query for each pair; None if they are not known.

        `queries` are those that were evaluated, if these are not all judged ones. Bounds are not known for measures
        without verdicts, for the best and the worst order of ties, and for streamed runs.
        """
        chosen = self._policies.chosen()
        ties = chosen["ties"]
        is_refused = _core.why_not("verdicts", "ties", ties) is not None
        if is_refused or any(name not in self._runs for name in chain.from_iterable(pairs)):
            return None
        unretrieved = chosen.get("unretrieved", "none")
        policies = _core.Policies(
            "verdicts", ties=ties, score_dtype=chosen["score_dtype"], unretrieved=unretrieved
        )  # fmt: skip
        used = list(dict.fromkeys(chain.from_iterable(pairs)))
        numbers = {name: number for number, name in enumerate(used)}
        try:
            differences = _core.differences_of_queries(
                [self._runs[name] for name in used],
                [(numbers[a], numbers[b]) for a, b in pairs],
                [measure],
                qrels=self._qrels,
                policies=policies,
                docs=self._docs,
                threads=self._threads,
            )
        except MeasureError:
            return None  # the measure has no verdicts; all else that could be wrong was refused before
        ends = [(array("d", bytes(low)), array("d", bytes(high))) for ((low, high),) in differences]
        if queries is None or len(queries) == len(self._qrels):
            return ends  # as nearly always
        rows = {query: row for row, query in enumerate(self._qrels.queries())}
        kept = [rows[query] for query in queries]
        return [(array("d", map(low.__getitem__, kept)), array("d", map(high.__getitem__, kept))) for low, high in ends]
