"""Measures of the documents of several searches whose order among each other is unknown."""

from __future__ import annotations

from itertools import pairwise
from math import factorial, fsum, isnan, prod

from untied._core import show_id
from untied.errors import UndefinedError, UntiedError, check_count
from untied.evaluation.runs import evaluate
from untied.inputs.convert import as_qrels, loaded_runs
from untied.inputs.lines import id_of
from untied.inputs.mismatch import listed, warn_or_raise
from untied.measures import as_measures
from untied.results.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from untied._core import Measure, Qrels, Run
    from untied._literals import OnUndefined
    from untied.inputs.convert import OneRun
    from untied.measures import MeasureLike

    #: A beginning: how many documents of each search it has, and what is judged of its different documents.
    Place: TypeAlias = tuple[tuple[int, ...], tuple[Hashable, ...]]

__all__ = ["evaluate_searches"]

#: The most beginnings of rankings that are listed for a query, at some 200 bytes each.
MOST = 50_000


def evaluate_searches(
    qrels: Mapping[Any, Any] | Qrels,
    searches: Mapping[Any, Sequence[Sequence[Any]]] | Sequence[OneRun],
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    on_undefined: OnUndefined = "zero",
    most: int = MOST,
    threads: int | None = None,
) -> Table:
    """Return the mean, lowest and highest value of measures over all orders in which several searches may be read.

    Use it if an agent searched several times for a query, and you know the ranking of each search, but not how the
    agent went back and forth between them. All interleavings of the rankings are equally likely. A document that
    several searches return counts where it comes first.

    Values are exact, because all orders are listed. Documents with the same judgment are interchangeable, so this is
    feasible with a cutoff, or if few documents are relevant.

    Parameters
    ----------
    qrels : dict or Qrels
        The judgments, as for `untied.evaluate`: grades, or grades by subtopic.
    searches : dict or list of runs
        For each query, the ranked documents of each search: ``{"q1": [["a", "x"], ["y", "b"]]}``. Or a list of runs,
        such as paths of files: each has one search of every query. A judged query without searches counts as an empty
        ranking.
    measures : measures or their names, optional
        The measures to compute, as for `untied.evaluate`, without geometric means and sums over queries.
    on_undefined : str
        How to count a query for which a measure is undefined: as 0 (``"zero"``), not at all (``"nan"``), or as an error
        (``"raise"``).
    most : int
        How many beginnings of rankings may be listed for a query. If there are more, it is an error.
    threads : int, optional
        How many threads to use; by default, one for each processor.

    Returns
    -------
    Table
        The columns query, measure, value (the mean), low and high. In the rows of means over queries, the query is
        ``all``.

    Raises
    ------
    MeasureError
        A measure is not understood.
    UntiedError
        A search returns a document twice, documents of a run are tied, there are too many orders, a measure is a
        geometric mean or a sum, or no query is judged.

    Warns
    -----
    UntiedWarning
        The searches and the qrels have no document in common, or nothing is relevant.

    Examples
    --------
    >>> evaluate_searches({"q1": {"a": 1, "b": 1}}, {"q1": [["a", "b"], ["x"]]}, "R@2")
    query  measure   value     low    high
    q1     R@2      0.6667  0.5000  1.0000
    all    R@2      0.6667  0.5000  1.0000
    """
    return evaluate_interleavings(qrels, searches, measures, on_undefined, most, threads)[0]


def evaluate_interleavings(
    qrels: Any, searches: Any, measures: Any, on_undefined: OnUndefined = "zero", most: int = MOST,
    threads: int | None = None,
) -> tuple[Table, dict[str, int]]:  # fmt: skip
    """The same table, and the facts of which `results.notes.of_undefined` makes a note."""
    asked, most = as_measures(measures), check_count("most", most)
    for measure in asked:
        if measure.is_geometric or measure.is_count:
            raise UntiedError(f"{measure} is no mean over queries, so it has no mean over interleavings")
    judged = _judgments(qrels, threads)
    given: Any = _of_runs(loaded_runs(searches, threads)) if isinstance(searches, (list, tuple)) else searches
    if not hasattr(given, "items"):
        raise TypeError(f"searches must be {{query: [[document, ...], ...]}} or a list of runs, not {searches!r:.60}")
    lists = {_id(query, "a query"): list(_searches(query, found)) for query, found in given.items()}
    if not lists.keys() & judged.keys():
        raise UntiedError("the searches and the qrels have no query in common")
    for what, left in (
        ("queries without judgments, left out", lists.keys() - judged.keys()),
        ("judged queries without searches, counted as empty rankings", judged.keys() - lists.keys()),
    ):
        if left:
            warn_or_raise(f"{what}: {len(left):,} ({listed([show_id(query) for query in sorted(left)])})")
    depth = _depth(asked)
    orders = {
        query: _orders(query, lists.get(query, []), _classes(documents), depth, most)
        for query, documents in judged.items()
    }
    return _averaged(asked, judged, orders, on_undefined, threads)


