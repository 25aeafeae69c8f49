"""Values as arrays: of one measure, or of queries by measure."""

from __future__ import annotations

from array import array

from untied.results.base import ByMeasure
from untied.results.table import Exported, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from untied._core import Measure
    from untied.measures import MeasureLike
    from untied.results.table import Names


def as_names(ids: Any) -> Names:
    """An array of ids as a column: whole numbers stay numbers, which sort otherwise than their digits do."""
    if ids.dtype.kind in "iu" and (not len(ids) or ids.max() < 2**63):
        return array("q", ids.astype("int64").tobytes())
    return [str(one) for one in ids]


class ArrayValues:
    """The values of one measure as numpy arrays, with an entry for each query or column of scores.

    Pass it to numpy functions like an array of its values, as in ``numpy.mean(results.per_query["AP"])``.

    Attributes
    ----------
    value : numpy.ndarray
        The values.
    low, high : numpy.ndarray
        The lowest and the highest values, as in `Value`; NaN where there are none.
    variance : numpy.ndarray or None
        The variances over the orders of tied documents; NaN where they are unknown. None if you evaluated without
        ``variance=True``.
    """

    __slots__ = ("high", "low", "value", "variance")

    def __init__(self, value: Any, low: Any, high: Any, variance: Any = None) -> None:
        self.value = value
        self.low = low
        self.high = high
        self.variance = variance

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy

        return numpy.array(self.value, dtype) if copy else numpy.asarray(self.value, dtype)

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.value.shape))
        return f"<untied.ArrayValues: {shape} {'rows' if self.value.ndim == 1 else 'values'}>"


class ArrayQueries(ByMeasure, Exported):
    """Values of queries. ``results.per_query["AP"].value`` is an array with a value for each query.

    If you evaluated several columns of scores, the array has one row for each of them. pandas, polars and Arrow read
    the values as one table, with a row for each query and measure and these columns:

    * ``column``, if you evaluated several columns of scores: the number of the column, from 0
    * ``query``: the id of the query, or its number if queries have no ids
    * ``measure``, ``value``
    * ``low``, ``high`` and ``variance``, if they were computed

    `wide` makes a table with a column for each measure instead.
    """

    def __init__(
        self, measures: list[Measure], queries: Any, single: bool, values: Callable[[int], ArrayValues]
    ) -> None:
        self._measures = measures
        self._queries = queries
        self._single = single
        self._values = values

    def __len__(self) -> int:
        """Number of queries."""
        return len(self._queries)

    def __getitem__(self, measure: MeasureLike) -> ArrayValues:
        return self._values(self._number(measure))

    def _exported(self) -> Table:
        import numpy

        of_measures = [self[measure] for measure in self._measures]
        columns = 1 if self._single else len(of_measures[0].value)
        queries = numpy.tile(numpy.repeat(self._queries, len(self._measures)), columns)
        texts: dict[str, Names] = {}
        if not self._single:
            texts["column"] = as_names(numpy.repeat(numpy.arange(columns), len(queries) // columns))
        texts["query"] = as_names(queries)
        texts["measure"] = self.measures * (len(self._queries) * columns)
        numbers: dict[str, list[Any]] = {}
        for name in ("value", "low", "high", "variance"):
            fields = [getattr(values, name) for values in of_measures]
            if name == "value" or any(field is not None and not numpy.isnan(field).all() for field in fields):
                # Queries by measures, column by column.
                numbers[name] = numpy.stack(fields, axis=-1).ravel().tolist()
        return Table(texts, numbers)

    def __repr__(self) -> str:
        return f"<untied.ArrayQueries: {', '.join(self.measures)}; {len(self)} queries>"
