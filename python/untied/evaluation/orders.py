"""Means of measures over all orders that agree with preferences between documents."""

from __future__ import annotations

from math import fsum

from untied._core import Qrels
from untied.errors import MeasureError, UntiedError, check_count
from untied.evaluation.runs import evaluate
from untied.inputs import mismatch
from untied.inputs.convert import as_run
from untied.inputs.lines import id_of
from untied.inputs.truth import (
    ContradictingPreferences,
    orders_of_preferences,
    pairs_of_preferences,
    preferred_to,
    qrels_of_preferences,
)
from untied.measures import ADR, as_measures
from untied.results.table import tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from untied._core import Measure
    from untied.inputs.convert import OneRun
    from untied.measures import MeasureLike
    from untied.results.table import Table

    Pairs = Sequence[tuple[str, str]]

__all__ = ["evaluate_orders"]

#: The most orders that are listed for a query.
MOST = 10_000


def evaluate_orders(
    preferences: Mapping[Any, Iterable[tuple[Any, Any]]],
    run: OneRun,
    measures: MeasureLike | Iterable[MeasureLike] = "ADR",
    *,
    most: int = MOST,
    threads: int | None = None,
) -> Table:
    """Return the mean of measures over all orders that agree with preferences, or an interval that is sure to hold it.

    Use it if one of these orders is right, and you don't know which: all are equally likely. Each order is a truth in
    which every document is a group of its own.

    If a query has few orders, all are listed, and `low` and `high` are both the mean. Otherwise only ADR and ADR@k are
    known, and these as an interval. A document comes after all that are preferred to it, and before all to which it is
    preferred. ADR is highest if every document had the first of the positions that this leaves, and lowest if it had
    the last one. The interval is wide if few documents are compared.

    Parameters
    ----------
    preferences : dict
        For each query, pairs of documents, the better one first: ``{"q1": [("a", "c"), ("b", "c")]}``.
    run : run
        A run of any kind that `untied.evaluate` takes. If documents are tied, the mean is also one over their orders.
    measures : measures or their names
        The measures to compute, without geometric means and sums over queries.
    most : int
        How many orders to list for a query. If there are more, you get an interval.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    Table
        The columns query, measure, low and high. In the rows of means over queries, the query is ``all``.

    Raises
    ------
    MeasureError
        A measure is not understood, is a geometric mean or a sum, or a query has too many orders for it.
    UntiedError
        There is no query, a document is preferred to itself, or preferences contradict each other.

    Warns
    -----
    UntiedWarning
        The run and the preferences have no document in common.

    Examples
    --------
    Three orders agree, and their mean is below the ADR of the preferences, which is 0.7500:

    >>> preferences = {"q1": [("a", "d"), ("b", "c"), ("c", "d")]}
    >>> run = {"q1": ["c", ["a", "b"], "d"]}
    >>> evaluate_orders(preferences, run)
    query  measure     low    high
    q1     ADR      0.6458  0.6458
    all    ADR      0.6458  0.6458

    Without listing them:

    >>> evaluate_orders(preferences, run, most=1)
    query  measure     low    high
    q1     ADR      0.5625  0.7500
    all    ADR      0.5625  0.7500
    """
    asked, most = as_measures(measures), check_count("most", most)
    for measure in asked:
        if measure.is_geometric or measure.is_count:
            raise MeasureError(f"means over orders are means of values, and {measure} is not a mean over queries")
    stated = pairs_of_preferences(preferences)
    if not stated:
        raise UntiedError("there is no query with preferences")
    loaded = as_run(run, threads)
    mismatch.warn({"run": mismatch.of_inputs(qrels_of_preferences(preferences, threads), loaded, threads)})
    rows: list[tuple[Any, ...]] = []
    for query, pairs in stated.items():
        name = id_of(query, empty=True)
        assert name is not None  # others have been refused
        ranked = dict(loaded[name]) if name in loaded else {}
        with mismatch.Silence():  # there has been a warning
            found = _of_query(pairs, ranked, asked, most, threads)
        rows += [(name, str(measure), *ends) for measure, ends in found]
    for of in map(str, asked):
        values = [row[2:] for row in rows if row[1] == of]
        rows.append(("all", of, *(fsum(ends) / len(values) for ends in zip(*values, strict=True))))
    return tidy("query measure", "low high", rows)


def _of_query(
    pairs: Pairs, ranked: dict[str, float], measures: list[Measure], most: int, threads: int | None
) -> list[tuple[Measure, tuple[float, float]]]:
    """The lowest and the highest mean of each measure."""
    try:
        orders = orders_of_preferences(pairs, most=most)
    except ContradictingPreferences:
        raise
    except UntiedError as error:
        named = [str(measure) for measure in measures if not _is_enclosed(measure)]
        if named:
            raise MeasureError(f"{', '.join(named)}: {error}") from None
        return [(measure, _enclosed(pairs, ranked, measure, threads)) for measure in measures]
    truth = {str(number): [[document] for document in order] for number, order in enumerate(orders)}
    results = evaluate(truth, dict.fromkeys(truth, ranked), measures, threads=threads)
    means = [fsum(results.value(measure, query).mean for query in truth) / len(truth) for measure in measures]
    return [(measure, (mean, mean)) for measure, mean in zip(measures, means, strict=True)]


def _is_enclosed(measure: Measure) -> bool:
    """Whether the measure is a sum over documents of what each is worth at its position in the truth."""
    return str(measure) in ("ADR", f"ADR@{measure.cutoff}")


def _enclosed(pairs: Pairs, ranked: dict[str, float], measure: Measure, threads: int | None) -> tuple[float, float]:
    """The values if every document has the last, and the first, of its possible positions."""
    last = _last_positions(pairs)
    # Documents that no run has stand before all others, so that each of these counts from its last position on.
    taken = {*last, *ranked}
    before = [f"before {'_' * len(max(taken, key=len))}{place}" for place in range(len(last) - 1)]
    others = sorted(last.items(), key=lambda item: item[1])
    entries: list[tuple[str, list[int]]] = [(document, []) for document in before]
    entries += [(document, list(range(position - 1))) for document, position in others]
    latest = Qrels.from_preferences([("q", entries)], threads)
    # The documents before them are no part of the truth, whose length ends the sum.
    latest_measure = measure if measure.cutoff is not None else ADR @ len(last)
    earliest = qrels_of_preferences({"q": pairs}, threads)
    low, high = (
        evaluate(qrels, {"q": ranked}, one, threads=threads).value(one, "q").mean
        for qrels, one in ((latest, latest_measure), (earliest, measure))
    )
    return low, high


def _last_positions(pairs: Pairs) -> dict[str, int]:
    """The last position that each document can have in an order that agrees with the preferences."""
    below = preferred_to((worse, better) for better, worse in pairs)
    return {document: len(below) - len(worse) for document, worse in below.items()}
