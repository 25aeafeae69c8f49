"""Files of runs and qrels, whose format is named or found by suffix."""

from __future__ import annotations

import os
from itertools import islice
from math import isfinite
from reprlib import Repr

from untied._core import Qrels, Run, file_formats, read_bytes, show_id
from untied.errors import InputError, UntiedError, check_one_of, check_real, check_text, either
from untied.inputs.lines import number_of
from untied.inputs.parquet import parquet_batches
from untied.inputs.tolerance import NotTolerated, Repeated, Tolerance, check_tolerance, ranked_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    Held = TypeVar("Held", Run, Qrels)

_OF_RUNS = {format["name"]: format for format in file_formats(runs=True)}
_OF_QRELS = {format["name"]: format for format in file_formats(runs=False)}
#: Formats of runs, and of qrels.
RUN_FORMATS = ("auto", *_OF_RUNS)
QRELS_FORMATS = ("auto", *_OF_QRELS)
#: Those whose columns have names.
NAMED = tuple(name for name, format in _OF_RUNS.items() if format["has_names"])
#: Formats of runs that are evaluated while they are read.
STREAMED = tuple(name for name, format in _OF_RUNS.items() if format["streams"])
#: Formats of qrels that say more than a grade in a further column, with its name.
DETAILED = {name: format["detail"] for name, format in _OF_QRELS.items() if format["detail"]}
#: What named columns of runs and qrels hold.
RUN_COLUMNS = ("query", "document", "score", "rank", "retrieved", "scores")
QRELS_COLUMNS = ("query", "document", "grade", "relevant", "grades", *DETAILED.values())
#: Formats of qrels that hold grades.
PLAIN = ("auto", *(name for name, format in _OF_QRELS.items() if name not in DETAILED and not format["ordered"]))
#: Formats that a suffix tells.
SUFFIXES = {suffix: name for name, format in _OF_RUNS.items() for suffix in format["suffixes"]}

#: What a dict of runs looks like.
RUN_SHAPE = "{query: {document: score}}"
#: What a dict of qrels looks like, by what they hold.
QRELS_SHAPES = {
    "trec": "{query: {document: grade}}",
    "subtopics": "{query: {subtopic: {document: grade}}}",
    "stratified": "{query: {document: (stratum, grade)}}",
    "prels": "{query: {document: (grade, probability)}}",
    "preferences": "{query: [(better, worse), ...]}",
    "probabilities": "{query: {document: {grade: probability}}}",
}
#: Formats of qrels that say what a file holds, whose suffix says how.
_BY_SUFFIX = ("auto", *DETAILED, "probabilities")


def meanings(what: str) -> dict[str, str]:
    """Return what a file of each format holds, in a line. Formats that hold the same share a line."""
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
    """Return the path without the suffix of a compressed file."""
    for suffix in ARCHIVES:
        path = path.removesuffix(suffix)
    return path


def by_suffix(path: str | os.PathLike[str]) -> str:
    """Return the format that the suffix of a file names. For unknown suffixes, it is TREC's."""
    return SUFFIXES.get(os.path.splitext(unpacked(os.fspath(path)).lower())[1], "trec")


def has_columns(path: str | os.PathLike[str], format: str) -> bool:
    """Say whether the columns of a file have names."""
    return (by_suffix(path) if format in _BY_SUFFIX else format) in (*NAMED, *ENGINES)


def check_columns(columns: Mapping[str, str] | None, held: str, source: str) -> None:
    """Raise an error if names of columns are given for an input without columns. `held` is its format or its kind."""
    if columns and held in ENGINES and set(columns) == {"query"}:
        return  # see `untied.inputs.engines.read_answers`
    if columns and held not in NAMED:
        where = f"a file of format {held}" if held in QRELS_FORMATS or held in RUN_FORMATS else held
        formats = either(NAMED)
        raise UntiedError(f"{source}: names of columns are for frames and files of format {formats}, not for {where}")


def check_holds(qrels: Qrels, format: str) -> Qrels:
    """Return the qrels, or raise an error if they lack what the format requires."""
    if format not in PLAIN and format in QRELS_SHAPES and format != qrels.format:
        expected = QRELS_SHAPES[format]
        raise UntiedError(f"the qrels have format {qrels.format!r}, not {format!r}: expected {expected}")
    return qrels


