"""Results: values, tables of them, and their ways out to other libraries."""

from untied.results.table import Results, Table, Value

__all__ = ["Results", "Table", "Value"]
