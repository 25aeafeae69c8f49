"""Tables: named columns, and their export to other libraries."""

from __future__ import annotations

from untied._core import arrow_stream
from untied.errors import UntiedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from untied.results.shown import Grid

    #: A column of names, such as ids of queries: texts, or whole numbers.
    Names: TypeAlias = Sequence[str] | array[int]

#: The fields of a value, in the native part's order.
FIELDS = ("value", "low", "high", "variance")
#: Numbers of a measure: what wide tables have for each.
OF_MEASURE = (*FIELDS, "chance")


class Exported:
    """A table that other libraries can read.

    ``pyarrow.table(t)``, ``polars.DataFrame(t)``, DuckDB and others read it directly, by the Arrow PyCapsule interface.
    """

    def _exported(self) -> Table:
        raise NotImplementedError

    def wide(self) -> Table:
        """Return a table with a column for each measure, as `Table.wide` does."""
        return self._exported().wide()

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame. Missing numbers are NaN."""
        from array import array

        import pandas

        table = self._exported()
        frame = pandas.DataFrame(table._columns)
        # pandas cannot infer the type of a column without values.
        texts = [name for name, cells in table._texts.items() if not cells and not isinstance(cells, array)]
        unknown = [name for name, cells in table._numbers.items() if all(cell is None for cell in cells)]
        return frame.astype(dict.fromkeys(texts, str) | dict.fromkeys(unknown, float))

    def to_polars(self) -> Any:
        """Return a polars DataFrame."""
        import polars

        return polars.DataFrame(self._exported())

    def to_numpy(self) -> Any:
        """Return the columns with numbers as a numpy array (rows x columns). Missing numbers are NaN."""
        import numpy

        return numpy.array(list(self._exported()._numbers.values()), dtype=float).T

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a list with a dict for each row."""
        table = self._exported()
        return [dict(zip(table.columns, row, strict=True)) for row in table.rows()]

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Any:
        # numpy and the constructor of pandas.DataFrame would take the names that iterating gives for the values.
        kind = type(self).__name__
        raise TypeError(f"a {kind} has columns of text and of numbers; use to_pandas(), to_polars() or to_numpy()")

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        # A requested schema is a wish that the protocol allows to leave unfulfilled.
        table = self._exported()
        return arrow_stream(list(table._texts.items()), list(table._numbers.items()))


class Table(Exported):
    """A table of results, with named columns.

    ``table["value"]`` is a column as a list, ``list(table)`` has the names of columns, and ``len(table)`` counts rows.
    Use `to_pandas` or `to_polars` to get a frame; pyarrow, polars and DuckDB can also read the table itself. Each value
    has a row of its own, unless you make a table with a column for each measure (`wide`).
    """

    def __init__(
        self,
        texts: Mapping[str, Names],
        numbers: Mapping[str, Sequence[float | None]],
        of_means: bool | Sequence[bool] = False,
    ) -> None:
        self._texts = texts
        self._numbers = numbers
        #: Whether all rows are means, or which ones: their query is ``all``, but a query may be called so, too.
        self._of_means = of_means

    @property
    def _columns(self) -> dict[str, Sequence[Any]]:
        return {**self._texts, **self._numbers}

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [*self._texts, *self._numbers]

    def keys(self) -> list[str]:
        """Return the names of the columns, so that ``dict(table)`` works."""
        return self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __getitem__(self, column: str) -> list[Any]:
        return list(self._texts[column] if column in self._texts else self._numbers[column])

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Iterate over the rows. Each row is a tuple with its values in the order of `columns`."""
        return zip(*self._columns.values(), strict=True)

    def wide(self) -> Table:
        """Return a table with a column for each measure. A run, a query or a pair of runs then has a single row.

        Returns
        -------
        Table
            First the columns that name runs and queries, then a column for each measure. If this table has ``low``,
            ``high`` or ``variance``, columns such as ``AP low`` follow.

        Raises
        ------
        UntiedError
            The table has no column ``measure`` or ``value``. Or some of its runs or queries lack a measure that others
            have.
        """
        named = [str(name) for name in self._texts.get("measure", ())]
        measures = list(dict.fromkeys(named))
        step = len(measures) or 1
        if {"measure", "value"} - set(self.columns) or named != measures * (len(self) // step):
            raise UntiedError("this table has no wide form: its rows do not all have the same measures")
        texts = {name: cells[::step] for name, cells in self._texts.items() if name not in ("measure", "certainty")}
        if self._of_means is True:
            texts.pop("query", None)
        numbers = {
            name if field == "value" else f"{name} {field}": self._numbers[field][place::step]
            for place, name in enumerate(measures)
            for field in OF_MEASURE
            if field in self._numbers
        }
        numbers |= {name: cells[::step] for name, cells in self._numbers.items() if name not in OF_MEASURE}
        return Table(texts, numbers)

    def _in_order(self, rows: Sequence[int]) -> Table:
        """The rows with these numbers, in this order."""
        texts = {name: _taken(names, rows) for name, names in self._texts.items()}
        numbers = {name: [cells[row] for row in rows] for name, cells in self._numbers.items()}
        of_means = self._of_means if isinstance(self._of_means, bool) else [self._of_means[row] for row in rows]
        return Table(texts, numbers, of_means)

    def _is_of_means(self) -> Sequence[bool]:
        """For each row, whether it is not about a single query."""
        if "query" not in self._texts:
            return [True] * len(self)
        return [self._of_means] * len(self) if isinstance(self._of_means, bool) else self._of_means

    def _exported(self) -> Table:
        return self

    def __repr__(self) -> str:
        from untied.results.shown import LINES

        return self._grid(LINES).text()

    def _repr_html_(self) -> str:
        from untied.results.shown import ROWS

        return self._grid(ROWS).html()

    def _grid(self, most: int) -> Grid:
        from untied.results.shown import Grid

        return Grid(self._columns, len(self._texts), len(self), most)


def _taken(names: Names, rows: Sequence[int]) -> Names:
    from array import array  # brings the module collections with it, which a small evaluation does without

    return array("q", [names[row] for row in rows]) if isinstance(names, array) else [names[row] for row in rows]


def tidy(texts: str, numbers: str, rows: Iterable[Sequence[Any]]) -> Table:
    """Return a table of rows. Names of columns are separated by blanks, those of text before those of numbers."""
    columns = map(list, zip(*rows, strict=True))
    named = [{name: next(columns, []) for name in names.split()} for names in (texts, numbers)]
    return Table(named[0], named[1])


def table_of(
    texts: Mapping[str, Names], parts: Iterable[Sequence[Any]], fields: Collection[str], *,
    of_means: bool | Sequence[bool], **more: Sequence[float],
) -> Table:  # fmt: skip
    """Return a table of native values, or of means only, with some of their fields and more columns of numbers."""
    columns = dict(zip((*FIELDS, "certainty"), zip(*parts, strict=True), strict=False))
    if "certainty" in fields:
        texts = {**texts, "certainty": columns.get("certainty", ())}
    # Lists, which pandas reads faster than tuples.
    numbers = {name: list(columns.get(name, ())) for name in FIELDS if name in fields}
    return Table(texts, {**numbers, **more}, of_means)
