"""Usage: RUN. Scan query, document and score of a run with DuckDB."""

import sys

import duckdb

columns = dict.fromkeys(["query", "q0", "document", "rank", "score", "tag"], "VARCHAR") | {"score": "DOUBLE"}
run = duckdb.read_csv(sys.argv[1], sep=" ", header=False, quotechar="", columns=columns)
print(run.aggregate("max(query), max(document), sum(score)").fetchall())
