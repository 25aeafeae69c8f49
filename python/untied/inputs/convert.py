"""Read runs and qrels from files, frames, dicts and lists."""

from __future__ import annotations

import os

from untied._core import Lengths, Qrels, Run, register
from untied.errors import UntiedError, check_one_of
from untied.inputs import files
from untied.inputs.folders import runs_of
from untied.inputs.names import names_of
from untied.inputs.tolerance import DUPLICATES, NotTolerated, Repeated, Tolerance, ranked_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
    from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar

    Held = TypeVar("Held", bound=Sized)

    class ArrowTable(Protocol):
        """A frame of pandas, polars, pyarrow, DuckDB, or any other library with Arrow's interface."""

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            """Its rows through Arrow's C stream interface."""

    Rows: TypeAlias = Iterable[tuple[Any, ...]]
    OneRun: TypeAlias = Run | str | os.PathLike[str] | Mapping[Any, Any] | ArrowTable | Rows
    Runs: TypeAlias = OneRun | Iterable[OneRun] | Mapping[str, OneRun]
    DocsLike: TypeAlias = Lengths | str | os.PathLike[str] | Mapping[Any, Any]
    QrelsLike: TypeAlias = Qrels | str | os.PathLike[str] | Mapping[Any, Any] | ArrowTable | Rows


def as_qrels(
    qrels: QrelsLike,
    threads: int | None = None,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    grades: Mapping[str, float] | None = None,
) -> Qrels:
    """Return qrels from a path, a frame, rows, or a dict as `Evaluator` takes it. Only paths use `grades`."""
    if isinstance(qrels, (str, os.PathLike)):
        return files.read_qrels(qrels, format=format, columns=columns, grades=grades, threads=threads)
    check_one_of("qrels format", format, files.QRELS_FORMATS)
    if format == "preferences" and not isinstance(qrels, Qrels):
        return _of_preferences(qrels, threads)
    if format == "probabilities" and not isinstance(qrels, Qrels):
        return _of_probabilities(qrels, threads, columns)
    if is_table(qrels):
        from functools import partial

        holds = "trec" if format in files.PLAIN else format
        try:
            made = _of_table(
                partial(Qrels.from_arrow, format=holds), partial(Qrels.from_rows, format=holds), qrels, threads, columns
            )
        except UntiedError:
            facts = _facts(qrels, threads, columns) if holds == "subtopics" else None
            if facts is None:
                raise
            return facts
        return read_once(made, qrels, "qrels")
    if not isinstance(qrels, Qrels):
        plain: Any = _plain(qrels, "qrels")
        if format == "rank-eval":
            plain, format = files.judged(plain), "auto"
        if hasattr(plain, "keys"):
            files.check_columns(columns, "a dict", "qrels")
            if format == "subtopics":
                from untied.inputs.facts import by_fact

                plain = by_fact(plain)
            qrels = Qrels.from_mapping(plain, threads, format)
        else:
            qrels = read_once(Qrels.from_rows(plain, threads, format, columns), plain, "qrels")
    return files.check_holds(qrels, format)


def as_labels(machine: QrelsLike, threads: int | None = None, format: str = "auto") -> Qrels:
    """Return a machine's judgments as `as_qrels` does. A file that is a table may lack labels where it failed."""
    if isinstance(machine, (str, os.PathLike)):
        return files.read_labels(os.fspath(machine), format=format, columns=None, grades=None, threads=threads)
    return as_qrels(machine, threads, format)


def as_both(
    human: QrelsLike, machine: QrelsLike, threads: int | None = None, format: str = "auto"
) -> tuple[Qrels, Qrels]:
    """Return the judgments of people and of a machine.

    People give labels, so only the machine's hold probabilities, and only of people's judgments there are samples.
    """
    of_people = "auto" if format == "probabilities" else format
    of_machine = "auto" if format in ("stratified", "prels") else format
    return as_qrels(human, threads, of_people), as_labels(machine, threads, of_machine)


def _facts(qrels: Any, threads: int | None, columns: Mapping[str, str] | None) -> Qrels | None:
    """The judgments in a frame with lists of lists; none if it is another frame, or one that is read only once."""
    from untied.inputs.facts import qrels_of_facts
    from untied.inputs.rows import is_frame

    return qrels_of_facts(qrels, "", columns, threads, "qrels") if is_frame(qrels) else None