def refuse_probabilities(qrels: Qrels, what: str) -> Qrels:
    """Return the qrels, or raise an error if they are probabilities, and `what` reads grades."""
    if qrels.format == "probabilities":
        raise UntiedError(f"{what} needs grades, and the qrels have only probabilities of grades")
    return qrels


def refuse_folder(path: str | os.PathLike[str], expected: str) -> None:
    """Raise an error for a folder, or for anything but a path, where one file is expected."""
    if not isinstance(os.fspath(path), str):
        raise TypeError(f"path must be a str or a path-like object, not {path!r}")
    if os.fspath(path) != "-" and os.path.isdir(path):
        from errno import EISDIR

        raise IsADirectoryError(EISDIR, f"expected the file of {expected}, found a folder; name a file in it", path)


def is_numbered(columns: Mapping[str, str] | None, format: str) -> bool:
    """Say whether queries are named by the numbers of their rows in a table."""
    return format in NAMED and (columns or {}).get("query") == "#row"


class RunFile:
    """The path of a run and how to read it: the parameters of `read_run`."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        format: str,
        columns: Mapping[str, str] | None = None,
        *,
        part: str | None = None,
        duplicates: str = "error",
        failed: str = "error",
        collapse: str | None = None,
        min_score: float | None = None,
    ) -> None:
        check_one_of("run format", format, RUN_FORMATS)
        check_tolerance(duplicates, failed, collapsed=collapse is not None)
        for option, value in {"part": part, "collapse": collapse}.items():
            if value is not None:
                check_text(option, value)
        if min_score is not None and not isfinite(check_real("min_score", min_score)):
            raise UntiedError(f"min_score must be a finite number, not {min_score}")
        self.path = os.fspath(path)
        self.format = format
        self.columns = columns
        self.part = part
        self.duplicates = duplicates
        self.failed = failed
        self.collapse = collapse
        self.min_score = min_score

    @property
    def is_whole(self) -> bool:
        """Say whether the core reads the file as it is, with nothing to convert."""
        is_changed = self.collapse is not None or self.duplicates != "error" or self.min_score is not None
        return not is_changed and self.part is None and not is_numbered(self.columns, self.format)

    def but(self, **changes: Any) -> RunFile:
        """Return the same file with other values of parameters."""
        return RunFile(**{**vars(self), **changes})

    def __fspath__(self) -> str:
        return self.path


def run_file(path: str | os.PathLike[str], format: str = "auto", columns: Mapping[str, str] | None = None) -> RunFile:
    """Return a run's file with its format. If the format is not named, the suffix says which it is."""
    file = path if isinstance(path, RunFile) else RunFile(path, format)
    named = file.format if format == "auto" else format
    refuse_folder(path, "one run")
    file = file.but(format=by_suffix(path) if named == "auto" else named, columns=columns or file.columns)
    check_columns(file.columns, file.format, file.path)
    if file.failed != "error" and file.format not in ANSWERS:
        raise UntiedError(
            f"{show_id(file.path)}: failed is for files of format {either(ANSWERS)}, not {file.format}: others do not "
            "say that a query failed"
        )
    if file.min_score is not None and file.format in RANKED:
        raise UntiedError(f"{show_id(file.path)}: min_score needs scores, and files of format {file.format} have ranks")
    return file


