"""Evaluating and comparing tables that are held in pieces: by Spark, Ray, Dask, Polars, DuckDB, or Arrow alone.

A `BatchEvaluator` is a function from Arrow batches to Arrow batches, as these engines take them: rows of a run and of
qrels in, values of queries out. It holds nothing but plain data and can be pickled. In each call, the rows of a query
must be next to each other; a batch may end within a query. A `BatchComparer` does the same for two runs. `untied.spark`
is built on both.

What comes out has all that means are made of: `BatchEvaluator.summary` gives them from the rows of all pieces,
with the same bits as `untied.evaluate` of the whole.
"""

from untied.batches.compare import BatchComparer
from untied.batches.evaluate import BatchEvaluator
from untied.batches.summary import ComparisonSummary, EvaluationSummary, Summary

__all__ = ["BatchComparer", "BatchEvaluator", "ComparisonSummary", "EvaluationSummary", "Summary"]
