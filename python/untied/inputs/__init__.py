"""Read runs and qrels from files, frames, dicts and lists."""

from untied.inputs.files import read_qrels, read_run

__all__ = ["read_qrels", "read_run"]
