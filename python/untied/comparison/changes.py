"""What changed at the top of the rankings, from one run to another."""

from __future__ import annotations

from untied.results.text import percent

#: Ranks whose documents a comparison counts changes of.
TOP = 10


class TopChanges:
    """How the first documents of two runs differ, as counts over queries.

    `Comparison.top_changes` returns it. A tied document counts at the first of its ranks.

    Attributes
    ----------
    queries : int
        How many queries both runs have.
    changed : int
        How many of these have other documents in the first ranks.
    reordered : int
        How many of these have the same documents there, but in another order.
    left : int
        How many documents left the first ranks, in all queries together.
    """

    __slots__ = ("changed", "left", "queries", "reordered")

    def __init__(self, queries: int, changed: int, reordered: int, left: int) -> None:
        self.queries = queries
        self.changed = changed
        self.reordered = reordered
        self.left = left

    def __repr__(self) -> str:
        return (
            f"TopChanges(queries={self.queries}, changed={self.changed}, reordered={self.reordered}, left={self.left})"
        )


def changed_at_the_top(changes: TopChanges, depth: int) -> str:
    """In how many queries the first documents changed, in words."""
    queries, changed = changes.queries, changes.changed
    share, noun = percent(changed, queries), "query" if queries == 1 else "queries"
    return (
        f"The first {depth} documents changed in {share} of queries: in {changed:,} of {queries:,} {noun}, "
        "a document entered or left."
    )
