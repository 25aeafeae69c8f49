"""Every feature of a learning-to-rank data set as a scoring function of its own."""

from untied.features.evaluate import FeatureResults, features

__all__ = ["FeatureResults", "features"]
