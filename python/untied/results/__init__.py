"""Results: values, tables of them, and their output as text, plots and files."""

from untied.results.base import MeasureResults
from untied.results.evaluation import Results
from untied.results.table import Table
from untied.results.trackers import for_trackers
from untied.results.value import Value

__all__ = ["MeasureResults", "Results", "Table", "Value", "for_trackers"]