def read_run(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    part: str | None = None,
    duplicates: str = "error",
    failed: str = "error",
    collapse: str | None = None,
    min_score: float | None = None,
    threads: int | None = None,
) -> Run:
    """Return the run in a file.

    You rarely need it, because functions that take a run also take its path. Use it to read a file once for several
    calls, or if untied cannot recognise its format or its columns.

    In the formats of TREC and MS MARCO, columns are separated by spaces or tabs, and blank lines and lines that begin
    with ``#`` are skipped. TREC's format has a tag and a rank on each line. Both are ignored, except the rank with
    ``"trec-ranks"``.

    Parameters
    ----------
    path : str or path-like
        The file; ``"-"`` is standard input. It may be compressed by gzip, zstd or xz, whatever its name is.
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
        * ``"workbench"``: evaluation results of OpenSearch's Search Relevance Workbench
        * ``"quepid"``: a snapshot of Quepid, as CSV or JSON
        * ``"mteb"``: predictions of MTEB: {subset: {split: {query: {document: score}}}}
    columns : dict, optional
        The names of a table's columns, if they are unusual: ``{"query": "q", "document": "d", "score": "s"}``.
    part : str, optional
        A file of the workbench may have several search configurations, and one of MTEB several subsets and splits, such
        as ``"default/test"``. This is the name of the one to read.
    duplicates : str
        What to do if a query retrieves a document several times:

        * ``"error"``: refuse the run (default)
        * ``"first"``, ``"last"``: keep the row of the document that comes first, or last, in the file
        * ``"best"``: keep the row with the highest score
        * ``"repeat"``: keep all rows. The highest one is the document; the others become unjudged documents

        A warning says how many rows were duplicates.
    failed : str
        What to do if a search engine says that a query failed or that its answer is incomplete:

        * ``"error"``: refuse the run (default)
        * ``"missing"``: leave the query out, so that the run lacks it

        A warning names the queries.
    collapse : str, optional
        Pass this if the run has parts of documents, such as chunks of text, and you want to evaluate documents. It says
        how to find the document's id in the id of a part:

        * a mark, such as ``"#"``: the document's id is what comes before the mark
        * ``"re:"`` and a regular expression: the document's id is what its first group matches
        * the path of a file: each line has the id of a part, a tab, and the id of its document

        A document has the score of its best part.
    min_score : float, optional
        The lowest score at which a document counts as retrieved. Pass it if your system says that it found nothing
        when scores are lower. A warning counts the documents below it.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        A line is malformed, a score is not a finite number, a document appears twice in a query, the file is empty
        or an archive is damaged.
    UntiedError
        A column is missing or ambiguous, no id names a part of a document, no document has `min_score`, or an option is
        refused.
    OSError
        The file cannot be read.
    """
    if (part, collapse, min_score) != (None, None, None) or (duplicates, failed) != ("error", "error"):
        refuse_folder(path, "one run")
        path = RunFile(
            path, format, columns, part=part, duplicates=duplicates, failed=failed, collapse=collapse,
            min_score=min_score,
        )  # fmt: skip
    return read_ranked(path, format, columns, threads, ranks=False)


def read_ranked(
    path: str | os.PathLike[str],
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
    *,
    ranks: bool = True,
) -> Run:
    """Return a run, and its rank column if the file has one."""
    file = run_file(path, format, columns)
    if file.part is not None and file.format not in PARTED:
        formats = either(tuple(PARTED))
        raise UntiedError(f"{show_id(file.path)}: part is for files of format {formats}, not {file.format}")
    tolerance = Tolerance(file.duplicates, file.failed)
    try:
        run = _read(file, threads, ranks, tolerance)
    except NotTolerated as error:
        raise UntiedError(f"{show_id(file.path)}: {error}") from None
    tolerance.note(show_id(file.path))
    if file.collapse is not None:
        from untied.inputs.collapse import collapsed_run

        run = collapsed_run(run, file.collapse, show_id(file.path))
    if file.min_score is not None:
        from untied.inputs.least_score import with_least_score

        run = with_least_score(run, file.min_score, show_id(file.path))
    return run.with_duplicates(tolerance.repeats) if tolerance.repeats else run


def _read(file: RunFile, threads: int | None, ranks: bool, tolerance: Tolerance) -> Run:
    """Return a run. The core reads it, except in formats that Python reads, or if the run repeats documents."""
    if not is_numbered(file.columns, file.format):
        try:
            if file.format in RUN_READERS:
                return RUN_READERS[file.format](file, threads, ranks, tolerance)
            return Run.read(file.path, threads, file.format, file.columns, ranks)
        except UntiedError as error:
            if not tolerance.tolerates(error):
                raise
            if not os.path.isfile(file.path):
                raise UntiedError(f"{error}; duplicates are read a second time, so save the run as a file") from None
    from untied.inputs.rows import run_of_rows

    return run_of_rows(file.path, file.format, file.columns, threads, tolerance)


def _parquet_run(file: RunFile, threads: int | None, ranks: bool, _: Tolerance) -> Run:
    batches = parquet_batches(file.path, "run", file.columns)
    return Run.from_arrow(batches, threads, file.columns, file.path, ranks)


