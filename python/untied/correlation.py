"""Rank correlation with ties on either side: Kendall's tau, tau_AP, Spearman's rho.

Two rankings of the same items, of documents or of systems, are each ``{item: score}`` (higher is better; values that
`evaluate` found are scores too) or a list of tie groups, best first: ``["a", ["b", "c"], "d"]``.

A tie can mean two things (Urbano & Marrero 2017). If the order is not known, a coefficient has a mean and a smallest
and largest value over all orders of the tied items, each equally likely: the variant ``"a"``. If items are truly equal,
two rankings that both tie them agree: the variant ``"b"`` counts this, and is a single number.
"""

from untied.compare.correlation import kendall, spearman, swapped, tau_ap

__all__ = ["kendall", "spearman", "swapped", "tau_ap"]
