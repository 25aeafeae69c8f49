"""Compare two rankings of passages: the largest difference that judgments of text could show."""

from untied.compare.passages import PassageComparison, compare_passages, read_judged_passages, read_passages

__all__ = ["PassageComparison", "compare_passages", "read_judged_passages", "read_passages"]
