"""Proofs that AP and ERR cannot exceed a limit, as trees that `verify` goes through: see its `Question.proves`.

Whatever is found here is held against the checker, which alone says whether a proof holds. So this may use floating
point, and may give up.
"""

from __future__ import annotations

from untied.verdicts.verify import ONE, Question, decided, never_positive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Leaves that a proof may have.
LEAVES = {"AP": 12, "ERR": 2000}
#: Steps towards the multipliers of a leaf.
STEPS = 250
#: Work for all proofs that are tried of one bound, each of which may take half of what is left. Every step takes the
#: square of the number of undecided documents.
WORK = 12_000_000
#: Multipliers are whole, in parts of this.
PARTS = 10**6


def prove(q: Question, limit: int, work: int) -> tuple[Any, int]:
    """Find a proof that A less B is at most `limit`, in units of 2^-80; None if none is found. Then the work left."""
    if q.relevant == 0 and limit < 0:
        return None, work
    search = _Search(limit, LEAVES[q.m.name], work // 2)
    proof = search.tree(q)
    return proof, work - work // 2 + search.work


class _Search:
    """A tree of documents judged either way, with a bound at each leaf.

    That of AP is the largest value of a program over documents and their number, linear in the multipliers of the pairs
    about which the rankings disagree: a subgradient method lowers it (Held & Karp 1971). A proof needs it to be 0, so
    Polyak's steps aim there, and need not shrink.
    """

    def __init__(self, limit: int, leaves: int, work: int) -> None:
        self._limit = limit
        self._left = leaves
        self.work = work

    def tree(self, q: Question) -> Any:
        """The proof of a question, or None."""
        self._left -= 1
        if self._left < 0:
            return None
        if q.ceilings[-1] <= self._limit:
            return {}
        if q.m.name == "AP":
            if q.relevant == 0 and self._limit < 0:
                return None
            const, alone, pairs = q.program(self._limit)
            if never_positive({}, const, dict(alone), pairs):
                return {}
            rest, undecided = decided(const, alone, pairs)
            steps = min(STEPS, self.work // max(1, len(undecided) ** 2))
            if steps == 0:
                return None
            leaf, doc, taken = _leaf(rest, undecided, pairs, steps)
            self.work -= taken * len(undecided) ** 2
            if leaf is not None and never_positive(leaf, const, dict(alone), pairs):
                return leaf
        else:
            doc = _better(q)
        if doc is None:
            return None
        branches = []
        for grade in (0, max(q.m.open)):
            branch = self.tree(q.judging({doc: grade}))
            if branch is None:
                return None
            branches.append(branch)
        return [doc, *branches]


def _leaf(
    const: int, alone: dict[str, int], pairs: Any, steps: int
) -> tuple[dict[str, int] | None, str | None, int]:  # fmt: skip
    """Multipliers of a bound that is not above 0, if any are found; the document on which it hangs most; the steps."""
    order = list(alone)
    step = [pairs[y][y] / ONE for y in order]
    turned = []  # i, j, what the pair adds beyond the step of j, its share
    for j, y in enumerate(order):
        for i, x in enumerate(order[:j]):
            excess = pairs[x][y] / ONE - step[j]
            if abs(excess) > 1e-14:
                turned.append([i, j, excess, 0.5 if excess > 0 else 0.3])
    least, shares = float("inf"), None
    taken = 0
    while taken < steps:
        taken += 1
        base, linear = const / ONE, [alone[x] / ONE for x in order]
        for i, j, excess, share in turned:
            linear[i] += excess * share
            linear[j] += excess * (1 - share) if excess > 0 else excess * share
            base -= min(0.0, excess * share)
        value, on = _best(linear, step)
        bound = base + value
        if bound < least - 1e-12:
            least, shares = bound, [(i, j, share) for i, j, _, share in turned]
        if least < -1e-7:
            break
        slopes = [excess * (on[i] - on[j] if excess > 0 else on[i] + on[j] - 1) for i, j, excess, _ in turned]
        norm = sum(slope * slope for slope in slopes)
        if norm < 1e-30:
            break
        for pair, slope in zip(turned, slopes, strict=True):
            pair[3] = min(1.0, max(0.0, pair[3] - (bound + 2e-7) / norm * slope))
    tension = dict.fromkeys(order, 0.0)
    for i, j, excess, share in turned:
        for x in (order[i], order[j]):
            tension[x] += abs(excess) * (0.1 + 4 * share * (1 - share))
    leaf = {f"{order[i]} {order[j]}": round(share * PARTS) for i, j, share in shares or ()}
    doc = max(sorted(tension), key=lambda x: tension[x], default=None)
    return (leaf if least <= 0 else None), doc, taken


def _better(q: Question) -> str | None:
    """Choose the undecided document with the best rank, among those that both rankings have."""
    a, b = q.ranks(q.a), q.ranks(q.b)
    both = [doc for doc in q.unknown if doc in a and doc in b]
    return min(both, key=lambda doc: (min(a[doc], b[doc]), max(a[doc], b[doc]), a[doc]), default=None)


def _best(linear: list[float], step: list[float]) -> tuple[float, list[int]]:
    """The largest sum over chosen documents of what each adds, `step` more for each chosen before; and the choice."""
    rows = [[0.0]]
    for alone, more in zip(linear, step, strict=True):
        before = rows[-1]
        taken = [value + alone + more * n for n, value in enumerate(before)]
        rows.append(list(map(max, [*before, -1e300], [-1e300, *taken])))
    number = max(range(len(rows[-1])), key=rows[-1].__getitem__)
    value, on = rows[-1][number], [0] * len(linear)
    for place in range(len(linear) - 1, -1, -1):
        before = rows[place]
        on[place] = int(number >= len(before) or before[number] < rows[place + 1][number])
        number -= on[place]
    return value, on
