"""Results of a comparison of two runs."""

from __future__ import annotations

from math import inf, isnan, nan

from untied import _core
from untied.comparison.changes import TOP, TopChanges
from untied.comparison.measures import as_comparing
from untied.comparison.notes import on_pairs
from untied.comparison.outcomes import Assignment, Outcomes
from untied.errors import UntiedError, check_count, check_flag
from untied.results.base import MeasureResults
from untied.results.table import FIELDS, Table, table_of, tidy
from untied.results.value import Value
from untied.results.worst import worst_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from untied._core import Measure
    from untied.comparison.notes import Counts
    from untied.results.snapshot import Snapshot


#: Quantiles of a distribution over queries.
QUANTILES = {"min": 0.0, "5%": 0.05, "25%": 0.25, "50%": 0.5, "75%": 0.75, "95%": 0.95, "max": 1.0}


class Comparison(MeasureResults):
    """How much two runs differ by each measure, as `untied.compare` returns it.

    ``comparison["RBO"]`` is the mean over queries; `value` returns the value of a query, and `means` and `per_query`
    are tables. To find out what changed, look at `most_changed` (the queries that differ most), `moved` (the documents
    of a query whose ranks changed) and `distribution` (quantiles over queries).
    """

    def __init__(
        self,
        names: tuple[str, str],
        measures: list[Measure],
        native: _core.Comparison | Snapshot,
        inputs: tuple[_core.Run, _core.Run],
        known: dict[str, Any],
        options: dict[str, Any],
    ) -> None:
        self._names = names
        self._measures = measures
        self._native = native
        self._inputs = inputs
        self._known = known  # qrels, probabilities and docs
        self._options = options

    def _notes(self) -> Iterator[str]:
        return on_pairs([self._counts()])

    def _notes_of(self, number: int) -> Iterator[str]:
        """The notes about one measure."""
        name = self.measures[number]
        undefined, filled = self._undefined(number), self._filled(number)
        return on_pairs([(self.runs, self.alone, {name: undefined}, {name: filled} if any(filled) else {})])

    def _counts(self) -> Counts:
        return self.runs, self.alone, self.undefined, self.filled

    def __reduce__(self) -> tuple[Any, ...]:
        snapshot = record(self._native, self._measures)
        return Comparison, (self._names, self._measures, snapshot, self._inputs, self._known, self._options)

    @property
    def runs(self) -> tuple[str, str]:
        """The names of the two runs."""
        return self._names

    @property
    def queries(self) -> list[str]:
        """Ids of the queries that both runs have, in byte order."""
        return self._native.queries()

    @property
    def alone(self) -> tuple[int, int]:
        """How many queries only the first run has, and how many only the second run has.

        These queries are left out of the comparison.
        """
        return self._native.alone()

    @property
    def undefined(self) -> dict[str, int]:
        """For each measure, the number of queries for which it has no value. Its mean leaves them out."""
        return {measure: self._undefined(number) for number, measure in enumerate(self.measures)}

    def _undefined(self, number: int) -> int:
        return sum(map(isnan, self._native.column(number)))

    @property
    def filled(self) -> dict[str, tuple[int, int]]:
        """How many rankings are too short for a ``MED`` or ``Delta``.

        For each measure, there are two numbers: how many rankings of the first run end before the cutoff, and how many
        of the second run. Such a ranking is filled up with unknown documents, which count as unjudged. In the mean of
        ``Delta``, they count as not relevant.
        """
        counts = {measure: self._filled(number) for number, measure in enumerate(self.measures)}
        return {measure: of_runs for measure, of_runs in counts.items() if any(of_runs)}

    def _filled(self, number: int) -> tuple[int, int]:
        return _core.filled_rankings(self._measures[number], *self._inputs, self._options["depth"])

    def __getitem__(self, measure: str | Measure) -> Value:
        return self.value(measure)

    def value(self, measure: str | Measure, query: str | None = None) -> Value:
        """Return the mean of a measure, or its value for one query.

        Parameters
        ----------
        measure : str or Measure
            Which of the computed measures. Any of its names will do.
        query : str, optional
            The id of a query. By default, you get the mean over all queries.

        Returns
        -------
        Value
            Its `low` and `high` depend on the measure. For a similarity, they are the lowest and the highest value over
            all orders of tied documents. For ``MED`` and ``Delta``, they are the lowest and the highest value over all
            possible judgments. Variants of RBO with their own formula for ties have None.

        Raises
        ------
        KeyError
            There is no such query or measure.
        """
        number = self._number(measure)
        if query is None:
            return Value(*self._native.totals()[number])._with_notes(self._notes_of(number))
        return Value(*self._native.value(self._place(query), number))

    def _place(self, query: str) -> int:
        place = self._native.find(query)
        if place is None:
            raise KeyError(f"query {query!r} is not in both runs")
        return place

    def _as_measure(self, measure: str | Measure) -> Measure:
        return as_comparing(measure)

    @property
    def means(self) -> Table:
        """A table of the mean of each measure over queries; `table` describes its columns."""
        return self.table(per_query=False)

    @property
    def per_query(self) -> Table:
        """A table of the values of each query; `table` describes its columns."""
        return self.table(means=False)

    def table(self, *, per_query: bool = True, means: bool = True) -> Table:
        """Return a table of the values of queries, with the means below.

        Parameters
        ----------
        per_query, means : bool
            Whether to include the values of queries, and whether to include the means.

        Returns
        -------
        Table
            A row for each query and measure, then a row with the mean of each measure. The columns are:

            * ``run_a``, ``run_b``: the names of the two runs
            * ``query``: the id of the query, or ``all`` in rows of means
            * ``measure``
            * ``certainty``: how exact the value is, as `Value.certainty` explains
            * ``value``, and its bounds ``low`` and ``high``
            * ``variance``, if it was computed
        """
        check_flag("per_query", per_query)
        check_flag("means", means)
        queries = (self.queries if per_query else []) + ["all"] * means
        parts = (self._native.values() if per_query else []) + (self._native.totals() if means else [])
        names, variance = [self._names] * len(queries), self._options["variance"]
        of_means = [place >= len(self.queries) for place in range(len(queries)) for _ in self.measures]
        return comparison_table(names, queries, self.measures, parts, variance, of_means if per_query else True)

    @property
    def distribution(self) -> Table:
        """A table of quantiles: how the values of each measure vary from query to query.

        It has the columns ``measure``, ``mean``, ``min``, ``5%``, ``25%``, ``50%``, ``75%``, ``95%`` and ``max``.
        Queries for which a measure has no value are left out.
        """
        rows = []
        for number, total in enumerate(self._native.totals()):
            values = sorted(value for value in self._native.column(number) if not isnan(value))
            rows.append([self.measures[number], total[0], *(quantile(values, share) for share in QUANTILES.values())])
        return tidy("measure", " ".join(["mean", *QUANTILES]), rows)

    def most_changed(self, n: int = 20, measure: str | Measure | None = None) -> list[str]:
        """Return the queries whose rankings differ most.

        Parameters
        ----------
        n : int
            How many queries to list at most.
        measure : str or Measure, optional
            The measure by which to sort; by default, the first one that was computed. Similarities are sorted from low
            to high, distances from high to low, and ``Delta`` by how far it is from 0.

        Returns
        -------
        list of str
            The ids of these queries. Where values are equal, ids are in byte order.
        """
        from heapq import nlargest

        changes = self._changes_of_queries(0 if measure is None else self._number(measure))
        # Where a measure is undefined, a query is not known to differ.
        most = nlargest(n, range(len(changes)), key=lambda place: -inf if isnan(changes[place]) else changes[place])
        return [self._native.query(place) for place in most]

    def _changes_of_queries(self, number: int) -> list[float]:
        """Return how much each query changed by a measure: higher is more, and NaN is an undefined value."""
        _, lower_is_better, symmetry = _core.comparing_info(self._measures[number])
        values = self._native.column(number)
        if symmetry == "opposite":
            return list(map(abs, values))
        return list(values) if lower_is_better else [-value for value in values]

    def _most_changed(self, measure: Measure) -> tuple[str, int, bool] | None:
        """Return the query that changed most, how many changed as much, and whether that is all, or None."""
        changes = self._changes_of_queries(self._number(measure))
        places, more = worst_of(changes, 1)
        known = len(changes) - sum(map(isnan, changes))
        return (self._native.query(places[0]), more, more + 1 == known) if places else None

    def top_changes(self, depth: int = 10, *, threads: int | None = None) -> TopChanges:
        """Count the queries whose first documents changed.

        Parameters
        ----------
        depth : int
            How many documents from the top to look at.
        threads : int, optional
            How many threads to use; by default, one for each processor.

        Returns
        -------
        TopChanges
            The counts: queries with other documents at the top, queries with the same documents in another order, and
            documents that left the top.

        Raises
        ------
        UntiedError
            The depth is below 1.
        """
        check_count("depth", depth)
        counts = _core.top_changes(*self._inputs, depth=depth, policies=self._options["policies"], threads=threads)
        return TopChanges(len(self._native), *counts)

    def moved(self, query: str, depth: int | None = None) -> Table:
        """Return a table of the documents of one query, with their ranks in both runs.

        Parameters
        ----------
        query : str
            The id of the query. At least one of the runs must have it.
        depth : int, optional
            The last rank to look at. By default, it is the smaller of the first measure's cutoff and the depth of the
            comparison, or 10 if there is neither.

        Returns
        -------
        Table
            A row for each document that at least one of the runs has within the depth. The columns are:

            * ``document``
            * ``change``: ``rose``, ``fell`` or ``stayed`` if both runs have the document within the depth; ``entered``
              if only the second run does, and ``left`` if only the first does
            * ``rank_a``, ``rank_b``: the document's rank in each run, or empty if the run does not retrieve it. Tied
              documents share the rank of the first of them. Whether they rose or fell depends on the middle of their
              ranks.
            * ``tied_a``, ``tied_b``: how many documents of each run have this document's score
            * ``grade``: the document's grade, or empty if it is not judged

        Raises
        ------
        KeyError
            Neither run has the query.
        """
        depth = self.moving_depth if depth is None else depth
        if not any(query in run for run in self._inputs):
            raise KeyError(f"query {query!r} is in neither run")
        qrels, policies = self._known["qrels"], self._options["policies"]
        documents = _core.moved_documents(*self._inputs, query, qrels=qrels, depth=depth, policies=policies)
        rows = []
        for document, a, b, grade in documents:
            firsts = [None if rank is None else rank[0] for rank in (a, b)]
            tied = [None if rank is None else rank[1] - rank[0] + 1 for rank in (a, b)]
            rows.append((document, _change(a, b, depth), *firsts, *tied, grade))
        return tidy("document change", "rank_a rank_b tied_a tied_b grade", rows)

    def assignment(self, measure: str | Measure | None = None, query: str | None = None) -> Assignment:
        """Return judgments for which the two rankings differ most, as an example.

        Use it to see whether a large ``MED`` is plausible. Each unjudged document gets a grade. With these grades, the
        scores of the two rankings differ by the value of ``MED``.

        Parameters
        ----------
        measure : str or Measure, optional
            Which ``MED`` to explain. By default, this is the first measure that was computed.
        query : str, optional
            The id of a query. You can leave it out if there is only one.

        Returns
        -------
        Assignment
            The grades. Often there are several such assignments. You get one of them, with the first ranking ahead if
            possible.

        Raises
        ------
        KeyError
            There is no such query or measure.
        UntiedError
            The measure is not a ``MED``, or it is undefined for the query.

        Examples
        --------
        The first two documents are x, y in one ranking and z, x in the other. If y is relevant and the others are not,
        their P@2 differs by 0.5:

        >>> import untied
        >>> untied.compare(["x", "y", "z"], ["z", "x", "y"], "MED(P@2)").assignment()
        a-b: 0.5000, {'x': 0.0, 'y': 1.0, 'z': 0.0}
        """
        arguments, options = self._core_arguments(measure, query)
        a_is_ahead, value, grades, filling = _core.largest_assignment(*arguments, **options)
        return Assignment("a-b" if a_is_ahead else "b-a", value, dict(grades), filling)

    def outcomes(
        self, measure: str | Measure | None = None, query: str | None = None, *, points: int = 1000, seed: int = 0
    ) -> Outcomes:
        """Return the probability of each difference that the two rankings could have.

        Use it to see how likely a large difference is. Unjudged documents are relevant at random, with the
        probabilities of the ``Delta``, which is the mean of these differences.

        Parameters
        ----------
        measure : str or Measure, optional
            Which ``Delta`` to look at. By default, this is the first measure that was computed.
        query : str, optional
            The id of a query. You can leave it out if there is only one.
        points : int
            About how many different values to keep, for P, Hits, DCG, nDCG, RBP, INSQ and SDCG. More values are more
            precise and take longer.
        seed : int
            The seed for all other measures. Their probabilities come from 10,000 random draws of the grades.

        Returns
        -------
        Outcomes

        Raises
        ------
        KeyError
            There is no such query or measure.
        UntiedError
            The measure is not a ``Delta``, it is undefined for the query, or there are fewer than 2 points.

        Examples
        --------
        One ranking begins with x and the other with z. If both are relevant or neither is, P@2 is equal:

        >>> import untied
        >>> outcomes = untied.compare(["x", "y"], ["z", "y"], "Delta(P@2, p=0.5)").outcomes()
        >>> outcomes.values, outcomes.probabilities, outcomes.error
        ([-0.5, 0.0, 0.5], [0.25, 0.5, 0.25], 0.0)
        """
        if not 2 <= points <= 10_000_000:
            raise UntiedError(f"points must be a whole number from 2 to 10,000,000, not {points}")
        arguments, options = self._core_arguments(measure, query)
        options["probabilities"] = self._known["probabilities"]
        return Outcomes(*_core.difference_outcomes(*arguments, points, seed, **options))

    def _core_arguments(
        self, measure: str | Measure | None, query: str | None
    ) -> tuple[tuple[_core.Run, _core.Run, Measure, str], dict[str, Any]]:
        """Return the arguments of the core for one query and measure."""
        number = 0 if measure is None else self._number(measure)
        if query is None:
            if len(self._native) > 1:
                raise KeyError("give the id of a query: the runs have several queries")
            query = self._native.query(0)
        self._place(query)
        options = {name: self._options[name] for name in ("depth", "policies")}
        options |= {name: self._known[name] for name in ("qrels", "docs")}
        return (*self._inputs, self._measures[number], query), options

    @property
    def moving_depth(self) -> int:
        """Return the depth that `moved` uses by default."""
        cutoff, _, _ = _core.comparing_info(self._measures[0])
        return min((depth for depth in (cutoff, self._options["depth"]) if depth), default=TOP)

    @property
    def _top(self) -> int:
        """Return how many first ranks the headline is about. It is at most the depth of the comparison."""
        return min(TOP, self._options["depth"] or TOP)


