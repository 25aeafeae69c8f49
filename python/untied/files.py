"""Files of runs and qrels by format: told by the suffix, or named."""

from __future__ import annotations

import os

from untied._core import Qrels, Run, find_columns, read_bytes
from untied.errors import InputError, UntiedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

#: Formats of runs.
RUN_FORMATS = ("auto", "trec", "msmarco", "csv", "tsv", "jsonl", "json", "parquet", "rank-eval")
#: Formats of qrels that hold grades.
PLAIN = ("auto", "trec", "csv", "tsv", "jsonl", "json", "parquet", "rank-eval")
#: Those whose columns have names.
NAMED = ("csv", "tsv", "jsonl", "parquet")
#: Formats of qrels that say more than a grade, in TREC's files or in tables.
DETAILED = ("subtopics", "stratified", "prels")
#: Formats of qrels.
QRELS_FORMATS = (*PLAIN, *DETAILED, "groups", "mirex")

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
}


def unpacked(path: str) -> str:
    """A path without the suffix of an archive."""
    for suffix in (".gz", ".zst", ".xz"):
        path = path.removesuffix(suffix)
    return path


def by_suffix(path: str | os.PathLike[str]) -> str:
    """The format that a file's suffix tells; TREC's for all that are not known."""
    return _SUFFIXES.get(os.path.splitext(unpacked(os.fspath(path)).lower())[1], "trec")


def check_run_format(format: str) -> None:
    """Refuse what is no format of runs."""
    if format not in RUN_FORMATS:
        raise UntiedError(f"run format must be {', '.join(RUN_FORMATS[:-1])} or {RUN_FORMATS[-1]}, not {format!r}")


def check_qrels_format(format: str) -> None:
    """Refuse what is no format of qrels."""
    if format not in QRELS_FORMATS:
        formats = f"{', '.join(QRELS_FORMATS[:-1])} or {QRELS_FORMATS[-1]}"
        raise UntiedError(f"qrels format must be {formats}, not {format!r}")


def check_columns(columns: Mapping[str, str] | None, held: str, source: str) -> None:
    """Refuse names of columns where there are none: `held` is a file's format, or what else was given."""
    if columns and held not in NAMED:
        where = f"a file of format {held}" if held in QRELS_FORMATS or held in RUN_FORMATS else held
        named = f"{', '.join(NAMED[:-1])} or {NAMED[-1]}"
        raise UntiedError(f"{source}: columns are named in frames and in files of format {named}, not in {where}")


class RunFile:
    """The path of a run whose format or columns are named."""

    def __init__(self, path: str | os.PathLike[str], format: str, columns: Mapping[str, str] | None = None) -> None:
        check_run_format(format)
        self.path = os.fspath(path)
        self.format = format
        self.columns = columns

    def __fspath__(self) -> str:
        return self.path


def run_file(path: str | os.PathLike[str], format: str = "auto", columns: Mapping[str, str] | None = None) -> RunFile:
    """A run's file with its format, found out where it is not named."""
    if isinstance(path, RunFile):
        format, columns = (path.format if format == "auto" else format), columns or path.columns
    found = RunFile(path, by_suffix(path) if format == "auto" else format, columns)
    check_columns(columns, found.format, found.path)
    return found


def read_run(
    path: str | os.PathLike[str],
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
    ranks: bool = False,
) -> Run:
    """Read a run; with its ranks too, where they are asked for and there are such."""
    file = run_file(path, format, columns)
    name, format, columns = file.path, file.format, file.columns
    if format == "parquet":
        return Run.from_arrow(_parquet(name, "run", columns), threads, columns, name, ranks)
    if format == "json":
        return Run.from_mapping(_json(name), threads)
    if format == "rank-eval":
        return Run.from_rows(retrieved(_json(name), name), threads)
    return Run.read(name, threads, format, columns, ranks)


