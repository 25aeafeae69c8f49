"""Results of `untied.certify`."""

from __future__ import annotations

import os
from array import array
from itertools import combinations

from untied import _core
from untied.comparison.measures import measure_inside
from untied.errors import check_one_of
from untied.inputs import mismatch
from untied.measures import as_measure
from untied.results.base import ByMeasure, ByPair
from untied.results.shown import Grid
from untied.results.table import Table, tidy
from untied.verdicts import notes
from untied.verdicts.lattice import betters, covered, draw
from untied.verdicts.levels import side_by_side
from untied.verdicts.verdict import Explanation, QueryVerdict, Verdict, grades_of, verdict_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from untied._core import Measure
    from untied._literals import Interval
    from untied._types import Concluded


def judged_measure(name: str) -> str:
    """The measure M of ``Delta(M)`` or ``MED(M)``, without their own parameters; of any other name the name."""
    inside = measure_inside(name)
    return name if inside is None else str(as_measure(inside))


class VerdictsOfPair(ByMeasure):
    """The verdicts on two runs. ``verdicts["bm25", "dense"]["AP"]`` is the one by AP."""

    def __init__(self, measures: list[Measure], concluded: list[Concluded]) -> None:
        self._measures = measures
        self._concluded = concluded

    def __getitem__(self, measure: str | Measure) -> Verdict:
        return verdict_of(self._concluded[self._number(measure)])


