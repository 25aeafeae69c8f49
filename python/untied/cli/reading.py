"""Options that say how runs and qrels are written, and the inputs that they say it of."""

from __future__ import annotations

import argparse

from untied.errors import UntiedError
from untied.inputs.convert import as_qrels
from untied.inputs.files import RunFile, read_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn

    from untied._core import Qrels

QRELS_FORMAT = (
    "auto (default): by suffix .csv, .tsv, .jsonl, .json or .parquet, else trec; each of these; rank-eval: a request "
    "of Elasticsearch; subtopics: query subtopic document grade, as measures of diversity need it; stratified: query 0 "
    "document stratum grade, for xinfAP and infNDCG; prels: query document grade method probability, for statAP; "
    "groups: ordered groups, one query a line, query document document | document; mirex: source query document group"
)
RUN_FORMAT = (
    "auto (default): by suffix .csv, .tsv, .jsonl, .json or .parquet, else trec; each of these; msmarco: query "
    "document rank; rank-eval: a response of Elasticsearch"
)
COLUMN = "a column's name where it is not a usual one: {}=NAME, and so on; repeatable"


def add_reading(made: argparse.ArgumentParser, *, explained: bool = False) -> None:
    """Add options about formats and columns of both; all of the text belongs to ``untied eval``."""
    add = made.add_argument
    as_there = "as for untied eval"
    add("--qrels-format", metavar="FORMAT", default="auto", help=QRELS_FORMAT if explained else as_there)
    add("--run-format", metavar="FORMAT", default="auto", help=RUN_FORMAT if explained else as_there)
    for what, first in (("qrels", "grade"), ("run", "score")):
        add(
            f"--{what}-column",
            metavar="WHAT=NAME",
            action="append",
            type=_column,
            default=[],
            help=COLUMN.format(f"query=NAME, document=NAME, {first}") if explained else as_there,
        )


def _column(text: str) -> tuple[str, str]:
    """Read ``WHAT=NAME``."""
    what, sign, name = text.partition("=")
    if not what or not sign or not name:
        raise argparse.ArgumentTypeError(f"must be WHAT=NAME, such as query=topic, not {text!r}")
    return what, name


def _columns(pairs: list[tuple[str, str]]) -> dict[str, str]:
    columns = dict(pairs)
    if len(columns) < len(pairs):
        twice = next(what for what in columns if sum(what == other for other, _ in pairs) > 1)
        raise UntiedError(f"the column of the {twice} is named twice")
    return columns


def read_qrels(options: argparse.Namespace) -> Qrels:
    """The judgments that a command was given."""
    return as_qrels(options.qrels, options.threads, options.qrels_format, _columns(options.qrels_column))


def run_files(options: argparse.Namespace, *paths: str) -> list[RunFile]:
    """The runs that a command was given."""
    columns = _columns(options.run_column)
    return [RunFile(path, options.run_format, columns) for path in paths]


class Refused(UntiedError):
    """Several refused inputs, each with its error; equal messages are shown once."""

    def __init__(self, errors: Iterable[Exception]) -> None:
        self.errors = list({str(error): error for error in errors}.values())
        super().__init__("; ".join(map(str, self.errors)))


def refuse_all(error: Exception, options: argparse.Namespace) -> NoReturn:
    """Raise the error of the qrels, and those of all runs that cannot be read either."""
    errors = [error]
    for file in run_files(options, *options.runs):
        if file.path != "-":
            try:
                read_run(file, threads=options.threads)
            except (UntiedError, OSError) as other:
                errors.append(other)
    raise Refused(errors) from None


def columns_named(options: argparse.Namespace) -> dict[str, Any]:
    """What was said of columns, if anything, for records of an evaluation."""
    named = {"qrels_columns": _columns(options.qrels_column), "run_columns": _columns(options.run_column)}
    return {what: columns for what, columns in named.items() if columns}