def _json_run(file: RunFile, threads: int | None, _: bool, tolerance: Tolerance) -> Run:
    def make(content: Any) -> Run:
        if tolerance.duplicates != "error":
            content = {query: ranked_once(ranking, tolerance) for query, ranking in content.items()}
        return Run.from_mapping(content, threads)

    return _of_json(file.path, RUN_SHAPE, make)


def _rank_eval_run(file: RunFile, threads: int | None, _: bool, tolerance: Tolerance) -> Run:
    return _of_json(
        file.path,
        "the response to a rank-eval request",
        lambda content: Run.from_mapping(retrieved(content, tolerance), threads),
    )


def _answers(file: RunFile, threads: int | None, _: bool, tolerance: Tolerance) -> Run:
    from untied.inputs.engines import read_answers

    return read_answers(file.path, file.format, threads, (file.columns or {}).get("query"), tolerance)


def _workbench_run(file: RunFile, threads: int | None, _: bool, tolerance: Tolerance) -> Run:
    from untied.inputs.workbenches import WORKBENCH_RESULTS, workbench_rankings

    return _of_json(
        file.path,
        WORKBENCH_RESULTS,
        lambda content: Run.from_mapping(workbench_rankings(content, file.part, tolerance), threads),
    )


def _quepid_run(file: RunFile, threads: int | None, _: bool, tolerance: Tolerance) -> Run:
    from untied.inputs.workbenches import QUEPID_SNAPSHOT, quepid_csv_rankings, quepid_snapshot

    if by_suffix(file.path) == "json":
        return _of_json(
            file.path, QUEPID_SNAPSHOT, lambda content: Run.from_mapping(quepid_snapshot(content, tolerance), threads)
        )
    return Run.from_mapping(quepid_csv_rankings(file.path, _text(file.path, "CSV"), tolerance), threads)


def _mteb_run(file: RunFile, threads: int | None, _: bool, __: Tolerance) -> Run:
    from untied.inputs.mteb import MTEB_PREDICTIONS, mteb_rankings

    return _of_json(
        file.path, MTEB_PREDICTIONS, lambda content: Run.from_mapping(mteb_rankings(content, file.part), threads)
    )


def _workbench_parts(content: dict[str, Any]) -> list[str]:
    from untied.inputs.workbenches import workbench_parts

    return workbench_parts(content)


def _mteb_parts(content: dict[str, Any]) -> list[str]:
    from untied.inputs.mteb import mteb_parts

    return mteb_parts(content)


#: Formats with several runs to a file, and what names them.
PARTED: dict[str, Callable[[dict[str, Any]], list[str]]] = {"workbench": _workbench_parts, "mteb": _mteb_parts}


def parts_of(file: RunFile) -> list[RunFile]:
    """Return the runs in a file. If the format has only one run to a file, that is the file itself."""
    if file.format not in PARTED or file.part is not None:
        return [file]
    try:
        parts = PARTED[file.format](json_object(file.path))
    except (UntiedError, OSError):
        return [file]  # reading it says what is wrong
    if len(parts) < 2:
        return [file]
    return [file.but(part=part) for part in parts]


#: Formats of runs that have no scores.
RANKED = ("trec-ranks", "msmarco", "workbench", "quepid")
#: Formats of the answers of search engines.
ENGINES = ("search", "vespa", "solr", "typesense", "meilisearch")
#: Formats that say of a query that it failed.
ANSWERS = (*ENGINES, "rank-eval")

#: How runs are read whose format the core leaves to Python: file, threads, whether to keep ranks, what is tolerated.
RUN_READERS: dict[str, Callable[[RunFile, int | None, bool, Tolerance], Run]] = {
    "parquet": _parquet_run,
    "json": _json_run,
    "rank-eval": _rank_eval_run,
    **dict.fromkeys(ENGINES, _answers),
    "workbench": _workbench_run,
    "quepid": _quepid_run,
    "mteb": _mteb_run,
}