def read_qrels(
    path: str | os.PathLike[str],
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> Qrels:
    """Read qrels."""
    check_qrels_format(format)
    name = os.fspath(path)
    layout = by_suffix(name) if format == "auto" or format in DETAILED else format
    holds = format if format in DETAILED else "trec"
    check_columns(columns, layout, name)
    if layout == "parquet":
        return Qrels.from_arrow(_parquet(name, holds, columns), threads, holds, columns, name)
    if layout == "json":
        return Qrels.from_mapping(_json(name), threads, holds)
    if layout == "rank-eval":
        return Qrels.from_rows(judged(_json(name), name), threads)
    if layout in ("csv", "tsv", "jsonl"):
        return Qrels.read(name, threads, holds, layout, columns)
    return Qrels.read(name, threads, holds if layout == "trec" else layout)


def _parquet(path: str, holds: str, columns: Mapping[str, str] | None) -> Any:
    try:
        from pyarrow import ArrowInvalid, RecordBatchReader, parquet
    except ImportError:
        raise UntiedError(f"{path}: parquet files are read by pyarrow: pip install 'untied[parquet]'") from None
    try:
        names = parquet.read_schema(path).names
        needed = find_columns(names, holds, columns, path)
        # Queries come as dictionaries: a run has few of them, and neighbours are compared by number.
        file = parquet.ParquetFile(path, read_dictionary=needed[:1])
    except ArrowInvalid as error:
        raise UntiedError(f"{path}: {error}") from None
    schema = file.schema_arrow
    schema = schema.empty_table().select(list(dict.fromkeys(needed))).schema
    return RecordBatchReader.from_batches(schema, file.iter_batches(1 << 16, columns=schema.names))


def _json(path: str) -> Any:
    import json

    def of(line: int | None, expected: str, found: str) -> InputError:
        place = path if line is None else f"{path}, line {line}"
        return InputError(f"{place}: expected {expected}, found {found}", path, line, expected, found)

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in made if names.count(name) > 1)
            raise of(None, "every name once in an object", f'"{twice}" again')
        return made

    try:
        content = json.loads(read_bytes(path, lines=False), object_pairs_hook=members)
    except json.JSONDecodeError as error:
        raise of(error.lineno, "JSON", f"column {error.colno}: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise of(None, "JSON in UTF-8", str(error)) from None
    if not isinstance(content, dict):
        raise of(None, "a JSON object", type(content).__name__)
    return content


def judged(request: Any, source: str = "qrels") -> Iterable[tuple[str, str, float]]:
    """Judgments of a rank-eval request of Elasticsearch or OpenSearch: ``requests[].ratings[]``.

    Parameters
    ----------
    request : dict
        The body of the request.
    source : str
        Its name in messages.

    Yields
    ------
    tuple
        Query, document and grade.
    """
    if not isinstance(request, dict) or not isinstance(request.get("requests"), list):
        raise UntiedError(f'{source}: expected the body of a rank-eval request, an object with a list "requests"')
    for asked in request["requests"]:
        for rating in _member(asked, "ratings", list, "a request", source):
            query = _member(asked, "id", str, "a request", source)
            where = f"a rating of request {query!r}"
            grade = _member(rating, "rating", (int, float), where, source)
            yield query, _member(rating, "_id", str, where, source), grade


def retrieved(response: Any, source: str = "run") -> Iterable[tuple[str, str, float]]:
    """Rankings of a rank-eval response of Elasticsearch or OpenSearch: ``details.*.hits[].hit``.

    Parameters
    ----------
    response : dict
        What was answered.
    source : str
        Its name in messages.

    Yields
    ------
    tuple
        Query, document and score.
    """
    if not isinstance(response, dict) or not isinstance(response.get("details"), dict):
        raise UntiedError(f'{source}: expected the response to a rank-eval request, an object with an object "details"')
    if response.get("failures"):
        raise UntiedError(f"{source}: requests failed: {', '.join(response['failures'])}")
    for query, details in response["details"].items():
        for found in _member(details, "hits", list, f"request {query!r}", source):
            where = f"a hit of request {query!r}"
            hit = _member(found, "hit", dict, where, source)
            yield query, _member(hit, "_id", str, where, source), _member(hit, "_score", (int, float), where, source)


def _member(holder: Any, name: str, kind: type | tuple[type, ...], where: str, source: str) -> Any:
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, kind):
        found = "none" if value is None else repr(value)
        raise UntiedError(f'{source}: expected "{name}" in {where}, found {found}')
    return value