def _of_runs(runs: Mapping[str, Run]) -> dict[str, list[list[str]]]:
    """The rankings of each query in several runs."""
    searches: dict[str, list[list[str]]] = {}
    for name, run in runs.items():
        for query in run.queries():
            ranked = sorted(run[query], key=lambda row: -row[1])
            for (document, score), (other, next_score) in pairwise(ranked):
                if score == next_score:
                    raise UntiedError(
                        f"{show_id(name)}: query {show_id(query)}: documents {show_id(document)} and {show_id(other)} "
                        "are tied, but a search needs an order; give scores or ranks that differ"
                    )
            searches.setdefault(query, []).append([document for document, _ in ranked])
    return searches


def _judgments(qrels: Any, threads: int | None) -> dict[str, Mapping[Any, Any]]:
    """The judgments of each query: of documents, or of the documents of subtopics."""
    held = as_qrels(qrels, threads)
    if held.format not in ("trec", "subtopics"):
        raise UntiedError(
            f"means over interleavings need grades, or grades by subtopic, not qrels of format {held.format}"
        )
    read = held.by_subtopic if held.format == "subtopics" else held.__getitem__
    return {query: read(query) for query in held.queries()}


def _classes(judged: Mapping[Any, Any]) -> dict[str, Hashable]:
    """What is judged of each document; documents of which the same is judged are interchangeable."""
    if not any(hasattr(grades, "items") for grades in judged.values()):
        return {_id(document, "a document"): grade for document, grade in judged.items()}
    found: dict[str, list[Any]] = {}
    for subtopic, grades in judged.items():
        for document, grade in grades.items():
            found.setdefault(_id(document, "a document"), []).append((subtopic, grade))
    return {document: tuple(grades) for document, grades in found.items()}


def _id(value: Any, what: str) -> str:
    id_ = id_of(value)
    if id_ is None:
        raise TypeError(f"searches: expected the id of {what}, found {value!r:.60}")
    return id_


def _searches(query: Any, found: Any) -> Iterator[list[str]]:
    """The ids of the documents of each search."""
    where = f"searches: query {show_id(_id(query, 'a query'))}"
    if not isinstance(found, (list, tuple)) or not all(isinstance(ranking, (list, tuple)) for ranking in found):
        raise TypeError(f"{where}: expected a list of rankings, found {found!r:.60}")
    for ranking in found:
        documents = [_id(document, "a document") for document in ranking]
        if len(set(documents)) < len(documents):
            again = next(document for place, document in enumerate(documents) if document in documents[:place])
            raise UntiedError(f"{where}: a search returns document {show_id(again)} twice")
        yield documents


def _depth(measures: Sequence[Measure]) -> int | None:
    """The number of documents of a ranking that decide the values; None if all may."""
    cutoffs = [measure.cutoff for measure in measures]
    return None if None in cutoffs else max(cutoff for cutoff in cutoffs if cutoff is not None)


