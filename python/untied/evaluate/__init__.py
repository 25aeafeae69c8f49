"""Evaluating runs: once, or again and again with an `Evaluator`."""

from untied.evaluate.runs import Evaluator, evaluate

__all__ = ["Evaluator", "evaluate"]
