"""How values are distributed if tied documents are shuffled."""

from untied.tie_orders.found import Chances, Distribution, Distributions
from untied.tie_orders.runs import distributions

__all__ = ["Chances", "Distribution", "Distributions", "distributions"]
