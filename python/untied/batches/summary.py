"""Means over queries whose values come in Arrow batches."""

from __future__ import annotations

from array import array
from math import nan

import pyarrow.compute as pc

from untied import _core
from untied.batches.pieces import equals, whole_queries
from untied.comparison.comparison import comparison_table
from untied.comparison.measures import as_comparing
from untied.comparison.notes import on_pairs
from untied.errors import UntiedError
from untied.inputs import mismatch
from untied.results.base import MeasureResults
from untied.results.evaluation import Results
from untied.results.notes import mean_with_notes, of_evaluation
from untied.results.snapshot import Snapshot
from untied.results.table import FIELDS, Table, table_of
from untied.results.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Measure, Policies
    from untied._types import Facts, Parts
    from untied.measures import MeasureLike


class Summary(MeasureResults):
    """Means over queries. ``summary["AP"]`` is the mean of a measure, and `means` a table of them all."""

    def __init__(self, measures: list[Measure], parts: list[Any], reasons: list[dict[str, str | None]]) -> None:
        self._measures = measures
        self._parts = parts
        self._reasons = reasons
        self._levels: str | None = None

    def warn(self) -> None:
        """Warn if the values are meaningless because the inputs have nothing in common."""
        mismatch.warn(*self._reasons)
        if not any(reason for reasons in self._reasons for reason in reasons.values()):
            mismatch.warn_or_raise(self._levels)

    def __getitem__(self, measure: MeasureLike) -> Value:
        raise NotImplementedError


class EvaluationSummary(Summary):
    """The means of a run, from `BatchEvaluator.summary`, and counts that explain them."""

    _policies: Policies

    def __init__(
        self,
        measures: list[Measure],
        parts: list[Any],
        facts: Facts,
        columns: Sequence[str],
        policies: Policies,
        duplicates: str | None = None,
    ) -> None:
        super().__init__(measures, parts, [{"run": mismatch.of_facts(facts)}])
        self._facts = facts
        self._columns = columns
        self._policies = policies
        self._levels = mismatch.of_levels(measures, facts["highest"])
        self._duplicates = duplicates

    def warn(self) -> None:
        """Warn if the values are meaningless because the inputs have nothing in common, and of duplicates."""
        super().warn()
        mismatch.warn_or_raise(self._duplicates)

    @property
    def means(self) -> Table:
        """A table of means: columns run, query (``all``), measure and value.

        Columns low, high and variance follow if they were computed.
        """
        size = len(self._measures)
        texts = {"run": ["run"] * size, "query": ["all"] * size, "measure": self.measures}
        return table_of(texts, self._parts, self._columns, of_means=True)

    def _facts_of_rows(self) -> list[Facts]:
        return [self._facts]

    def __getitem__(self, measure: MeasureLike) -> Value:
        number = self._number(measure)
        mean = Value(*self._parts[number])
        return mean_with_notes(mean, self._measures[number], "run", self._facts, self._policies.chosen())

    def _notes(self) -> Iterator[str]:
        return of_evaluation({"run": self._facts}, self._measures, self._policies.chosen())

    def results(self, values: Mapping[str, Mapping[str, Parts]]) -> Results:
        """Return the values of queries and these means, as `untied.evaluate` does. `values` has them by measure."""
        parts = [of_query[name] for of_query in values.values() for name in self.measures]
        columns: dict[tuple[Any, ...], bytearray] = {}
        for place in range(len(self._measures)):
            for at, field in enumerate(FIELDS):
                numbers: list[Any] = [
                    nan if one[at] is None else one[at] for one in parts[place :: len(self._measures)]
                ]
                if field in self._columns:
                    columns[place, field] = bytearray(array("d", numbers).tobytes())
        answers: dict[str, Any] = {
            "queries": list(values), "columns": [name for name in self._columns if name != "value"], "values": parts,
            "totals": [(*mean, None) for mean in self._parts], "facts": self._facts,
        }  # fmt: skip
        kept = Snapshot({name: {(): answer} for name, answer in answers.items()} | {"column": columns})
        return Results(self._measures, {"run": kept}, self._policies)

    def facts(self) -> Facts:
        """Return counts that explain the values. `Results.facts` describes them."""
        return self._facts.copy()


