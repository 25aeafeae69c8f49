"""What was concluded about runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf

from untied import _core
from untied.measures import as_measure
from untied.results.base import ByMeasure, MeasureResults
from untied.results.shown import Grid
from untied.results.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied._core import Measure
    from untied._types import Assigned, Concluded


@dataclass(frozen=True)
class Verdict:
    """What can be concluded about two runs in a measure.

    Attributes
    ----------
    verdict : str
        ``"A"``: the first run is better whatever unjudged documents are; ``"B"``: the second is; ``"open"``: it depends
        on them.
    low, high : float
        The lowest and the highest difference of the means, that of the first run less that of the second.
    overturn : float
        The least number of further relevant documents, over all queries together, with which the run that is ahead
        without them is ahead no more; infinite if no number is enough, 0 if none is ahead.
    largest_m : float or None
        The largest number of further relevant documents a query with which it certainly stays ahead; infinite for any
        number, None if none is ahead.
    is_exact : bool
        Whether there are grades with which the difference is `low`, and others with which it is `high`; else these
        only enclose what is possible.
    overturn_is_exact : bool
        Whether `overturn` documents are enough; if not, at least that many are needed.
    """

    verdict: str
    low: float
    high: float
    overturn: float
    largest_m: float | None
    is_exact: bool = field(default=True, repr=False)
    overturn_is_exact: bool = field(default=True, repr=False)

    @property
    def turned(self) -> Verdict:
        """The same about the two runs in the other order."""
        other = {"A": "B", "B": "A", "open": "open"}[self.verdict]
        return replace(self, verdict=other, low=0.0 - self.high, high=0.0 - self.low)


@dataclass(frozen=True)
class Grades:
    """Grades that unjudged documents of a query may have.

    Attributes
    ----------
    difference : float
        The difference of the two runs with them.
    documents : dict
        Documents with a grade above 0, the most important first.
    elsewhere : list of float
        Grades of pooled documents that neither run retrieves.
    """

    difference: float
    documents: dict[str, float]
    elsewhere: list[float]


@dataclass(frozen=True)
class QueryVerdict:
    """What can be concluded about a query.

    Attributes
    ----------
    query : str
        Its id.
    low, high : float
        The lowest and the highest difference.
    lowest, highest : Grades
        Grades with which it is so; where bounds only enclose, the best that are known.
    overturning : Grades
        Documents of this query that, together with those of other queries, overturn the verdict first.
    """

    query: str
    low: float
    high: float
    lowest: Grades
    highest: Grades
    overturning: Grades


@dataclass(frozen=True)
class Explanation:
    """Why a verdict is as it is.

    Attributes
    ----------
    verdict : Verdict
        The verdict.
    queries : list of QueryVerdict
        Query by query, in byte order of their ids.
    """

    verdict: Verdict
    queries: list[QueryVerdict]


def verdict_of(found: Concluded) -> Verdict:
    """A verdict as the native part tells it."""
    low, high, is_exact, verdict, overturn, overturn_is_exact, largest = found
    return Verdict(
        verdict,
        low,
        high,
        inf if overturn is None else overturn,
        inf if largest == -1 else largest,
        is_exact,
        overturn_is_exact,
    )


def judged_measure(name: str) -> str:
    """The measure M of ``Delta(M)`` or ``MED(M)``, without their own parameters; of any other name the name."""
    for outer in ("Delta(", "MED("):
        if name.startswith(outer):
            depth = 0
            for end, letter in enumerate(name):
                depth += (letter == "(") - (letter == ")")
                if (depth == 0 and letter == ")") or (depth == 1 and letter == ","):
                    return str(as_measure(name[len(outer) : end]))
    return name


def _grades(assigned: Assigned) -> Grades:
    difference, documents, elsewhere = assigned
    return Grades(difference, dict(documents), elsewhere)


class VerdictsOfPair(ByMeasure):
    """The verdicts about two runs, by measure."""

    def __init__(self, measures: list[Measure], found: list[Concluded]) -> None:
        self._measures = measures
        self._found = found

    def __getitem__(self, measure: str | Measure) -> Verdict:
        return verdict_of(self._found[self._number(measure)])


class Verdicts(MeasureResults):
    """What can be concluded about several runs, every two of them.

    ``verdicts["bm25", "dense"]["nDCG@10"]`` is a `Verdict`; `table` has them all, `ranks` the ranks that each run can
    have, and `explain` the documents behind one.
    """

    def __init__(
        self,
        runs: dict[str, _core.Run],
        measures: list[Measure],
        found: list[list[Concluded]],
        qrels: _core.Qrels,
        options: dict[str, Any],
    ) -> None:
        self._runs = runs
        self._measures = measures
        self._found = found
        self._qrels = qrels
        self._options = options
        self._pairs = {pair: place for place, pair in enumerate(combinations(runs, 2))}

    def __reduce__(self) -> tuple[Any, ...]:
        return Verdicts, (self._runs, self._measures, self._found, self._qrels, self._options)

    @property
    def runs(self) -> list[str]:
        """Names of the runs."""
        return list(self._runs)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs, each with every later one."""
        return list(self._pairs)

    def keys(self) -> list[Any]:
        """The keys: `pairs`."""
        return self.pairs

    def __contains__(self, pair: object) -> bool:
        return pair in self._pairs

    def __getitem__(self, pair: tuple[str, str]) -> VerdictsOfPair:
        return VerdictsOfPair(self._measures, self._found[self._place(pair)])

    def _place(self, pair: tuple[str, str]) -> int:
        for name in pair:
            if name not in self._runs:
                raise KeyError(f"no run {name!r}; the runs are {', '.join(self._runs)}")
        if pair not in self._pairs:
            raise KeyError(f"the verdict is about {pair[1]!r} and {pair[0]!r}, in this order")
        return self._pairs[pair]

    @property
    def table(self) -> Table:
        """All verdicts: columns run_a, run_b, measure, verdict, low, high, overturn, largest_m.

        See `Verdict`; infinite numbers are ``inf``.
        """
        rows = [
            ((*pair, measure, one.verdict), (one.low, one.high, one.overturn, one.largest_m))
            for pair, found in zip(self._pairs, self._found, strict=True)
            for measure, one in zip(self.measures, map(verdict_of, found), strict=True)
        ]
        texts, numbers = ([list(column) for column in zip(*part, strict=True)] for part in zip(*rows, strict=True))
        return Table(
            dict(zip(("run_a", "run_b", "measure", "verdict"), texts, strict=True)),
            dict(zip(("low", "high", "overturn", "largest_m"), numbers, strict=True)),
        )

    @property
    def means(self) -> Table:
        """The same as `table`, for libraries that take results as tables."""
        return self.table

    def beside(self, table: Table) -> Table:
        """Put verdicts beside what else is known of pairs of runs, such as p-values.

        Parameters
        ----------
        table : Table
            Columns run_a, run_b and measure, as `Significance.table` and `Comparisons.means` have them; with a column
            query, only rows of all queries get verdicts. Rows of ``Delta(M)`` and ``MED(M)`` get the verdict in M.

        Returns
        -------
        Table
            The same with columns verdict, overturn and largest_m, of run_a and run_b in the order of the row. Where
            there is no verdict in the row's measure, the verdict is empty and the numbers are None.

        Raises
        ------
        KeyError
            The table has a run without verdicts.

        Examples
        --------
        >>> import untied
        >>> qrels = {"q1": {"x": 1}, "q2": {"y": 1}}
        >>> runs = {"a": {"q1": ["x"], "q2": ["y"]}, "b": {"q1": ["new"], "q2": ["y"]}}
        >>> found = untied.statistics.significance(untied.evaluate(qrels, runs, "P@1"), interval="none")
        >>> row = untied.certify(qrels, runs, "P@1").beside(found.table).to_dicts()[0]
        >>> row["p"], row["verdict"], row["overturn"]
        (1.0, 'open', 1)
        """
        rows = table.to_dicts()
        found = [self._of_row(row) if row.get("query", "all") == "all" else None for row in rows]
        texts = {**table._texts, "verdict": ["" if one is None else one.verdict for one in found]}
        numbers = {
            name: [None if one is None else getattr(one, name) for one in found] for name in ("overturn", "largest_m")
        }
        return Table(texts, {**table._numbers, **numbers}, table._renamed)

    def _of_row(self, row: dict[str, Any]) -> Verdict | None:
        name = judged_measure(row["measure"])
        return self.between(row["run_a"], row["run_b"], name) if name in self.measures else None

    def between(self, run_a: str, run_b: str, measure: str | Measure | None = None) -> Verdict:
        """Return the verdict about two runs in either order.

        Parameters
        ----------
        run_a, run_b : str
            Names of the runs; the verdict is ``"A"`` if the first is better.
        measure : str or Measure, optional
            One of the measures; the first by default.

        Returns
        -------
        Verdict

        Raises
        ------
        KeyError
            There is no such run or measure.
        """
        is_turned = (run_b, run_a) in self._pairs
        found = self._found[self._place((run_b, run_a) if is_turned else (run_a, run_b))]
        verdict = verdict_of(found[0 if measure is None else self._number(measure)])
        return verdict.turned if is_turned else verdict

    @property
    def ranks(self) -> Table:
        """The ranks that each run can have, whatever unjudged documents are: columns run, measure, best, worst.

        The best is one more than the number of runs that are certainly better than it, the worst that of all runs less
        those that are certainly worse.
        """
        better = {run: [0] * len(self._measures) for run in self._runs}
        worse = {run: [0] * len(self._measures) for run in self._runs}
        for (a, b), found in zip(self._pairs, self._found, strict=True):
            for place, one in enumerate(map(verdict_of, found)):
                if one.verdict != "open":
                    ahead, behind = (a, b) if one.verdict == "A" else (b, a)
                    better[behind][place] += 1
                    worse[ahead][place] += 1
        cells = [(run, place) for run in self._runs for place in range(len(self._measures))]
        return Table(
            {"run": [run for run, _ in cells], "measure": self.measures * len(self._runs)},
            {
                "best": [1 + better[run][place] for run, place in cells],
                "worst": [len(self._runs) - worse[run][place] for run, place in cells],
            },
        )

    def explain(self, run_a: str, run_b: str, measure: str | Measure | None = None) -> Explanation:
        """Tell why the verdict about two runs is as it is.

        Parameters
        ----------
        run_a, run_b : str
            Names of the runs, in the order of `pairs`.
        measure : str or Measure, optional
            One of the measures; the first by default.

        Returns
        -------
        Explanation
            For every query the bounds, grades of unjudged documents that reach them, and the documents that would
            overturn the verdict first.

        Raises
        ------
        KeyError
            There is no such pair or measure.
        """
        self._place((run_a, run_b))
        asked = self._measures[0 if measure is None else self._number(measure)]
        runs = (self._runs[run_a], self._runs[run_b])
        found, queries = _core.explain_verdict(*runs, asked, qrels=self._qrels, **self._options)
        return Explanation(
            verdict_of(found),
            [
                QueryVerdict(query, low, high, _grades(lowest), _grades(highest), _grades(overturning))
                for query, low, high, lowest, highest, overturning in queries
            ],
        )

    def _grid(self, most: int) -> Grid:
        table = self.table
        return Grid(table._columns, len(table._texts), len(table), most)