# described by untied.inputs.files.read_run: path, columns*, threads
def read_qrels(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    grades: Mapping[str, float] | None = None,
    threads: int | None = None,
) -> Qrels:
    """Return the qrels in a file.

    You rarely need it, because functions that take qrels also take their path. Use it to read a file once for several
    calls, or if untied cannot recognise its format or its columns.

    A grade is any finite number. A negative one means that the document was pooled but not judged, so it counts neither
    as relevant nor as judged.

    Some formats hold more or less than a grade for each document. With subtopics, a document has a grade for each, and
    measures without subtopics use the highest. Subtopics, strata and probabilities can also be columns of a table. With
    ``"subtopics"``, a query may also have a list of lists, such as ``[["a", "b"], ["c"]]``: each inner list has the
    documents that are relevant to a subtopic. In ``"groups"`` and ``"mirex"``, the last group gets grade 1, the one
    before it grade 2, and so on. ``"preferences"`` can also be in trec_eval's format, as
    `untied.inputs.truth.read_preferences` says.

    A table of ``"probabilities"`` says how probable it is that a document is relevant, in a column ``probability``, or
    how probable each of its grades is, in columns ``p0``, ``p1`` and so on. It may also have a row for each of a
    document's raters, with a column ``grade`` and perhaps ``rater``: a grade is as probable as the share of the raters
    who gave it. Measures then have their expected values.

    Parameters
    ----------
    path : str or path-like
        The file; ``"-"`` is standard input. It may be compressed by gzip, zstd or xz, whatever its name is.
    format : str
        The format of the file:

        * ``"auto"``: use the format that the file's suffix names (.csv, .tsv, .jsonl, .json or .parquet), or trec if
          the suffix is different (default)
        * ``"trec"``: each line has: query iteration document grade
        * ``"csv"``, ...: a table with named columns (csv, tsv, jsonl or parquet)
        * ``"json"``: an object: {query: {document: number}}
        * ``"rank-eval"``: a request to Elasticsearch's rank-eval API
        * ``"workbench"``: judgments of OpenSearch's Search Relevance Workbench
        * ``"quepid"``: ratings of Quepid, as CSV or JSON
        * ``"rre"``: ratings of Rated Ranking Evaluator
        * ``"subtopics"``: each line has: query subtopic document grade (for diversity measures)
        * ``"stratified"``: each line has: query 0 document stratum grade (for the measures xinfAP and infNDCG)
        * ``"prels"``: each line has: query document grade method probability (for the measure statAP)
        * ``"groups"``: each line has a query and its groups of documents, best group first, such as: q1 d1 d2 | d3
        * ``"mirex"``: each line has: source query document group
        * ``"preferences"``: each line has: query document document (the first document is preferred to the second)
        * ``"probabilities"``: a table with the probability of relevance, with that of each grade (columns p0, p1, ...),
          or with grades by several raters
    columns : dict, optional
        The names of a table's columns, if they are unusual: ``{"query": "q", "document": "d", "score": "s"}``.

        Write ``"grade"`` instead of ``"score"``.
    grades : dict, optional
        If a table has words instead of grades, the grade of each word: ``{"Exact": 2, "Partial": 1, "Irrelevant": 0}``.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

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
    layout = by_suffix(name) if format in _BY_SUFFIX else format
    holds = format if format in DETAILED else "trec"
    check_columns(columns, layout, name)
    if format == "probabilities":
        if grades is not None:
            raise UntiedError(f"{show_id(name)}: grades are for labels, not for probabilities of grades")
        return QRELS_READERS[format](name, threads, columns, holds)
    if grades is not None or is_numbered(columns, layout):
        return _of_rows(name, layout, holds, columns, grades, threads)
    try:
        if layout in QRELS_READERS:
            return QRELS_READERS[layout](name, threads, columns, holds)
        return Qrels.read(name, threads, holds, layout, columns)
    except UntiedError:
        if holds != "subtopics" or layout not in ("parquet", "jsonl") or not os.path.isfile(name):
            raise
        from untied.inputs.facts import qrels_of_facts

        qrels = qrels_of_facts(name, layout, columns, threads, name)
        if qrels is None:
            raise
        return qrels


def read_labels(
    path: str,
    *,
    format: str,
    columns: Mapping[str, str] | None,
    grades: Mapping[str, float] | None,
    threads: int | None,
) -> Qrels:
    """Return a machine's judgments. A table may lack labels, as `untied.inputs.rows.qrels_with_failures` says."""
    try:
        return read_qrels(path, format=format, columns=columns, grades=grades, threads=threads)
    except UntiedError:
        layout = by_suffix(path) if format == "auto" else format  # tables of probabilities lack no label
        if layout not in NAMED or is_numbered(columns, layout) or not os.path.isfile(path):
            raise
        from untied.inputs.rows import qrels_with_failures

        qrels = qrels_with_failures(path, layout, columns, grades, threads)
        if qrels is None:
            raise
        return qrels


