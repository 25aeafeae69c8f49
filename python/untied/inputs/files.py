"""Files of runs and qrels, whose format is named or found by suffix."""

from __future__ import annotations

import os
from itertools import islice
from reprlib import Repr

from untied._core import Qrels, Run, find_columns, read_bytes, show_id
from untied.errors import InputError, UntiedError, check_one_of, either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    Held = TypeVar("Held", Run, Qrels)
    Read = TypeVar("Read")

#: Formats of runs.
RUN_FORMATS = ("auto", "trec", "trec-ranks", "msmarco", "csv", "tsv", "jsonl", "json", "parquet", "rank-eval")
#: Formats of qrels that hold grades.
PLAIN = ("auto", "trec", "csv", "tsv", "jsonl", "json", "parquet", "rank-eval")
#: Those whose columns have names.
NAMED = ("csv", "tsv", "jsonl", "parquet")
#: Formats of runs that are evaluated while they are read.
STREAMED = ("trec", "csv", "tsv", "jsonl", "parquet")
#: Formats of qrels that say more than a grade, in TREC's files or in tables.
DETAILED = ("subtopics", "stratified", "prels")
#: Formats of qrels.
QRELS_FORMATS = (*PLAIN, *DETAILED, "groups", "mirex")

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

#: Formats that a suffix tells.
SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".parquet": "parquet"}


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

    Parameters
    ----------
    path : str or path-like
        Plain or compressed by gzip, zstd or xz (recognised by content); ``"-"`` is standard input.
    format : str
        ``"trec"``: ``query Q0 document rank score tag``, one retrieved document per line. Columns are separated by
        spaces or tabs; blank lines and lines that begin with ``#`` are skipped; rank and tag are not used.
        ``"trec-ranks"``: like ``"trec"``, but ordered by rank instead of score; equal ranks are tied, and scores are
        not used. ``"msmarco"``: ``query document rank``. ``"csv"``, ``"tsv"``: with a header; ``"jsonl"``: an object on
        every line; ``"parquet"``. ``"json"``: ``{query: {document: score}}``. ``"rank-eval"``: the response to a
        rank-eval request of Elasticsearch or OpenSearch. ``"auto"``: by the suffix (.csv, .tsv, .jsonl, .ndjson, .json,
        .parquet), and ``"trec"`` for any other.
    columns : dict, optional
        Names of columns with unusual names: ``{"query": "q", "document": "d", "score": "s"}``.
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
    if format == "parquet":
        return Run.from_arrow(parquet_batches(name, "run", columns), threads, columns, name, ranks)
    if format == "json":
        return _of_json(name, RUN_SHAPE, lambda content: Run.from_mapping(content, threads))
    if format == "rank-eval":
        expected = "the response to a rank-eval request"
        return _of_json(name, expected, lambda content: Run.from_rows(retrieved(content), threads))
    return Run.read(name, threads, format, columns, ranks)


# described by untied.inputs.files.read_run: path, columns*, threads
def read_qrels(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> Qrels:
    """Read qrels from a file.

    A grade is any finite number. A negative grade means *pooled but not judged*: such documents count neither as
    relevant nor as judged non-relevant.

    Parameters
    ----------
    path : str or path-like
        Plain or compressed by gzip, zstd or xz (recognised by content); ``"-"`` is standard input.
    format : str
        ``"trec"``: ``query iteration document grade``, one judged document per line. ``"csv"``, ``"tsv"``, ``"jsonl"``,
        ``"json"``, ``"parquet"`` and ``"auto"`` as for `read_run`; ``"rank-eval"``: the body of a rank-eval request.
        ``"subtopics"`` for TREC's diversity qrels: ``query subtopic document grade``. A document then has a grade for
        each subtopic, which measures such as ``alpha_nDCG`` use; all other measures use the highest of these grades.
        ``"stratified"`` for a pool that was sampled by stratum, for ``xinfAP`` and ``infNDCG``: ``query 0 document
        stratum grade``. ``"prels"`` for inclusion probabilities, for ``statAP``: ``query document grade method
        probability``. ``"subtopics"``, ``"stratified"`` and ``"prels"`` can also be read from tables, which are
        recognised by the suffix of the file. For a partly ordered ground truth: ``"groups"``, one query per line with
        the best group first: ``query document document | document``; or ``"mirex"``: ``source query document group``,
        where group 1 is the best. The last group gets grade 1.
    columns : dict, optional
        Names of columns with unusual names: ``{"query": "q", "document": "d", "score": "s"}``.

        ``"grade"`` takes the place of ``"score"``.
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
    if layout == "parquet":
        return Qrels.from_arrow(parquet_batches(name, holds, columns), threads, holds, columns, name)
    if layout == "json":

        def make(content: Any) -> Qrels:
            return check_holds(Qrels.from_mapping(content, threads, holds), holds)

        return _of_json(name, QRELS_SHAPES[holds], make)
    if layout == "rank-eval":
        expected = "the body of a rank-eval request"
        return _of_json(name, expected, lambda content: Qrels.from_rows(judged(content), threads))
    if layout in ("csv", "tsv", "jsonl"):
        return Qrels.read(name, threads, holds, layout, columns)
    if layout in ("groups", "mirex"):
        from untied.inputs.truth import READERS

        return Qrels.from_mapping(READERS[layout](path), threads, layout)
    return Qrels.read(name, threads, holds if layout == "trec" else layout)


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
