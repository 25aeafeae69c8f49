"""Distributions of values over the orders of tied documents."""

from untied.tie_orders.found import Chances, Distribution, Distributions
from untied.tie_orders.runs import distributions

__all__ = ["Chances", "Distribution", "Distributions", "distributions"]
