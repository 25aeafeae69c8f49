"""Evaluate runs, once or repeatedly with an `Evaluator`."""

from untied._lazy import imported_when_used
from untied.evaluation.runs import Evaluator, evaluate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied.evaluation import curves as curves
    from untied.evaluation import orders as orders
    from untied.evaluation import searches as searches
else:
    __getattr__ = imported_when_used(__name__, ("curves", "orders", "searches"))

__all__ = ["Evaluator", "evaluate"]
