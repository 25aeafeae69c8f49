"""What results of measures have in common."""

from __future__ import annotations

from untied.measures import as_measure
from untied.results.table import Exported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from untied._core import Measure
    from untied._types import Facts
    from untied.results.shown import Grid
    from untied.results.table import Table


class ByMeasure:
    """What is looked up by measures, in any spelling of their names."""

    _measures: list[Measure]

    @property
    def measures(self) -> list[str]:
        """Canonical names of the measures."""
        return [str(measure) for measure in self._measures]

    def keys(self) -> list[Any]:
        """What can be looked up."""
        return self.measures

    def items(self) -> Iterator[tuple[Any, Any]]:
        """All that can be looked up, each with what is found."""
        return ((key, self[key]) for key in self.keys())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def __contains__(self, measure: Any) -> bool:
        return self._as_measure(measure) in self._measures

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    def _as_measure(self, measure: Any) -> Measure:
        return as_measure(measure)

    def _number(self, measure: Any) -> int:
        """The place of a measure."""
        asked = self._as_measure(measure)
        if asked not in self._measures:
            raise KeyError(f"{asked} was not computed; {', '.join(self.measures)} were")
        return self._measures.index(asked)


class MeasureResults(ByMeasure, Exported):
    """Results by measure: look them up by name, or use the table of `means`.

    ``dict(results)`` has everything that can be looked up, and iterating goes over its keys. To pandas, polars and
    Arrow results are their `means`; a notebook shows these with a row for each run and a column for each measure.
    """

    #: Whether one of the rows has the best mean of a measure.
    _ranked = False

    @property
    def means(self) -> Table:
        """Means over queries; of counts, sums."""
        raise NotImplementedError

    def _facts_of_rows(self) -> list[Facts]:
        """What to know about each row of means, where anything is known."""
        return []

    def _exported(self) -> Table:
        return self.means

    def __repr__(self) -> str:
        from untied.results.shown import LINES, WIDTH

        text = self._grid(LINES).text()
        return text if text.find("\n") <= WIDTH else repr(self.means)

    def _repr_html_(self) -> str:
        from untied.results.shown import ROWS, html_of

        return html_of(self._grid(ROWS), self._facts_of_rows())

    def _grid(self, most: int) -> Grid:
        from untied.results.shown import wide

        table = self.means.wide()
        return wide(table._columns, len(table._texts), self._measures, self._ranked, most)
