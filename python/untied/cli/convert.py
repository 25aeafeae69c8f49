"""``untied convert``: write a run or judgments in a format that other programs read."""

from __future__ import annotations

import os
from io import BytesIO

from untied._core import Run, show_id
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
    from collections.abc import Callable, Iterable, Iterator

    from untied._core import Qrels

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
#: How many rows of a Parquet file are written at once, at least.
ROW_GROUP = 1_000_000


COMMAND = Command(
    "convert",
    "write a run or judgments in another format",
    EXAMPLES,
    listed_after="sample",
    common="--run-format --qrels-format --column --format -o",
    rules=(
        Excludes("--run-format --duplicates --failed --collapse --min-score --part", "what=qrels"),
        Excludes("--qrels-format --grade --collapse-qrels", "what=run"),
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
    options.qrels, options.runs = (None, [options.file]) if options.what == "run" else (options.file, [])
    if options.what == "run":
        (file,) = files_of(options, options.runs)
        lists = Lists(read_run(file, threads=options.threads))
    else:
        qrels = read_qrels(options)
        if qrels.format != "trec":
            raise UntiedError(f"judgments of format {qrels.format} are not converted: they have more than grades")
        lists = Lists(qrels)
    # Pieces are joined as they are made, so that a large input is not held twice.
    content = BytesIO()
    content.writelines(WRITERS[options.style](lists))
    output.write(content.getvalue(), options.output)
    notes.add(_notes(lists, options.style))


class Lists:
    """The documents of each query with their scores or grades, best first. Goes through them once, and counts."""

    def __init__(self, held: Run | Qrels) -> None:
        self.held = held
        self.is_run = isinstance(held, Run)
        self.columns = ("query_id", "doc_id", "score" if self.is_run else "relevance")
        #: Queries without documents, and grades that are not whole numbers.
        self.empty = self.fractions = 0

    def __iter__(self) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        for query in self.held.queries():
            documents = self.held[query]
            rows = sorted(documents.items() if isinstance(documents, dict) else documents, key=lambda row: -row[1])
            self.empty += not rows
            if not self.is_run:
                self.fractions += sum(not grade.is_integer() for _, grade in rows)
            yield query, rows


def _notes(lists: Lists, style: str) -> Iterable[str]:
    """What is lost on the way, and what other programs may lose."""
    if lists.empty and style != "json":
        yield f"queries without documents, left out: {lists.empty:,} (only json keeps them)"
    if lists.fractions and style == "trec":
        yield f"grades that are not whole numbers: {lists.fractions:,} (trec_eval reads only their whole part)"


def _trec(lists: Lists) -> Iterator[bytes]:
    for query, rows in lists:
        _check_words("query", [query])
        _check_words("document", (document for document, _ in rows))
        lines = (
            f"{query} Q0 {document} {rank} {_shortest(number)} untied\n"
            if lists.is_run
            else f"{query} 0 {document} {_shortest(number)}\n"
            for rank, (document, number) in enumerate(rows, 1)
        )
        yield _encoded("".join(lines))


def _check_words(what: str, ids: Iterable[str]) -> None:
    for id_ in ids:
        if not _BREAKING.isdisjoint(id_) or (what == "query" and id_.startswith("#")):
            raise UntiedError(
                f"{what} {show_id(id_)} cannot be written in TREC's format, where a blank ends an id and # begins "
                "a comment; use --format jsonl"
            )


def _shortest(number: float) -> str:
    """The fewest digits that are read as the same number."""
    return repr(number).removesuffix(".0")


def _delimited(delimiter: str) -> Callable[[Lists], Iterator[bytes]]:
    def write(lists: Lists) -> Iterator[bytes]:
        import csv
        import io

        def lines(rows: Iterable[tuple[str, ...]]) -> bytes:
            text = io.StringIO()
            csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
            return _encoded(text.getvalue())

        yield lines([lists.columns])
        for query, rows in lists:
            yield lines((query, document, _shortest(number)) for document, number in rows)

    return write


def _json_lines(lists: Lists) -> Iterator[bytes]:
    from json import dumps

    for query, rows in lists:
        records = (dict(zip(lists.columns, (query, *row), strict=True)) for row in rows)
        yield _encoded("".join(dumps(record) + "\n" for record in records))


def _json(lists: Lists) -> Iterator[bytes]:
    from json import dumps

    separator = "{\n"
    for query, rows in lists:
        # A separator with the line break keeps the fast encoder, which has no indentation.
        documents = dumps(dict(rows), separators=(",\n  ", ": "))[1:-1]
        yield _encoded(f"{separator} {dumps(query)}: " + (f"{{\n  {documents}\n }}" if rows else "{}"))
        separator = ",\n"
    yield b"{}\n" if separator == "{\n" else b"\n}\n"


def _parquet(lists: Lists) -> Iterator[bytes]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UntiedError("Parquet files need pyarrow: pip install pyarrow") from None
    schema = pyarrow.schema(
        list(zip(lists.columns, (pyarrow.string(), pyarrow.string(), pyarrow.float64()), strict=True))
    )
    sink = pyarrow.BufferOutputStream()
    with parquet.ParquetWriter(sink, schema) as writer:
        held: list[tuple[str, str, float]] = []

        def flush() -> None:
            columns = list(zip(*held, strict=True)) or [(), (), ()]
            arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            writer.write_table(pyarrow.table(arrays, schema=schema))
            held.clear()

        for query, rows in lists:
            held += [(query, document, number) for document, number in rows]
            if len(held) > ROW_GROUP:
                flush()
        flush()
    yield bytes(sink.getvalue())


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


#: How lists are written in a format, piece by piece; json also has queries without any document.
WRITERS: dict[str, Callable[[Lists], Iterator[bytes]]] = {
    "trec": _trec,
    "csv": _delimited(","),
    "tsv": _delimited("\t"),
    "jsonl": _json_lines,
    "json": _json,
    "parquet": _parquet,
}
