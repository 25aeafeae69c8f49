"""Read the inputs of commands."""

from __future__ import annotations

import os

from untied._core import show_id
from untied.cli import message
from untied.cli.options import UsageError, chosen, column_names
from untied.errors import UntiedError
from untied.inputs.files import QRELS_COLUMNS, RUN_COLUMNS, RunFile, has_columns, parts_of, read_labels, read_run
from untied.inputs.files import read_qrels as read_judgments
from untied.inputs.folders import is_same
from untied.inputs.mismatch import listed, of_unanswered, warn_or_raise
from untied.inputs.names import names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeVar

    from untied._core import Qrels

    Made = TypeVar("Made")


def read_qrels(options: argparse.Namespace, *, by_machine: bool = False) -> Qrels:
    """The judgments of a command; if they cannot be read, raise the errors of all inputs.

    A machine may have failed to label some documents.
    """
    read = read_labels if by_machine else read_judgments
    try:
        columns, grades = qrels_columns(options), _grades(options)
        qrels = read(
            options.qrels, format=options.qrels_format, columns=columns, grades=grades, threads=options.threads
        )
        if getattr(options, "on_undefined", "nan") != "nan":
            warn_or_raise(of_unanswered(qrels.unanswered(), "--on-undefined nan leaves them out"))
        if options.collapse_qrels is None:
            return qrels
        from untied.inputs.collapse import collapsed_qrels

        return collapsed_qrels(qrels, options.collapse_qrels)
    except (UntiedError, OSError) as error:
        others = [path for path in getattr(options, "runs", ()) if path != "-"]
        refused = [error, *_errors(files_of(options, others), options).values()]
        if len(refused) > 1 and "expected 4 columns" in str(error) and "found 6" in str(error):
            refused.append(UntiedError("QRELS comes first: are the judgments and a run swapped?"))
        raise InputErrors(refused) from None


def judgments_of_both(options: argparse.Namespace, human: str, machine: str) -> tuple[Qrels, Qrels]:
    """The judgments by people and by a machine; names of columns are for the files that have any."""
    import argparse

    def judgments(path: str, other: str, *, by_machine: bool) -> Qrels:
        mine, others = (has_columns(one, options.qrels_format) for one in (path, other))
        named = [] if others and not mine else options.column
        # People give labels, and only of their judgments there are samples.
        of_one = ("stratified", "prels") if by_machine else ("probabilities",)
        format = "auto" if options.qrels_format in of_one else options.qrels_format
        of_file = argparse.Namespace(**vars(options) | {"qrels": path, "column": named, "qrels_format": format})
        return read_qrels(of_file, by_machine=by_machine)

    return judgments(human, machine, by_machine=False), judgments(machine, human, by_machine=True)


def _grades(options: argparse.Namespace) -> dict[str, float] | None:
    """The grades of labels, each given once."""
    grades: dict[str, float] = {}
    for label, grade in options.grade:
        if grades.setdefault(label, grade) != grade:
            raise UsageError(f"--grade gives {show_id(label)} two grades, {grades[label]:g} and {grade:g}")
    return grades or None


def run_files(options: argparse.Namespace) -> dict[str, RunFile] | list[RunFile]:
    """The runs of a command, with their names if run tags are the names."""
    files = [part for file in files_of(options, options.runs) for part in parts_of(file)]
    if options.part is None and any(file.part is not None for file in files):
        return _by_part(files)
    return _by_tag(files) if getattr(options, "names", "file") == "tag" else files


def files_of(options: argparse.Namespace, paths: Iterable[str]) -> list[RunFile]:
    """Files of runs, with the formats and names of columns that options give; some may be files without columns."""
    given = chosen(options, "part", "duplicates", "failed", "collapse", "min_score")
    files = [RunFile(path, options.run_format, **given) for path in paths]
    tables = [file for file in files if has_columns(file, file.format)]
    named = run_columns(options, files)
    for file in tables or files:  # if no file has columns, reading refuses the names
        file.columns = named
    return files


def _by_part(files: list[RunFile]) -> dict[str, RunFile]:
    """Runs by the names of their parts of files; those that are whole files by the files' names."""
    whole = [file for file in files if file.part is None]
    named = [*zip(names_of(whole), whole, strict=True), *((file.part or "", file) for file in files if file.part)]
    by_name: dict[str, RunFile] = {}
    for name, file in named:
        earlier = by_name.setdefault(name, file)
        if earlier is not file:
            both = f"{show_id(earlier.path)} and {show_id(file.path)}"
            raise UsageError(f"{both} both have a run {show_id(name)}; give one of them")
    return by_name


def qrels_columns(options: argparse.Namespace) -> dict[str, str]:
    """The columns of the judgments that ``--column`` names.

    A name that runs have too is for all inputs with columns. If no input has any, reading refuses the name.
    """
    runs = options.runs if "runs" in options else [options.run]
    elsewhere = any(has_columns(run, options.run_format) for run in runs)
    is_meant = bool(options.qrels) and (has_columns(options.qrels, options.qrels_format) or not elsewhere)
    return _columns(options, "qrels", QRELS_COLUMNS, RUN_COLUMNS, with_shared=is_meant)


def run_columns(options: argparse.Namespace, files: Iterable[RunFile]) -> dict[str, str]:
    """The columns of the runs that ``--column`` names, likewise."""
    elsewhere = bool(options.qrels) and has_columns(options.qrels, options.qrels_format)
    is_meant = any(has_columns(file, file.format) for file in files) or not elsewhere
    return _columns(options, "run", RUN_COLUMNS, QRELS_COLUMNS, with_shared=is_meant)


