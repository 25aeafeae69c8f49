"""Results of comparing all pairs of several runs."""

from __future__ import annotations

from untied import _core
from untied.compare.comparison import Comparison, comparison_table, record
from untied.compare.measures import as_comparing
from untied.results.base import MeasureResults
from untied.results.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from untied._core import Measure
    from untied.results.recorded import Recorded


class Comparisons(MeasureResults):
    """Results of comparing all pairs of several runs.

    ``comparisons["bm25", "dense"]`` is the `Comparison` of two of them, `means` a table of all, and `matrix` one of
    all runs by all runs.
    """

    def __init__(
        self,
        names: list[str],
        measures: list[Measure],
        natives: Iterable[_core.Comparison | Recorded],
        inputs: tuple[list[_core.Run], _core.Qrels | None],
        options: dict[str, Any],
        probabilities: _core.Run | None = None,
        docs: _core.Lengths | None = None,
    ) -> None:
        self._names = names
        self._measures = measures
        self._natives = {native.runs(): native for native in natives}
        self._inputs = inputs
        self._options = options
        self._probabilities = probabilities
        self._docs = docs

    def __reduce__(self) -> tuple[Any, ...]:
        found = [record(native, self._measures) for native in self._natives.values()]
        return Comparisons, (self._names, self._measures, found, self._inputs, self._options,
                             self._probabilities, self._docs)  # fmt: skip

    @property
    def runs(self) -> list[str]:
        """Names of the runs."""
        return list(self._names)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs, each with every later one."""
        return [(self._names[a], self._names[b]) for a, b in self._natives if a != b]

    def keys(self) -> list[Any]:
        """The keys: `pairs`."""
        return self.pairs

    def __contains__(self, pair: object) -> bool:
        return pair in self.pairs

    def _as_measure(self, measure: str | Measure) -> Measure:
        return as_comparing(measure)

    def __getitem__(self, pair: tuple[str, str]) -> Comparison:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise KeyError(f"expected two runs, such as {self.pairs[0]}, found {pair!r}")
        for name in pair:
            if name not in self._names:
                raise KeyError(f"no run {name!r}; the runs are {', '.join(self._names)}")
        a, b = (self._names.index(name) for name in pair)
        if a > b:
            raise KeyError(f"{pair[1]!r} was compared with {pair[0]!r}, in this order")
        runs, qrels = self._inputs
        return Comparison(pair, self._measures, self._natives[a, b], (runs[a], runs[b], qrels), self._options,
                          self._probabilities, self._docs)  # fmt: skip

    @property
    def means(self) -> Table:
        """Means over queries, for every pair of different runs.

        Columns run_a, run_b, query (``all``), measure, certainty, value, low, high.
        """
        parts = [part for (a, b), native in self._natives.items() if a != b for part in native.totals()]
        pairs = self.pairs
        return comparison_table(pairs, ["all"] * len(pairs), self.measures, parts, self._options["variance"])

    def matrix(self, measure: str | Measure | None = None) -> Table:
        """Means of all runs by all runs.

        Parameters
        ----------
        measure : str or Measure, optional
            One of the measures that were computed; the first by default.

        Returns
        -------
        Table
            A row and a column for each run; the first column, ``run``, has the names. The diagonal has the comparison
            of each run with itself, if it was computed. An asymmetric measure compares the run of the row with the run
            of the column. Below the diagonal, an asymmetric measure is empty, unless its value is the negative of the
            one above.
        """
        number = 0 if measure is None else self._number(measure)
        _, _, symmetry = _core.comparing_info(self._measures[number])
        below = {"same": 1.0, "opposite": -1.0}.get(symmetry)
        size = len(self._names)
        columns: list[list[float | None]] = [[None] * size for _ in range(size)]
        for (a, b), native in self._natives.items():
            value = native.totals()[number][0]
            if below is not None:
                columns[a][b] = below * value + 0.0  # -0 is 0
            columns[b][a] = value
        label = "run"
        while label in self._names:
            label += "_"
        return Table({label: self.runs}, dict(zip(self._names, columns, strict=True)))
