"""Evaluate each feature of a learning-to-rank data set as a ranker."""

from untied.features.evaluate import evaluate_features
from untied.features.results import FeatureResults

__all__ = ["FeatureResults", "evaluate_features"]