def _orders(
    query: str, searches: list[list[str]], classes: Mapping[str, Hashable], depth: int | None, most: int
) -> dict[tuple[str, ...], float]:
    """Rankings, one for each different order of judgments, with their probabilities."""
    sizes = tuple(map(len, searches))
    #: For each document, its place in each search that returns it.
    places_of: dict[str, dict[int, int]] = {}
    for search, ranking in enumerate(searches):
        for place, document in enumerate(ranking):
            places_of.setdefault(document, {})[search] = place
    begun: dict[Place, int] = {((0,) * len(searches), ()): 1}
    ways: dict[tuple[Hashable, ...], int] = {}
    tried = 0
    for _ in range(sum(sizes) + 1):
        ahead: dict[Place, int] = {}
        for (read, order), count in begun.items():
            if read == sizes or len(order) == depth:
                left = [size - at for size, at in zip(sizes, read, strict=True)]
                ways[order] = ways.get(order, 0) + count * _interleavings(left)
                continue
            for search, at in enumerate(read):
                if at == sizes[search]:
                    continue
                document = searches[search][at]
                is_new = all(place >= read[other] for other, place in places_of[document].items())
                step = (*read[:search], at + 1, *read[search + 1 :])
                reached = (step, (*order, classes.get(document)) if is_new else order)
                ahead[reached] = ahead.get(reached, 0) + count
        begun = ahead
        tried += len(begun)
        if tried > most:
            raise UntiedError(
                f"searches: query {show_id(query)} has too many orders: more than most={most:,} beginnings of rankings;"
                " a lower cutoff of the measures leaves fewer"
            )
    total = sum(ways.values())
    return {_ranking(order, list(places_of), classes): count / total for order, count in ways.items()}


def _interleavings(sizes: Sequence[int]) -> int:
    """In how many ways rankings of these sizes can be interleaved."""
    return factorial(sum(sizes)) // prod(map(factorial, sizes))


def _ranking(order: Sequence[Hashable], union: Sequence[str], classes: Mapping[str, Hashable]) -> tuple[str, ...]:
    """A ranking of all documents that begins with this order of judgments."""
    waiting: dict[Hashable, list[str]] = {}
    for document in reversed(union):
        waiting.setdefault(classes.get(document), []).append(document)
    first = [waiting[of_class].pop() for of_class in order]
    return (*first, *(document for documents in waiting.values() for document in documents))


def _averaged(
    measures: Sequence[Measure],
    judged: Mapping[str, Mapping[Any, Any]],
    orders: Mapping[str, Mapping[tuple[str, ...], float]],
    on_undefined: OnUndefined,
    threads: int | None,
) -> tuple[Table, dict[str, int]]:
    """The mean and the ends of each measure for each query and their means, and facts on undefined values."""
    ids = {query: [f"{query}:{number}" for number in range(len(orders[query]))] for query in judged}
    results = evaluate(
        {id_: judged[query] for query, of_query in ids.items() for id_ in of_query},
        {
            "searches": {
                id_: list(order) for query in judged for id_, order in zip(ids[query], orders[query], strict=True)
            }
        },
        measures,
        on_undefined="nan" if on_undefined in ("zero", "raise") else on_undefined,
        threads=threads,
    )
    undefined, left_out, undefined_queries = 0, 0, set()
    by_name = {str(measure): measure for measure in measures}
    rows: dict[str, list[tuple[float, float, float]]] = {name: [] for name in by_name}
    for query, of_query in ids.items():
        chances = list(orders[query].values())
        for name, measure in by_name.items():
            values = [float(results.value(measure, id_)) for id_ in of_query]
            if any(map(isnan, values)):
                if on_undefined == "raise":
                    raise UndefinedError(f"{measure} is undefined for query {show_id(query)}")
                undefined += 1
                undefined_queries.add(query)
                if on_undefined == "zero" and not measure.lower_is_better:
                    values = [0.0 if isnan(value) else value for value in values]
                else:
                    left_out += 1
                    values = [float("nan")] * len(values)
            mean = fsum(value * chance for value, chance in zip(values, chances, strict=True))
            rows[name].append((mean, min(values), max(values)))
    for found in rows.values():
        kept = [row for row in found if not isnan(row[0])]
        found.append(
            tuple(fsum(column) / len(kept) for column in zip(*kept, strict=True)) if kept else (float("nan"),) * 3  # type: ignore[arg-type]
        )
    queries = [*judged, "all"]
    cells: list[tuple[Any, ...]] = [
        (query, name, *rows[name][place]) for place, query in enumerate(queries) for name in rows
    ]
    texts = {"query": [row[0] for row in cells], "measure": [row[1] for row in cells]}
    numbers = {name: [row[at] for row in cells] for at, name in enumerate(("value", "low", "high"), 2)}
    table = Table(texts, numbers, [row[0] == "all" and at >= len(judged) * len(rows) for at, row in enumerate(cells)])
    return table, {
        "evaluated": len(judged), "undefined": undefined, "undefined_queries": len(undefined_queries),
        "left_out": left_out,
    }  # fmt: skip