def record(native: _core.Comparison | Snapshot, measures: list[Measure]) -> Snapshot:
    """Return a native comparison as plain data."""
    from untied.results.snapshot import snapshot

    calls: dict[str, Iterable[tuple[Any, ...]]] = {
        name: [()] for name in ("__len__", "runs", "queries", "totals", "values", "alone")
    }
    return snapshot(native, calls | {"column": [(number,) for number in range(len(measures))]})


def comparison_table(
    pairs: Sequence[tuple[str, str]], queries: Sequence[str], measures: list[str], parts: Sequence[tuple[Any, ...]],
    variance: bool, of_means: bool | Sequence[bool],
) -> Table:  # fmt: skip
    """Return a table of the values of pairs of runs and queries, or of means only. Rows of one pair are together."""
    a, b, of = ([name for name in names for _ in measures] for names in (*zip(*pairs, strict=True), queries))
    texts = {"run_a": a, "run_b": b, "query": of, "measure": measures * len(queries)}
    return table_of(texts, parts, (*FIELDS[: 4 if variance else 3], "certainty"), of_means=of_means)


def quantile(ordered: list[float], share: float) -> float:
    """Return the quantile, interpolated linearly. It is NaN if there are no values."""
    if not ordered:
        return nan
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _change(rank_a: tuple[int, int] | None, rank_b: tuple[int, int] | None, depth: int) -> str:
    if rank_a is None or rank_a[0] > depth:
        return "entered"
    if rank_b is None or rank_b[0] > depth:
        return "left"
    difference = sum(rank_b) - sum(rank_a)
    return "rose" if difference < 0 else "fell" if difference > 0 else "stayed"
