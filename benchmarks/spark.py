#!/usr/bin/env python3
"""Cost of evaluating Spark DataFrames: `untied.spark` beside ``groupBy.applyInArrow``, by cores and by rows.

    python benchmarks/spark.py FOLDER [ROWS ...]

Data go to FOLDER (10,000,000 rows: 100 MB). Each figure is that of one child with a Spark session of its own in local
mode: wall and CPU seconds from the parquet files to means, after a warm-up, and the largest sum of the resident memory
of the JVM and all Python workers, which counts pages that workers share several times. Values and means are held to
those of `untied.evaluate`, bit by bit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import untied

MEASURES = ["AP", "nDCG@10", "RR", "P@10"]
DEPTH = 500
JUDGED = 50
#: Rows of the warm-up.
WARM = 10_000


def generate(folder: Path, rows: int) -> None:
    """A run of so many rows, 500 a query, with ties, and qrels with 50 judgments a query, half of them retrieved."""
    import numpy
    import pyarrow
    import pyarrow.parquet

    if (folder / f"run{rows}.parquet").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    draw = numpy.random.default_rng(rows)
    queries = rows // DEPTH
    for name, depth, number in (("run", DEPTH, "score"), ("qrels", JUDGED, "label")):
        query = numpy.repeat(numpy.arange(queries), depth)
        # Numbers of documents that differ within a query: steps of 10 or 200 from a place of the query's own.
        step = 10 if name == "run" else 50
        document = query * 7919 % 1_000_003 + numpy.tile(numpy.arange(depth) * step, queries)
        values = draw.exponential(5, len(query)).round(1) if name == "run" else draw.choice([0, 0, 0, 1, 2], len(query))
        table = pyarrow.table(
            {
                "qid": pyarrow.array([f"query-{one}" for one in range(queries)]).take(pyarrow.array(query)),
                "docno": pyarrow.compute.binary_join_element_wise("doc", pyarrow.array(document).cast("string"), "-"),
                number: values.astype("float64" if name == "run" else "int8"),
            }
        )
        order = draw.permutation(len(table))  # Spark has to bring queries together
        pyarrow.parquet.write_table(
            table.take(pyarrow.array(order)), folder / f"{name}{rows}.parquet", row_group_size=1 << 18
        )


def tree() -> list[int]:
    """Tell the numbers of this process and of all below it."""
    below: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parent = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            below.setdefault(parent, []).append(int(entry))
    found = [os.getpid()]
    for process in found:
        found += below.get(process, [])
    return found


def cpu() -> float:
    """CPU seconds of all processes of the tree so far, ended ones too."""
    total = 0
    for process in tree():
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def resident() -> int:
    """Resident bytes of all processes below this one."""
    total = 0
    for process in tree()[1:]:
        try:
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return total * os.sysconf("SC_PAGE_SIZE")


def child(method: str, cores: int, rows: int, folder: Path) -> None:
    """One figure."""
    os.environ["PYSPARK_PYTHON"] = sys.executable  # else workers are those of another Python, without untied
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "3g",
        "spark.sql.shuffle.partitions": "16",
        "spark.local.dir": str(folder),
    }
    builder = SparkSession.builder.master(f"local[{cores}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    print(json.dumps(measured(spark, method, rows, folder)))
    spark.stop()


def measured(spark: Any, method: str, rows: int, folder: Path, warm: int = WARM) -> dict[str, float]:
    """The cost of a method, after a warm-up; values and means are compared with those of `untied.evaluate`."""

    def results(rows: int) -> untied.spark.SparkEvaluation:
        qrels, run = (spark.read.parquet(str(folder / f"{name}{rows}.parquet")) for name in ("qrels", "run"))
        if method == "untied.spark":
            return untied.spark.evaluate(qrels, run, MEASURES).persist()
        return by_group(qrels, run).persist()

    _ = results(warm).means
    peak = [0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            peak[0] = max(peak[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    before, start = cpu(), time.perf_counter()
    found = results(rows)
    means = found.means
    wall, used = time.perf_counter() - start, cpu() - before
    done.set()
    watcher.join()
    values = found.per_query.select("query", "measure", "value").toArrow()
    expected = untied.evaluate(*(in_memory(folder / f"{name}{rows}.parquet") for name in ("qrels", "run")), MEASURES)
    assert list(means.rows()) == list(expected.means.rows()), "means differ"
    order = {measure: place for place, measure in enumerate(expected.measures)}
    rows_found = zip(*(values[name].to_pylist() for name in ("query", "measure", "value")), strict=True)
    ordered = sorted(rows_found, key=lambda row: (row[0], order[row[1]]))
    assert ordered == [row[1:] for row in expected.per_query.rows()], "values differ"
    return {"wall": wall, "cpu": used, "peak_mib": peak[0] / 2**20, "values": len(ordered)}


def by_group(qrels: Any, run: Any) -> untied.spark.SparkEvaluation:
    """The same function, to which `applyInArrow` gives one query at a time."""
    import pyarrow

    evaluator = untied.batches.BatchEvaluator(MEASURES, grades=[0, 1, 2])
    names = {"qid": "query", "docno": "document", "label": "grade"}
    rows = run.withColumnsRenamed(names).unionByName(qrels.withColumnsRenamed(names), allowMissingColumns=True)

    def evaluate(group: pyarrow.Table) -> pyarrow.Table:
        return pyarrow.Table.from_batches(evaluator(group.to_batches()))

    values = rows.groupBy("query").applyInArrow(evaluate, untied.spark._ddl(evaluator.schema))
    return untied.spark.SparkEvaluation(values, evaluator)


def in_memory(path: Path) -> Any:
    """A parquet file in memory."""
    import pyarrow.parquet

    return pyarrow.parquet.read_table(path)


def main() -> None:
    """Measure all, or what a child is asked for."""
    if sys.argv[1] == "--child":
        method, cores, rows, folder = sys.argv[2:]
        child(method, int(cores), int(rows), Path(folder))
        return
    folder = Path(sys.argv[1])
    sizes = [int(size) for size in sys.argv[2:]] or [1_000_000, 10_000_000]
    for rows in (WARM, *sizes):
        generate(folder, rows)
    print("| rows | queries | cores | how | wall s | CPU s | peak MiB |\n|---|---|---|---|---|---|---|")
    for rows in sizes:
        for cores, method in ((2, "untied.spark"), (2, "applyInArrow"), (1, "untied.spark")):
            command = [sys.executable, "-W", "ignore", __file__, "--child", method, str(cores), str(rows), str(folder)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(done.stderr)
            cost = json.loads(done.stdout.splitlines()[-1])
            figures = f"{cost['wall']:.1f} | {cost['cpu']:.1f} | {cost['peak_mib']:.0f}"
            print(f"| {rows:,} | {rows // DEPTH:,} | {cores} | {method} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
