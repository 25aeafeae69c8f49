"""The summary of a study in Markdown: findings, columns of the tables, and how it was made."""

from __future__ import annotations

import shlex

from untied._core import __version__, show_id
from untied.results.text import lines, markdown_text
from untied.study.rows import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from untied.results.table import Table
    from untied.study.frame import Study


def text(study: Study, tables: Mapping[str, Table], findings: str, notes: Sequence[str]) -> str:
    """Return the whole summary as text."""
    inputs = study.inputs
    columns = [
        f"`{name}.tsv`:\n\n"
        + markdown(["column", "content"], [[f"`{one}`", study.columns[one]] for one in table.columns], texts=2)
        for name, table in tables.items()
    ]
    rows = [
        [show_id(one["name"] or ""), show_id(one["path"]) if one["path"] else "in memory", f"`{one['sha256']}`"]
        for one in inputs.origins
    ]
    return "\n".join(
        [
            f"# {study.title}\n",
            f"{len(inputs.runs)} runs, {len(inputs.qrels)} judged queries.\n",
            *(f"Note: {markdown_text(note)}.\n" for note in notes),
            findings.strip() + "\n",
            "## Tables\n",
            *columns,
            "## How this was made\n",
            f"untied {__version__}:\n",
            f"    {_command(study)}\n",
            f"<details><summary>{len(rows)} inputs with their SHA-256</summary>\n",
            markdown(["input", "path", "SHA-256"], rows, texts=3, names=2),
            "</details>\n",
        ]
    )


def _command(study: Study) -> str:
    """The command that repeats the study, without the output folder, which affects no value."""
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


def tsv(table: Table) -> str:
    """Return a table as TSV with all digits. Control characters in ids are escaped."""
    return lines(table.columns, (list(map(_cell, row)) for row in table.rows()), "tsv")


def _cell(value: object) -> str:
    return "" if value is None else show_id(value) if isinstance(value, str) else repr(value)