def _of_preferences(qrels: Any, threads: int | None) -> Qrels:
    from untied.inputs.truth import qrels_of_preferences

    if not hasattr(qrels, "items") or is_table(qrels):
        expected = f"a path or {files.QRELS_SHAPES['preferences']}"
        raise TypeError(f"qrels: expected {expected} in format 'preferences', not {type(qrels).__name__}")
    return qrels_of_preferences(qrels, threads)


def _of_probabilities(qrels: Any, threads: int | None, columns: Mapping[str, str] | None) -> Qrels:
    from untied.inputs.probabilities import qrels_of_probabilities, qrels_of_table

    if is_table(qrels):
        from untied.inputs.rows import lasting, records

        table: Any = qrels
        rows = records(lasting(table.collect() if is_lazy(table) else table))
        return qrels_of_table(list(rows[0]) if rows else [], enumerate(rows), columns, threads)
    plain: Any = _plain(qrels, "qrels")
    if not hasattr(plain, "items"):
        expected = f"a path, a frame or {files.QRELS_SHAPES['probabilities']}"
        raise TypeError(f"qrels: expected {expected} in format 'probabilities', not {type(qrels).__name__}")
    files.check_columns(columns, "a dict", "qrels")
    return qrels_of_probabilities(plain, threads)


def as_lengths(docs: DocsLike | None, threads: int | None = None) -> Lengths | None:
    """Return lengths of documents from a path, ``{document: length}``, or ``{document: (length, seconds)}``."""
    if docs is None or isinstance(docs, Lengths):
        return docs
    if isinstance(docs, (str, os.PathLike)):
        return Lengths.read(docs, threads)
    return Lengths.from_mapping(docs, threads)


def named_runs(
    runs: Runs, threads: int | None = None, qrels: object = None
) -> list[tuple[str, Callable[[], Run]]]:  # fmt: skip
    """Return one or several runs by name. Each is a function that loads the run, so that one is in memory at a time."""
    from functools import partial

    return [(name, partial(as_run, run, threads)) for name, run in named_sources(runs, qrels)]


def loaded_runs(runs: Runs, threads: int | None = None, qrels: object = None) -> dict[str, Run]:
    """Load one or several runs, and return them by name."""
    return {name: load() for name, load in named_runs(runs, threads, qrels)}


def two_or_more(runs: Runs, what: str, threads: int | None = None, qrels: object = None) -> dict[str, Run]:
    """Do as `loaded_runs` does, but raise an error if there is only one run. The error says that `what` needs two."""
    named = named_runs(runs, threads, qrels)
    if len(named) < 2:
        raise UntiedError(f"there is only one run; {what} needs two")
    return {name: load() for name, load in named}


def named_sources(runs: Runs, qrels: object = None) -> list[tuple[str, OneRun]]:
    """Return the source of each of one or several runs, by name. In a folder, the file of the qrels is no run."""
    _refuse_others(runs, "runs")
    held: Any = runs
    if hasattr(held, "__next__") and not is_table(held):
        held = list(held)  # an iterator, of runs or of rows of one, could be looked at only once
    sources = [held] if _is_one(held) else held
    if hasattr(sources, "items"):
        named = [(str(name), run) for name, run in sources.items()]
    else:
        sources = [run for source in sources for run in runs_of(source, qrels)]
        named = list(zip(names_of(sources), sources, strict=True))
    if not named:
        raise UntiedError("no run given")
    seen: set[str] = set()
    for name, _ in named:
        if any("\ud800" <= character <= "\udfff" for character in name):
            raise UntiedError(f"a run's name must be valid text, not {name!r} (half of a surrogate pair)")
        if name in seen:
            raise UntiedError(f"run {name!r} is given twice")
        seen.add(name)
    return named


