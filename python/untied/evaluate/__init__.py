"""Evaluate runs, once or repeatedly with an `Evaluator`."""

from untied.evaluate.runs import Evaluator, evaluate

__all__ = ["Evaluator", "evaluate"]
