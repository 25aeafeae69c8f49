"""Results of evaluations of features."""

from __future__ import annotations

from untied import _core
from untied._core import show_id
from untied.errors import UntiedError, check_flag
from untied.inputs.mismatch import listed
from untied.results.base import MeasureResults
from untied.results.notes import differ, leaves_ties_open, mean_with_notes, of_ties, of_undefined, of_values
from untied.results.table import FIELDS, Table, table_of
from untied.results.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from untied._core import FeatureEvaluation, Measure, Policies
    from untied._types import Facts, FeatureTies
    from untied.measures import MeasureLike
    from untied.results.snapshot import Snapshot

#: What ``directions`` takes, each with the directions that are evaluated.
DIRECTIONS = {"high": ("high",), "low": ("low",), "both": ("high", "low"), "better": ("high", "low")}


class FeatureResults(MeasureResults):
    """How well each feature ranks documents, as `untied.evaluate_features` returns it.

    ``results["16", "AP"]`` is the mean AP of feature 16. `table` has all values, best feature first.

    If each feature was evaluated in both directions, ``results["16", "AP"]`` is the better of the two means, and
    ``results["16", "low", "AP"]`` is the mean if the lowest value is ranked first.
    """

    _ranked = True
    _policies: Policies

    def __init__(
        self,
        measures: list[Measure],
        directions: str,
        names: Sequence[str],
        evaluations: Sequence[FeatureEvaluation | Snapshot],
        policies: Policies,
    ) -> None:
        self._measures = measures
        self._asked = directions
        self._evaluations = evaluations
        self._policies = policies
        self._features = dict(zip(names, ((one, i) for one in evaluations for i in range(len(one))), strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        snapshots = [_snapshot(evaluation, len(self.directions)) for evaluation in self._evaluations]
        return FeatureResults, (self._measures, self._asked, list(self._features), snapshots, self._policies)

    @property
    def features(self) -> list[str]:
        """The names of the features in the order of the data. Features without names have numbers."""
        return list(self._features)

    @property
    def directions(self) -> list[str]:
        """The directions that were evaluated: ``high`` (the highest value is ranked first), ``low``, or both."""
        return list(DIRECTIONS[self._asked])

    @property
    def queries(self) -> list[str]:
        """Ids of the queries, in byte order."""
        return self._evaluations[0].queries()

    @property
    def documents(self) -> int:
        """The number of documents."""
        return self._evaluations[0].documents()

    def keys(self) -> list[Any]:
        """Return all pairs of a feature and a measure."""
        return [(feature, measure) for feature in self._features for measure in self.measures]

    def __contains__(self, key: Any) -> bool:
        try:
            feature, direction, measure = self._parts(key)
        except KeyError:
            return False
        return (
            feature in self._features
            and (direction is None or direction in self.directions)
            and super().__contains__(measure)
        )

    def __len__(self) -> int:
        """Number of features."""
        return len(self._features)

    def __getitem__(self, key: tuple[str, MeasureLike] | tuple[str, str, MeasureLike]) -> Value:
        feature, direction, measure = self._parts(key)
        return self.value(feature, measure, direction=direction)

    def _parts(self, key: Any) -> tuple[str, str | None, MeasureLike]:
        """The feature, the direction if there is one, and the measure of a key."""
        if isinstance(key, tuple) and len(key) == 2:
            return key[0], None, key[1]
        if isinstance(key, tuple) and len(key) == 3:
            return key
        feature, measure = next(iter(self.keys()))
        raise KeyError(
            f"expected a feature and a measure, such as {(feature, measure)}, or a direction between them, such as "
            f"{(feature, self.directions[0], measure)}, found {key!r}"
        )

    def value(self, feature: str, measure: MeasureLike, *, direction: str | None = None) -> Value:
        """Return the mean of a feature.

        Parameters
        ----------
        feature : str
            The feature's name or number.
        measure : measure or its name
            One of the evaluated measures.
        direction : str, optional
            ``"high"`` or ``"low"``. By default, you get the direction that was evaluated, or the better one if both
            were.

        Returns
        -------
        Value

        Raises
        ------
        KeyError
            There is no such feature, measure or direction.
        """
        number = self._number(measure)
        if direction is None:
            direction = self.best_direction(feature, measure)
        evaluation, place = self._place(feature)
        way = self._direction(direction)
        mean, facts = Value(*evaluation.totals(place, way)[number]), evaluation.facts(place, way)
        return mean_with_notes(mean, self._measures[number], f"feature {feature}", facts, self._policies.chosen())

    def ties(self, feature: str) -> FeatureTies:
        """Return how many different values a feature has, and how many documents it ties.

        Parameters
        ----------
        feature : str
            The feature's name or number.

        Returns
        -------
        dict
            * ``distinct``: how many different values the feature has; None if there are more than 10,000
            * ``tied``: the share of documents that have the same value as another document of their query
            * ``missing``: how many documents have no value (``NULL``)
            * ``absent``: how many documents lack the feature in their line of the file, so that it counts as 0
            * ``varied``: in how many queries the feature has several values. If there are none, it ranks nothing.

        Raises
        ------
        KeyError
            There is no such feature.
        """
        evaluation, place = self._place(feature)
        distinct, tied, ranked, missing, absent, varied = evaluation.ties(place)
        share = tied / ranked if ranked else 0.0
        return {"distinct": distinct, "tied": share, "missing": missing, "absent": absent, "varied": varied}

    def chance(self, measure: MeasureLike | None = None) -> float:
        """Return the mean that random rankings would have.

        A feature is better than chance if its mean is higher.

        Parameters
        ----------
        measure : measure or its name, optional
            Which of the evaluated measures. By default, this is the first.

        Returns
        -------
        float

        Raises
        ------
        KeyError
            The measure was not evaluated.
        """
        number = 0 if measure is None else self._number(measure)
        return self._evaluations[0].chance()[number][0]

    def best_direction(self, feature: str, measure: MeasureLike | None = None) -> str:
        """Return the direction in which a feature ranks better.

        Parameters
        ----------
        feature : str
            The feature's name or number.
        measure : measure or its name, optional
            Which of the evaluated measures. By default, this is the first.

        Returns
        -------
        str
            ``"high"`` if the feature ranks better with the highest value first, or equally well; otherwise ``"low"``.
            If only one direction was evaluated, you get that one.

        Raises
        ------
        KeyError
            There is no such feature or measure.
        """
        number = 0 if measure is None else self._number(measure)
        means = [self._mean(feature, direction, number) for direction in self.directions]
        return self.directions[_core.ranked(means, self._measures[number].lower_is_better)[0][0]]

    def ranked(self, measure: MeasureLike | None = None, top: int | None = None) -> list[tuple[str, str]]:
        """List the features with their directions, best first.

        Equally good features are in the order of the data.

        Parameters
        ----------
        measure : measure or its name, optional
            Which of the evaluated measures. By default, this is the first.
        top : int, optional
            How many entries to list. By default, all are listed.

        Returns
        -------
        list of (feature, direction)
            Pairs of a feature and a direction. Each feature occurs once, or twice with ``directions="both"``.

        Raises
        ------
        KeyError
            The measure was not evaluated.
        """
        return [scorer for scorer, _ in self._with_ranks(measure)[:top]]

    def _with_ranks(self, measure: MeasureLike | None) -> list[tuple[tuple[str, str], int]]:
        """All that `ranked` lists, with ranks; equal values share one."""
        number = 0 if measure is None else self._number(measure)
        if self._asked == "both":
            scorers = [(feature, direction) for feature in self._features for direction in self.directions]
        else:
            scorers = [(feature, self.best_direction(feature, measure)) for feature in self._features]
        means = [self._mean(*scorer, number) for scorer in scorers]
        ranked = _core.ranked(means, self._measures[number].lower_is_better)
        return [(scorers[place], rank) for place, rank in ranked]

    @property
    def means(self) -> Table:
        """A table of the means of all features; `table` describes its columns."""
        return self.table()

    def table(self, sort_by: MeasureLike | None = None, *, top: int | None = None, per_query: bool = False) -> Table:
        """Return a table of how well the features rank, best first.

        Parameters
        ----------
        sort_by : measure or its name, optional
            The measure by which to sort features. By default, this is the first that was evaluated.
        top : int, optional
            How many of the best features to list. If both directions were evaluated, a feature counts once for each. By
            default, all features are listed.
        per_query : bool
            Whether to also list the value of each query.

        Returns
        -------
        Table
            A row for each feature, direction and measure. The columns are:

            * ``feature``
            * ``direction``: whether the highest value is ranked first (``high``) or the lowest (``low``)
            * ``query``: the id of a query, or ``all`` in rows of means
            * ``measure`` and ``value``, with the bounds ``low`` and ``high`` if they were computed
            * ``chance``: the value if all documents are ranked in random order
            * ``distinct``: the number of different values; it is None if there are more than 10,000
            * ``tied``: the share of documents that have the same value as another document of their query
            * ``missing``: the number of documents without a value (``NULL``)
            * ``absent``: the number of documents whose line does not have the feature, which then counts as 0
            * ``varied``: the number of queries in which the feature has more than one value
            * ``rank``: the place of the feature, where 1 is the best; features with equal values share a rank

        Raises
        ------
        UntiedError
            Values of queries were not kept.
        KeyError
            The measure was not evaluated.
        """
        check_flag("per_query", per_query)
        texts: dict[str, list[str]] = {"feature": [], "direction": [], "query": [], "measure": []}
        more: dict[str, list[Any]] = {"rank": [], "distinct": [], "tied": [], "missing": [], "absent": [], "varied": []}
        rows: list[Any] = []
        of_means: list[bool] = []
        first = self._evaluations[0]
        chances = [part[0] for part in (first.chances() if per_query else []) + first.chance()]
        measures = self.measures
        for (feature, direction), rank in self._with_ranks(sort_by)[:top]:
            evaluation, place = self._place(feature)
            queries = ["all"]
            parts = evaluation.totals(place, self._direction(direction))
            if per_query:
                values = evaluation.values(place, self._direction(direction))
                if not values:
                    raise UntiedError("values of queries were not kept: evaluate with per_query=True")
                queries, parts = [*evaluation.queries(), *queries], values + parts
            rows += parts
            of_means += [place >= len(parts) - len(measures) for place in range(len(parts))]
            texts["feature"] += [feature] * len(parts)
            texts["direction"] += [direction] * len(parts)
            texts["query"] += [query for query in queries for _ in measures]
            texts["measure"] += measures * len(queries)
            ties = {"rank": rank, **self.ties(feature)}
            for name, column in more.items():
                column += [ties[name]] * len(parts)
        has_range = bool(rows) and rows[0][1] is not None
        chance = chances * (len(rows) // len(chances))
        fields, of_rows = FIELDS[: 3 if has_range else 1], of_means if per_query else True
        return table_of(texts, rows, fields, of_means=of_rows, chance=chance, **more)

    def _facts_of_rows(self) -> list[Facts]:
        facts = self.facts()
        return [facts[row] for row in self.ranked()]

    def _notes(self) -> Iterator[str]:
        """Notes on features that cannot rank or lack values, and on their evaluation."""
        policies = self._policies.chosen()
        by_scorer = self.facts()
        facts: Any = by_scorer.values()
        ties = {name: self.ties(name) for name in self.features}
        missing = [f"{of['missing']:,} of feature {show_id(name)}" for name, of in ties.items() if of["missing"]]
        if missing:
            yield f"documents that are not ranked because their value is NULL: {listed(missing, 'feature')}"
        absent = [f"{of['absent']:,} of feature {show_id(name)}" for name, of in ties.items() if of["absent"]]
        if absent:
            yield (
                f"lines that lack a feature, which then counts as 0 (of {self.documents:,} documents): "
                f"{listed(absent, 'feature')}"
            )
        constant = [name for name, of in ties.items() if of["distinct"] is not None and of["distinct"] <= 1]
        if constant:
            shown = listed([show_id(name) for name in constant])
            yield f"features with the same value everywhere, which cannot rank: {shown}"
        of_query = [
            show_id(name) for name, of in ties.items() if not (of["varied"] or of["missing"]) and name not in constant
        ]
        if of_query:
            yield (
                f"features with the same value for all documents of each query, which cannot rank: {listed(of_query)}"
            )
        mixed = sum(fact["mixed"] for fact in facts)
        if mixed and leaves_ties_open(self._measures, policies["ties"]):
            yield of_ties(
                differ(facts), f"{mixed / (len(facts) * len(self.queries)):.0%} of the rankings", policies["ties"]
            )

        def count(what: str) -> str:
            return str(sum(fact[what] for fact in facts) or "")

        by_feature = {feature: fact for (feature, _), fact in by_scorer.items()}  # the same in both directions
        yield from of_undefined(by_feature, can_leave_out=policies["on_undefined"] == "zero", kind="feature")
        errors = [fact["standard_error"] for fact in facts if fact["standard_error"] is not None]
        yield from of_values(count, policies["ties"], errors)

    def facts(self) -> dict[tuple[str, str], Facts]:
        """Counts that explain the values, by feature and direction; `Results.facts` describes them."""
        return {
            (feature, direction): evaluation.facts(place, number)
            for feature, (evaluation, place) in self._features.items()
            for number, direction in enumerate(self.directions)
        }

    def _place(self, feature: str) -> tuple[FeatureEvaluation | Snapshot, int]:
        if feature not in self._features:
            first = ", ".join(self.features[:10]) + (", ..." if len(self) > 10 else "")
            raise KeyError(f"no feature {feature!r}; the features are {first}")
        return self._features[feature]

    def _direction(self, direction: str) -> int:
        if direction not in self.directions:
            raise KeyError(f"direction {direction!r} was not evaluated; evaluated: {' and '.join(self.directions)}")
        return self.directions.index(direction)

    def _mean(self, feature: str, direction: str, measure: int) -> float:
        evaluation, place = self._place(feature)
        return evaluation.totals(place, self._direction(direction))[measure][0]


def _snapshot(evaluation: FeatureEvaluation | Snapshot, directions: int) -> Snapshot:
    """A native evaluation as plain data."""
    from untied.results.snapshot import snapshot

    features = range(len(evaluation))
    ways = [(feature, way) for feature in features for way in range(directions)]
    calls: dict[str, Iterable[tuple[Any, ...]]] = {
        name: [()] for name in ("__len__", "queries", "documents", "chance", "chances")
    }
    return snapshot(
        evaluation, calls | {"ties": [(one,) for one in features]} | dict.fromkeys(("totals", "values", "facts"), ways)
    )
