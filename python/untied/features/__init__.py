"""Evaluate each feature of a learning-to-rank data set as a ranker."""

from untied.features.evaluate import features
from untied.features.found import FeatureResults

__all__ = ["FeatureResults", "features"]
