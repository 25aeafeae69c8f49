"""Partly ordered truth: preferences between documents, and ordered groups from files, preferences and rankings.

Ordered groups are written as grades that count down to 1 for the last group. Only the order of these grades is
meaningful: evaluate them with `ADR`, `PairConcordance` or `Compat`.
"""

from __future__ import annotations

from untied._core import Qrels, show_id
from untied.errors import InputError, UntiedError, check_count, check_share
from untied.inputs.lines import id_of, lines, refused

__all__ = [
    "groups_from_preferences",
    "groups_from_rankings",
    "orders_of_preferences",
    "read_groups",
    "read_mirex",
    "read_preferences",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from typing import Any, NoReturn

    Grades = dict[str, dict[str, float]]


def read_groups(path: str | os.PathLike[str]) -> Grades:
    """Return the ordered groups in a file, as grades. Each line has a query and its groups of documents.

    A line is ``query document document | document | ...``: groups are separated by ``|``, and the best comes first.
    Blank lines and lines that begin with ``#`` are skipped.

    Parameters
    ----------
    path : str or path-like
        The file, which may be compressed with gzip, zstd or xz.

    Returns
    -------
    dict
        ``{query: {document: grade}}``. The last group has grade 1, and each group before it one more.

    Raises
    ------
    InputError
        A group is empty, a document appears twice in a query, a query has two lines, or the file is empty.
    OSError
        The file cannot be read.
    """
    shape = "query document document | document | ..."
    by_query: Grades = {}
    for number, (query, *entries) in lines(path, shape):
        groups: list[list[str]] = [[]]
        for entry in entries:
            if entry == "|":
                groups.append([])
            else:
                groups[-1].append(entry)
        if not all(groups):
            raise refused(path, number, f"documents in every group ({shape})", f"an empty group of {show_id(query)}")
        if query in by_query:
            raise refused(path, number, "one line for every query", f"another for {show_id(query)}")
        grades = by_query[query] = {}
        for grade, group in zip(range(len(groups), 0, -1), groups, strict=True):
            for document in group:
                if document in grades:
                    raise refused(path, number, "every document once", f"{show_id(document)} again")
                grades[document] = float(grade)
    return by_query


def read_mirex(path: str | os.PathLike[str]) -> Grades:
    """Return MIREX's ground truth, as grades. Each line is ``source query document group``, and group 1 is the best.

    Parameters
    ----------
    path : str or path-like
        The file, which may be compressed with gzip, zstd or xz.

    Returns
    -------
    dict
        ``{query: {document: grade}}``. The last group has grade 1, and each group before it one more.

    Raises
    ------
    InputError
        A line does not have four columns, a group is not a whole number of at least 1, a document of a query is in two
        groups, the lines come from several sources, or the file is empty.
    OSError
        The file cannot be read.
    """
    shape = "4 columns (source query document group)"
    ranks: dict[str, dict[str, tuple[int, str]]] = {}
    first = None
    for number, fields in lines(path, shape):
        if len(fields) != 4:
            raise refused(path, number, shape, str(len(fields)))
        source, query, document, group = fields
        first = source if first is None else first
        if source != first:
            raise refused(path, number, f"one source in the whole file, {show_id(first)}", show_id(source))
        digits = group.lstrip("0")
        if not group.isascii() or not group.isdigit() or not digits:
            raise refused(path, number, "a whole number of at least 1 as the group", show_id(group))
        rank = len(digits), digits  # in the order of the numbers, which may have more digits than Python converts
        if ranks.setdefault(query, {}).setdefault(document, rank) != rank:
            raise refused(path, number, "one group for every document of a query", f"another of {show_id(document)}")
    grades = {}
    for query, judged in ranks.items():
        places = sorted(set(judged.values()), reverse=True)
        grade = {group: float(place) for place, group in enumerate(places, 1)}
        grades[query] = {document: grade[group] for document, group in judged.items()}
    return grades


def read_preferences(path: str | os.PathLike[str]) -> dict[str, list[tuple[str, str]]]:
    """Return the preferences between documents in a file.

    A line is ``query document document``, and the first document is preferred to the second. Lines of five columns are
    trec_eval's format, ``query group subgroup document level``: documents of a subgroup are compared by their levels,
    and higher levels are preferred. A query must have one group.

    Parameters
    ----------
    path : str or path-like
        The file, which may be compressed with gzip, zstd or xz.

    Returns
    -------
    dict
        ``{query: [(better, worse), ...]}``, with each pair once.

    Raises
    ------
    InputError
        A line has neither three nor five columns, a document is preferred to itself, the preferences of a query
        contradict each other, a document has two levels in a subgroup, a query has two groups, or the file has no
        preferences.
    OSError
        The file cannot be read.
    """
    shape = "3 columns (query document document) or 5 (query group subgroup document level)"
    # The line that first says so, for each pair of a query.
    stated: dict[str, dict[tuple[str, str], int]] = {}
    groups: dict[str, str] = {}
    levels: dict[tuple[str, str], dict[str, tuple[float, int]]] = {}
    columns = None
    for number, fields in lines(path, shape):
        columns = len(fields) if columns is None else columns
        if len(fields) not in (3, 5):
            raise refused(path, number, shape, str(len(fields)))
        if len(fields) != columns:
            raise refused(path, number, f"{columns} columns, as in the first line", str(len(fields)))
        query = fields[0]
        pairs = stated.setdefault(query, {})
        if columns == 3:
            _, better, worse = fields
            if better == worse:
                raise refused(path, number, "two documents", f"{show_id(better)} twice")
            pairs.setdefault((better, worse), number)
            continue
        _, group, subgroup, document, text = fields
        if groups.setdefault(query, group) != group:
            expected = f"one group of judgments for query {show_id(query)}, {show_id(groups[query])}"
            raise refused(path, number, expected, show_id(group))
        level = _level(text)
        if level is None:
            raise refused(path, number, "a finite number as the level", show_id(text))
        if levels.setdefault((query, subgroup), {}).setdefault(document, (level, number))[0] != level:
            raise refused(path, number, "one level for every document of a subgroup", f"another of {show_id(document)}")
    for (query, _), judged in levels.items():
        for better, (high, line) in judged.items():
            for worse, (low, other_line) in judged.items():
                if high > low:
                    stated[query].setdefault((better, worse), max(line, other_line))
    for query, pairs in stated.items():
        try:
            preferred_to(pairs)
        except ContradictingPreferences as error:
            line = max(pairs[pair] for pair in error.pairs)
            raise refused(path, line, f"preferences of query {show_id(query)} without a cycle", error.around) from None
    if not any(stated.values()):
        raise InputError(
            f"{show_id(str(path))}: expected preferences, found only equal levels",
            str(path),
            None,
            "preferences",
            "only equal levels",
        )
    return {query: list(pairs) for query, pairs in stated.items()}


def _level(text: str) -> float | None:
    """Return a finite number, or None."""
    from math import isfinite
    from re import fullmatch

    # Python also reads other digits, and digits with underscores between them.
    if not fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        return None
    level = float(text)
    return level if isfinite(level) else None


def qrels_of_preferences(by_query: Mapping[Any, Iterable[tuple[Any, Any]]], threads: int | None = None) -> Qrels:
    """Return qrels that hold preferences, ``{query: [(better, worse), ...]}``.

    Raises
    ------
    UntiedError
        A document is preferred to itself, or preferences contradict each other.
    TypeError
        There is something else in place of pairs of documents.
    """
    orders = []
    for query, pairs in pairs_of_preferences(by_query).items():
        try:
            above = preferred_to(pairs)
        except ContradictingPreferences as error:
            raise UntiedError(f"qrels[{query!r}]: {error}") from None
        documents = sorted(above, key=lambda document: len(above[document]))
        index = {document: number for number, document in enumerate(documents)}
        orders.append((query, [(document, [index[other] for other in above[document]]) for document in documents]))
    return Qrels.from_preferences(orders, threads)


def pairs_of_preferences(by_query: Mapping[Any, Iterable[tuple[Any, Any]]]) -> dict[Any, list[tuple[str, str]]]:
    """Return the ids of a better and a worse document for each preference.

    Raises
    ------
    UntiedError
        A document is preferred to itself.
    TypeError
        It is no dict, or there is something else in place of pairs of documents.
    """
    if not hasattr(by_query, "items"):
        expected = "{query: [(better, worse), ...]}"
        raise TypeError(f"preferences: expected {expected}, not {type(by_query).__name__}")
    return {query: [_pair(query, pair) for pair in _listed(query, stated)] for query, stated in by_query.items()}


def _listed(query: Any, preferences: Any) -> list[Any]:
    if hasattr(preferences, "keys") or not hasattr(preferences, "__iter__") or isinstance(preferences, (str, bytes)):
        _refuse_pairs(query, preferences)
    return list(preferences)


def _pair(query: Any, pair: Any) -> tuple[str, str]:
    """Return the ids of a better and a worse document."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        _refuse_pairs(query, pair)
    better, worse = (_id(query, document) for document in pair)
    if better == worse:
        raise UntiedError(f"qrels[{query!r}]: {better!r} is preferred to itself")
    return better, worse


def _id(query: Any, document: Any) -> str:
    id_ = id_of(document, empty=True)
    if id_ is None:
        _refuse_pairs(query, document)
    return id_


def _refuse_pairs(query: Any, found: Any) -> NoReturn:
    raise TypeError(f"qrels[{query!r}]: expected pairs (better, worse) of document ids, found {found!r:.60}")


def groups_from_preferences(preferences: Iterable[tuple[Any, Any]], *, coarsen: bool = False) -> list[list[Any]]:
    """Return the ordered groups of a query's documents that preferences imply.

    Use it if judges compared documents in pairs instead of grading them. If they prefer a to b and b to c, they also
    prefer a to c. Two documents of which neither is preferred to the other belong to one group, if the same documents
    are above both and the same are below both.

    If this fails for any two documents, there are no groups. Then pass the preferences as they are: with
    ``qrels_format="preferences"``, `evaluate` computes ADR and PairConcordance from them.

    Parameters
    ----------
    preferences : iterable of (better, worse)
        Pairs of documents, the better one first, such as ``[("a", "c"), ("b", "c")]``.
    coarsen : bool
        Whether to make groups anyway, by the longest chain of preferences above each document. This keeps every
        preference, and adds some that nobody stated.

    Returns
    -------
    list of list
        The groups, best first. Their documents are in the order in which they first appeared.

    Raises
    ------
    UntiedError
        Preferences contradict each other, or they do not form ordered groups and `coarsen` is not set.

    Examples
    --------
    >>> groups_from_preferences([("a", "c"), ("b", "c")])
    [['a', 'b'], ['c']]
    """
    from itertools import pairwise

    below, groups = levels_of_preferences(preferences)
    if not coarsen:
        # Ordered groups if every document is over all of the next level; the rest follows.
        for group, next_group in pairwise(groups):
            for better in group:
                missing = [worse for worse in next_group if worse not in below[better]]
                if missing:
                    raise UntiedError(
                        f"the preferences do not form ordered groups: no preference compares {better!r} with "
                        f"{missing[0]!r}, but a document in the group of {better!r} is preferred to {missing[0]!r}; "
                        "coarsen=True groups documents by level, which adds preferences, and evaluate takes them "
                        "as they are with qrels_format='preferences'"
                    )
    return groups


def orders_of_preferences(preferences: Iterable[tuple[Any, Any]], *, most: int = 10_000) -> list[list[Any]]:
    """Return all orders of a query's documents that agree with preferences between them.

    Use it for the mean of a measure over these orders: evaluate your ranking against each of them, as if each were the
    truth of a query of its own. There may be very many orders, even of a few dozen documents.

    Parameters
    ----------
    preferences : iterable of (better, worse)
        Pairs of documents, the better one first.
    most : int
        How many orders there may be.

    Returns
    -------
    list of list
        The orders, best document first.

    Raises
    ------
    UntiedError
        Preferences contradict each other, or there are more orders than `most`.

    Examples
    --------
    >>> orders = orders_of_preferences([("a", "d"), ("b", "c"), ("c", "d")])
    >>> orders
    [['a', 'b', 'c', 'd'], ['b', 'a', 'c', 'd'], ['b', 'c', 'a', 'd']]

    The mean of Compat over them:

    >>> import untied
    >>> truth = {f"order {number}": [[document] for document in order] for number, order in enumerate(orders)}
    >>> untied.evaluate(truth, dict.fromkeys(truth, ["c", "a", "b", "d"]), "Compat")["Compat"]
    0.8236
    """
    check_count("most", most)
    above = preferred_to(preferences)
    # Every beginning continues to an order, and different ones to different orders: there are never more of them.
    beginnings: list[list[Any]] = [[]]
    for _ in above:
        longer = []
        for order in beginnings:
            placed = set(order)
            longer += [
                [*order, document] for document, better in above.items() if document not in placed and better <= placed
            ]
            if len(longer) > most:
                raise UntiedError(
                    f"more than {most:,} orders agree with the preferences; most= lets there be more, and ADR and "
                    "PairConcordance read preferences without listing orders (qrels_format='preferences')"
                )
        beginnings = longer
    return beginnings


class ContradictingPreferences(UntiedError):
    """Preferences have a cycle."""

    def __init__(self, documents: Iterable[Any], cycle: Sequence[Any]) -> None:
        from itertools import pairwise

        #: The preferences of the cycle.
        self.pairs = list(pairwise(cycle))
        #: Its documents, in the order in which they appeared.
        self.around = f"a cycle among {', '.join(repr(document) for document in documents if document in cycle)}"
        super().__init__(f"preferences contradict each other: there is {self.around}")


def preferred_to(preferences: Iterable[tuple[Any, Any]]) -> dict[Any, set[Any]]:
    """Return for each document all documents that are preferred to it, directly or by others in between.

    Raises
    ------
    ContradictingPreferences
        Preferences contradict each other.
    """
    below, levels = levels_of_preferences(preferences)
    above: dict[Any, set[Any]] = {document: set() for document in below}
    for level in levels:
        for better in level:
            for worse in below[better]:
                above[worse] |= above[better] | {better}
    return above


def levels_of_preferences(
    preferences: Iterable[tuple[Any, Any]],
) -> tuple[dict[Hashable, set[Hashable]], list[list[Any]]]:
    """Return the documents to which each one is preferred, and each document's level: the longest chain above it.

    Raises
    ------
    ContradictingPreferences
        Preferences contradict each other.
    """
    from graphlib import CycleError, TopologicalSorter

    below: dict[Hashable, set[Hashable]] = {}
    levels: TopologicalSorter[Hashable] = TopologicalSorter()
    for better, worse in preferences:
        for document in (better, worse):
            below.setdefault(document, set())
        below[better].add(worse)
        levels.add(worse, better)
    try:
        levels.prepare()
    except CycleError as error:
        raise ContradictingPreferences(below, error.args[1]) from None
    place = {document: number for number, document in enumerate(below)}
    groups: list[list[Any]] = []
    while levels:
        groups.append(sorted(levels.get_ready(), key=place.__getitem__))
        levels.done(*groups[-1])
    return below, groups


def groups_from_rankings(
    rankings: Sequence[Sequence[Any]] | Mapping[Any, Sequence[float]],
    *,
    alpha: float = 0.05,
    p_value: Callable[[Sequence[float], Sequence[float]], float] | None = None,
) -> list[list[Any]]:
    """Return ordered groups of documents, from the rankings of several experts.

    Documents are sorted by their median rank, and by their mean rank where medians are equal. Go down this list: a
    document begins a new group if its ranks differ significantly from those of each document in the group above. MIREX
    2005 made its groups in this way, as far as the paper tells (Typke et al. 2005).

    A larger `alpha` makes more groups, and so do more experts, as a rule. So evaluate with a measure that hardly
    depends on the sizes of groups.

    Parameters
    ----------
    rankings : list of rankings, or {document: ranks}
        A ranking of all documents by each expert, best first. Or the ranks of each document: one from each expert who
        ranked it.
    alpha : float
        The level at which ranks differ significantly.
    p_value : callable, optional
        A test of two lists of ranks. By default Wilcoxon's rank-sum test, two-sided, which needs SciPy.

    Returns
    -------
    list of list
        The groups, best first.

    Raises
    ------
    UntiedError
        A ranking lacks a document or has one twice, or a document has no rank, or alpha is not between 0 and 1.
    ImportError
        No `p_value` is given, and SciPy is not installed.

    Examples
    --------
    >>> groups_from_rankings({"a": [1] * 9, "b": [2, 3] * 5, "c": [3, 2] * 5})
    [['a'], ['b', 'c']]
    """
    from statistics import fmean, median

    check_share("alpha", alpha, zero=False, one=False)
    if hasattr(rankings, "items"):
        ranks = {document: [float(rank) for rank in of_document] for document, of_document in rankings.items()}
        for document, of_document in ranks.items():
            if not of_document:
                raise UntiedError(f"no expert ranked {document!r}")
    else:
        ranks = {}
        for number, ranking in enumerate(rankings, 1):
            if len(set(ranking)) != len(ranking) or (ranks and set(ranking) != set(ranks)):
                raise UntiedError(f"ranking {number} must hold every document once")
            for rank, document in enumerate(ranking, 1):
                ranks.setdefault(document, []).append(float(rank))
    if p_value is None:
        p_value = _rank_sum
    groups: list[list[Any]] = []
    for document in sorted(ranks, key=lambda document: (median(ranks[document]), fmean(ranks[document]))):
        if groups and any(p_value(ranks[member], ranks[document]) >= alpha for member in groups[-1]):
            groups[-1].append(document)
        else:
            groups.append([document])
    return groups


def _rank_sum(one: Sequence[float], other: Sequence[float]) -> float:
    from scipy.stats import mannwhitneyu

    if set(one) == set(other) and len(set(one)) == 1:
        return 1.0  # all ranks equal: nothing that could differ
    return float(mannwhitneyu(one, other, alternative="two-sided").pvalue)
