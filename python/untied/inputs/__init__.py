"""Runs and qrels from whatever holds them."""

from untied.inputs.files import read_qrels, read_run

__all__ = ["read_qrels", "read_run"]