class Verdicts(ByPair):
    """Which of two runs is certainly better, for every two runs and each measure, as `untied.certify` returns it.

    ``verdicts["bm25", "dense"]["nDCG@10"]`` is a `Verdict`. `table` has all verdicts, `ranks` the best and the worst
    rank that each run can have, and `explain` the documents that a verdict depends on.
    """

    def __init__(
        self,
        runs: dict[str, _core.Run],
        measures: list[Measure],
        concluded: list[list[Concluded]],
        qrels: _core.Qrels,
        options: dict[str, Any],
    ) -> None:
        self._runs = runs
        self._measures = measures
        self._concluded = concluded
        self._qrels = qrels
        self._options = options
        self._pairs = {pair: place for place, pair in enumerate(combinations(runs, 2))}

    def __reduce__(self) -> tuple[Any, ...]:
        return Verdicts, (self._runs, self._measures, self._concluded, self._qrels, self._options)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs, each in the order in which you passed the runs."""
        return list(self._pairs)

    def __getitem__(self, pair: tuple[str, str]) -> VerdictsOfPair:
        return VerdictsOfPair(self._measures, self._concluded[self._place(pair)])

    def facts_of_queries(self) -> dict[str, dict[str, int]]:
        """For each run, how many queries it lacks and how many of its queries are not judged.

        ``absent`` counts judged queries that are not in the run. ``unknown`` counts queries of the run that nobody
        judged.
        """
        return mismatch.queries_of_inputs(self._qrels, self._runs)

    @property
    def judged_queries(self) -> int:
        """The number of judged queries. Means are taken over all of them."""
        return len(self._qrels)

    def _place(self, pair: tuple[str, str]) -> int:
        if self._two_runs(pair) not in self._pairs:
            raise KeyError(f"the runs were compared in the order {pair[1]!r}, {pair[0]!r}")
        return self._pairs[pair]

    @property
    def table(self) -> Table:
        """A table of all verdicts, with a row for each pair of runs and each measure.

        Its columns are ``run_a``, ``run_b``, ``measure``, ``verdict``, ``low``, ``high``, ``overturn`` and
        ``largest_m``. `Verdict` explains them.
        """
        rows = [
            (*pair, measure, one.verdict, one.low, one.high, one.overturn, one.largest_m)
            for pair, concluded in zip(self._pairs, self._concluded, strict=True)
            for measure, one in zip(self.measures, map(verdict_of, concluded), strict=True)
        ]
        return tidy("run_a run_b measure verdict", "low high overturn largest_m", rows)

    @property
    def means(self) -> Table:
        """The same as `table`, under the name that other results have."""
        return self.table

    def beside(self, table: Table) -> Table:
        """Return a table about pairs of runs with the verdicts as further columns.

        Use it to see p-values and verdicts side by side.

        Parameters
        ----------
        table : Table
            A table with the columns run_a, run_b and measure, such as `Significance.table` or `Comparisons.means`. If
            it has a column query, only the rows of means get verdicts. A row about ``Delta(M)`` or ``MED(M)`` gets the
        verdict of the measure M.

        Returns
        -------
        Table
            The table with the columns ``verdict``, ``overturn`` and ``largest_m``. They are empty or None in rows whose
            measure has no verdict.

        Raises
        ------
        KeyError
            The table has a run without verdicts.

        Examples
        --------
        >>> import untied
        >>> qrels = {"q1": {"x": 1}, "q2": {"y": 1}}
        >>> runs = {"a": {"q1": ["x"], "q2": ["y"]}, "b": {"q1": ["new"], "q2": ["y"]}}
        >>> tests = untied.statistics.significance(untied.evaluate(qrels, runs, "P@1"), interval="none")
        >>> row = untied.certify(qrels, runs, "P@1").beside(tests.table).to_dicts()[0]
        >>> row["p"], row["verdict"], row["overturn"]
        (1.0, 'open', 1)
        """
        rows = zip(table.to_dicts(), table._is_of_means(), strict=True)
        verdicts = [self._of_row(row) if is_mean else None for row, is_mean in rows]
        texts = {**table._texts, "verdict": ["" if one is None else one.verdict for one in verdicts]}
        numbers = {
            name: [None if one is None else getattr(one, name) for one in verdicts]
            for name in ("overturn", "largest_m")
        }
        return Table(texts, {**table._numbers, **numbers}, table._of_means)

    def _of_row(self, row: dict[str, Any]) -> Verdict | None:
        name = judged_measure(row["measure"])
        return self.between(row["run_a"], row["run_b"], name) if name in self.measures else None

    def between(self, run_a: str, run_b: str, measure: str | Measure | None = None) -> Verdict:
        """Return the verdict on two runs, which you may name in either order.

        Parameters
        ----------
        run_a, run_b : str
            The names of the two runs. The verdict is ``"A"`` if the first of them is better.
        measure : str or Measure, optional
            Which of the measures. By default, this is the first.

        Returns
        -------
        Verdict

        Raises
        ------
        KeyError
            There is no such run or measure.
        """
        is_turned = (run_b, run_a) in self._pairs
        concluded = self._concluded[self._place((run_b, run_a) if is_turned else (run_a, run_b))]
        verdict = verdict_of(concluded[0 if measure is None else self._number(measure)])
        return verdict.turned if is_turned else verdict

    @property
    def ranks(self) -> Table:
        """A table of the best and the worst rank that each run can have.

        Its columns are ``run``, ``measure``, ``best`` and ``worst``. For instance, a run that is certainly worse than
        two others has the best rank 3.
        """
        better = {run: [0] * len(self._measures) for run in self._runs}
        worse = {run: [0] * len(self._measures) for run in self._runs}
        for (a, b), concluded in zip(self._pairs, self._concluded, strict=True):
            for place, one in enumerate(map(verdict_of, concluded)):
                if one.verdict != "open":
                    ahead, behind = (a, b) if one.verdict == "A" else (b, a)
                    better[behind][place] += 1
                    worse[ahead][place] += 1
        rows = [
            (run, measure, 1 + better[run][place], len(self._runs) - worse[run][place])
            for run in self._runs
            for place, measure in enumerate(self.measures)
        ]
        return tidy("run measure", "best worst", rows)

    def levels(self, *, level: float = 0.95, interval: Interval = "bca") -> Table:
        """Return a verdict for each reason to doubt which run is better: ties, missing judgments, and few queries.

        Each verdict takes only one of these into account, so you see which of them leaves the question open.

        Parameters
        ----------
        level : float
            The confidence of the interval, between 0 and 1. For instance, 0.95 gives a 95 % interval.
        interval : str
            How to compute the interval over queries: ``"bca"`` or ``"t"``, as for `untied.statistics.mean_interval`.

        Returns
        -------
        Table
            Three rows for each pair of runs and each measure. The columns are ``run_a``, ``run_b``, ``measure``,
            ``level``, ``verdict``, ``low`` and ``high``. In the column ``level``, rows say:

            * ``ties``: the verdict holds for all orders of tied documents, with unjudged documents as not relevant
            * ``judgments``: it holds for all grades of unjudged documents, as in `table`
            * ``queries``: it follows from a confidence interval over queries. It is not certain, so it names the
              confidence, as in ``A (95 %)``. It is not corrected for the number of comparisons.

        Raises
        ------
        UntiedError
            An option is refused. With ``interval="t"``, also if SciPy is not installed.
        """
        check_one_of("interval", interval, ("bca", "t"))
        policies, threads = self._options["policies"], self._options["threads"]
        inputs = self._qrels, self._runs, self._measures, self._options["docs"]
        verdicts = {
            (*pair, name): (one.verdict, one.low, one.high) for pair in self.pairs for name, one in self[pair].items()
        }
        return side_by_side(verdicts, inputs, policies["ties"], policies["score_dtype"], level, interval, threads)

    def lattice(self, measure: str | Measure | None = None) -> Table:
        """Return a table of which run is certainly better than which.

        It has the columns ``better`` and ``worse``. Pairs that follow from others are left out: if A is better than B
        and B is better than C, there is no row for A and C. So the rows are the lines of a Hasse diagram, which
        Graphviz can draw.

        Parameters
        ----------
        measure : str or Measure, optional
            Which of the measures. By default, this is the first.

        Returns
        -------
        Table
        """
        asked = self.measures[0 if measure is None else self._number(measure)]
        pairs = [(better, run) for run, above in covered(self._better(asked)).items() for better in sorted(above)]
        return tidy("better worse", "", pairs)

    def plot(self, *, style: str = "svg") -> bytes:
        """Draw the ranks that each run can have, and a matrix of all verdicts, for each measure.

        Runs are sorted by the middle of their possible ranks, best first.

        Parameters
        ----------
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
        ranks: dict[str, dict[str, tuple[int, int]]] = {measure: {} for measure in self.measures}
        for row in self.ranks.to_dicts():
            ranks[row["measure"]][row["run"]] = int(row["best"]), int(row["worst"])
        return draw(ranks, {measure: self._better(measure) for measure in self.measures}, style)

    def _better(self, measure: str) -> dict[str, set[str]]:
        return betters(self._runs, {pair: self[pair][measure].verdict for pair in self._pairs})

    def explain(self, run_a: str, run_b: str, measure: str | Measure | None = None) -> Explanation:
        """Return the documents that a verdict depends on.

        Parameters
        ----------
        run_a, run_b : str
            Names of the runs, in the order of `pairs`.
        measure : str or Measure, optional
            Which of the measures. By default, this is the first.

        Returns
        -------
        Explanation
            For every query: the bounds of the difference, grades of the unjudged documents with which it reaches these
            bounds, and the unjudged documents that would help to overturn the verdict.

        Raises
        ------
        KeyError
            There is no such pair or measure.
        MeasureError
            The measure reads subtopics, so that an unjudged document may have several grades.
        """
        self._place((run_a, run_b))
        asked = self._measures[0 if measure is None else self._number(measure)]
        runs = (self._runs[run_a], self._runs[run_b])
        explained, queries = _core.explain_verdict(*runs, asked, qrels=self._qrels, **self._options)
        return Explanation(
            verdict_of(explained),
            [
                QueryVerdict(query, low, high, grades_of(lowest), grades_of(highest), grades_of(overturning))
                for query, low, high, lowest, highest, overturning in queries
            ],
        )

    def _overturning(self, run_a: str, run_b: str, measure: str | Measure) -> array[int]:
        """How many documents of each judged query overturn the verdict: those that `explain` names."""
        runs, asked = (self._runs[run_a], self._runs[run_b]), self._measures[self._number(measure)]
        return array("I", bytes(_core.overturning_documents(*runs, asked, qrels=self._qrels, **self._options)))

    def write_certificate(
        self, path: str | os.PathLike[str], qrels: str | os.PathLike[str], runs: Sequence[str | os.PathLike[str]]
    ) -> Table:
        """Write a certificate: a file with which anybody can check the verdicts, without trusting untied.

        To check it, run ``untied verify``, or `untied.verdicts.verify`, which is one file of plain Python and needs
        nothing else.

        Parameters
        ----------
        path : path
            The JSON file to write. It is compressed by gzip if its name ends with ``.gz``.
        qrels : path
            The file from which the qrels were read, in TREC's format. It may be compressed by gzip.
        runs : list of paths
            The files of the runs in TREC's format, in the order in which you passed the runs to `certify`.

        Returns
        -------
        Table
            What the certificate claims: ``run_a``, ``run_b``, ``measure``, ``verdict``, ``low`` and ``high``. Some
            bounds are wider than in `table`, because a certificate claims only what it can prove.

        Raises
        ------
        UntiedError
            A certificate cannot hold these verdicts. This is so with other orders of ties, another precision of scores,
            ERR with ties or with `most`, and gains or discounts that are a table, a list or a logarithm.
        InputError
            A file is not in TREC's format.
        OSError
            A file cannot be read or written.
        """
        from untied.verdicts.certificate import Verdicts as Told
        from untied.verdicts.certificate import write

        options = self._options["policies"].chosen() | {"most": self._options["most"]}
        told = Told(self.runs, self.pairs, list(map(str, self.measures)), options, self.explain)
        claims = write(told, os.fspath(path), os.fspath(qrels), [os.fspath(run) for run in runs])
        return tidy("run_a run_b measure verdict", "low high", claims)

    def _notes(self, columns: Collection[str] | None = None) -> Iterator[str]:
        """Notes on these columns, by default those of `table`."""
        yield from notes.on_queries(self.facts_of_queries(), self.judged_queries)
        yield from self._not_exact(self.table.columns if columns is None else columns)

    def _not_exact(self, columns: Collection[str]) -> Iterator[str]:
        return notes.on_bounds([of_measure for pair in self.pairs for of_measure in self[pair].items()], columns)

    def _grid(self, most: int) -> Grid:
        table = self.table
        return Grid(table._columns, len(table._texts), len(table), most)
