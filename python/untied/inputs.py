"""Runs and qrels from whatever holds them."""

from __future__ import annotations

import os
from functools import partial

from untied._core import Lengths, Qrels, Run
from untied.errors import UntiedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Protocol, TypeAlias, TypeGuard

    class ArrowTable(Protocol):
        """A frame: of pandas, polars, pyarrow, DuckDB, or any other library that speaks Arrow."""

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            """Its rows, as Arrow's C stream interface has them."""

    OneRun: TypeAlias = Run | str | os.PathLike[str] | Mapping[Any, Any] | ArrowTable
    Runs: TypeAlias = OneRun | Iterable[OneRun] | Mapping[str, OneRun]
    DocsLike: TypeAlias = Lengths | str | os.PathLike[str] | Mapping[Any, Any]
    QrelsLike: TypeAlias = Qrels | str | os.PathLike[str] | Mapping[Any, Any] | ArrowTable


#: Formats of files of qrels.
FORMATS = ("trec", "subtopics", "stratified", "prels", "groups", "mirex")
#: What a dict of qrels looks like that has more than grades.
_SHAPES = {
    "subtopics": "{query: {subtopic: {document: grade}}}",
    "stratified": "{query: {document: (stratum, grade)}}",
    "prels": "{query: {document: (grade, probability)}}",
}


def read_run(path: str | os.PathLike[str], *, threads: int | None = None) -> Run:
    """Read a TREC run: ``query Q0 document rank score tag``, one retrieved document a line.

    Columns are separated by blanks or tabs; blank lines and lines that begin with ``#`` are passed over. The lines
    of a query may stand anywhere, in any order. Rank and tag are not used: documents are ranked by score.

    Parameters
    ----------
    path : str or path-like
        Plain text or an archive of it by gzip, zstd or xz (recognised by content); ``"-"`` is standard input.
    threads : int, optional
        Number of threads; as many as there are processors by default.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        A line is malformed, a score is not a finite number, a document stands twice in a query, the file is empty
        or an archive is damaged.
    OSError
        The file cannot be read.
    """
    return Run.read(path, threads)


def read_qrels(path: str | os.PathLike[str], *, format: str = "trec", threads: int | None = None) -> Qrels:
    """Read TREC qrels: ``query iteration document grade``, one judged document a line.

    A grade is any finite number. Negative ones mean *pooled but not judged*: such documents are not relevant, and
    not non-relevant either.

    Parameters
    ----------
    path : str or path-like
        As for `read_run`.
    format : str
        ``"trec"``, or ``"subtopics"`` for TREC's diversity qrels: ``query subtopic document grade``. A document then
        has a grade for each subtopic, for measures such as ``alpha_nDCG``, and for all others the highest of them.
        ``"stratified"`` for a pool that was sampled by stratum, which ``xinfAP`` and ``infNDCG`` need: ``query 0
        document stratum grade``. ``"prels"`` for inclusion probabilities, which ``statAP`` needs: ``query document
        grade method probability``.
        Partly ordered truth: ``"groups"``, one query a line, groups best first: ``query document document | document``;
        ``"mirex"``: ``source query document group``, group 1 being the best. Grades count down to 1 for the last group.
    threads : int, optional
        As for `read_run`.

    Returns
    -------
    Qrels

    Raises
    ------
    InputError
        A line is malformed, a grade is not a finite number, a document is judged twice with different grades, the
        file is empty or an archive is damaged.
    OSError
        The file cannot be read.
    """
    return Qrels.read(path, threads, format)


def as_qrels(
    qrels: QrelsLike, threads: int | None = None, format: str = "trec", columns: Mapping[str, str] | None = None
) -> Qrels:
    """Qrels from a path, a frame, or one of the dicts that `Evaluator` takes."""
    if isinstance(qrels, (str, os.PathLike)):
        return read_qrels(qrels, format=format, threads=threads)
    if format not in FORMATS:
        raise UntiedError(f"qrels format must be {', '.join(FORMATS[:-1])} or {FORMATS[-1]}, not {format!r}")
    if is_table(qrels):
        return Qrels.from_arrow(qrels, threads, format, columns)
    if not isinstance(qrels, Qrels):
        qrels = Qrels.from_mapping(_plain(qrels), threads, format)
    if format in _SHAPES and format != qrels.format:
        raise UntiedError(f"the qrels have format {qrels.format!r}, not {format!r}: {_SHAPES[format]} was expected")
    return qrels


