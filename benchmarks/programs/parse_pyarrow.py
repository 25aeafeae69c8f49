"""Usage: RUN. Read query, document and score of a run with pyarrow."""

import sys

import pyarrow
from pyarrow import csv

names = ["query", "q0", "document", "rank", "score", "tag"]
types = {"query": pyarrow.string(), "document": pyarrow.string(), "score": pyarrow.float64()}
table = csv.read_csv(
    sys.argv[1],
    read_options=csv.ReadOptions(column_names=names),
    parse_options=csv.ParseOptions(delimiter=" "),
    convert_options=csv.ConvertOptions(include_columns=list(types), column_types=types),
)
print(table.num_rows)
