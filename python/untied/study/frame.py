"""What all studies have in common: parts that are computed one by one and kept, then tables, plots and a summary.

A study is a class in a file of its own. It says what its parts are, computes the rows of one part, and makes tables,
figures and text from all rows. `conduct` does the rest. Equal inputs and settings give equal files, to the last byte,
whatever the number of threads and however often the work was interrupted.
"""

from __future__ import annotations

import os
import shlex

from untied._core import __version__, show_id
from untied.errors import UntiedError
from untied.inputs import overlap
from untied.progress import steps
from untied.results.table import Table
from untied.results.writing import check_target, write_file
from untied.study.inputs import Inputs
from untied.study.kept import Kept, parts_path
from untied.study.notes import of_queries
from untied.study.rows import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar, TypeAlias

    from untied.study.rows import Part, Row

    #: Draws into a matplotlib figure.
    Draw: TypeAlias = Callable[[Any], object]

#: What ``plots`` may be, and the files that it makes.
PLOTS = {"svg": ("svg",), "png": ("png",), "both": ("svg", "png"), "none": ()}
#: Values that agree to so many decimals are equal but for rounding.
DIGITS = 12
#: Seeds of studies are that far apart, so that no two of them share a sample.
SEEDS = 1_000_000


#: The heading of a summary's list of tables.
TABLES = "## Tables"


class Figure:
    """A plot.

    Parameters
    ----------
    name : str
        Of its file, without the study's name and the suffix.
    caption : str
        What it shows, for the summary.
    size : (float, float)
        Width and height in inches.
    draw : callable
        Draws into a `matplotlib.figure.Figure`.
    """

    def __init__(self, name: str, caption: str, size: tuple[float, float], draw: Draw) -> None:
        self.name = name
        self.caption = caption
        self.size = size
        self.draw = draw