def as_run(
    run: OneRun,
    threads: int | None = None,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    duplicates: str = "error",
) -> Run:
    """Return a run from a path, a frame, rows, a dict or a ranked list."""
    if isinstance(run, (str, os.PathLike)):
        return files.read_run(run, format=format, columns=columns, duplicates=duplicates, threads=threads)
    check_one_of("run format", format, files.RUN_FORMATS)
    if format not in ("auto", "rank-eval"):
        raise UntiedError(f"run format {format!r} is for files, not for a {type(run).__name__}")
    check_one_of("duplicates", duplicates, DUPLICATES)
    if isinstance(run, Run):
        return run
    tolerance = Tolerance(duplicates)
    try:
        made = _run_in_memory(run, threads, format, columns, tolerance)
    except NotTolerated as error:
        raise UntiedError(f"run: {error}") from None
    tolerance.note("the run")
    return made.with_duplicates(tolerance.repeats) if tolerance.repeats else made


def _run_in_memory(
    run: Any, threads: int | None, format: str, columns: Mapping[str, str] | None, tolerance: Tolerance
) -> Run:
    from functools import partial

    if is_table(run):
        read = partial(_of_table, Run.from_arrow, Run.from_rows, threads=threads, columns=columns)
        return read_once(_with_repeats(read, run, threads, columns, tolerance), run, "run")
    plain: Any = _plain(run, "run")
    if format == "rank-eval":
        plain = files.retrieved(plain, tolerance)
    if hasattr(plain, "keys"):
        files.check_columns(columns, "a dict", "run")
        return Run.from_mapping(_with_ids(plain, tolerance), threads)
    read = partial(Run.from_rows, threads=threads, columns=columns)
    return read_once(_with_repeats(read, plain, threads, columns, tolerance), plain, "run")


def _with_repeats(
    read: Callable[[Any], Run],
    source: Any,
    threads: int | None,
    columns: Mapping[str, str] | None,
    tolerance: Tolerance,
) -> Run:
    """A run of rows, read by the core, and a second time by Python if a document is repeated and that is tolerated."""
    if tolerance.duplicates == "error":
        return read(source)
    from untied.inputs import rows

    source = rows.lasting(source.collect() if is_lazy(source) else source)
    try:
        return read(source)
    except UntiedError as error:
        if not tolerance.tolerates(error):
            raise
    return rows.run_of_records(source, columns, threads, tolerance)


def read_once(held: Held, source: Any, name: str) -> Held:
    """Return what was read from a source. Raise an error if it is an iterator or a reader that was used before."""
    says_so = hasattr(source, "__len__") and len(source) == 0  # as a table or a list can
    if not len(held) and not says_so:
        raise UntiedError(f"{name}: this {type(source).__name__} gave no rows; was it read before?")
    return held


def _of_table(
    from_arrow: Callable[..., Held],
    from_rows: Callable[..., Held],
    table: Any,
    threads: int | None,
    columns: Mapping[str, str] | None,
) -> Held:
    """Read a frame through Arrow. Without pyarrow, a frame of pandas is read column by column."""
    if is_lazy(table):
        table = table.collect()
    try:
        return from_arrow(table, threads, columns=columns)
    except ImportError:
        names = [str(name) for name in table.columns]
        rows = list(zip(*(table.iloc[:, number].tolist() for number in range(len(names))), strict=True))
        return from_rows(rows, threads, columns=columns, names=names)


def is_table(source: object) -> TypeGuard[ArrowTable]:
    """Whether this is a frame."""
    return hasattr(source, "__arrow_c_stream__") or is_lazy(source)


def is_lazy(source: object) -> bool:
    """Whether this is a polars LazyFrame, which must be collected first."""
    kind = type(source)
    return kind.__name__ == "LazyFrame" and kind.__module__.partition(".")[0] == "polars"


def are_rows(source: Any) -> bool:
    """Whether this is a list of rows (query, document, number) or of named tuples rather than a ranked list."""
    return isinstance(source, (list, tuple)) and len(source) > 0 and isinstance(source[0], tuple) and len(source[0]) > 2


def _plain(judged_or_retrieved: Any, name: str) -> Any:
    """The dict of dicts inside an object of another library (ranx's Run and Qrels)."""
    _refuse_others(judged_or_retrieved, name)
    to_dict = getattr(judged_or_retrieved, "to_dict", None)
    return to_dict() if callable(to_dict) else judged_or_retrieved


