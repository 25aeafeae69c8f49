"""Files of runs and qrels, whose format is named or found by suffix."""

from __future__ import annotations

import os
from itertools import islice
from reprlib import Repr

from untied._core import Qrels, Run, file_formats, find_columns, read_bytes, show_id
from untied.errors import InputError, UntiedError, check_one_of, either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    Held = TypeVar("Held", Run, Qrels)
    Read = TypeVar("Read")

_OF_RUNS = {format["name"]: format for format in file_formats(runs=True)}
_OF_QRELS = {format["name"]: format for format in file_formats(runs=False)}
#: Formats of runs, and of qrels.
RUN_FORMATS = ("auto", *_OF_RUNS)
QRELS_FORMATS = ("auto", *_OF_QRELS)
#: Those whose columns have names.
NAMED = tuple(name for name, format in _OF_RUNS.items() if format["has_names"])
#: Formats of runs that are evaluated while they are read.
STREAMED = tuple(name for name, format in _OF_RUNS.items() if format["streams"])
#: Formats of qrels that say more than a grade, in TREC's files or in tables, with the name of the further column.
DETAILED = {name: format["detail"] for name, format in _OF_QRELS.items() if format["detail"]}
#: What named columns of runs and qrels hold.
RUN_COLUMNS = ("query", "document", "score", "rank", "retrieved", "scores")
QRELS_COLUMNS = ("query", "document", "grade", "relevant", "grades", *DETAILED.values())
#: Formats of qrels that hold grades.
PLAIN = ("auto", *(name for name, format in _OF_QRELS.items() if name not in DETAILED and not format["ordered"]))
#: Formats that a suffix tells.
SUFFIXES = {suffix: name for name, format in _OF_RUNS.items() for suffix in format["suffixes"]}

#: What a dict of runs or qrels looks like.
RUN_SHAPE = "{query: {document: score}}"
QRELS_SHAPES = {
    "trec": "{query: {document: grade}}",
    "subtopics": "{query: {subtopic: {document: grade}}}",
    "stratified": "{query: {document: (stratum, grade)}}",
    "prels": "{query: {document: (grade, probability)}}",
}

#: As many digits name one float.
_FLOAT_DIGITS = 17

#: Encodings of a parquet column that pyarrow can turn into a dictionary.
_DICTIONARIES = {"PLAIN", "PLAIN_DICTIONARY", "RLE", "RLE_DICTIONARY", "BIT_PACKED"}

#: Bytes of a column of a parquet file that are read at a time.
_BUFFER = 1 << 18


def meanings(what: str) -> dict[str, str]:
    """What files of each format of runs or qrels hold, in a line; formats that hold the same are put together."""
    formats = _OF_RUNS if what == "run" else _OF_QRELS
    suffixes = either(tuple(dict.fromkeys(f".{name}" for name in SUFFIXES.values())))
    by_suffix = f"use the format that the file's suffix names ({suffixes}), or trec if the suffix is different"
    meant = {"auto": f"{by_suffix} (default)"}
    for name, format in formats.items():
        alike = [other for other in formats if formats[other]["about"] == format["about"]]
        if len(alike) == 1:
            meant[name] = format["about"]
        else:
            meant[f"{alike[0]}, ..."] = f"{format['about']} ({either(tuple(alike))})"
    return meant


#: Suffixes of archives that are read.
ARCHIVES = (".gz", ".zst", ".xz")


def unpacked(path: str) -> str:
    """A path without the suffix of a compressed file."""
    for suffix in ARCHIVES:
        path = path.removesuffix(suffix)
    return path


def by_suffix(path: str | os.PathLike[str]) -> str:
    """The format of a file by its suffix; TREC's for unknown suffixes."""
    return SUFFIXES.get(os.path.splitext(unpacked(os.fspath(path)).lower())[1], "trec")


def has_columns(path: str | os.PathLike[str], format: str) -> bool:
    """Whether the columns of a file have names."""
    return (by_suffix(path) if format == "auto" or format in DETAILED else format) in NAMED


