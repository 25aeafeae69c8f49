"""Usage: RUN. Read query, document and score of a run with polars."""

import sys

import polars

columns = {"query": polars.String, "q0": polars.String, "document": polars.String, "rank": polars.String}
columns |= {"score": polars.Float64, "tag": polars.String}
run = polars.scan_csv(sys.argv[1], separator=" ", has_header=False, schema=columns, quote_char=None)
print(run.select("query", "document", "score").collect().height)