def as_lengths(docs: DocsLike | None, threads: int | None = None) -> Lengths | None:
    """Lengths of documents from a path, ``{document: length}``, or ``{document: (length, seconds)}``."""
    if docs is None or isinstance(docs, Lengths):
        return docs
    if isinstance(docs, (str, os.PathLike)):
        return Lengths.read(docs, threads)
    return Lengths.from_mapping(docs)


def named_runs(runs: Runs, threads: int | None = None) -> list[tuple[str, Callable[[], Run]]]:
    """Names of one or several runs, each with a function that loads it, so that one is in memory at a time."""
    sources: Any = [runs] if _is_one(runs) else runs
    if hasattr(sources, "items"):
        named = [(str(name), run) for name, run in sources.items()]
    else:
        sources = list(sources)
        named = list(zip(_names(sources), sources, strict=True))
    if not named:
        raise UntiedError("no run given")
    seen: set[str] = set()
    for name, _ in named:
        if name in seen:
            raise UntiedError(f"run {name!r} is given twice")
        seen.add(name)
    return [(name, partial(as_run, run, threads)) for name, run in named]


def as_run(run: OneRun, threads: int | None = None, columns: Mapping[str, str] | None = None) -> Run:
    """A run from a path, a frame, a dict or a ranked list."""
    if isinstance(run, Run):
        return run
    if isinstance(run, (str, os.PathLike)):
        return Run.read(run, threads)
    if is_table(run):
        return Run.from_arrow(run, threads, columns)
    return Run.from_mapping(_plain(run), threads)


def is_table(source: object) -> TypeGuard[ArrowTable]:
    """Whether this is a frame."""
    return hasattr(source, "__arrow_c_stream__")


def _plain(judged_or_retrieved: Any) -> Any:
    """The dict of dicts that an object of another library (ranx's Run and Qrels) says it stands for."""
    to_dict = getattr(judged_or_retrieved, "to_dict", None)
    return to_dict() if callable(to_dict) else judged_or_retrieved


def _is_one(runs: Any) -> bool:
    """Whether this is a single run rather than several.

    ``{query: {document: score}}`` and ``{query: [document, ...]}`` are single runs; ``{name: run}`` is not.
    """
    if isinstance(runs, (Run, str, os.PathLike)) or is_table(runs) or hasattr(runs, "to_dict"):
        return True
    if not callable(getattr(runs, "values", None)):
        return False
    first: Any = next(iter(runs.values()), {})
    if isinstance(first, (Run, str, os.PathLike)) or is_table(first):
        return False
    if hasattr(first, "values"):
        document = next(iter(first.values()), 0.0)
        return not (hasattr(document, "values") or isinstance(document, (list, tuple)))
    return True


def _names(sources: list[Any]) -> list[str]:
    """The stems of files, or their paths where two stems are equal; for others their ``name``, or numbers."""
    paths = [os.fspath(source) if isinstance(source, (str, os.PathLike)) else None for source in sources]
    stems = [None if path is None else _stem(path) for path in paths]
    names = []
    for number, (path, stem) in enumerate(zip(paths, stems, strict=True), 1):
        if path is None or stem is None:
            name = getattr(sources[number - 1], "name", None)
            names.append(name if isinstance(name, str) and name else "run" if len(sources) == 1 else f"run{number}")
        else:
            names.append(stem if stems.count(stem) == 1 else path)
    return names


def _stem(path: str) -> str:
    """The file's name without directory, compression suffix and one more suffix."""
    if path == "-":
        return "stdin"
    name = os.path.basename(path)
    for packed in (".gz", ".zst", ".xz"):
        name = name.removesuffix(packed)
    return os.path.splitext(name)[0] or name
