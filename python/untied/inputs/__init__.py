"""Runs and qrels from whatever holds them."""

from untied.inputs.convert import read_qrels, read_run

__all__ = ["read_qrels", "read_run"]
