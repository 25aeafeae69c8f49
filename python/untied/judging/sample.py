"""Samples of judgments and collections, for studies of incomplete and imperfect judgments.

Whether a document is kept depends only on the seed, its query and its id. So the order of the input does not matter,
and with the same seed, the sample at a lower rate is part of the sample at a higher rate. The exception is a query that
had to be drawn again.
"""

from __future__ import annotations

from functools import cache, partial
from hashlib import blake2b
from math import isfinite
from operator import itemgetter

from untied.errors import UntiedError, check_count, check_flag, check_real, check_share, check_whole
from untied.inputs import mismatch
from untied.inputs.convert import as_qrels, as_run, named_runs
from untied.statistics.strata import allocate

__all__ = ["Judgments", "collection", "judgments", "keeps_document", "pool", "queries"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping
    from typing import Any

    from untied._core import Qrels, Run
    from untied.inputs.convert import OneRun, QrelsLike

#: ``{query: {document: grade}}``
Judgments = dict[str, dict[str, float]]

#: How often a query is drawn again before it is given up.
MOST_DRAWS = 100_000

UNSAMPLED = -1.0


def document_key(seed: int, *parts: str) -> float:
    """A pseudo-random number from 0 to 1 that depends only on the arguments."""
    try:
        digest = blake2b(digest_size=8, key=str(seed).encode())
    except ValueError:
        raise UntiedError(f"a seed has at most 64 digits, not {len(str(seed))}") from None
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        digest.update(len(data).to_bytes(8, "big") + data)
    return (int.from_bytes(digest.digest(), "big") >> 11) / 2.0**53


def judgments(
    qrels: QrelsLike,
    rate: float | Mapping[str, float],
    *,
    seed: int = 0,
    by_query: bool = False,
    strata: Mapping[str, Mapping[str, str]] | None = None,
    rel: float | None = 1,
) -> Judgments:
    """Return a random sample of the judgments. The other judged documents become *pooled but not judged*.

    Use it to see what fewer judgments would have done to a measure or a comparison. By default, a query with relevant
    documents is drawn again until its sample holds one (Yilmaz & Aslam 2006, section 2.2), which makes relevant
    documents more probable than others. Pass ``rel=None`` to avoid it.

    Parameters
    ----------
    qrels : Qrels, path, or {query: {document: grade}}
        The judgments. Documents with a negative grade were pooled but not judged; they keep this grade.
    rate : float, or {stratum: float}
        The share of the judged documents to keep, above 0 and at most 1. With `strata`, a dict with a share for each.
    seed : int
        Seed of the random choice. The same seed gives the same sample.
    by_query : bool
        Whether to keep exactly this share of every query's documents (rounded, and at least one). By default, each
        document is kept with this probability, so the number varies.
    strata : {query: {document: stratum}}, optional
        The stratum of every judged document. Pass this if each stratum has its own rate.
    rel : float, optional
        The lowest relevant grade. A query is drawn again if its sample has no such document. With None, no query is,
        and every document is sampled with the same probability. `untied.verdicts.from_sample` needs this.

    Returns
    -------
    dict
        ``{query: {document: grade}}`` with grade -1 for documents that were not sampled.

    Raises
    ------
    UntiedError
        A rate is 0 or less, or above 1; a document has no stratum; a stratum has no rate, or no documents; or the
        judgments have strata, probabilities or subtopics of their own.
    """
    check_whole("seed", seed)
    check_flag("by_query", by_query)
    if rel is not None and not isfinite(check_real("rel", rel)):
        raise UntiedError(f"rel must be a finite number, not {rel}")
    table = _grades(qrels)
    if not isinstance(rate, (int, float)) and not hasattr(rate, "items"):
        raise TypeError(f"rate must be a number, or one for each stratum, not {type(rate).__name__}")
    rates = rate if not isinstance(rate, (int, float)) else {"": float(rate)}
    for stratum, share in rates.items():
        check_share(f"rate of stratum {stratum}" if stratum else "rate", share, zero=False)
    if (strata is None) != ("" in rates):
        raise UntiedError("give strata and rates by stratum together, or neither")
    if strata is not None:
        there_are = {stratum for documents in strata.values() for stratum in documents.values()}
        if without := sorted(rates.keys() - there_are):
            raise UntiedError(f"stratum {without[0]!r} has a rate, but no documents")

    def rate_of(query: str, document: str) -> float:
        if strata is None:
            return rates[""]
        stratum = strata.get(query, {}).get(document)
        if stratum is None:
            raise UntiedError(f"query {query!r}, document {document!r}: expected a stratum, found none")
        if stratum not in rates:
            raise UntiedError(f"stratum {stratum!r}: expected a rate, found none (rates: {', '.join(rates)})")
        return rates[stratum]

    return {query: _draw(query, table[query], rate_of, seed, by_query, rel) for query in table.queries()}


def _draw(
    query: str,
    judged: Mapping[str, float],
    rate_of: Callable[[str, str], float],
    seed: int,
    by_query: bool,
    rel: float | None,
) -> dict[str, float]:
    """The sample of a query, drawn until it holds a relevant document if there is one and `rel` is given."""
    grades = {document: judged[document] for document in sorted(judged)}
    rates = {document: rate_of(query, document) for document, grade in grades.items() if grade >= 0}
    for draw in range(MOST_DRAWS):
        keys = {document: document_key(seed, query, document, str(draw)) for document in rates}
        if by_query and rates:
            kept = set()
            for share in set(rates.values()):
                same = sorted((document for document in rates if rates[document] == share), key=keys.__getitem__)
                kept.update(same[: max(1, round(share * len(same)))])
        else:
            kept = {document for document, key in keys.items() if key < rates[document]}
        if (
            rel is None
            or any(grades[document] >= rel for document in kept)
            or not any(grade >= rel for grade in grades.values())
        ):
            return {d: grade if d in kept else min(grade, UNSAMPLED) for d, grade in grades.items()}
    raise UntiedError(f"query {query!r}: none of {MOST_DRAWS:,} samples holds a relevant document; the rate is too low")


def _grades(qrels: QrelsLike) -> Qrels:
    """Judgments of which nothing is lost in ``{query: {document: grade}}``."""
    table = as_qrels(qrels)
    if table.format != "trec":
        raise UntiedError(
            f"samples and pools need a grade for each document; found qrels in the format {table.format!r}"
        )
    return table


def pool(runs: Iterable[OneRun], depth: int, qrels: QrelsLike | None = None) -> Judgments:
    """Return the pool of several runs, which is the first `depth` documents of each.

    Parameters
    ----------
    runs : list of runs
        The runs, as for `untied.evaluate`. Tied documents are ordered by id, descending.
    depth : int
        How many documents of each ranking go into the pool.
    qrels : Qrels, path, or {query: {document: grade}}, optional
        Judgments for documents of the pool. If you pass them, queries without judgments are left out. By default, the
        whole pool is unjudged.

    Returns
    -------
    dict
        ``{query: {document: grade}}``, with grade -1 for unjudged documents.

    Raises
    ------
    UntiedError
        The depth is below 1, no run is given, or the judgments have strata, probabilities or subtopics.
    """
    check_count("depth", depth)
    judged = None if qrels is None else _grades(qrels)
    pooled: dict[str, set[str]] = {}
    reasons: dict[str, str | None] = {}
    for name, load in named_runs(runs, qrels=qrels):
        run = load()
        if judged is not None:
            reasons[name] = mismatch.of_inputs(judged, run, judging=True)
        for query in run.queries():
            pooled.setdefault(query, set()).update(ranked(run, query)[:depth])
    mismatch.warn(reasons)
    if judged is not None:
        pooled = {query: pooled.get(query, set()) for query in judged.queries()}
    judgments: Judgments = {}
    for query, documents in sorted(pooled.items()):
        grades = {} if judged is None else judged[query]
        judgments[query] = {document: grades.get(document, UNSAMPLED) for document in sorted(documents)}
    return judgments


def ranked(run: Run, query: str) -> list[str]:
    """The documents that a run retrieves, with ties ordered by id, descending."""
    if query not in run:
        return []
    # Ids compare as their UTF-8 bytes do.
    return [document for document, _ in sorted(run[query], key=itemgetter(1, 0), reverse=True)]


def queries(qrels: QrelsLike, number: int, *, strata: Mapping[str, Hashable] | None = None, seed: int = 0) -> list[str]:
    """Return a random sample of queries, for people to judge beside a machine.

    Draw it before you look at scores. When people have judged these queries, pass their judgments and the machine's to
    `untied.statistics.estimate_runs`. Each stratum gets its share of the sample, but at least two queries.

    Parameters
    ----------
    qrels : Qrels, path, or {query: {document: grade}}
        Judgments of all queries, such as the machine's.
    number : int
        How many queries to draw.
    strata : {query: stratum}, optional
        The stratum of each query, such as its language. Pass it to `untied.statistics.estimate_runs`, too.
    seed : int
        Seed of the random choice. With the same seed, a larger sample without strata holds the smaller one.

    Returns
    -------
    list of str
        Ids of queries, in the order of `Qrels.queries`.

    Raises
    ------
    UntiedError
        There are fewer queries, a query has no stratum, or `number` is too small for the strata.
    """
    check_whole("seed", seed)
    check_count("number", number)
    every = list(as_qrels(qrels).queries())
    if number > len(every):
        raise UntiedError(f"cannot draw {number:,} queries from {len(every):,}")
    of: Mapping[str, Hashable] = dict.fromkeys(every) if strata is None else strata
    # A machine's values that are all equal: strata then count by their sizes.
    sizes: dict[Any, int] = {None: number} if strata is None else allocate(dict.fromkeys(every, 0.0), of, number)
    drawn = set()
    for query in sorted(every, key=lambda query: document_key(seed, "query", query)):
        if sizes[of[query]]:
            sizes[of[query]] -= 1
            drawn.add(query)
    return [query for query in every if query in drawn]


def keeps_document(document: str, rate: float, seed: int = 0) -> bool:
    """Return whether a document is in a random part of the collection.

    Parameters
    ----------
    document : str
        The document's id.
    rate : float
        The share of the collection that is kept.
    seed : int
        The seed of the random choice. The same seed keeps the same documents.

    Returns
    -------
    bool
    """
    return document_key(seed, document) < rate


def collection(
    qrels: QrelsLike, runs: Mapping[str, OneRun], rate: float, *, seed: int = 0, sample_judgments: bool = False
) -> tuple[Judgments, dict[str, dict[str, dict[str, float]]]]:
    """Keep a random part of the collection, and remove all other documents from the runs.

    The judgments of removed documents stay by default, which makes the judgments imperfect (Yilmaz & Aslam 2006,
    section 6). With `sample_judgments`, they are removed too, and you get a smaller collection (Hawking & Robertson
    2003).

    Parameters
    ----------
    qrels : Qrels, path, or {query: {document: grade}}
        The judgments.
    runs : {name: run}
        Runs, as for `evaluate`.
    rate : float
        The share of the collection to keep, above 0 and at most 1. For instance, 0.5 keeps half of it.
    seed : int
        Seed of the random choice. The same seed keeps the same documents.
    sample_judgments : bool
        Whether to also remove the judgments of documents that are not kept.

    Returns
    -------
    qrels : dict
        ``{query: {document: grade}}``
    runs : dict
        ``{name: {query: {document: score}}}``

    Raises
    ------
    UntiedError
        The rate is 0 or less, or above 1; or the judgments have strata, probabilities or subtopics.
    """
    check_share("rate", rate, zero=False)
    check_whole("seed", seed)
    check_flag("sample_judgments", sample_judgments)
    keeps = cache(partial(keeps_document, rate=rate, seed=seed))
    judged = _grades(qrels)
    kept_judgments = {
        query: {
            document: grade
            for document, grade in sorted(judged[query].items())
            if not sample_judgments or keeps(document)
        }
        for query in judged.queries()
    }
    kept_runs = {}
    reasons: dict[str, str | None] = {}
    for name, one in runs.items():
        run = as_run(one)
        reasons[name] = mismatch.of_inputs(judged, run, judging=True)
        kept_runs[name] = {
            query: {document: score for document, score in run[query] if keeps(document)} for query in run.queries()
        }
    mismatch.warn(reasons)
    return kept_judgments, kept_runs
