"""Conduct a study: compute the missing parts, then write tables, plots and a summary."""

from __future__ import annotations

import os
from dataclasses import dataclass

from untied._core import __version__
from untied.errors import UntiedError
from untied.inputs import mismatch
from untied.progress import steps
from untied.results.writing import check_target, write_file
from untied.study import summary
from untied.study.checkpoint import Checkpoint, parts_path
from untied.study.plots import Figure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    from untied.results.table import Table
    from untied.study.frame import Study

    Plots: TypeAlias = Literal["svg", "png", "both", "none"]

#: What ``plots`` may be, and the files that it makes.
PLOTS = {"svg": ("svg",), "png": ("png",), "both": ("svg", "png"), "none": ()}


@dataclass(eq=False, repr=False)
class Result:
    """What a study returns: its tables, its summary, and the files that it wrote.

    Attributes
    ----------
    name : str
        The study's name.
    directory : str
        The folder of its files.
    tables : {name: Table}
        Its tables. The first has the study's name.
    summary : str
        The text of ``summary.md``.
    files : list of str
        Names of the files in the folder.
    notes : list of str
        What was unusual about the inputs, such as missing queries, and how it counted.
    computed, kept : int
        How many parts were computed now, and how many were kept from an earlier call.
    """

    name: str
    directory: str
    tables: dict[str, Table]
    summary: str
    files: list[str]
    notes: list[str]
    computed: int
    kept: int

    @property
    def columns(self) -> list[str]:
        """The names of the columns of the study's main table."""
        return self.tables[self.name].columns

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows of the study's main table."""
        return list(self.tables[self.name].rows())

    def __repr__(self) -> str:
        return f"<untied.study.{self.name}: {len(self.tables[self.name])} rows, in {self.directory!r}>"


def conduct(study: Study, directory: str | os.PathLike[str], *, plots: Plots = "svg", restart: bool = False) -> Result:
    """Compute the missing parts of a study, and write its tables, plots and summary.

    The folder may not hold a study with other settings, nor one on which another process works.
    """
    if plots not in PLOTS:
        raise UntiedError(f"plots must be one of {', '.join(PLOTS)}, not {plots!r}")
    if PLOTS[plots]:
        from untied.results.plotting import need_matplotlib

        need_matplotlib()
    apart = study.apart()
    # Where it is so of all runs, nothing is left to study.
    mismatch.warn(*apart, strict=any(all(reasons.values()) for reasons in apart))
    directory = os.fspath(directory)
    os.makedirs(directory, exist_ok=True)
    for name in (f"{study.name}.tsv", "summary.md", "parts.jsonl"):
        check_target(os.path.join(directory, name), study.inputs.paths)
    parts = study.parts()
    settings = {name: value for name, value in study.settings.items() if name not in study.beside}
    fingerprint = {"study": study.name, "untied": __version__, **settings, **study.inputs.fingerprint}
    # Samples of judgments and parts of runs may have nothing in common.
    with mismatch.Silence(), Checkpoint(parts_path(directory), fingerprint, restart=restart) as kept:
        missing = [part for part in parts if part not in kept.parts]
        for part in steps(missing, "parts", study.name):
            kept.add(part, study.compute(*part))
        tables = study.tables({part: kept.parts[part] for part in parts})
        notes = study.notes()
        said = mismatch.sentence(*apart)
        files, text = _write(study, directory, tables, PLOTS[plots], [*([said] if said else []), *notes])
    return Result(study.name, directory, tables, text, files, notes, len(missing), len(parts) - len(missing))


def _write(
    study: Study, directory: str, tables: Mapping[str, Table], styles: Sequence[str], notes: Sequence[str]
) -> tuple[list[str], str]:
    """Write all tables and plots; return the names of the files and the text of the summary."""
    files: list[str] = []

    def save(name: str, content: str | bytes) -> None:
        path = os.path.join(directory, name)
        check_target(path, study.inputs.paths)
        write_file(content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace"), path)
        files.append(name)

    for name, table in tables.items():
        save(f"{name}.tsv", summary.tsv(table))
    pieces = []
    for piece in study.summary(tables):
        if isinstance(piece, Figure):
            from untied.results.plotting import picture

            name = f"{study.name}-{piece.name}"
            for style in styles:
                save(f"{name}.{style}", picture(piece.draw, piece.size, style))
            piece = f"![{piece.caption}]({name}.{styles[0]})\n\n*{piece.caption}*\n" if styles else ""
        pieces.append(piece)
    text = summary.text(study, tables, "\n".join(pieces), notes)
    save("summary.md", text)
    return files, text
