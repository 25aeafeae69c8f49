"""Runs and qrels from whatever holds them."""

from untied.inputs.convert import as_qrels as as_qrels
from untied.inputs.convert import as_run as as_run
from untied.inputs.convert import read_qrels, read_run

__all__ = ["read_qrels", "read_run"]