def check_columns(columns: Mapping[str, str] | None, held: str, source: str) -> None:
    """Refuse names of columns for inputs without columns: `held` is a file's format, or another kind of input."""
    if columns and held not in NAMED:
        where = f"a file of format {held}" if held in QRELS_FORMATS or held in RUN_FORMATS else held
        formats = either(NAMED)
        raise UntiedError(f"{source}: names of columns are for frames and files of format {formats}, not for {where}")


def check_holds(qrels: Qrels, format: str) -> Qrels:
    """The qrels, if they hold what the format requires; else an error."""
    if format in DETAILED and format != qrels.format:
        expected = QRELS_SHAPES[format]
        raise UntiedError(f"the qrels have format {qrels.format!r}, not {format!r}: expected {expected}")
    return qrels


def refuse_folder(path: str | os.PathLike[str], expected: str) -> None:
    """Refuse a folder where one file is expected."""
    if os.fspath(path) != "-" and os.path.isdir(path):
        from errno import EISDIR

        raise IsADirectoryError(EISDIR, f"expected the file of {expected}, found a folder; name a file in it", path)


class RunFile:
    """The path of a run, with its format or column names."""

    def __init__(self, path: str | os.PathLike[str], format: str, columns: Mapping[str, str] | None = None) -> None:
        check_one_of("run format", format, RUN_FORMATS)
        self.path = os.fspath(path)
        self.format = format
        self.columns = columns

    def __fspath__(self) -> str:
        return self.path


def run_file(path: str | os.PathLike[str], format: str = "auto", columns: Mapping[str, str] | None = None) -> RunFile:
    """A run's file with its format, found by suffix if not named."""
    if isinstance(path, RunFile):
        format, columns = (path.format if format == "auto" else format), columns or path.columns
    refuse_folder(path, "one run")
    file = RunFile(path, by_suffix(path) if format == "auto" else format, columns)
    check_columns(columns, file.format, file.path)
    return file