def _of_rows(
    path: str,
    format: str,
    holds: str,
    columns: Mapping[str, str] | None,
    grades: Mapping[str, float] | None,
    threads: int | None,
) -> Qrels:
    """Return the qrels in a table that Python reads."""
    from untied.inputs.rows import labelled_qrels, numbered_qrels

    if format not in NAMED or holds in DETAILED:
        formats = either(NAMED)
        raise UntiedError(f"{show_id(path)}: grades are for files of format {formats}, not {max(format, holds)}")
    if grades is None:
        return numbered_qrels(path, format, columns or {}, threads)
    if is_numbered(columns, format):
        raise UntiedError(f"{show_id(path)}: rows without ids of queries cannot have labels as grades")
    return labelled_qrels(path, format, columns, grades, threads)


def _parquet_qrels(path: str, threads: int | None, columns: Mapping[str, str] | None, holds: str) -> Qrels:
    return Qrels.from_arrow(parquet_batches(path, holds, columns), threads, holds, columns, path)


def _json_qrels(path: str, threads: int | None, _: object, holds: str) -> Qrels:
    def make(content: Any) -> Qrels:
        if holds == "subtopics":
            from untied.inputs.facts import by_fact

            content = by_fact(content)
        return check_holds(Qrels.from_mapping(content, threads, holds), holds)

    return _of_json(path, QRELS_SHAPES[holds], make)


def _rank_eval_qrels(path: str, threads: int | None, _: object, __: str) -> Qrels:
    expected = "the body of a rank-eval request"
    return _of_json(path, expected, lambda content: Qrels.from_rows(judged(content), threads))


def _workbench_qrels(path: str, threads: int | None, _: object, __: str) -> Qrels:
    from untied.inputs.workbenches import WORKBENCH_JUDGMENTS, workbench_judgments

    return _of_json(
        path, WORKBENCH_JUDGMENTS, lambda content: Qrels.from_mapping(workbench_judgments(content), threads)
    )


def _quepid_qrels(path: str, threads: int | None, _: object, __: str) -> Qrels:
    from untied.inputs.workbenches import QUEPID_RATINGS, quepid_csv_ratings, quepid_ratings

    if by_suffix(path) == "json":
        return _of_json(path, QUEPID_RATINGS, lambda content: Qrels.from_mapping(quepid_ratings(content), threads))
    return Qrels.from_mapping(quepid_csv_ratings(path, _text(path, "CSV")), threads)


def _rre_qrels(path: str, threads: int | None, _: object, __: str) -> Qrels:
    from untied.inputs.workbenches import RRE_RATINGS, rre_ratings

    return _of_json(path, RRE_RATINGS, lambda content: Qrels.from_mapping(rre_ratings(content), threads))


def _groups_qrels(path: str, threads: int | None, _: object, __: str) -> Qrels:
    from untied.inputs.truth import read_groups

    return Qrels.from_mapping(read_groups(path), threads)


def _mirex_qrels(path: str, threads: int | None, _: object, __: str) -> Qrels:
    from untied.inputs.truth import read_mirex

    return Qrels.from_mapping(read_mirex(path), threads)


def _preferences_qrels(path: str, threads: int | None, _: object, __: str) -> Qrels:
    from untied.inputs.truth import qrels_of_preferences, read_preferences

    return qrels_of_preferences(read_preferences(path), threads)


def _probabilities_qrels(path: str, threads: int | None, columns: Mapping[str, str] | None, _: str) -> Qrels:
    from untied.inputs.probabilities import qrels_of_table
    from untied.inputs.rows import table_rows

    layout = by_suffix(path)
    if layout not in NAMED:
        raise UntiedError(
            f"{show_id(path)}: probabilities of grades are read from tables ({either(NAMED)}), not from a file of "
            f"format {layout}"
        )
    names, rows = table_rows(path, layout)
    return qrels_of_table(names, rows, columns, threads, path)


