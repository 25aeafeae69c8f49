"""Distributions over orders of tied documents."""

from __future__ import annotations

from itertools import combinations
from math import nan
from typing import NamedTuple

from untied import _core
from untied._core import show_id
from untied.errors import UntiedError, check_flag, check_share
from untied.inputs.mismatch import listed
from untied.results.base import ByRun
from untied.results.notes import in_python, of_queries, of_undefined
from untied.results.table import Table, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Laws, Measure, Policies
    from untied._types import Facts, Law
    from untied.measures import MeasureLike
    from untied.results.shown import Grid

#: The ends of the central 90 %, and the median.
LEVELS = (0.05, 0.5, 0.95)


class Probabilities(NamedTuple):
    """How probable it is that one run is ahead of another, if tied documents are shuffled.

    Attributes
    ----------
    greater, equal, less : (float, float)
        A lower and an upper bound of the probability that the value of the first run is greater, equal or less. The
        bounds are equal if the probability is known exactly.
    """

    greater: tuple[float, float]
    equal: tuple[float, float]
    less: tuple[float, float]


#: Both ends of each, as tables of pairs have them.
COLUMNS = [f"{which}_{end}" for which in Probabilities._fields for end in ("low", "high")]


class Distribution:
    """How likely each value is if tied documents are shuffled.

    If the exact distribution would take too long to compute, you get a lower and an upper limit for it, `lower` and
    `upper`. Values that differ by less than 1e-12 of their size count as equal.
    """

    __slots__ = ("_laws", "_measure", "_row", "notes")

    def __init__(self, laws: Laws, measure: int, row: int | None, notes: Iterable[str] = ()) -> None:
        self._laws = laws
        self._measure = measure
        self._row = row
        #: Notes on the evaluation behind the distribution of a mean, as printing all results shows them.
        self.notes = tuple(notes)

    def __reduce__(self) -> tuple[Any, ...]:
        return _alone, (self._laws.law(self._measure, self._row), self.notes)

    @property
    def _held(self) -> Law:
        held = self._laws.law(self._measure, self._row)
        return ([], None) if held is None else held

    def _quantiles(self, levels: Iterable[float]) -> list[tuple[float, float]]:
        return self._laws.quantiles(self._measure, checked(levels), self._row)

    @property
    def certainty(self) -> str:
        """``"exact"``, or ``"interval"`` if the distribution is only known to be between `lower` and `upper`."""
        return "exact" if self._laws.is_exact(self._measure, self._row) else "interval"

    @property
    def lower(self) -> list[tuple[float, float]]:
        """The distribution as pairs of a value and its probability, in ascending order of values.

        If the distribution is not known exactly, this is a lower bound, which makes low values too probable.
        """
        return self._held[0]

    @property
    def upper(self) -> list[tuple[float, float]]:
        """The distribution as pairs of a value and its probability, in ascending order of values.

        If the distribution is not known exactly, this is an upper bound, which makes high values too probable.
        """
        lower, upper = self._held
        return lower if upper is None else upper

    def quantile(self, level: float) -> tuple[float, float]:
        """Return a quantile of the value, such as its median.

        Parameters
        ----------
        level : float
            How probable it should be that the value is not above the quantile, from 0 to 1. For instance, 0.5 gives the
            median.

        Returns
        -------
        (float, float)
            A lower and an upper bound of the quantile. They are equal if the distribution is exact.

        Raises
        ------
        UntiedError
            `level` is not from 0 to 1.
        """
        return self._quantiles([level])[0]

    def at_most(self, value: float) -> tuple[float, float]:
        """Return how probable it is that the value is at most a given number.

        Parameters
        ----------
        value : float
            The given number.

        Returns
        -------
        (float, float)
            A lower and an upper bound of the probability. They are equal if the distribution is exact.
        """
        return self._laws.at_most(self._measure, value, self._row)

    def __repr__(self) -> str:
        cells = ", ".join(
            f"{level:g}: {low:.4f}" if low == high else f"{level:g}: [{low:.4f}, {high:.4f}]"
            for level, (low, high) in zip(LEVELS, self._quantiles(LEVELS), strict=True)
        )
        return f"Distribution({self.certainty}, {cells})" + (" (see .notes)" if self.notes else "")


def checked(levels: Iterable[float]) -> list[float]:
    """Levels of quantiles, checked."""
    quantiles = [float(level) for level in levels]
    for level in quantiles:
        check_share("a quantile's level", level)
    if not quantiles:
        raise UntiedError("give at least one quantile")
    return quantiles


