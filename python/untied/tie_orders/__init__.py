"""Distributions of values over the orders of tied documents."""

from untied.tie_orders.results import Distribution, Distributions, Probabilities
from untied.tie_orders.runs import distributions

__all__ = ["Distribution", "Distributions", "Probabilities", "distributions"]
