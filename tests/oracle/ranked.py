"""Similarities and distances of two rankings, from their definitions for two total orders."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from oracle.enumeration import Statistics, permutations, summarise
from oracle.judgements import ONE, ZERO, Groups, root

Order = Sequence[str]


def over_orders(of: Callable[[Order, Order], Fraction | None], a: Groups, b: Groups) -> Statistics | None:
    """Statistics over all orders of tied documents in both rankings."""
    return summarise(of(one, other) for one, other in itertools.product(permutations(a), permutations(b)))


def joined(a: Order, b: Order) -> tuple[list[str], list[str]]:
    """Both rankings of the documents that both have."""
    return [doc for doc in a if doc in b], [doc for doc in b if doc in a]


def jaccard(a: Order, b: Order, k: int) -> Fraction:
    one, other = set(a[:k]), set(b[:k])
    return Fraction(len(one & other), len(one | other)) if one | other else ONE


def tau(a: Order, b: Order) -> Fraction | None:
    """Concordant less discordant pairs, of all pairs."""
    a, b = joined(a, b)
    signs = [1 if b.index(x) < b.index(y) else -1 for x, y in itertools.combinations(a, 2)]
    return Fraction(sum(signs), len(signs)) if signs else None


def spearman(a: Order, b: Order) -> Fraction | None:
    """One less six times the squared differences of ranks, over n (n^2 - 1)."""
    a, b = joined(a, b)
    n = len(a)
    squares = sum((rank - b.index(doc)) ** 2 for rank, doc in enumerate(a))
    return 1 - Fraction(6 * squares, n * (n * n - 1)) if n > 1 else None


def tau_ap(truth: Order, estimate: Order) -> Fraction | None:
    """How many of the documents above each rank of the estimate the truth has above its document too."""
    truth, estimate = joined(truth, estimate)
    n = len(estimate)
    if n < 2:
        return None
    shares = [
        Fraction(sum(truth.index(above) < truth.index(estimate[i]) for above in estimate[:i]), i) for i in range(1, n)
    ]
    return 2 * sum(shares, ZERO) / (n - 1) - 1


def place(groups: Groups, doc: str) -> int:
    """The number of a document's tie group."""
    return next(number for number, group in enumerate(groups) if doc in group)


def tau_b(a: Groups, b: Groups) -> Fraction | None:
    """Of two tied rankings, pair by pair."""
    docs = [doc for group in a for doc in group if any(doc in other for other in b)]
    difference, untied = 0, [0, 0]
    for x, y in itertools.combinations(docs, 2):
        in_a, in_b = place(a, x) - place(a, y), place(b, x) - place(b, y)
        difference += (in_a * in_b > 0) - (in_a * in_b < 0)
        untied[0] += in_a != 0
        untied[1] += in_b != 0
    return difference / root(Fraction(untied[0] * untied[1])) if all(untied) else None


def tau_ap_b(a: Groups, b: Groups) -> Fraction | None:
    """Urbano & Marrero's tau_AP,b of two tied rankings: the mean of both directions."""
    docs = [doc for group in a for doc in group if any(doc in other for other in b)]
    directions = []
    for truth, estimate in ((a, b), (b, a)):
        shares = []
        for doc in docs:
            above = [other for other in docs if place(estimate, other) < place(estimate, doc)]
            if above:
                right = sum(place(truth, other) < place(truth, doc) for other in above)
                shares.append(Fraction(right, len(above)))
        if not shares:
            return None
        directions.append(2 * sum(shares, ZERO) / len(shares) - 1)
    return sum(directions, ZERO) / 2


def apart(b: Order) -> list[str]:
    """As many documents, none of which another ranking has."""
    return [f"not {doc}" for doc in b]


def normalized(distance: Callable[[Order, Order], Fraction], a: Order, b: Order) -> Fraction:
    """As a share of the distance of rankings without a document in common."""
    most = distance(a, apart(b))
    return distance(a, b) / most if most else ZERO


def footrule(a: Order, b: Order, k: int | None, location: Fraction | None) -> Fraction:
    """Ranks moved; documents that are not among the first k stand at one rank beyond them."""
    k = max(len(a), len(b)) if k is None else k
    beyond = Fraction(k + 1) if location is None else location
    a, b = a[:k], b[:k]

    def rank(order: Order, doc: str) -> Fraction:
        return Fraction(order.index(doc) + 1) if doc in order else beyond

    return sum((abs(rank(a, doc) - rank(b, doc)) for doc in {*a, *b}), ZERO)


def reciprocal_ranks(a: Order, b: Order, k: int | None, power: int) -> Fraction:
    a, b = a[:k], b[:k]

    def reciprocal(order: Order, doc: str) -> Fraction:
        return Fraction(1, order.index(doc) + 1) if doc in order else ZERO

    return sum((abs(reciprocal(a, doc) - reciprocal(b, doc)) ** power for doc in {*a, *b}), ZERO)


