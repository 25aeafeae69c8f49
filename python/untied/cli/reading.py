"""The inputs of commands, read as their options say."""

from __future__ import annotations

from untied.cli.options import columns
from untied.errors import UntiedError
from untied.inputs.convert import as_qrels
from untied.inputs.files import RunFile, read_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from typing import Any, NoReturn

    from untied._core import Qrels


def read_qrels(options: argparse.Namespace) -> Qrels:
    """The judgments that a command was given."""
    return as_qrels(options.qrels, options.threads, options.qrels_format, columns(options.qrels_column))


def run_files(options: argparse.Namespace, *paths: str) -> list[RunFile]:
    """The runs that a command was given."""
    named = columns(options.run_column)
    return [RunFile(path, options.run_format, named) for path in paths]


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
    named = {"qrels_columns": columns(options.qrels_column), "run_columns": columns(options.run_column)}
    return {what: found for what, found in named.items() if found}
