"""Evaluate each feature of a learning-to-rank data set as a ranker."""

from untied.features.evaluate import FeatureResults, features

__all__ = ["FeatureResults", "features"]