#: How qrels are read whose format the core leaves to Python.
QRELS_READERS: dict[str, Callable[[str, int | None, Mapping[str, str] | None, str], Qrels]] = {
    "parquet": _parquet_qrels,
    "json": _json_qrels,
    "rank-eval": _rank_eval_qrels,
    "workbench": _workbench_qrels,
    "quepid": _quepid_qrels,
    "rre": _rre_qrels,
    "groups": _groups_qrels,
    "preferences": _preferences_qrels,
    "probabilities": _probabilities_qrels,
    "mirex": _mirex_qrels,
}


def _of_json(path: str, expected: str, make: Callable[[Any], Held]) -> Held:
    """Convert the content of a JSON file; errors name the file."""
    content = json_object(path)
    try:
        held = make(content)
    except (UntiedError, TypeError) as error:
        raise InputError(f"{show_id(path)}: {error}", path, None, expected, str(error)) from None
    if not any(held[query] for query in held.queries()):
        raise _refused(path, None, expected, "no document")
    return held


def json_object(path: str) -> dict[str, Any]:
    """Return the object in a JSON file. A name that occurs twice is an error."""
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

    text = _text(path, "JSON")
    try:
        content = json.loads(text, object_pairs_hook=members, parse_float=number_of)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(content, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise _refused(path, error.lineno, "JSON", f"column {error.colno}: {error.msg}") from None
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


def _text(path: str, what: str) -> str:
    """The text of a file."""
    try:
        return str(read_bytes(path, lines=False), "utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise _refused(path, line, f"{what} in UTF-8", f"the byte 0x{error.object[error.start]:02x}") from None


def _refused(path: str, line: int | None, expected: str, found: str) -> InputError:
    place = show_id(path) if line is None else f"{show_id(path)}, line {line}"
    return InputError(f"{place}: expected {expected}, found {found}", path, line, expected, found)


def judged(request: Any) -> Iterable[tuple[str, str, float]]:
    """Return the judgments of a rank-eval request as (query, document, grade). They are in ``requests[].ratings[]``."""
    if not isinstance(request, dict) or not isinstance(request.get("requests"), list):
        raise UntiedError('qrels: expected the body of a rank-eval request, an object with a list "requests"')
    numbers = _numbers()
    for asked in request["requests"]:
        ratings = _member("qrels: a request", asked, "ratings", list)
        query = _member("qrels: a request", asked, "id", str) if ratings else ""
        where = f"qrels: a rating of request {_short(query)}"
        for rating in ratings:
            yield query, _member(where, rating, "_id", str), _member(where, rating, "rating", numbers)


def retrieved(response: Any, tolerance: Tolerance) -> dict[str, Any]:
    """Return the rankings of a rank-eval response, ``{query: {document: score}}``, from ``details.*.hits[].hit``."""
    if not isinstance(response, dict) or not isinstance(response.get("details"), dict):
        raise UntiedError('run: expected the response to a rank-eval request, an object with an object "details"')
    failures = response.get("failures")
    failed = failures if isinstance(failures, dict) else {}
    if failures and not (failed and all(map(tolerance.leaves_out, failed))):
        raise UntiedError(f"run: requests failed: {', '.join(map(_short, islice(failed or [failures], 20)))}")
    numbers = _numbers()
    rankings = {}
    for query, details in response["details"].items():
        where = f"run: a hit of request {_short(query)}"
        hits = [
            _member(where, entry, "hit", dict)
            for entry in _member(f"run: request {_short(query)}", details, "hits", list)
        ]
        try:
            rankings[query] = tolerance.kept(
                (_member(where, hit, "_id", str), _member(where, hit, "_score", numbers)) for hit in hits
            )
        except Repeated as repeated:
            document = show_id(repeated.args[0])
            expected = "every document once in a query"
            raise UntiedError(f"run: request {_short(query)}: expected {expected}, found {document} again") from None
    return {query: ranking for query, ranking in rankings.items() if query not in failed}


def _member(where: str, holder: Any, name: str, kind: type | tuple[type, ...]) -> Any:
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, kind):
        raise UntiedError(f'{where}: expected "{name}", found {"none" if value is None else _short(value)}')
    return value


def _numbers() -> tuple[type, ...]:
    from decimal import Decimal

    return int, float, Decimal


def _short(value: object) -> str:
    """Return a value for a message. It is shortened if it is long or deep."""
    return _REPR.repr(value)


_REPR = Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 80
