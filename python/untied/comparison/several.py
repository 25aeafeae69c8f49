"""Results of comparing all pairs of several runs."""

from __future__ import annotations

from untied import _core
from untied.comparison.comparison import Comparison, comparison_table, record
from untied.comparison.measures import as_comparing
from untied.comparison.notes import on_pairs
from untied.results.base import ByPair
from untied.results.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from untied._core import Measure
    from untied.results.snapshot import Snapshot


class Comparisons(ByPair):
    """The comparisons of all pairs of several runs, as `untied.compare_all` returns them.

    ``comparisons["bm25", "dense"]`` is the `Comparison` of two runs. `means` is a table with a row for each pair of
    runs and each measure; `matrix` makes a table with a row and a column for each run.
    """

    def __init__(
        self,
        runs: dict[str, _core.Run],
        measures: list[Measure],
        natives: Iterable[_core.Comparison | Snapshot],
        known: dict[str, Any],
        options: dict[str, Any],
    ) -> None:
        self._runs = runs
        self._measures = measures
        self._natives = {native.runs(): native for native in natives}
        self._known = known  # as for `Comparison`
        self._options = options

    def __reduce__(self) -> tuple[Any, ...]:
        snapshots = [record(native, self._measures) for native in self._natives.values()]
        return Comparisons, (self._runs, self._measures, snapshots, self._known, self._options)

    def _notes(self) -> Iterator[str]:
        return on_pairs([self[pair]._counts() for pair in self.pairs])

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs that were compared, each in the order in which you passed the runs."""
        names = self.runs
        return [(names[a], names[b]) for a, b in self._natives if a != b]

    def _as_measure(self, measure: str | Measure) -> Measure:
        return as_comparing(measure)

    def __getitem__(self, pair: tuple[str, str]) -> Comparison:
        one, other = self._two_runs(pair)
        a, b = self.runs.index(one), self.runs.index(other)
        if a > b:
            raise KeyError(f"the runs were compared in the order {other!r}, {one!r}")
        inputs = self._runs[one], self._runs[other]
        return Comparison(pair, self._measures, self._natives[a, b], inputs, self._known, self._options)

    @property
    def means(self) -> Table:
        """A table of the means of every pair of different runs.

        It has the columns of `Comparison.table`.
        """
        parts = [part for (a, b), native in self._natives.items() if a != b for part in native.totals()]
        pairs = self.pairs
        return comparison_table(pairs, ["all"] * len(pairs), self.measures, parts, self._options["variance"], True)

    def matrix(self, measure: str | Measure | None = None) -> Table:
        """Return a table of one measure, with a row and a column for each run.

        Parameters
        ----------
        measure : str or Measure, optional
            Which of the computed measures. By default, this is the first.

        Returns
        -------
        Table
            The first column, ``run``, has the names of the runs. On the diagonal, each run is compared with itself,
            unless you passed ``itself=False``.

            If the measure is not symmetric, the row has the first run and the column the second. There are then no
            values below the diagonal, unless swapping the runs only changes the sign.
        """
        number = 0 if measure is None else self._number(measure)
        _, _, symmetry = _core.comparing_info(self._measures[number])
        below = {"same": 1.0, "opposite": -1.0}.get(symmetry)
        size = len(self._runs)
        columns: list[list[float | None]] = [[None] * size for _ in range(size)]
        for (a, b), native in self._natives.items():
            value = native.totals()[number][0]
            if below is not None:
                columns[a][b] = below * value + 0.0  # -0 is 0
            columns[b][a] = value
        label = "run"
        while label in self._runs:
            label += "_"
        return Table({label: self.runs}, dict(zip(self._runs, columns, strict=True)))
