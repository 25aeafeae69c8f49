"""Partly ordered truth: groups of documents in order, from files, preferences and the rankings of experts.

A truth of ordered groups is written as grades that count down to 1 for the last group. Only their order is meaningful:
evaluate them with `ADR`, `PairConcordance` or `Compat`.
"""

from untied.inputs.truth import groups_from_preferences, groups_from_rankings, read_groups, read_mirex

__all__ = ["groups_from_preferences", "groups_from_rankings", "read_groups", "read_mirex"]