def _columns(
    options: argparse.Namespace, whose: str, own: Sequence[str], others: Sequence[str], *, with_shared: bool
) -> dict[str, str]:
    """Names of columns by what they hold: those with the input before a dot, and those that only it, or both, have."""
    meant = [(role.removeprefix(f"{whose}."), name) for role, name in options.column
             if role.startswith(f"{whose}.") or (role in own and (with_shared or role not in others))]  # fmt: skip
    return column_names(meant)


def baseline_of(options: argparse.Namespace, runs: dict[str, RunFile] | list[RunFile]) -> str | None:
    """The name of the run that ``--baseline`` names, by its name or its file."""
    given: str | None = options.baseline
    named = runs if isinstance(runs, dict) else dict(zip(names_of(runs), runs, strict=True))
    if given is None or given in named:
        return given
    for name, file in named.items():
        if given == file.path or is_same(given, file.path):
            return name
    hint = "; give this file as a run, too" if os.path.isfile(given) else ""
    of_runs = listed(list(map(show_id, named)), "run")
    raise UsageError(f"--baseline must name one of the given runs ({of_runs}), not {show_id(given)}{hint}")


def _by_tag(files: list[RunFile]) -> dict[str, RunFile]:
    """Runs by the tag in their first line, or by path if that cannot be read: reading the run then gives the error."""
    from untied.inputs.files import by_suffix
    from untied.inputs.lines import lines

    shape = "6 columns (query Q0 document rank score tag)"
    by_tag: dict[str, RunFile] = {}
    for file in files:
        layout = by_suffix(file.path) if file.format == "auto" else file.format
        if file.path == "-" or layout not in ("trec", "trec-ranks"):
            raise UsageError(f"--names tag: {show_id(file.path)} has no run tag; only files in TREC's format have one")
        try:
            _, fields = next(lines(file.path, shape))
        except (UntiedError, OSError):
            fields = []
        tag = fields[5] if len(fields) == 6 else file.path
        earlier = by_tag.setdefault(tag, file)
        if earlier is not file:
            both = f"{show_id(earlier.path)} and {show_id(file.path)}"
            raise UsageError(f"--names tag: {both} have the run tag {show_id(tag)}; leave out --names")
    return by_tag


class InputErrors(UntiedError):
    """Several refused inputs and their errors; equal messages are shown once."""

    errors: list[Exception]

    def __init__(self, errors: Iterable[Exception], file: str | None = None) -> None:
        self.file = file
        several = [one for error in errors for one in (error.errors if isinstance(error, InputErrors) else [error])]
        self.errors = list({str(error): error for error in several}.values())
        super().__init__("; ".join(map(str, self.errors)))


#: For kinds of errors, the option that tolerates what is wrong, and what to say of it.
WAYS_OUT = {
    "repeated": ("duplicates", "--duplicates says what to do with such documents"),
    "failed": ("failed", "--failed says what to do with such queries"),
}


def refusal(errors: Iterable[Exception], options: argparse.Namespace) -> InputErrors:
    """The errors of runs, with the option that tolerates what is wrong.

    There is advice, too, if a file was found in a folder, which may hold other files.
    """
    errors = list(errors)
    for error in errors:
        option, advice = WAYS_OUT.get(getattr(error, "kind", None) or "", ("", ""))
        if option in options:
            error.add_note(advice)
    skip = not options.keep_going and any(getattr(error, "file", None) in options.expanded for error in errors)
    return InputErrors([*errors, *([UntiedError("--keep-going skips files that are not runs")] if skip else [])])


def _errors(files: Iterable[RunFile], options: argparse.Namespace) -> dict[str, Exception]:
    """The errors of files that cannot be read."""
    errors: dict[str, Exception] = {}
    for file in [part for whole in files for part in parts_of(whole)]:
        try:
            read_run(file, threads=options.threads)
        except (UntiedError, OSError) as error:
            errors[file.path] = error
    return errors


def with_readable(options: argparse.Namespace, make: Callable[[Any], Made], least: int = 1) -> tuple[Made, list[str]]:
    """The result for all runs or, with ``--keep-going``, for those that can be read, with notes about the others.

    Only after an error, all files are read one by one to find those that are refused.
    """
    try:
        return make(run_files(options)), []
    except (UntiedError, OSError) as error:
        if "-" in options.runs:
            raise
        errors = _errors(files_of(options, options.runs), options)
        if not errors:
            raise
        refused = refusal(errors.values(), options)
        left = [path for path in options.runs if path not in errors]
        if not options.keep_going or len(left) < least:
            raise refused from error
    options.runs = left
    return make(run_files(options)), left_out(refused.errors, len(left) + len(errors))


def left_out(errors: Sequence[Exception], number: int) -> list[str]:
    """Notes about runs that ``--keep-going`` left out."""
    skipped = [f"skipped: {message(error)}" for error in InputErrors(errors).errors]
    return [f"runs skipped: {len(errors)} of {number}", *skipped]


def reading_settings(options: argparse.Namespace) -> dict[str, Any]:
    """The format of runs and the names of columns, as far as they were chosen, for records of an evaluation."""
    runs = options.runs if "runs" in options else [options.run]
    named: dict[str, Any] = {
        "run_format": None if options.run_format == "auto" else options.run_format,
        "qrels_columns": qrels_columns(options),
        "run_columns": run_columns(options, [RunFile(run, options.run_format) for run in runs]),
        "duplicates": None if options.duplicates == "error" else options.duplicates,
        "failed": None if options.failed == "error" else options.failed,
        "collapse": options.collapse,
        "min_score": options.min_score,
        "part": options.part,
        "collapse_qrels": options.collapse_qrels,
        "grades": _grades(options),
    }
    return {what: chosen for what, chosen in named.items() if chosen not in (None, {})}
