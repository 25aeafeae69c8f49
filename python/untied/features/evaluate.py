"""Evaluate each feature of a learning-to-rank data set as a ranker."""

from __future__ import annotations

import os

from untied._core import FeatureEvaluator, Policies
from untied.errors import UntiedError, check_flag, check_one_of
from untied.features.results import DIRECTIONS, FeatureResults
from untied.inputs import mismatch
from untied.inputs.files import unpacked
from untied.measures import as_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from untied._literals import OnUndefined, TiesOfArrays, Unjudged
    from untied.measures import MeasureLike


# described by untied.evaluation.runs.Evaluator: measures*, unjudged*, on_undefined, threads
def evaluate_features(
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
    """Evaluate every feature of a learning-to-rank data set, as if it alone ranked the documents.

    Use it to see which features rank well before you train on them. Many features have few different values and tie
    most documents, so each score is the mean over all orders of tied documents (McSherry & Najork 2008), by default
    with the lowest and the highest score.

    Parameters
    ----------
    data : path, list of paths, array, or frame
        The data set, in one of these forms:

        * files in the format of SVMlight and LETOR, ``label qid:Q feature:value ... # comment``. Several files are one
          data set. They may be compressed with gzip, zstd or xz, and larger than memory.
        * a Parquet file, or a frame (a pandas DataFrame, a dict of columns, or any object with Arrow's C stream). It
          has a column for each feature, or one column of lists.
        * an array, documents x features
    measures : measures or their names, optional
        The measures to compute, as objects or names, such as ``[nDCG @ 10, "AP(rel=2)"]``. Measures of ir_measures work
        too. The default is AP, nDCG@10, RR, P@10 and R@100.

        Arrays only have labels, so measures that need subtopics, sampled pools or lengths of documents are refused.
    labels : array, or name of a column, optional
        The grade of each document, if `data` is an array. If it is a frame, the name of the column with the grades; by
        default ``label``, ``relevance``, ``rel``, ``grade`` or ``gain``. Files have labels already.
    query_ids : array, or name of a column, optional
        The id of each document's query, if `data` is an array. If it is a frame, the name of the column with these ids;
        by default ``qid``, ``query_id``, ``query-id`` or ``query``. Files have ids already.
    names : names, {number: name}, or path, optional
        The names of the features:

        * for files, a dict with a name for each number, or the path of a file with lines ``number name``
        * for an array, a name for each column
        * for a frame, the columns that are features; by default, all numeric columns but document ids
    ties : str
        How to score documents with equal values: ``"range"`` (the mean over all orders, with the lowest and the highest
        value), ``"expected"`` (only this mean), ``"best"``, ``"worst"``, or ``"given"`` (the order of the data).
    directions : str
        Which values of a feature to rank first. ``"high"``: the highest. ``"low"``: the lowest. ``"both"``: evaluate
        each feature in both directions. ``"better"``: evaluate both and keep the one with the better mean.
    unjudged : str
        How to score retrieved documents without a judgment:

        * ``"nonrelevant"``: count them as not relevant
        * ``"remove"``: remove them from the ranking first (condensed lists)
        * ``"range"``: count them as not relevant, and also give the lowest and the highest value that is possible if
          each of them may have any grade of the qrels
        * ``"best"``, ``"worst"``: give only this highest or this lowest value

        The bounds of ``"range"`` are those of the mean over tie orders. Add ``ties="range"`` for bounds that hold for
        every order.

        Documents with a negative label are pooled, but not judged.
    on_undefined : str
        How to count a query for which a measure has no value. Usually this is a query without relevant documents.
        ``"zero"``: count it as 0. ``"nan"``: leave it out of the mean. ``"raise"``: raise an `UndefinedError`.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.
    per_query : bool
        Whether to also keep the values of queries. They take memory for every feature and query.

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
    Feature a ties the two documents of the query, and feature b ranks the relevant one last:

    >>> import untied
    >>> data = [[7, 1], [7, 2]]
    >>> results = untied.evaluate_features(data, ["RR"], labels=[1, 0], query_ids=["q", "q"], names=["a", "b"])
    >>> results["a", "RR"]
    0.7500 [0.5000, 1.0000]
    >>> results.ranked("RR")
    [('a', 'high'), ('b', 'high')]
    """
    check_one_of("directions", directions, DIRECTIONS)
    policies = Policies("arrays", ties=ties, unjudged=unjudged, on_undefined=on_undefined)
    asked = as_measures(measures)
    evaluator = FeatureEvaluator(
        asked,
        policies,
        directions=[direction == "low" for direction in DIRECTIONS[directions]],
        per_query=check_flag("per_query", per_query),
        threads=threads,
    )
    paths = _paths(data)
    if paths is None or any(unpacked(os.fspath(path)).lower().endswith(".parquet") for path in paths):
        from untied.features.columns import evaluate_columns

        if paths is not None and len(paths) > 1:
            raise UntiedError("give one Parquet file; only SVMlight data can be in several files")
        found_names, evaluations = evaluate_columns(
            evaluator, data if paths is None else paths[0], labels, query_ids, names
        )
        return _with_warning(FeatureResults(asked, directions, found_names, evaluations, policies))
    for name, option in (("labels", labels), ("query_ids", query_ids)):
        if option is not None:
            raise UntiedError(f"{name} is for arrays and frames; SVMlight files contain {name} themselves")
    tables = [path for path in paths if unpacked(os.fspath(path)).lower().endswith((".csv", ".tsv", ".json", ".jsonl"))]
    if tables:
        raise UntiedError(
            f"{os.fspath(tables[0])}: files must be in SVMlight's format or Parquet; read this one into a frame first"
        )
    named = _named(names)
    evaluation = evaluator.read(paths)
    found_names = [named.get(number, str(number)) for number in evaluation.numbers()]
    mismatch.warn_or_raise(mismatch.of_features(named, evaluation.numbers()))
    for name in found_names:
        if found_names.count(name) > 1:
            raise UntiedError(f"two features have the name {name!r}")
    return _with_warning(FeatureResults(asked, directions, found_names, [evaluation], policies))


def _with_warning(results: FeatureResults) -> FeatureResults:
    """Warn where no label is above 0."""
    facts = list(results.facts().values())
    if any(not of_feature["relevant"] for of_feature in facts):
        mismatch.warn({"labels": mismatch.NOTHING_RELEVANT})
    mismatch.warn_or_raise(mismatch.of_levels(results._measures, facts[0]["highest"] if facts else 0))
    return results


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

    by_number: dict[int, str] = {}
    for line, (number, *words) in lines(names, "number name"):
        if not words or not number.isascii() or not number.isdigit():
            raise refused(names, line, "number name", repr(" ".join([number, *words])))
        if int(number) in by_number:
            raise refused(names, line, "every feature once", f"feature {number} again")
        by_number[int(number)] = " ".join(words)
    return by_number
