"""Evaluate each feature of a learning-to-rank data set as a ranker."""

from __future__ import annotations

import os

from untied._core import FeatureEvaluator
from untied.errors import UntiedError, check_one_of
from untied.evaluate.runs import Evaluator
from untied.inputs import overlap
from untied.inputs.files import unpacked
from untied.measures import as_measures
from untied.policies import OF_ARRAYS, Policies, described_by
from untied.results.base import MeasureResults
from untied.results.table import FIELDS, Table, table_of
from untied.results.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from untied._core import FeatureEvaluation, Measure
    from untied._types import Facts, FeatureTies
    from untied.measures import MeasureLike
    from untied.policies import OnUndefined, TiesOfArrays, Unjudged
    from untied.results.recorded import Recorded

#: What ``directions`` takes, each with the directions that are evaluated.
DIRECTIONS = {"high": ("high",), "low": ("low",), "both": ("high", "low"), "better": ("high", "low")}


class FeatureResults(MeasureResults):
    """Results of an evaluation of features.

    ``found["16", "AP"]`` is the value of a feature, `table` has all of them, best feature first.
    """

    _ranked = True

    def __init__(
        self,
        measures: list[Measure],
        directions: str,
        names: Sequence[str],
        evaluations: Sequence[FeatureEvaluation | Recorded],
        varied: tuple[str, ...],
    ) -> None:
        self._measures = measures
        self._asked = directions
        self._evaluations = evaluations
        self._varied = varied
        self._features = dict(zip(names, ((one, i) for one in evaluations for i in range(len(one))), strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        found = [_recorded(evaluation, len(self.directions)) for evaluation in self._evaluations]
        return FeatureResults, (self._measures, self._asked, list(self._features), found, self._varied)

    @property
    def features(self) -> list[str]:
        """Names of the features, in the order of the data; their numbers if they have no names."""
        return list(self._features)

    @property
    def directions(self) -> list[str]:
        """The directions that were evaluated: ``high``, the highest value is ranked first, and ``low``."""
        return list(DIRECTIONS[self._asked])

    @property
    def queries(self) -> list[str]:
        """The queries, in byte order of their ids."""
        return self._evaluations[0].queries()

    @property
    def documents(self) -> int:
        """Number of documents."""
        return self._evaluations[0].documents()

    def keys(self) -> list[Any]:
        """The keys: pairs of a feature and a measure."""
        return [(feature, measure) for feature in self._features for measure in self.measures]

    def __contains__(self, key: tuple[str, MeasureLike]) -> bool:
        return key[0] in self._features and super().__contains__(key[1])

    def __len__(self) -> int:
        """Number of features."""
        return len(self._features)

    def __getitem__(self, key: tuple[str, MeasureLike]) -> Value:
        if not isinstance(key, tuple) or len(key) != 2:
            raise KeyError(f"expected a feature and a measure, such as {next(iter(self.keys()))}, found {key!r}")
        return self.value(*key)

    def value(self, feature: str, measure: MeasureLike, *, direction: str | None = None) -> Value:
        """The mean of a feature.

        Parameters
        ----------
        feature : str
            Its name, or number.
        measure : measure or its name
            One of the evaluated measures.
        direction : str, optional
            ``"high"`` or ``"low"``; by default the only one that was evaluated, or the better of both.

        Returns
        -------
        Value

        Raises
        ------
        KeyError
            There is no such feature, measure or direction.
        """
        number = 0 if measure is None else self._number(measure)
        if direction is None:
            direction = self.best_direction(feature, measure)
        evaluation, place = self._place(feature)
        return Value(*evaluation.totals(place, self._direction(direction))[number])

    def ties(self, feature: str) -> FeatureTies:
        """Numbers of tied documents and of distinct values of a feature.

        Parameters
        ----------
        feature : str
            Its name, or number.

        Returns
        -------
        dict
            ``distinct``, the number of different values, None if there are more than 10,000; ``tied``, the share of
            documents that have the same value as another document of their query; ``missing``, the number of documents
            without a value (``NULL``); ``absent``, the number of documents whose line does not have the feature, which
            then counts as 0; ``varied``, the number of queries in which the feature has more than one value. With 0, it
            ranks nothing.

        Raises
        ------
        KeyError
            There is no such feature.
        """
        evaluation, place = self._place(feature)
        distinct, tied, ranked, missing, absent, varied = evaluation.ties(place)
        share = tied / ranked if ranked else 0.0
        return {"distinct": distinct, "tied": share, "missing": missing, "absent": absent, "varied": varied}

    def chance(self, measure: MeasureLike) -> float:
        """The expected mean if the documents of each query are shuffled: what a feature scores that says nothing.

        Parameters
        ----------
        measure : measure or its name
            One of the evaluated measures.

        Returns
        -------
        float

        Raises
        ------
        KeyError
            The measure was not evaluated.
        """
        return Value(*self._evaluations[0].chance()[self._number(measure)]).mean

    def best_direction(self, feature: str, measure: MeasureLike | None = None) -> str:
        """The direction in which a feature has the better mean; ``high`` if both are equal.

        Parameters
        ----------
        feature : str
            Its name, or number.
        measure : measure or its name, optional
            One of the evaluated measures, by default the first.

        Returns
        -------
        str
            ``"high"`` or ``"low"``; if only one direction was evaluated, that one.

        Raises
        ------
        KeyError
            There is no such feature or measure.
        """
        number = 0 if measure is None else self._number(measure)
        return min(self.directions, key=lambda direction: self._key((feature, direction), number))

    def ranked(self, measure: MeasureLike | None = None, top: int | None = None) -> list[tuple[str, str]]:
        """Features with directions, best first; those with equal values in the order of the data.

        Parameters
        ----------
        measure : measure or its name, optional
            One of the evaluated measures, by default the first.
        top : int, optional
            Number of entries; by default all.

        Returns
        -------
        list of (feature, direction)
            Both directions of each feature with ``directions="both"``, else one.

        Raises
        ------
        KeyError
            The measure was not evaluated.
        """
        number = 0 if measure is None else self._number(measure)
        if self._asked == "both":
            found = [(feature, direction) for feature in self._features for direction in self.directions]
        else:
            found = [(feature, self.best_direction(feature, measure)) for feature in self._features]
        return sorted(found, key=lambda scorer: self._key(scorer, number))[:top]

    @property
    def means(self) -> Table:
        """Means of all features, see `table`."""
        return self.table()

    def table(self, sort_by: MeasureLike | None = None, *, top: int | None = None, per_query: bool = False) -> Table:
        """Values of features, best feature first.

        Parameters
        ----------
        sort_by : measure or its name, optional
            The measure that decides which is best; by default the first.
        top : int, optional
            Number of features (with directions); by default all.
        per_query : bool
            Whether to include the values of queries, before the means.

        Returns
        -------
        Table
            Columns feature, direction, query (``all`` for means), measure, value, low and high if computed; ``chance``,
            the value of a random order, see `chance`; distinct, tied, missing, absent and varied, see `ties`; and
            ``rank``, 1 for the best.

        Raises
        ------
        UntiedError
            Values of queries were not kept.
        KeyError
            The measure was not evaluated.
        """
        texts: dict[str, list[str]] = {"feature": [], "direction": [], "query": [], "measure": []}
        more: dict[str, list[Any]] = {"rank": [], "distinct": [], "tied": [], "missing": [], "absent": [], "varied": []}
        rows: list[Any] = []
        first = self._evaluations[0]
        chances = [part[0] for part in (first.chances() if per_query else []) + first.chance()]
        measures = self.measures
        number = 0 if sort_by is None else self._number(sort_by)
        best, rank = None, 0
        for position, (feature, direction) in enumerate(self.ranked(sort_by, top), 1):
            evaluation, place = self._place(feature)
            queries = ["all"]
            parts = evaluation.totals(place, self._direction(direction))
            if per_query:
                values = evaluation.values(place, self._direction(direction))
                if not values:
                    raise UntiedError("values of queries were not kept: evaluate with per_query=True")
                queries, parts = [*evaluation.queries(), *queries], values + parts
            rows += parts
            texts["feature"] += [feature] * len(parts)
            texts["direction"] += [direction] * len(parts)
            texts["query"] += [query for query in queries for _ in measures]
            texts["measure"] += measures * len(queries)
            mean = parts[number - len(measures)][0]
            rank = rank if mean == best else position  # equal values share one
            best = mean
            ties = {"rank": rank, **self.ties(feature)}
            for name, column in more.items():
                column += [ties[name]] * len(parts)
        has_range = bool(rows) and rows[0][1] is not None
        chance = chances * (len(rows) // len(chances))
        return table_of(texts, rows, FIELDS[: 3 if has_range else 1], chance=chance, **more)

    def _facts_of_rows(self) -> list[Facts]:
        facts = self.facts()
        return [facts[row] for row in self.ranked()]

    def facts(self) -> dict[tuple[str, str], Facts]:
        """Counts that affect the values, as in `Results.facts`, for every feature and direction."""
        return {
            (feature, direction): evaluation.facts(place, number)
            for feature, (evaluation, place) in self._features.items()
            for number, direction in enumerate(self.directions)
        }

    def _place(self, feature: str) -> tuple[FeatureEvaluation | Recorded, int]:
        if feature not in self._features:
            first = ", ".join(self.features[:10]) + (", ..." if len(self) > 10 else "")
            raise KeyError(f"no feature {feature!r}; the features are {first}")
        return self._features[feature]

    def _direction(self, direction: str) -> int:
        if direction not in self.directions:
            raise KeyError(f"direction {direction!r} was not evaluated; evaluated: {' and '.join(self.directions)}")
        return self.directions.index(direction)

    def _key(self, scorer: tuple[str, str], measure: int) -> tuple[bool, float]:
        """Sort key that puts undefined values last."""
        (evaluation, place), direction = self._place(scorer[0]), self._direction(scorer[1])
        mean = evaluation.totals(place, direction)[measure][0]
        return mean != mean, mean if self._measures[measure].lower_is_better else -mean


def _recorded(evaluation: FeatureEvaluation | Recorded, directions: int) -> Recorded:
    """A native evaluation as plain data."""
    from untied.results.recorded import recorded

    features = range(len(evaluation))
    ways = [(feature, way) for feature in features for way in range(directions)]
    calls: dict[str, Iterable[tuple[Any, ...]]] = {
        name: [()] for name in ("__len__", "queries", "documents", "chance", "chances")
    }
    return recorded(
        evaluation, calls | {"ties": [(one,) for one in features]} | dict.fromkeys(("totals", "values", "facts"), ways)
    )


@described_by(Evaluator)
def features(
    data: Any,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    labels: Any = None,
    query_ids: Any = None,
    names: Iterable[str] | Mapping[int, str] | str | os.PathLike[str] | None = None,
    ties: TiesOfArrays = "range",
    directions: str = "high",
    unjudged: Unjudged = "nonrelevant",
    on_undefined: OnUndefined = "zero",
    per_query: bool = False,
    threads: int | None = None,
) -> FeatureResults:
    """Evaluate every feature of a learning-to-rank data set as a scoring function.

    Features are often discrete, so many documents are tied. By default, values are means over all orders of tied
    documents (McSherry & Najork 2008), with the lowest and the highest value.

    Parameters
    ----------
    data : path, list of paths, array, or frame
        Files in the format of SVMlight and LETOR (``label qid:Q feature:value ... # comment``), optionally compressed
        with gzip, zstd or xz; several files are one data set, which may be larger than memory. Or a Parquet file; an
        array, documents x features; or a frame: a pandas DataFrame, a dict of columns, or any object with Arrow's C
        stream. A frame has a column for each feature, or one column of lists.
    measures : measures or their names, optional
        As for `Evaluator`. Measures that use subtopics, sampled pools or lengths of documents are refused, because they
        need more than labels.
    labels : array, or name of a column, optional
        Grades of documents. An array needs them; in a frame it is the column ``label``, ``relevance``, ``rel``,
        ``grade`` or ``gain`` by default.
    query_ids : array, or name of a column, optional
        The query of each document. An array needs them; in a frame it is the column ``qid``, ``query_id``,
        ``query-id`` or ``query`` by default.
    names : names, {number: name}, or path, optional
        For files, names by number, as a dict or in a file with lines ``number name``. For arrays, a name for each
        column. For frames, the names of the columns that are features; by default, all numeric columns except document
        ids.
    ties : str
        ``"range"``, ``"expected"``, ``"best"`` or ``"worst"``, as for `Evaluator`, or ``"given"``: in the order of the
        data.
    directions : str
        ``"high"``: rank the highest value first. ``"low"``: rank the lowest first. ``"both"``: evaluate both
        directions. ``"better"``: keep the direction with the better mean.
    unjudged : str
        As for `Evaluator`. Documents with a negative label are pooled, but not judged.
    on_undefined, threads
        As for `Evaluator`.
    per_query : bool
        Whether to keep the values of queries, which takes memory for every feature and query.

    Returns
    -------
    FeatureResults

    Raises
    ------
    MeasureError
        A measure is not understood.
    InputError
        A line of a file is malformed.
    UntiedError
        An option, a column or a value is refused.
    OSError
        A file cannot be read.

    Examples
    --------
    The first feature ties the two documents of a query:

    >>> import untied
    >>> found = untied.features([[7, 1], [7, 2]], ["RR"], labels=[1, 0], query_ids=["q", "q"], names=["a", "b"])
    >>> found["a", "RR"]
    0.7500 [0.5000, 1.0000]
    >>> found.ranked("RR")
    [('a', 'high'), ('b', 'high')]
    """
    check_one_of("directions", directions, DIRECTIONS)
    policies = Policies(OF_ARRAYS, ties=ties, unjudged=unjudged, on_undefined=on_undefined)
    asked = as_measures(measures)
    evaluator = FeatureEvaluator(
        asked,
        directions=[direction == "low" for direction in DIRECTIONS[directions]],
        **policies.options,
        per_query=per_query,
        threads=threads,
    )
    paths = _paths(data)
    if paths is None or any(unpacked(os.fspath(path)).lower().endswith(".parquet") for path in paths):
        from untied.features.columns import evaluate_columns

        if paths is not None and len(paths) > 1:
            raise UntiedError("give one Parquet file; only SVMlight files can be several")
        found_names, evaluations = evaluate_columns(
            evaluator, data if paths is None else paths[0], labels, query_ids, names
        )
        return _with_warning(FeatureResults(asked, directions, found_names, evaluations, policies.varied))
    for name, option in (("labels", labels), ("query_ids", query_ids)):
        if option is not None:
            raise UntiedError(f"{name} is for arrays and frames; SVMlight files have their own")
    tables = [path for path in paths if unpacked(os.fspath(path)).lower().endswith((".csv", ".tsv", ".json", ".jsonl"))]
    if tables:
        raise UntiedError(
            f"{os.fspath(tables[0])}: files must be in SVMlight's format or Parquet; read this one into a frame first"
        )
    named = _named(names)
    evaluation = evaluator.read(paths)
    found_names = [named.get(number, str(number)) for number in evaluation.numbers()]
    overlap.say(overlap.of_features(named, evaluation.numbers()))
    for name in found_names:
        if found_names.count(name) > 1:
            raise UntiedError(f"two features have the name {name!r}")
    return _with_warning(FeatureResults(asked, directions, found_names, [evaluation], policies.varied))


def _with_warning(found: FeatureResults) -> FeatureResults:
    """Warn where no label is above 0."""
    facts = list(found.facts().values())
    if any(not of_feature["relevant"] for of_feature in facts):
        overlap.warn({"labels": overlap.NOTHING_RELEVANT})
    overlap.say(overlap.of_levels(found._measures, facts[0]["highest"] if facts else 0))
    return found


def _paths(data: Any) -> list[str | os.PathLike[str]] | None:
    """The paths, if the data is one or several paths."""
    if isinstance(data, (str, os.PathLike)):
        return [data]
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, (str, os.PathLike)) for one in data):
        return list(data)
    return None


def _named(names: Any) -> dict[int, str]:
    """Names of features by number."""
    if names is None:
        return {}
    if not isinstance(names, (str, os.PathLike)):
        if not hasattr(names, "items"):
            raise UntiedError("names of features in files must be {number: name}, or a file with lines 'number name'")
        return {int(number): str(name) for number, name in names.items()}
    from untied.inputs.lines import lines, refused

    found: dict[int, str] = {}
    for line, (number, *words) in lines(names, "number name"):
        if not words or not number.isascii() or not number.isdigit():
            raise refused(names, line, "number name", repr(" ".join([number, *words])))
        if int(number) in found:
            raise refused(names, line, "every feature once", f"feature {number} again")
        found[int(number)] = " ".join(words)
    return found