def kendall_distance(a: Order, b: Order, k: int | None, p: Fraction) -> Fraction:
    """Fagin, Kumar & Sivakumar's K^(p), case by case."""
    a, b = a[:k], b[:k]
    distance = ZERO
    for x, y in itertools.combinations(sorted({*a, *b}), 2):
        in_a, in_b = [doc for doc in (x, y) if doc in a], [doc for doc in (x, y) if doc in b]
        if len(in_a) == len(in_b) == 2:  # both in both
            distance += (a.index(x) < a.index(y)) != (b.index(x) < b.index(y))
        elif len(in_a) == 2 and len(in_b) == 1:  # both in one, one of them in the other
            distance += a.index(in_b[0]) != min(a.index(x), a.index(y))
        elif len(in_b) == 2 and len(in_a) == 1:
            distance += b.index(in_a[0]) != min(b.index(x), b.index(y))
        elif len(in_a) == len(in_b) == 1:  # one in the one, one in the other
            distance += 1
        else:
            distance += p
    return distance


def completions(ranking: Order, docs: Sequence[str]) -> list[list[str]]:
    """All orders of some documents that begin with a ranking."""
    rest = [doc for doc in docs if doc not in ranking]
    return [[*ranking, *order] for order in itertools.permutations(rest)]


def hoeffding(a: Order, b: Order, n: int, weight: Callable[[int], Fraction]) -> Fraction:
    """Mean over all orders of n documents that begin with the two rankings: document by document, rank by rank."""
    docs = sorted({*a, *b})
    docs += [f"unseen {i}" for i in range(n - len(docs))]

    def ranks(order: Order, doc: str) -> range:
        if doc in order:
            return range(order.index(doc) + 1, order.index(doc) + 2)
        return range(len(order) + 1, n + 1)

    total = ZERO
    for doc in docs:
        both = list(itertools.product(ranks(a, doc), ranks(b, doc)))
        total += sum((weighted(i, j, weight) for i, j in both), ZERO) / len(both)
    return total


def weighted(i: int, j: int, weight: Callable[[int], Fraction]) -> Fraction:
    """The weights of the ranks from the one to the other."""
    return sum((weight(t) for t in range(min(i, j), max(i, j))), ZERO)


def anchor_map(a: Order, b: Order, k: int) -> Fraction:
    """Average precision of the second ranking, the first k documents of the first being relevant."""
    relevant = a[:k]
    total, hits = ZERO, 0
    for rank, doc in enumerate(b, start=1):
        if doc in relevant:
            hits += 1
            total += Fraction(hits, rank)
    return total / len(relevant) if relevant else ZERO


def average_costs(a: Order, b: Order, delta: Callable[[int], Fraction], unmoved: Fraction) -> dict[str, Fraction]:
    """Mean cost of a rank, for every document that moved."""

    def cost(doc: str) -> Fraction:
        i, j = sorted((a.index(doc) + 1, b.index(doc) + 1))
        return sum((delta(rank) for rank in range(i + 1, j + 1)), ZERO) / (j - i) if i < j else unmoved

    return {doc: cost(doc) for doc in a}


def weighted_kendall(
    a: Order,
    b: Order,
    delta: Callable[[int], Fraction],
    unmoved: Fraction,
    weights: Mapping[str, Fraction] | None = None,
    unlike: Callable[[str, str], Fraction] | None = None,
) -> Fraction:
    """Kumar & Vassilvitskii's Kendall distance of two orders of the same documents."""
    costs = average_costs(a, b, delta, unmoved)
    total = ZERO
    for x, y in itertools.combinations(a, 2):
        if b.index(x) > b.index(y):
            total += costs[x] * costs[y] * between(x, y, weights, unlike)
    return total


def weighted_footrule(
    a: Order,
    b: Order,
    delta: Callable[[int], Fraction],
    unmoved: Fraction,
    weights: Mapping[str, Fraction] | None = None,
    unlike: Callable[[str, str], Fraction] | None = None,
) -> Fraction:
    """Kumar & Vassilvitskii's footrule of two orders of the same documents."""
    costs = average_costs(a, b, delta, unmoved)

    def above(order: Order, doc: str) -> Fraction:
        terms = (costs[x] * between(x, doc, weights, unlike) for x in order[: order.index(doc)])
        return sum(terms, ZERO)

    return sum((costs[doc] * abs(above(a, doc) - above(b, doc)) for doc in a), ZERO)


def between(
    x: str, y: str, weights: Mapping[str, Fraction] | None, unlike: Callable[[str, str], Fraction] | None
) -> Fraction:
    """What two documents count by themselves."""
    weight = ONE if weights is None else weights[x] * weights[y]
    return weight if unlike is None else weight * unlike(x, y)


def same_documents(a: Groups, b: Groups, absent: str) -> tuple[list[list[str]], list[list[str]]]:
    """Both rankings with the documents that they lack, tied after all others; or without those that one lacks."""
    both: list[list[list[str]]] = []
    for one, other in ((a, b), (b, a)):
        has, lacks = {doc for group in one for doc in group}, {doc for group in other for doc in group}
        if absent == "drop":
            kept = [[doc for doc in group if doc in lacks] for group in one]
            both.append([group for group in kept if group])
        else:
            both.append([list(group) for group in one] + [sorted(lacks - has)] * bool(lacks - has))
    return both[0], both[1]