class ComparisonSummary(Summary):
    """The means of a comparison, from `BatchComparer.summary`.

    Attributes
    ----------
    alone : tuple of int
        How many queries only the first run has, and how many only the second run has. These are left out of the
        comparison.
    undefined : dict of str and int
        For each measure, the number of queries for which it is undefined. Its mean leaves them out.
    """

    def __init__(
        self, measures: list[Measure], parts: list[Any], names: tuple[str, str], variance: bool,
        alone: tuple[int, int], undefined: dict[str, int], reasons: list[dict[str, str | None]],
        duplicates: Sequence[str | None],
    ) -> None:  # fmt: skip
        super().__init__(measures, parts, reasons)
        self._duplicates = duplicates
        self._names = names
        self._variance = variance
        self.alone = alone
        self.undefined = undefined

    def warn(self) -> None:
        """Warn if the runs have no document in common, and of duplicates."""
        super().warn()
        for note in self._duplicates:
            mismatch.warn_or_raise(note)

    def __getitem__(self, measure: MeasureLike) -> Value:
        number = self._number(measure)
        name = self.measures[number]
        notes = on_pairs([(self._names, self.alone, {name: self.undefined[name]}, {})])
        return Value(*self._parts[number])._with_notes(notes)

    def _as_measure(self, measure: Any) -> Measure:
        return as_comparing(measure)

    def _notes(self) -> Iterator[str]:
        return on_pairs([(self._names, self.alone, self.undefined, {})])

    @property
    def means(self) -> Table:
        """A table of means: columns run_a, run_b, query (``all``), measure, certainty, value, low, high.

        A column variance follows if it was computed.
        """
        return comparison_table([self._names], ["all"], self.measures, self._parts, self._variance, True)


class Sums:
    """Sums of the values of queries, added in the order of queries."""

    def __init__(self, measures: list[Measure], columns: list[str], totals: _core.Totals) -> None:
        self.columns = [name for name in FIELDS if name in columns]
        self._all = columns[1:]
        self.totals = totals
        self._measures = [str(measure) for measure in measures]

    def add(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Add the rows of batches, and yield them as tables of whole queries."""
        last = None
        for rows in whole_queries(batches, self._all, sorted_too=True):
            last = self._check_order(rows, last)
            for number, measure in enumerate(self._measures):
                of_measure = rows.filter(equals(rows["measure"], measure))
                columns = [
                    of_measure[name].to_pylist() if name in self.columns else [None] * len(of_measure)
                    for name in FIELDS
                ]
                certainties = of_measure["certainty"].to_pylist()
                evaluated = "unsettled" in self._all  # of comparisons nothing is
                unsettled = of_measure["unsettled"].to_pylist() if evaluated else [False] * len(of_measure)
                self.totals.add(number, list(zip(*columns, certainties, unsettled, strict=True)))
            yield rows

    def _check_order(self, rows: Any, last: str | None) -> str:
        """Check that every query comes once, with a row for each measure or a single row without a measure."""
        encoded = pc.run_end_encode(rows["query"].combine_chunks())
        queries, ends = encoded.values.to_pylist(), encoded.run_ends.to_pylist()
        missing = rows["measure"].is_null().to_pylist()
        start = 0
        for query, end in zip(queries, ends, strict=True):
            expected = 1 if missing[start] else len(self._measures)
            if end - start != expected or (last is not None and query <= last):
                raise UntiedError(
                    f"values of query {query!r} are out of order: sort the rows by query, and pass all rows of a query "
                    "to one call"
                )
            start, last = end, query
        return str(last)