def _with_ids(run: Mapping[Any, Any], tolerance: Tolerance) -> Mapping[Any, Any]:
    """Return a run in which objects for documents, such as Haystack's, are replaced by their ids and scores.

    If duplicates are tolerated, lists lose theirs.
    """
    have_objects = any(isinstance(documents, (list, tuple)) and _are_objects(documents) for documents in run.values())
    if tolerance.duplicates == "error" and not have_objects:
        return run
    return {query: _ranking(query, documents, tolerance) for query, documents in run.items()}


def _ranking(query: Any, documents: Any, tolerance: Tolerance) -> Any:
    """Return the documents of a query in the form that the core takes."""
    if isinstance(documents, (list, tuple)) and _are_objects(documents):
        documents = _scored(query, documents, tolerance)
    return documents if tolerance.duplicates == "error" else ranked_once(documents, tolerance)


def _are_objects(documents: Sequence[Any]) -> bool:
    """Whether documents are objects that have an id."""
    return len(documents) > 0 and hasattr(documents[0], "id")


def _scored(query: Any, documents: Sequence[Any], tolerance: Tolerance) -> dict[Any, Any] | list[Any]:
    """Return the scores of documents by id. If the documents have no scores, return their ids in the given order."""
    for position, document in enumerate(documents):
        if not hasattr(document, "id"):
            raise TypeError(f"run: query {query!r}: object {position} has no id, unlike the first: {document!r:.60}")
    ids = [document.id for document in documents]
    scores: list[Any] = [getattr(document, "score", None) for document in documents]
    if all(score is None for score in scores):
        return ids
    if None in scores:
        without = ids[scores.index(None)]
        raise UntiedError(f"run: query {query!r}: document {without!r} has no score, but others have one")
    try:
        return tolerance.kept(zip(ids, scores, strict=True))
    except Repeated as repeated:
        raise UntiedError(f"run: query {query!r}: document {repeated.args[0]!r} is retrieved twice") from None


#: What inputs have, at least one of them.
READABLE = ("__iter__", "__getitem__", "__fspath__", "__arrow_c_stream__", "to_dict", "collect")


def _refuse_others(source: Any, name: str) -> None:
    """Raise an error for what cannot be read: open files, and arrays of numbers, which have no ids."""
    kind = type(source).__name__
    if hasattr(source, "readline"):
        raise UntiedError(f"{name}: give the path of a file, not an open {kind}")
    is_array = hasattr(source, "__dlpack__") or hasattr(source, "__array_interface__")
    if is_array and getattr(getattr(source, "dtype", None), "kind", "f") in "biuf":
        raise UntiedError(
            f"{name}: an array of numbers has no ids of queries and documents; untied.evaluate_arrays(scores, labels) "
            "and untied.ArrayEvaluator evaluate arrays"
        )
    if hasattr(source, "id") and hasattr(source, "score"):
        raise TypeError(f"{name}: a list of {kind}s has no query; pass {{query: [document, ...]}}")
    if not any(hasattr(source, method) for method in READABLE):
        raise TypeError(f"{name}: expected a path, a frame, a dict or rows, not {kind}")


def _is_one(runs: Any) -> bool:
    """Whether this is a single run rather than several.

    ``{query: {document: score}}``, ``{query: [document, ...]}`` and ``[(query, document, score), ...]`` are single
    runs; ``{name: run}`` is not.
    """
    if isinstance(runs, (Run, str, os.PathLike)) or is_table(runs) or hasattr(runs, "to_dict"):
        return True
    if not callable(getattr(runs, "values", None)):
        return are_rows(runs)
    first: Any = next(iter(runs.values()), {})
    if isinstance(first, (Run, str, os.PathLike)) or is_table(first) or hasattr(first, "__next__"):
        return False
    if isinstance(first, (list, tuple)):
        return not are_rows(first)
    if hasattr(first, "values"):
        document = next(iter(first.values()), 0.0)
        return not (hasattr(document, "values") or isinstance(document, (list, tuple)))
    return True


# What the constructors of both do.
register("as_run", as_run)
register("as_qrels", as_qrels)
