"""Curves of one query: measures at every rank, each with its mean and bounds over all orders of tied documents."""

from untied.evaluate.curves import NAMES, curves

__all__ = ["NAMES", "curves"]
