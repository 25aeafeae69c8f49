"""Results: values, tables of them, and their ways out to other libraries."""

from __future__ import annotations

from untied._core import Measure, arrow_stream
from untied.errors import deprecated
from untied.measures import as_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from untied._core import Evaluation
    from untied._types import Facts, Parts
    from untied.measures import MeasureLike


class Value:
    """The value of a measure over everything that is still possible.

    Attributes
    ----------
    mean : float
        Mean over all orders of tied documents (or the one value, under a policy that fixes the order).
    low, high : float or None
        Smallest and largest value over these orders; only with ``ties="range"``.
    variance : float or None
        Variance over these orders; only with ``variance=True``, and None where it is not known.
    certainty : str
        ``"exact"`` (up to floating-point rounding); ``"interval"``: low and high enclose all values, but need not be
        reached; ``"estimate"``: mean and variance come from a sample of orders (or, of a measure of your own with
        standard error 0, only low and high do).
    standard_error : float or None
        Standard error of an estimated mean, where it is known: of measures of your own. That of an aggregate is at most
        so large.
    """

    __slots__ = ("certainty", "high", "low", "mean", "standard_error", "variance")

    def __init__(
        self,
        mean: float,
        low: float | None,
        high: float | None,
        variance: float | None,
        certainty: str,
        standard_error: float | None = None,
    ) -> None:
        self.mean = mean
        self.low = low
        self.high = high
        self.variance = variance
        self.certainty = certainty
        self.standard_error = standard_error

    def __float__(self) -> float:
        return self.mean

    def __format__(self, spec: str) -> str:
        return format(self.mean, spec) if spec else str(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((self.mean, self.low, self.high, self.variance))

    def __repr__(self) -> str:
        text = f"{self.mean:.4f}"
        if self.low is not None:
            text += f" [{self.low:.4f}, {self.high:.4f}]"
        if self.variance is not None:
            text += f" (variance {self.variance:.3g})"
        if self.standard_error:
            text += f" (standard error {self.standard_error:.2g})"
        return text


class Table:
    """Rows and named columns: text columns first, then numbers.

    Tables go to other libraries by `to_pandas`, `to_polars` or the Arrow PyCapsule interface
    (``pyarrow.table(t)``, ``polars.DataFrame(t)``, DuckDB, ...).
    """

    def __init__(
        self,
        texts: dict[str, list[str]],
        numbers: dict[str, list[float | None]],
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        self._texts = texts
        self._numbers = numbers
        #: Deprecated names of columns.
        self._renamed = renamed or {}

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [*self._texts, *self._numbers]

    def __getitem__(self, column: str) -> list[Any]:
        if column in self._renamed:
            old, column = column, self._renamed[column]
            deprecated(f"column {old!r}", repr(column))
        return list(self._texts[column] if column in self._texts else self._numbers[column])

    def __len__(self) -> int:
        return len(next(iter(self._texts.values())))

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Row by row, in the order of the columns."""
        return zip(*self._texts.values(), *self._numbers.values(), strict=True)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dict a row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows()]

    def to_pandas(self) -> Any:
        """Make a pandas DataFrame."""
        import pandas

        return pandas.DataFrame({**self._texts, **self._numbers})

    def to_polars(self) -> Any:
        """Make a polars DataFrame."""
        import polars

        return polars.DataFrame(self)

    def to_numpy(self) -> Any:
        """Make a numpy array of the numbers, rows by columns; NaN where there is none."""
        import numpy

        return numpy.array(list(self._numbers.values()), dtype=float).T

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        # A requested schema is a wish that the protocol allows to leave unfulfilled.
        return arrow_stream(list(self._texts.items()), list(self._numbers.items()))

    def _cells(self, most: int) -> tuple[list[list[str]], int]:
        """The first rows as text, and how many more there are."""
        rows = [
            [f"{cell:.4f}" if isinstance(cell, float) else "" if cell is None else str(cell) for cell in row]
            for _, row in zip(range(most), self.rows(), strict=False)
        ]
        return rows, len(self) - len(rows)

    def __repr__(self) -> str:
        rows, more = self._cells(60)
        lines = [self.columns, *rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        texts = len(self._texts)

        def aligned(line: list[str]) -> str:
            cells = (
                cell.ljust(width) if i < texts else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            return "  ".join(cells).rstrip()

        return "\n".join(map(aligned, lines)) + (f"\n... {more} more rows" if more else "")

    def _repr_html_(self) -> str:
        from html import escape

        rows, more = self._cells(200)

        def line(cells: list[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        body = "".join(line(row, "td") for row in rows)
        rest = f"<caption>{more} more rows</caption>" if more else ""
        return f"<table>{rest}<thead>{line(self.columns, 'th')}</thead><tbody>{body}</tbody></table>"


class Values:
    """An evaluation as plain data, for pickling."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._queries = evaluation.queries()
        self._columns = evaluation.columns()
        self._totals = evaluation.totals()
        self._values = evaluation.values()
        self._facts = evaluation.facts()

    def queries(self) -> list[str]:
        """Ids of the queries."""
        return list(self._queries)

    def query(self, row: int) -> str:
        """The id of one of them."""
        return self._queries[row]

    def columns(self) -> list[str]:
        """Names of the optional columns that there are."""
        return list(self._columns)

    def totals(self) -> list[Parts]:
        """Aggregates."""
        return list(self._totals)

    def values(self) -> list[Parts]:
        """Values of queries."""
        return list(self._values)

    def value(self, row: int, measure: int) -> Parts:
        """One of them."""
        return self._values[row * len(self._totals) + measure]

    def column(self, measure: int, field: str) -> bytearray:
        """One field of a measure's values (value, low or high), query by query, as float64; NaN where there is none."""
        from array import array

        of_measure = self._values[measure :: len(self._totals)]
        cells = ({"value": parts[0], "low": parts[1], "high": parts[2]}[field] for parts in of_measure)
        return bytearray(array("d", (float("nan") if cell is None else cell for cell in cells)).tobytes())

    def find(self, query: str | bytes | int) -> int | None:
        """The row of a query."""
        name = query.decode("utf-8", "backslashreplace") if isinstance(query, bytes) else str(query)
        return self._queries.index(name) if name in self._queries else None

    def facts(self) -> Facts:
        """What to know about the evaluation."""
        return self._facts


class Results:
    """What an evaluation found, for one or several runs.

    ``results["AP"]`` is the aggregate of a single run, ``results["bm25", "AP"]`` that of one among several, and
    `value` gives those of queries. `means` and `per_query` are tables of everything.
    """

    def __init__(self, measures: list[Measure], evaluations: Mapping[str, Evaluation | Values]) -> None:
        self._measures = measures
        self._numbers = {measure: number for number, measure in enumerate(measures)}
        self._evaluations = evaluations

    @property
    def runs(self) -> list[str]:
        """Names of the runs."""
        return list(self._evaluations)

    @property
    def measures(self) -> list[str]:
        """Canonical names of the measures."""
        return [str(measure) for measure in self._measures]

    @property
    def queries(self) -> list[str]:
        """The evaluated queries of all runs, in byte order of their ids."""
        queries: set[str] = set()
        for evaluation in self._evaluations.values():
            queries.update(evaluation.queries())
        return sorted(queries, key=lambda query: query.encode("utf-8", "surrogatepass"))

    #: Values are looked up, not iterated over.
    __iter__ = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Results, (self._measures, {name: _plain(values) for name, values in self._evaluations.items()})

    def __contains__(self, measure: MeasureLike) -> bool:
        return as_measure(measure) in self._numbers

    def __getitem__(self, key: MeasureLike | tuple[str, MeasureLike]) -> Value:
        run, measure = key if isinstance(key, tuple) else (None, key)
        return self.value(measure, run=run)

    def value(self, measure: MeasureLike, query: str | None = None, run: str | None = None) -> Value:
        """One value.

        Parameters
        ----------
        measure : str, Measure, or measure of ir_measures
            One of the evaluated measures, in any spelling.
        query : str, optional
            A query; the aggregate over all where there is none.
        run : str, optional
            The run's name; needed where there are several.

        Returns
        -------
        Value

        Raises
        ------
        KeyError
            There is no such run, query or measure, or several runs and none was named.
        """
        if run is None:
            if len(self._evaluations) != 1:
                raise KeyError(f"name one of the runs: {', '.join(self.runs)}")
            run = self.runs[0]
        if run not in self._evaluations:
            raise KeyError(f"no run {run!r}; there are {', '.join(self.runs)}")
        measure = as_measure(measure)
        number = self._numbers.get(measure)
        if number is None:
            raise KeyError(f"{measure} was not evaluated; {', '.join(self.measures)} were")
        evaluation = self._evaluations[run]
        if query is None:
            return Value(*evaluation.totals()[number])
        row = evaluation.find(query)
        if row is None:
            raise KeyError(f"query {query!r} was not evaluated")
        return Value(*evaluation.value(row, number))

    @property
    def means(self) -> Table:
        """Aggregates: columns run, query (``all``), measure, value, and low, high, variance where computed."""
        return self.table(per_query=False)

    @property
    def per_query(self) -> Table:
        """Values of queries, in the same columns."""
        return self.table(means=False)

    def table(self, *, per_query: bool = True, means: bool = True, aggregates: bool | None = None) -> Table:
        """Values of queries, run by run, each followed by its means (query ``all``).

        Parameters
        ----------
        per_query, means : bool
            Which of the two to have.
        aggregates : bool, optional
            Deprecated name of `means`.

        Returns
        -------
        Table
            Columns run, query, measure, value; then low and high with ``ties="range"`` and variance with
            ``variance=True``. The measures of a query stand together, in the order they were asked for.
        """
        if aggregates is not None:
            deprecated("table(aggregates=...)", "table(means=...)")
            means = aggregates
        texts: dict[str, list[str]] = {"run": [], "query": [], "measure": []}
        parts: list[Any] = []
        width = len(self._measures)
        for run, evaluation in self._evaluations.items():
            queries = evaluation.queries() if per_query else []
            if per_query:
                parts += evaluation.values()
            if means:
                queries.append("all")
                parts += evaluation.totals()
            texts["run"] += [run] * (len(queries) * width)
            texts["query"] += [query for query in queries for _ in range(width)]
            texts["measure"] += self.measures * len(queries)
        columns = list(zip(*parts, strict=True)) or [()] * 5
        numbers: dict[str, list[float | None]] = {"value": list(columns[0])}
        optional = {"low": columns[1], "high": columns[2], "variance": columns[3]}
        # A column exists when it was asked for, and then for all rows.
        asked = next(iter(self._evaluations.values())).columns()
        numbers |= {name: list(column) for name, column in optional.items() if name in asked}
        return Table(texts, numbers)

    def facts(self) -> dict[str, Facts]:
        """What to know about each run before believing its values.

        Returns
        -------
        dict
            For every run: ``evaluated`` queries; ``mixed``, those with tied documents of different grade; ``absent``,
            judged queries that the run lacks; ``unknown``, queries of the run that are not judged; ``common``,
            queries that both have; ``matched``, those of them with a retrieved document that the qrels hold;
            ``relevant``, evaluated queries with a grade above 0, retrieved or not; ``swapped``, whether the qrels
            look like a run and the run like qrels; ``highest``, the highest grade of all judgments, or 0;
            ``undefined``, values of queries without a definition (no relevant document, for most measures);
            ``left_out``, those of them that means leave out, as they do not count 0; ``estimated``, values that are
            estimated from a sample of tie orders, with the largest ``standard_error`` of those where it is known
            (measures of your own; else None); ``enclosed``, values whose low and high enclose those of all tie
            orders, but need not be reached; ``overstated``, values with unjudged documents as non-relevant that lie
            above their lower bound (with ``unjudged="range"``); ``unsettled``, values that are undefined with some of
            the grades that unjudged documents may have, and left out then; ``ungrouped``, whether a file had to be
            held in memory, as the lines of a query do not stand together in it.
        """
        return {name: evaluation.facts() for name, evaluation in self._evaluations.items()}

    def __repr__(self) -> str:
        return repr(self.means)

    def _repr_html_(self) -> str:
        return self.means._repr_html_()


def _plain(evaluation: Evaluation | Values) -> Values:
    return evaluation if isinstance(evaluation, Values) else Values(evaluation)