class Distributions(ByRun):
    """How likely each value of a run is if tied documents are shuffled, as `untied.distributions` returns it.

    If you passed a single run, ``laws["AP"]`` is the `Distribution` of its mean. If you passed several, ``laws["bm25",
    "AP"]`` is the one for the run bm25. Use `query` for a single query, `quantiles` for a table of quantiles, and
    `chances` and `pairs` to see how probable it is that a run is ahead of another.
    """

    _evaluations: Mapping[str, Laws]

    _policies: Policies

    def __init__(
        self, measures: list[Measure], laws: Mapping[str, Laws], facts: dict[str, Facts], policies: Policies
    ) -> None:
        self._measures = measures
        self._evaluations = laws
        self._facts = facts
        self._policies = policies

    def __reduce__(self) -> tuple[Any, ...]:
        parts = {run: laws.parts() for run, laws in self._evaluations.items()}
        return _restored, (self._measures, parts, self._facts, self._policies)

    def facts(self) -> dict[str, Facts]:
        """Counts that explain the values of each run, such as missing queries; `Results.facts` describes them."""
        return self._facts

    def __getitem__(self, key: MeasureLike | tuple[str, MeasureLike]) -> Distribution:
        run, measure = self._run_and_measure(key)
        laws, number = self._of_run(run), self._number(measure)
        name = self.runs[0] if run is None else run
        return Distribution(laws, number, None, map(in_python, self._notes_of([name], [number])))

    def query(self, query: str, measure: str | Measure, *, run: str | None = None) -> Distribution:
        """Return the distribution of one query's value.

        You need to have called `distributions` with ``per_query=True``.

        Parameters
        ----------
        query : str
            The query's id.
        measure : str or Measure
            One of the measures.
        run : str, optional
            The name of the run. You need it only if there are several runs.

        Returns
        -------
        Distribution

        Raises
        ------
        KeyError
            There is no such run, query or measure.
        UntiedError
            Distributions of queries were not kept.
        """
        laws = self._of_run(run)
        return Distribution(laws, self._number(measure), self._row(laws, query))

    def chances(
        self, run_a: str, run_b: str, measure: str | Measure | None = None, *, query: str | None = None
    ) -> Probabilities:
        """Return how probable it is that one run is ahead of another, if their tied documents are shuffled.

        Parameters
        ----------
        run_a, run_b : str
            Names of the runs.
        measure : str or Measure, optional
            Which of the measures. By default, this is the first.
        query : str, optional
            The id of a query, to compare the values for it. By default, the means over queries are compared.

        Returns
        -------
        Probabilities
            How probable it is that the first run is ahead, level or behind. It is NaN if one of the runs has no value.

        Raises
        ------
        KeyError
            There is no such run, query or measure.
        UntiedError
            A query is given, but the distributions of queries were not kept (``per_query=True``).
        """
        a, b = self._of_run(run_a), self._of_run(run_b)
        rows = None if query is None else (self._row(a, query), self._row(b, query))
        return _probabilities(a.against(b, 0 if measure is None else self._number(measure), rows))

    def quantiles(self, levels: Iterable[float] = LEVELS, *, per_query: bool = False) -> Table:
        """Return a table of quantiles; by default, the median and the ends of the central 90 %.

        Parameters
        ----------
        levels : list of float
            Which quantiles, as probabilities from 0 to 1. For instance, ``[0.5]`` gives the median.
        per_query : bool
            Whether to also list the quantiles of every query.

        Returns
        -------
        Table
            A row for each run, query, measure and quantile. The columns are:

            * ``run``, ``measure``
            * ``query``: the id of a query, or ``all`` in rows of means
            * ``certainty``: whether the quantile is known exactly
            * ``quantile``: the probability that you asked for
            * ``low``, ``high``: bounds of the quantile. They are equal if it is exact, and NaN if there is no value.

        Raises
        ------
        UntiedError
            A level is not from 0 to 1, or distributions of queries were not kept.
        """
        asked = checked(levels)
        check_flag("per_query", per_query)
        rows: list[tuple[Any, ...]] = []
        for run, laws in self._evaluations.items():
            for query, row in self._rows(laws, per_query):
                for place, measure in enumerate(self.measures):
                    certainty = "exact" if laws.is_exact(place, row) else "interval"
                    enclosed = zip(asked, laws.quantiles(place, asked, row), strict=True)
                    rows += [(run, query, measure, certainty, level, *ends) for level, ends in enclosed]
        return tidy("run query measure certainty", "quantile low high", rows)

    @property
    def means(self) -> Table:
        """A table of the quantiles of means: the median, and the ends of the central 90 %."""
        return self.quantiles()

    @property
    def pairs(self) -> Table:
        """A table with the probability that one run has the higher mean, for every two runs.

        `compare_pairs` describes its columns.
        """
        return self.compare_pairs()

    def compare_pairs(self, *, threads: int | None = None) -> Table:
        """Return the probability that one run has the higher mean, for every two runs.

        The ties of each run are shuffled independently.

        Parameters
        ----------
        threads : int, optional
            How many threads to use; by default, one for each processor. The values do not depend on it.

        Returns
        -------
        Table
            A row for each pair of runs and each measure. The columns are:

            * ``run_a``, ``run_b``, ``measure``
            * ``greater_low``, ``greater_high``: bounds of the probability that run_a has the higher mean
            * ``equal_low``, ``equal_high``: bounds of the probability that both runs have the same mean
            * ``less_low``, ``less_high``: bounds of the probability that run_a has the lower mean

            The bounds are NaN if a run has no value.

        Raises
        ------
        UntiedError
            There are fewer than two runs.
        """
        if len(self._evaluations) < 2:
            raise UntiedError("there is only one run; a comparison needs two")
        probabilities = _core.compare_laws(list(self._evaluations.values()), threads)
        rows = [
            (*pair, measure, *(end for ends in _probabilities(chances) for end in ends))
            for pair, of_pair in zip(combinations(self._evaluations, 2), probabilities, strict=True)
            for measure, chances in zip(self.measures, of_pair, strict=True)
        ]
        return tidy("run_a run_b measure", " ".join(COLUMNS), rows)

    def beside(self, table: Table) -> Table:
        """Return a table about pairs of runs with six more columns: the probabilities of `compare_pairs`.

        Use it to see p-values and these probabilities side by side.

        Parameters
        ----------
        table : Table
            A table with the columns run_a, run_b and measure, such as `Significance.table`. If it has a column query,
            only the rows of means get probabilities.

        Returns
        -------
        Table
            The table with the columns that `compare_pairs` describes. They are None in rows of queries.

        Raises
        ------
        KeyError
            The table has a run or a measure without distributions.
        """
        rows = [
            [number for ends in self.chances(row["run_a"], row["run_b"], row["measure"]) for number in ends]
            if is_mean
            else [None] * len(COLUMNS)
            for row, is_mean in zip(table.to_dicts(), table._is_of_means(), strict=True)
        ]
        chances = {name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)}
        return Table(table._texts, {**table._numbers, **chances}, table._of_means)

    def plot(self, measure: str | Measure | None = None, *, style: str = "svg") -> bytes:
        """Draw how likely each mean is, as a line for each run.

        A line is thicker where values are more likely: it covers 99.9 % of all orders of tied documents, with a thicker
        part for the middle 90 % and the thickest for the middle 50 %.

        Parameters
        ----------
        measure : str or Measure, optional
            Which of the measures. By default, this is the first.
        style : str
            The format of the picture, which is ``"svg"``, ``"png"`` or ``"pdf"``.

        Returns
        -------
        bytes
            The content of a picture file. Write it to a file that you opened with mode ``"wb"``.

        Raises
        ------
        UntiedError
            matplotlib is not installed, or the style is unknown.
        """
        from untied.tie_orders.plots import DRAWN, draw

        place = 0 if measure is None else self._number(measure)
        shown = {
            run: dict(zip(DRAWN, laws.quantiles(place, list(DRAWN)), strict=True))
            for run, laws in self._evaluations.items()
        }
        return draw(shown, self.measures[place], style)

    def _notes(self) -> Iterator[str]:
        return self._notes_of(self.runs, range(len(self._measures)))

    def _notes_of(self, runs: Sequence[str], measures: Sequence[int]) -> Iterator[str]:
        """Notes on these runs and measures."""
        facts = {run: self._facts[run] for run in runs}
        yield from of_queries(facts, self._policies["queries"])
        yield from of_undefined(facts, can_leave_out=self._policies["on_undefined"] == "zero")
        enclosed = [
            f"{self.measures[measure]} of {show_id(run)}"
            for run in runs
            for measure in measures
            if not self._evaluations[run].is_exact(measure, None)
        ]
        if enclosed:
            yield f"distributions that are not exact, but given by bounds: {listed(enclosed)}"

    def _grid(self, most: int) -> Grid:
        return self.means._grid(most)

    def _row(self, laws: Laws, query: str) -> int:
        self._refuse_means_only(laws)
        queries = laws.queries()
        if query not in queries:
            raise KeyError(f"query {query!r} was not evaluated")
        return queries.index(query)

    def _rows(self, laws: Laws, per_query: bool) -> Iterator[tuple[str, int | None]]:
        if per_query:
            self._refuse_means_only(laws)
            yield from ((query, row) for row, query in enumerate(laws.queries()))
        yield "all", None

    def _refuse_means_only(self, laws: Laws) -> None:
        if not laws.has_queries():
            raise UntiedError("distributions of queries were not kept; use per_query=True")


def _probabilities(enclosed: Sequence[tuple[float, float]] | None) -> Probabilities:
    return Probabilities(*([(nan, nan)] * 3 if enclosed is None else enclosed))


def _alone(held: Law | None, notes: tuple[str, ...]) -> Distribution:
    return Distribution(_core.Laws.of([], [held], []), 0, None, notes)


def _restored(
    measures: list[Measure], parts: dict[str, Any], facts: dict[str, Facts], policies: Policies
) -> Distributions:
    return Distributions(measures, {run: _core.Laws.of(*of_run) for run, of_run in parts.items()}, facts, policies)
