"""A small collection with ties for tests of studies, and what holds of every study."""

from __future__ import annotations

import pathlib
import random
from collections.abc import Callable, Sequence
from typing import Any

from untied import study

QUERIES = 5


def collection(folder: pathlib.Path) -> tuple[pathlib.Path, list[pathlib.Path]]:
    """Graded judgments, and six runs of three groups; those of the first group tie nearly all documents."""
    generator = random.Random(8)
    grades = {
        f"q{query}": {f"d{query}-{doc}": generator.choice([0, 0, 0, 1, 2]) for doc in range(25)}
        for query in range(QUERIES)
    }
    qrels = folder / "qrels.txt"
    qrels.write_text(
        "".join(f"{query} 0 {doc} {grade}\n" for query, judged in grades.items() for doc, grade in judged.items())
    )
    paths = []
    for number, name in enumerate(("aaa1", "aaa2", "bbb1", "bbb2", "ccc1", "ccc2")):
        lines = []
        for query, judged in grades.items():
            for doc in range(40):
                document = f"d{query[1:]}-{doc}"
                score = judged.get(document, 0) + generator.gauss(0, 0.6 + 0.4 * number)
                lines.append(f"{query} Q0 {document} 0 {score:.{0 if number < 2 else 5}f} {name}\n")
        paths.append(folder / f"{name}.run")
        paths[-1].write_text("".join(lines))
    return qrels, paths


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def tables(folder: pathlib.Path) -> dict[str, bytes]:
    """What is there without plots."""
    return {name: data for name, data in contents(folder).items() if name.endswith((".tsv", ".jsonl"))}


def check(
    conduct: Callable[..., study.Result], qrels: Any, runs: Sequence[Any], folder: pathlib.Path, **options: Any
) -> study.Result:
    """Equal tables with one thread and many, whole and resumed; every plot is shown, every column explained."""
    found = conduct(qrels, runs, folder / "whole", **options)
    whole = tables(folder / "whole")
    kept = whole["parts.jsonl"]
    ends = [place + 1 for place, byte in enumerate(kept) if byte == ord("\n")]
    assert len(ends) > 2, "several parts"
    (folder / "resumed").mkdir()
    (folder / "resumed" / "parts.jsonl").write_bytes(kept[: ends[1] + 20])
    resumed = conduct(qrels, runs, folder / "resumed", threads=1, plots="none", **options)
    assert (resumed.kept, resumed.computed) == (1, len(ends) - 2)
    assert tables(folder / "resumed") == whole
    plots = [name for name in contents(folder / "whole") if name.endswith(".svg")]
    assert plots
    assert all(f"({name})" in found.summary for name in plots)
    assert {*found.files, "parts.jsonl"} == contents(folder / "whole").keys()
    for table in found.tables.values():
        assert set(table.columns) <= set(study.STUDIES[found.name].columns)
    return found
