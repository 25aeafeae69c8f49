"""The same run and qrels as TREC's files, as frames in memory, and as parquet, CSV and JSON-lines files, to means.

One call is from the input to the means of five measures; frames are in memory before.  All inputs must give the same
values, to the last bit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars
import pyarrow
import pyarrow.csv
import pyarrow.parquet

import untied
from measure import argument_parser, check_data, machine, markdown_table, progress, seconds, time_functions, write_json

MEASURES = ["AP", "nDCG@10", "RR", "P@10", "R@1000"]
COLUMNS = {
    "run": {"qid": "string", "q0": "string", "docno": "string", "rank": "int64", "score": "float64", "tag": "string"},
    "qrels": {"qid": "string", "iteration": "string", "docno": "string", "label": "int64"},
}


def table(data: Path, shape: str, kind: str) -> pyarrow.Table:
    """Read what is needed of a file of TREC."""
    columns = COLUMNS[kind]
    return pyarrow.csv.read_csv(
        data / f"{shape}.{kind}",
        pyarrow.csv.ReadOptions(column_names=list(columns)),
        pyarrow.csv.ParseOptions(delimiter=" "),
        pyarrow.csv.ConvertOptions(
            column_types=columns, include_columns=["qid", "docno", "score" if kind == "run" else "label"]
        ),
    )


def write(frame: pyarrow.Table, path: Path) -> None:
    """Write a frame into files of all formats, where they are not there yet."""
    if not path.with_suffix(".parquet").exists():
        pyarrow.parquet.write_table(frame, path.with_suffix(".parquet"))
    if not path.with_suffix(".csv").exists():
        pyarrow.csv.write_csv(frame, path.with_suffix(".csv"))
    if not path.with_suffix(".jsonl").exists():
        names = frame.column_names
        with path.with_suffix(".jsonl").open("w") as file:
            for batch in frame.to_batches():
                rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
                file.writelines(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


def main() -> None:
    """Print a table: a row an input, a column a shape."""
    parser = argument_parser(__doc__, repetitions=5)
    parser.add_argument("--shapes", default="SML", help="letters of S, M and L; default: %(default)s")
    arguments = parser.parse_args()
    check_data(parser, arguments.data, arguments.shapes)
    print(f"{machine(['polars', 'pyarrow'])}\n")
    figures: dict[str, dict[str, float]] = {}
    lines = {}
    for shape in arguments.shapes:
        progress(f"{shape}: writing")
        frames = {kind: table(arguments.data, shape, kind) for kind in COLUMNS}
        lines[shape] = frames["run"].num_rows
        folder = arguments.data / "frames"
        folder.mkdir(exist_ok=True)
        for kind, frame in frames.items():
            write(frame, folder / f"{shape}-{kind}.x")

        def means(qrels: object, run: object) -> Callable[[], dict[str, float]]:
            return lambda: untied.Evaluator(qrels, MEASURES).means(run)  # type: ignore[arg-type]

        inputs = {"TREC's files": means(*(arguments.data / f"{shape}.{kind}" for kind in ("qrels", "run")))}
        inputs["pyarrow"] = means(frames["qrels"], frames["run"])
        inputs["polars"] = means(*(polars.DataFrame(frames[kind]) for kind in ("qrels", "run")))
        inputs["pandas"] = means(*(frames[kind].to_pandas() for kind in ("qrels", "run")))
        for suffix in ("parquet", "csv", "jsonl"):
            inputs[suffix] = means(*(folder / f"{shape}-{kind}.{suffix}" for kind in ("qrels", "run")))
        found = {name: function() for name, function in inputs.items()}
        if any(means != found["TREC's files"] for means in found.values()):
            raise SystemExit(f"{shape}: values differ: {found}")
        progress(f"{shape}: measuring")
        costs = time_functions(inputs, arguments.repetitions)
        figures[shape] = {name: cost.cpu for name, cost in costs.items()}
    rows = []
    for name, cost in figures[shape].items():
        of_line, ratio = 1e9 * cost / lines[shape], cost / figures[shape]["TREC's files"]
        rows.append([name, *(seconds(figures[each][name]) for each in figures), f"{of_line:.0f}", f"{ratio:.2f}"])
    print(markdown_table(["input", *figures, f"ns per line of {shape}", "relative to TREC's files"], rows))
    write_json(arguments.json, figures)


if __name__ == "__main__":
    main()
