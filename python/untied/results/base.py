"""The common base of results."""

from __future__ import annotations

from untied.measures import as_measure
from untied.results.table import Exported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Measure, Policies, Run
    from untied._types import Facts
    from untied.results.shown import Bounds, Grid
    from untied.results.table import Table


class ByMeasure:
    """A mapping whose keys are measures. You can look them up in any spelling."""

    _measures: list[Measure]

    @property
    def measures(self) -> list[str]:
        """Canonical names of the measures."""
        return [str(measure) for measure in self._measures]

    def keys(self) -> list[Any]:
        """Return the keys, so that ``dict(results)`` works."""
        return self.measures

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Go over pairs of a key and its value."""
        return ((key, self[key]) for key in self.keys())

    def values(self) -> list[Any]:
        """Return the values, in the order of the keys."""
        return [self[key] for key in self.keys()]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def __repr__(self) -> str:
        return repr(dict(self.items()))

    def __contains__(self, measure: Any) -> bool:
        return self._as_measure(measure) in self._measures

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    def _as_measure(self, measure: Any) -> Measure:
        return as_measure(measure)

    def _number(self, measure: Any) -> int:
        """The index of a measure."""
        asked = self._as_measure(measure)
        if asked not in self._measures:
            raise KeyError(f"{asked} was not computed; {', '.join(self.measures)} were")
        return self._measures.index(asked)


class MeansByName(dict[str, float]):
    """Means by canonical names of measures, which are found by any spelling."""

    def __init__(self, measures: list[Measure], means: Iterable[float]) -> None:
        super().__init__(zip(map(str, measures), means, strict=True))
        self._names = ByMeasure()
        self._names._measures = measures

    def __missing__(self, measure: Any) -> float:
        return self[self._names.measures[self._names._number(measure)]]

    def __contains__(self, measure: object) -> bool:
        return super().__contains__(measure) or measure in self._names

    def get(self, measure: Any, default: Any = None) -> Any:
        """The mean by a measure, or a default if that was not computed."""
        try:
            return self[measure]
        except KeyError:
            return default


class MeasureResults(ByMeasure, Exported):
    """Results by measure: look up a value by the measure's name, or use the table of `means`.

    ``dict(results)`` holds all values, and iteration goes over their keys. pandas, polars and Arrow read the table of
    `means`; a notebook shows it with a row for each run and a column for each measure.
    """

    #: Whether one of the rows has the best mean of a measure.
    _ranked = False
    #: The policies of an evaluation.
    _policies: Policies | None = None

    @property
    def means(self) -> Table:
        """A table of means over queries, or of sums for measures that count."""
        raise NotImplementedError

    @property
    def _varied(self) -> tuple[str, ...]:
        """What bounds are over, if it is the same for all measures: ``"ties"``, ``"judgments"``."""
        return () if self._policies is None else self._policies.varied

    def _notes(self) -> Iterable[str]:
        """What a reader of the means should know, as the command line says it."""
        return ()

    def _facts_of_rows(self) -> list[Facts]:
        """The facts about each row of means, if any."""
        return []

    def _facts_to_mark(self) -> list[Facts]:
        """The same if ties leave values open and their range is not shown."""
        from untied.results.notes import leaves_ties_open

        ties = "range" if "ties" in self._varied else ""
        return self._facts_of_rows() if leaves_ties_open(self._measures, ties) else []

    def _exported(self) -> Table:
        return self.means

    def __repr__(self) -> str:
        from untied.results.notes import LEGEND
        from untied.results.shown import LINES, WIDTH, marked, with_notes

        facts = self._facts_to_mark()
        grid = self._grid(LINES)
        is_marked = marked(grid, facts)
        text = grid.text()
        if text.find("\n") > WIDTH:
            grid = self.means._grid(LINES)
            marked(grid, facts, len(self._measures))
            text = grid.text()
        return with_notes(text, self._notes(), LEGEND if is_marked else "")

    def _repr_html_(self) -> str:
        from untied.results.shown import ROWS, html_of

        return html_of(self._grid(ROWS), self._facts_to_mark(), self._varied, self._notes())

    def _grid(self, most: int) -> Grid:
        from untied.results.shown import wide

        table = self.means.wide()
        standings = self._standings if self._ranked else None
        return wide(table._columns, len(table._texts), self._measures, standings, most)

    def _standings(self, measure: Measure, leader: int, values: Sequence[float], bounds: Bounds) -> list[str]:
        """How a row of means stands to all others by a measure: bounds of each row alone tell that."""
        from untied.results.lead import of_means

        return of_means(measure, leader, values, bounds)


class ByRun(MeasureResults):
    """Results of one or several runs."""

    #: What was evaluated, by run.
    _evaluations: Mapping[str, Any]

    @property
    def runs(self) -> list[str]:
        """Names of the runs."""
        return list(self._evaluations)

    def keys(self) -> list[Any]:
        """Return the keys: measures if there is a single run, else pairs (run, measure)."""
        return self.measures if len(self.runs) == 1 else [(run, name) for run in self.runs for name in self.measures]

    def __contains__(self, key: Any) -> bool:
        run, measure = self._run_and_measure(key)
        return (run is None or run in self._evaluations) and super().__contains__(measure)

    @staticmethod
    def _run_and_measure(key: Any) -> tuple[str | None, Any]:
        """What a key names; of a single run, the measure alone."""
        if isinstance(key, tuple) and len(key) != 2:
            raise KeyError(f"expected a measure, or a run and a measure, found {key!r}")
        return key if isinstance(key, tuple) else (None, key)

    def _of_run(self, run: str | None) -> Any:
        """The evaluation of a run, which need not be named if there is only one."""
        if run is None and len(self._evaluations) != 1:
            example = f"for example results[{self.runs[0]!r}, {self.measures[0]!r}]" if self.runs else "there are none"
            raise KeyError(f"name one of the runs: {', '.join(self.runs)}; {example}")
        run = self.runs[0] if run is None else run
        if not isinstance(run, str) or run not in self._evaluations:
            raise KeyError(f"no run {run!r}; the runs are {', '.join(self.runs)}")
        return self._evaluations[run]


class ByPair(MeasureResults):
    """Results about pairs of runs."""

    _runs: dict[str, Run]

    @property
    def runs(self) -> list[str]:
        """Names of the runs."""
        return list(self._runs)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs of runs. The first run of each pair is the one that you passed first."""
        raise NotImplementedError

    def keys(self) -> list[Any]:
        """Return the keys: the `pairs` of runs."""
        return self.pairs

    def __contains__(self, pair: object) -> bool:
        return pair in self.pairs

    def _two_runs(self, pair: Any) -> tuple[str, str]:
        """The names in a key."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise KeyError(f"expected two runs, such as {self.pairs[0]!r}, found {pair!r}")
        for name in pair:
            if name not in self._runs:
                raise KeyError(f"no run {name!r}; the runs are {', '.join(self._runs)}")
        return pair
