"""Evaluate and compare tables that come in pieces: from Spark, Ray, Dask, Polars, DuckDB, or Arrow alone.

A `BatchEvaluator` is a function from Arrow batches to Arrow batches, which these engines can call: it takes rows of a
run and of qrels, and yields values of queries. The object holds only plain data and can be pickled. A call takes
several batches. All rows of a query must follow each other, but may continue from one batch to the next. A
`BatchComparer` does the same for two runs. `untied.spark` is built on both.

`BatchEvaluator.summary` computes the means from the rows of all pieces. They are bit by bit those of `untied.evaluate`
on the whole data.
"""

from untied.batches.compare import BatchComparer
from untied.batches.evaluate import BatchEvaluator
from untied.batches.summary import ComparisonSummary, EvaluationSummary, Summary

__all__ = ["BatchComparer", "BatchEvaluator", "ComparisonSummary", "EvaluationSummary", "Summary"]