class Study:
    """What a study has to say about itself; one subclass a study.

    Parameters
    ----------
    inputs : Inputs
        Judgments and runs.
    settings : dict
        All options that values depend on, as JSON has them: named and ordered as on the command line, where ``"names"``
        with a list of texts is ``--name`` given several times, and a list of numbers is one argument with commas.
    """

    #: Its name on the command line and in `untied.study`.
    name: ClassVar[str]
    #: What it does, in one line.
    title: ClassVar[str]
    #: Whether anything in it is random, and so depends on a seed.
    seeded: ClassVar[bool] = True
    #: What the columns of its tables hold.
    columns: ClassVar[Mapping[str, str]]

    def __init__(self, inputs: Inputs, settings: dict[str, Any]) -> None:
        self.inputs = inputs
        self.settings = settings

    @staticmethod
    def add_options(add: Callable[..., argparse.Action]) -> None:
        """Add its own options to the command line; each is an argument of the function of the same name."""
        raise NotImplementedError

    def apart(self) -> list[dict[str, str | None]]:
        """What is wrong with runs that have nothing in common with the judgments, by run; None where nothing is."""
        qrels, threads = self.inputs.qrels, self.inputs.threads
        return [{name: overlap.of_inputs(qrels, run, threads) for name, run in self.inputs.runs.items()}]

    def notes(self) -> list[str]:
        """What is unusual about the inputs, and what becomes of it."""
        return of_queries(self.inputs)

    def parts(self) -> Sequence[Part]:
        """Parts that are computed one after the other, each of which takes seconds."""
        raise NotImplementedError

    def compute(self, *part: Any) -> list[Row]:
        """Rows of one part; they depend on the part, the inputs and the settings, and on nothing else."""
        raise NotImplementedError

    def tables(self, found: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Tables made from the rows of all parts, by name; the first has the study's name."""
        raise NotImplementedError

    def figures(self, tables: Mapping[str, Table]) -> list[Figure]:
        """Plots of the tables."""
        raise NotImplementedError

    def summary(self, tables: Mapping[str, Table], show: Callable[[str], str]) -> str:
        """The findings in Markdown; `show` puts a figure there, by its name (nothing, where none is drawn)."""
        raise NotImplementedError


class Result:
    """What a study found.

    Attributes
    ----------
    name : str
        The study's.
    directory : str
        Where its files are.
    tables : {name: Table}
        Its tables; the first one has the study's name.
    summary : str
        The text of ``summary.md``.
    files : list of str
        Names of the files that were written.
    notes : list of str
        What is unusual about the inputs, and what became of it.
    computed, kept : int
        How many parts were computed, and how many were there from before.
    """

    def __init__(
        self,
        name: str,
        directory: str,
        tables: dict[str, Table],
        summary: str,
        files: list[str],
        notes: list[str],
        computed: int,
        kept: int,
    ) -> None:
        self.name = name
        self.directory = directory
        self.tables = tables
        self.summary = summary
        self.files = files
        self.notes = notes
        self.computed = computed
        self.kept = kept

    def add(self, name: str, table: Table, text: str) -> None:
        """Write one more table, of what is not the same every time: how long something took; and a text about it.

        The text goes into the summary, before its list of tables.
        """
        self.tables[name] = table
        self.summary = self.summary.replace(TABLES, f"{text.strip()}\n\n{TABLES}", 1)
        write_file(self.summary.encode("utf-8", "backslashreplace"), os.path.join(self.directory, "summary.md"))
        self.files.append(f"{name}.tsv")
        write_file(_tsv(table).encode("utf-8", "backslashreplace"), os.path.join(self.directory, self.files[-1]))

    @property
    def columns(self) -> list[str]:
        """Columns of the main table."""
        return self.tables[self.name].columns

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """Rows of the main table."""
        return list(self.tables[self.name].rows())

    def __repr__(self) -> str:
        return f"<untied.study.{self.name}: {len(self.tables[self.name])} rows, in {self.directory!r}>"


def conduct(study: Study, directory: str | os.PathLike[str], *, plots: str = "svg", restart: bool = False) -> Result:
    """Compute the parts of a study that are not there yet, and write its tables, plots and summary.

    Parameters
    ----------
    study : Study
        The study.
    directory : path
        Where to write; it is made where there is none. A study that was interrupted there goes on.
    plots : str
        ``"svg"``, ``"png"``, ``"both"`` or ``"none"``.
    restart : bool
        Whether to compute all parts anew, and to forget those of other settings.

    Returns
    -------
    Result

    Raises
    ------
    UntiedError
        The folder holds a study with other settings; matplotlib is not installed and plots are asked for; another
        process works on a study in this folder.

    Warns
    -----
    UntiedWarning
        A run and the qrels have no query or no document in common, or nothing is relevant.
    """
    if plots not in PLOTS:
        raise UntiedError(f"plots must be one of {', '.join(PLOTS)}, not {plots!r}")
    if PLOTS[plots]:
        from untied.results.plotting import need_matplotlib

        need_matplotlib()
    apart = study.apart()
    # Where it is so of all runs, nothing is left to study.
    overlap.warn(*apart, strict=any(all(reasons.values()) for reasons in apart))
    directory = os.fspath(directory)
    os.makedirs(directory, exist_ok=True)
    for name in (f"{study.name}.tsv", "summary.md", "parts.jsonl"):
        check_target(os.path.join(directory, name), study.inputs.paths)
    parts = study.parts()
    # Samples of judgments and parts of runs may have nothing in common.
    with overlap.Notes(), Kept(parts_path(directory), _fingerprint(study), restart=restart) as kept:
        missing = [part for part in parts if part not in kept.parts]
        for part in steps(missing, "parts", study.name):
            kept.add(part, study.compute(*part))
        found = {part: kept.parts[part] for part in parts}
        return _write(study, directory, found, plots, len(missing), overlap.sentence(*apart))


def _write(
    study: Study, directory: str, parts: Mapping[Part, list[Row]], plots: str, computed: int, apart: str | None
) -> Result:
    """Write all that is made of the parts."""
    files: list[str] = []

    def save(name: str, content: str | bytes) -> None:
        path = os.path.join(directory, name)
        check_target(path, study.inputs.paths)
        write_file(content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace"), path)
        files.append(name)

    tables = study.tables(parts)
    for name, table in tables.items():
        save(f"{name}.tsv", _tsv(table))
    figures = study.figures(tables)
    shown: dict[str, str] = {}
    for figure in figures if PLOTS[plots] else ():
        from untied.results.plotting import picture

        for style in PLOTS[plots]:
            save(f"{study.name}-{figure.name}.{style}", picture(figure.draw, figure.size, style))
        file = f"{study.name}-{figure.name}.{PLOTS[plots][0]}"
        shown[figure.name] = f"![{figure.caption}]({file})\n\n*{figure.caption}*\n"
    # A study draws what there is to show, and its summary has a place for each.
    places: list[str] = []

    def show(name: str) -> str:
        places.append(name)
        return shown.get(name, "")

    notes = study.notes()
    text = _summary(study, tables, study.summary(tables, show), [*([apart] if apart else []), *notes])
    if homeless := [figure.name for figure in figures if figure.name not in places]:
        raise KeyError(*homeless)
    save("summary.md", text)
    return Result(study.name, directory, tables, text, files, notes, computed, len(parts) - computed)


def _fingerprint(study: Study) -> dict[str, Any]:
    # Files may move: what they hold counts.
    inputs = [[origin["name"], origin["sha256"]] for origin in study.inputs.origins]
    read = {"qrels_format": study.inputs.qrels_format, "inputs": inputs}
    return {"study": study.name, "untied": __version__, **study.settings, **read}


def _tsv(table: Table) -> str:
    """All digits; ids made harmless."""
    lines = ["\t".join(table.columns)]
    lines += ["\t".join(map(_cell, row)) for row in table.rows()]
    return "".join(f"{line}\n" for line in lines)


def _cell(value: object) -> str:
    return "" if value is None else show_id(value) if isinstance(value, str) else repr(value)


def _summary(study: Study, tables: Mapping[str, Table], findings: str, notes: Sequence[str]) -> str:
    inputs = study.inputs
    columns = [
        f"* `{name}.tsv`: " + "; ".join(f"`{column}`: {study.columns[column]}" for column in table.columns) + "."
        for name, table in tables.items()
    ]
    rows = [
        [show_id(name or ""), show_id(path) if path else "in memory", f"`{digest}`"]
        for name, path, digest in ((one["name"], one["path"], one["sha256"]) for one in inputs.origins)
    ]
    return "\n".join(
        [
            f"# {study.title}\n",
            f"{len(inputs.runs)} runs, {len(inputs.qrels)} judged queries.\n",
            *(f"Note: {note}.\n" for note in notes),
            findings.strip() + "\n",
            f"{TABLES}\n",
            *columns,
            "\n## How this was made\n",
            f"untied {__version__}:\n",
            f"    {_command(study)}\n",
            f"<details><summary>{len(rows)} inputs with their SHA-256</summary>\n",
            markdown(["input", "path", "SHA-256"], rows, texts=3),
            "</details>\n",
        ]
    )


def _command(study: Study) -> str:
    """The command that does the same. The folder to write to is left open, as no value depends on it."""
    words = ["untied", "study", study.name]
    for origin in study.inputs.origins:
        words += [word for word in (origin["option"], origin["path"] or origin["name"]) if word]
    if study.inputs.qrels_format != "auto":
        words += ["--qrels-format", study.inputs.qrels_format]
    for name, value in study.settings.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, list) and any(isinstance(one, str) for one in value):
            words += [word for one in value for word in (option.removesuffix("s"), one)]
        elif isinstance(value, list):
            words += [option, ",".join(f"{one:g}" for one in value)]
        elif isinstance(value, bool):
            words += [option] if value else []
        elif value is not None:
            words += [option, str(value)]
    return shlex.join(show_id(word) for word in words) + " -o DIR"