def read_run(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> Run:
    """Read a run from a file.

    You rarely need it, because functions that take a run also take its path. Use it to read a file once for several
    calls, or if untied cannot know its format or its columns.

    In files of TREC and MS MARCO, columns are separated by spaces or tabs, and blank lines and lines that begin with
    ``#`` are skipped. The tag is ignored, and so is the rank if there is a score.

    Parameters
    ----------
    path : str or path-like
        The file, plain or compressed by gzip, zstd or xz, which its content tells. ``"-"`` is standard input.
    format : str
        The format of the file:

        * ``"auto"``: use the format that the file's suffix names (.csv, .tsv, .jsonl, .json or .parquet), or trec if
          the suffix is different (default)
        * ``"trec"``: each line has: query Q0 document rank score tag
        * ``"trec-ranks"``: like trec, but documents are sorted by rank instead of score
        * ``"msmarco"``: each line has: query document rank
        * ``"csv"``, ...: a table with named columns (csv, tsv, jsonl or parquet)
        * ``"json"``: an object: {query: {document: number}}
        * ``"rank-eval"``: a response of Elasticsearch's rank-eval API
        * ``"search"``: a line for each query: {query_id, response} of Elasticsearch or OpenSearch
        * ``"vespa"``, ...: a line for each query: {query_id, response} of this search engine (vespa, solr, typesense or
          meilisearch)
    columns : dict, optional
        The names of a table's columns, if they are unusual: ``{"query": "q", "document": "d", "score": "s"}``.
    threads : int, optional
        Number of threads; as many as there are processors by default.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        A line is malformed, a score is not a finite number, a document appears twice in a query, the file is empty
        or an archive is damaged.
    UntiedError
        A column is missing or ambiguous, or an option is refused.
    OSError
        The file cannot be read.
    """
    return read_ranked(path, format, columns, threads, ranks=False)


def read_ranked(
    path: str | os.PathLike[str],
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
    *,
    ranks: bool = True,
) -> Run:
    """Read a run, and its rank column if the file has one."""
    file = run_file(path, format, columns)
    name, format, columns = file.path, file.format, file.columns
    if format in RUN_READERS:
        return RUN_READERS[format](name, threads, columns, ranks)
    return Run.read(name, threads, format, columns, ranks)


def _parquet_run(path: str, threads: int | None, columns: Mapping[str, str] | None, ranks: bool) -> Run:
    return Run.from_arrow(parquet_batches(path, "run", columns), threads, columns, path, ranks)


def _json_run(path: str, threads: int | None, _: object, __: bool) -> Run:
    return _of_json(path, RUN_SHAPE, lambda content: Run.from_mapping(content, threads))


def _rank_eval_run(path: str, threads: int | None, _: object, __: bool) -> Run:
    expected = "the response to a rank-eval request"
    return _of_json(path, expected, lambda content: Run.from_rows(retrieved(content), threads))


def _answers(engine: str) -> Callable[[str, int | None, Mapping[str, str] | None, bool], Run]:
    def read(path: str, threads: int | None, _: object, __: bool) -> Run:
        from untied.inputs.engines import read_answers

        return read_answers(path, engine, threads)

    return read


#: How runs are read whose format the core leaves to Python.
RUN_READERS: dict[str, Callable[[str, int | None, Mapping[str, str] | None, bool], Run]] = {
    "parquet": _parquet_run,
    "json": _json_run,
    "rank-eval": _rank_eval_run,
    **{engine: _answers(engine) for engine in ("search", "vespa", "solr", "typesense", "meilisearch")},
}


# described by untied.inputs.files.read_run: path, columns*, threads
def read_qrels(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> Qrels:
    """Read qrels from a file.

    You rarely need it, because functions that take qrels also take their path. Use it to read a file once for several
    calls, or if untied cannot know its format or its columns. A grade is any finite number. A negative one means
    *pooled but not judged*: the document counts neither as relevant nor as judged.

    In the format ``"subtopics"``, a document has a grade for each subtopic; measures that know no subtopics use the
    highest of them. Subtopics, strata and probabilities can also be columns of a table, if the file's suffix names one.
    In ``"groups"`` and ``"mirex"``, the last group gets grade 1, and each group before it one more.

    Parameters
    ----------
    path : str or path-like
        The file, plain or compressed by gzip, zstd or xz, which its content tells. ``"-"`` is standard input.
    format : str
        The format of the file:

        * ``"auto"``: use the format that the file's suffix names (.csv, .tsv, .jsonl, .json or .parquet), or trec if
          the suffix is different (default)
        * ``"trec"``: each line has: query iteration document grade
        * ``"csv"``, ...: a table with named columns (csv, tsv, jsonl or parquet)
        * ``"json"``: an object: {query: {document: number}}
        * ``"rank-eval"``: a request to Elasticsearch's rank-eval API
        * ``"subtopics"``: each line has: query subtopic document grade (for diversity measures)
        * ``"stratified"``: each line has: query 0 document stratum grade (for the measures xinfAP and infNDCG)
        * ``"prels"``: each line has: query document grade method probability (for the measure statAP)
        * ``"groups"``: each line has a query and its groups of documents, best group first, such as: q1 d1 d2 | d3
        * ``"mirex"``: each line has: source query document group
    columns : dict, optional
        The names of a table's columns, if they are unusual: ``{"query": "q", "document": "d", "score": "s"}``.

        Write ``"grade"`` instead of ``"score"``.
    threads : int, optional
        Number of threads; as many as there are processors by default.

    Returns
    -------
    Qrels

    Raises
    ------
    InputError
        A line is malformed, a grade is not a finite number, a document is judged twice with different grades, the
        file is empty or an archive is damaged.
    UntiedError
        A column is missing or ambiguous, or an option is refused.
    OSError
        The file cannot be read.
    """
    check_one_of("qrels format", format, QRELS_FORMATS)
    refuse_folder(path, "judgments")
    name = os.fspath(path)
    layout = by_suffix(name) if format == "auto" or format in DETAILED else format
    holds = format if format in DETAILED else "trec"
    check_columns(columns, layout, name)
    if layout in QRELS_READERS:
        return QRELS_READERS[layout](name, threads, columns, holds)
    return Qrels.read(name, threads, holds, layout, columns)


def _parquet_qrels(path: str, threads: int | None, columns: Mapping[str, str] | None, holds: str) -> Qrels:
    return Qrels.from_arrow(parquet_batches(path, holds, columns), threads, holds, columns, path)


def _json_qrels(path: str, threads: int | None, _: object, holds: str) -> Qrels:
    def make(content: Any) -> Qrels:
        return check_holds(Qrels.from_mapping(content, threads, holds), holds)

    return _of_json(path, QRELS_SHAPES[holds], make)


def _rank_eval_qrels(path: str, threads: int | None, _: object, __: str) -> Qrels:
    expected = "the body of a rank-eval request"
    return _of_json(path, expected, lambda content: Qrels.from_rows(judged(content), threads))


def _groups_qrels(path: str, threads: int | None, _: object, __: str) -> Qrels:
    from untied.inputs.truth import read_groups

    return Qrels.from_mapping(read_groups(path), threads)


def _mirex_qrels(path: str, threads: int | None, _: object, __: str) -> Qrels:
    from untied.inputs.truth import read_mirex

    return Qrels.from_mapping(read_mirex(path), threads)


#: How qrels are read whose format the core leaves to Python.
QRELS_READERS: dict[str, Callable[[str, int | None, Mapping[str, str] | None, str], Qrels]] = {
    "parquet": _parquet_qrels,
    "json": _json_qrels,
    "rank-eval": _rank_eval_qrels,
    "groups": _groups_qrels,
    "mirex": _mirex_qrels,
}


def of_parquet(path: str, read: Callable[[], Read]) -> Read:
    """Call a function that reads a parquet file; errors name the file."""
    try:
        from pyarrow import ArrowException
    except ImportError:
        raise UntiedError(f"{path}: Parquet files need pyarrow: pip install pyarrow") from None
    _check_parquet(path)
    try:
        return read()
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        if getattr(error, "errno", None) is not None:
            raise  # it cannot be opened
        raise UntiedError(f"{path}: {' '.join(str(error).split())}") from None


def _check_parquet(path: str) -> None:
    """Refuse what a parquet file cannot be read from, because its reader begins at the end."""
    import os

    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        what = "standard input" if path == "-" else "a pipe"
        raise UntiedError(
            f"{show_id(path)}: parquet cannot be read from {what}: write it to a file that ends in .parquet"
        )


def parquet_batches(path: str, holds: str, columns: Mapping[str, str] | None) -> Any:
    """The needed columns of a parquet file, as a reader of batches."""
    return of_parquet(path, lambda: _parquet_batches(path, holds, columns))


def _parquet_batches(path: str, holds: str, columns: Mapping[str, str] | None) -> Any:
    from pyarrow import RecordBatchReader, parquet

    metadata = parquet.read_metadata(path)
    needed = find_columns(metadata.schema.to_arrow_schema().names, holds, columns, path)
    # Queries come as dictionaries: a run has few of them, and neighbours are compared by number. Without a buffer, or
    # with one made before, all columns of a row group would be in memory.
    query = needed[:1] if _is_dictionary(metadata, needed[0]) else None
    file = parquet.ParquetFile(
        path, read_dictionary=query, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True
    )
    if not metadata.num_rows:
        raise _refused(path, None, "records", "none")
    names = list(dict.fromkeys(needed))
    schema = file.schema_arrow.empty_table().select(names).schema
    # Almost all of the work is to decode the documents' ids: more threads would cost more than they save.
    batches = file.iter_batches(1 << 16, columns=names, use_threads=False)
    # Names that contain a point also stand for parts of nested columns.
    return RecordBatchReader.from_batches(schema, (batch.select(names) for batch in batches))


def _is_dictionary(metadata: Any, name: str) -> bool:
    """Whether a column of a parquet file can be read as a dictionary."""
    numbers = [number for number in range(metadata.num_columns) if metadata.schema.column(number).path == name]
    chunks = [metadata.row_group(group).column(numbers[0]) for group in range(metadata.num_row_groups) if numbers]
    return bool(chunks) and all(
        chunk.physical_type == "BYTE_ARRAY" and _DICTIONARIES.issuperset(chunk.encodings) for chunk in chunks
    )


def _of_json(path: str, expected: str, make: Callable[[Any], Held]) -> Held:
    """Convert the content of a JSON file; errors name the file."""
    content = _json(path)
    try:
        held = make(content)
    except (UntiedError, TypeError) as error:
        raise InputError(f"{show_id(path)}: {error}", path, None, expected, str(error)) from None
    if not any(held[query] for query in held.queries()):
        raise _refused(path, None, expected, "no document")
    return held


def _json(path: str) -> dict[str, Any]:
    import json
    import sys

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            for name, _ in pairs:
                if name in seen:
                    raise _refused(path, None, "each name once in an object", f"{_short(name)} again")
                seen.add(name)
        return made

    try:
        text = str(read_bytes(path, lines=False), "utf-8-sig")
        content = json.loads(text, object_pairs_hook=members, parse_float=_number)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(content, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise _refused(path, error.lineno, "JSON", f"column {error.colno}: {error.msg}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise _refused(path, line, "JSON in UTF-8", f"the byte 0x{error.object[error.start]:02x}") from None
    except UnicodeEncodeError:
        raise _refused(path, None, "valid JSON escapes", "half of a surrogate pair") from None
    except RecursionError:
        raise _refused(path, None, "JSON with fewer levels", "too many nested brackets") from None
    except InputError:
        raise
    except ValueError:
        raise _refused(path, None, f"at most {sys.get_int_max_str_digits()} digits in a whole number", "more") from None
    if not isinstance(content, dict):
        raise _refused(path, None, "a JSON object", type(content).__name__)
    return content


def _number(text: str) -> Any:
    """A number in JSON; as text if a float may not hold all of its digits."""
    if len(text) <= _FLOAT_DIGITS:
        return float(text)
    from decimal import Decimal

    return Decimal(text)


def _refused(path: str, line: int | None, expected: str, found: str) -> InputError:
    place = show_id(path) if line is None else f"{show_id(path)}, line {line}"
    return InputError(f"{place}: expected {expected}, found {found}", path, line, expected, found)


def judged(request: Any) -> Iterable[tuple[str, str, float]]:
    """Judgments (query, document, grade) of a rank-eval request: its body's ``requests[].ratings[]``."""
    if not isinstance(request, dict) or not isinstance(request.get("requests"), list):
        raise UntiedError('qrels: expected the body of a rank-eval request, an object with a list "requests"')
    numbers = _numbers()
    for asked in request["requests"]:
        ratings = _member("qrels: a request", asked, "ratings", list)
        query = _member("qrels: a request", asked, "id", str) if ratings else ""
        where = f"qrels: a rating of request {_short(query)}"
        for rating in ratings:
            yield query, _member(where, rating, "_id", str), _member(where, rating, "rating", numbers)


def retrieved(response: Any) -> Iterable[tuple[str, str, float]]:
    """Rankings (query, document, score) of the response to a rank-eval request: ``details.*.hits[].hit``."""
    if not isinstance(response, dict) or not isinstance(response.get("details"), dict):
        raise UntiedError('run: expected the response to a rank-eval request, an object with an object "details"')
    failures = response.get("failures")
    if failures:
        failed = failures if isinstance(failures, dict) else [failures]
        raise UntiedError(f"run: requests failed: {', '.join(map(_short, islice(failed, 20)))}")
    numbers = _numbers()
    for query, details in response["details"].items():
        where = f"run: a hit of request {_short(query)}"
        for entry in _member(f"run: request {_short(query)}", details, "hits", list):
            hit = _member(where, entry, "hit", dict)
            yield query, _member(where, hit, "_id", str), _member(where, hit, "_score", numbers)


def _member(where: str, holder: Any, name: str, kind: type | tuple[type, ...]) -> Any:
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, kind):
        raise UntiedError(f'{where}: expected "{name}", found {"none" if value is None else _short(value)}')
    return value


def _numbers() -> tuple[type, ...]:
    from decimal import Decimal

    return int, float, Decimal


def _short(value: object) -> str:
    """A value for a message, shortened if it is long or deep."""
    return _REPR.repr(value)


_REPR = Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 80
