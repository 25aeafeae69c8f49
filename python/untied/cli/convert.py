"""``untied convert``: write a run or judgments in a format that other programs read."""

from __future__ import annotations

import os

from untied._core import show_id
from untied.cli import notes, output
from untied.cli.command import Command
from untied.cli.options import Arguments, UsageError, inputs_of
from untied.cli.reading import files_of, read_qrels
from untied.cli.rules import Excludes
from untied.errors import UntiedError
from untied.inputs.files import ARCHIVES, by_suffix, read_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable
    from typing import Any

    #: Rows (query, document, score or grade), the best document of each query first.
    Rows = list[tuple[str, str, float]]

EXAMPLES = """\
  untied convert run answers.jsonl --run-format search -o bm25.run
  untied convert run rows.parquet -o run.jsonl
  untied convert qrels rows.parquet -o qrels.txt
  untied convert qrels wands.csv --column grade=label --format parquet -o qrels

A table has the columns query_id, doc_id, and score or relevance. Documents are
sorted by score, and keep their order where scores are equal.
"""
FORMATS = ("auto", "trec", "csv", "tsv", "jsonl", "json", "parquet")
#: What ends an id in TREC's format.
_BREAKING = frozenset(" \t\n\v\f\r\0")


COMMAND = Command(
    "convert",
    "write a run or judgments in another format",
    EXAMPLES,
    listed_after="sample",
    common="--run-format --qrels-format --column --format -o",
    rules=(
        Excludes("--run-format", "what=qrels"),
        Excludes("--qrels-format", "what=run"),
    ),
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.style_of = _style
    arguments.add_argument("what", metavar="WHAT", choices=("run", "qrels"), help="what FILE has: run or qrels")
    arguments.add_argument("file", metavar="FILE", help="the file to convert")
    arguments.add_reading(explained=True)
    group = arguments.group("output")
    about = f"write {', '.join(FORMATS[1:-1])} or {FORMATS[-1]} (default: by the suffix of the output file, else trec)"
    group.option("--format", "FORMAT", about, choices=FORMATS, default="auto")
    group.option("-o --output", "FILE", "write to FILE; the suffix of FILE sets the format")
    arguments.add_threads()


def _style(options: argparse.Namespace) -> str:
    """The format in which a file of this name is read."""
    path = options.output or ""
    if path.endswith(ARCHIVES):
        raise UsageError(f"-o {show_id(path)}: files are not compressed; leave out {os.path.splitext(path)[1]}")
    return by_suffix(path) if options.format == "auto" else str(options.format)


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    output.check_target(options.output, inputs_of(options.file))
    is_run = options.what == "run"
    options.qrels, options.runs = (None, [options.file]) if is_run else (options.file, [])
    if is_run:
        (file,) = files_of(options, options.runs)
        held: Any = read_run(file, threads=options.threads)
    else:
        held = read_qrels(options)
        if held.format != "trec":
            raise UntiedError(f"judgments of format {held.format} are not converted: they have more than grades")
    queries = held.queries()
    rows: Rows = []
    empty = 0
    for query in queries:
        numbers = held[query] if is_run else list(held[query].items())
        empty += not numbers
        rows += [(query, document, number) for document, number in sorted(numbers, key=lambda row: -row[1])]
    content = _json(queries, rows) if options.style == "json" else WRITERS[options.style](rows, is_run)
    output.write(content, options.output)
    notes.show(_notes(rows, empty, options.style, is_run=is_run))


def _notes(rows: Rows, empty: int, style: str, *, is_run: bool) -> Iterable[str]:
    """What is lost on the way, and what other programs may lose."""
    if empty and style != "json":
        yield f"queries without documents, left out: {empty:,} (only json keeps them)"
    if style == "trec" and not is_run:
        fractions = sum(not grade.is_integer() for _, _, grade in rows)
        if fractions:
            yield f"grades that are not whole numbers: {fractions:,} (trec_eval reads only their whole part)"


def _trec(rows: Rows, is_run: bool) -> bytes:
    lines: list[str] = []
    rank, last = 0, None
    for query, document, number in rows:
        for what, id_ in (("query", query), ("document", document)):
            if not _BREAKING.isdisjoint(id_) or (what == "query" and id_.startswith("#")):
                raise UntiedError(
                    f"{what} {show_id(id_)} cannot be written in TREC's format, where a blank ends an id and # begins "
                    "a comment; use --format jsonl"
                )
        rank = rank + 1 if query == last else 1
        last = query
        lines.append(
            f"{query} Q0 {document} {rank} {_shortest(number)} untied\n"
            if is_run
            else f"{query} 0 {document} {_shortest(number)}\n"
        )
    return _encoded("".join(lines))


def _shortest(number: float) -> str:
    """The fewest digits that are read as the same number."""
    return repr(number).removesuffix(".0")


def _delimited(delimiter: str) -> Callable[[Rows, bool], bytes]:
    def write(rows: Rows, is_run: bool) -> bytes:
        import csv
        import io

        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(_columns(is_run))
        writer.writerows((query, document, _shortest(number)) for query, document, number in rows)
        return _encoded(text.getvalue())

    return write


def _json_lines(rows: Rows, is_run: bool) -> bytes:
    from json import dumps

    names = _columns(is_run)
    return _encoded("".join(dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))


def _json(queries: list[str], rows: Rows) -> bytes:
    from json import dumps

    nested: dict[str, dict[str, float]] = {query: {} for query in queries}
    for query, document, number in rows:
        nested[query][document] = number
    return _encoded(dumps(nested, indent=1) + "\n")


def _parquet(rows: Rows, is_run: bool) -> bytes:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UntiedError("Parquet files need pyarrow: pip install pyarrow") from None
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    kinds = (pyarrow.string(), pyarrow.string(), pyarrow.float64())
    arrays = [pyarrow.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table(arrays, names=list(_columns(is_run))), sink)
    return bytes(sink.getvalue())


def _columns(is_run: bool) -> tuple[str, str, str]:
    return "query_id", "doc_id", "score" if is_run else "relevance"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


#: How rows are written in a format; json also has queries without any.
WRITERS: dict[str, Callable[[Rows, bool], bytes]] = {
    "trec": _trec,
    "csv": _delimited(","),
    "tsv": _delimited("\t"),
    "jsonl": _json_lines,
    "parquet": _parquet,
}
