"""Partly ordered truth: ordered groups of documents, from files, preferences and experts' rankings.

Ordered groups are written as grades that count down to 1 for the last group. Only the order of these grades is
meaningful: evaluate them with `ADR`, `PairConcordance` or `Compat`.
"""

from untied.inputs.truth import groups_from_preferences, groups_from_rankings, read_groups, read_mirex

__all__ = ["groups_from_preferences", "groups_from_rankings", "read_groups", "read_mirex"]
