"""The table of what each measure can do: against the functions that do it."""

from __future__ import annotations

import pytest

import untied
from commands import Command
from docsite import navigation
from strategies import BUILT_IN
from untied.cli import abilities
from untied.cli.abilities import COLUMNS
from untied.errors import UntiedError
from untied.judging import judge_next

INFOS = {info["name"]: info for info in BUILT_IN}
WORDS = {"exact", "large", "solved", "searched", "drawn"}


def rows_of_the_page() -> tuple[list[list[str]], list[str]]:
    """The table and the reasons on the page, which ``dev.py generate`` writes: to try all measures takes seconds."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (navigation.ROOT / "docs" / "abilities.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("|") and not line.startswith("|---")
    ]
    assert rows[0] == ["measure", *COLUMNS]
    return [row for row in rows[1:] if len(row) > 2], [row[1] for row in rows if len(row) == 2 and row[0]]


def test_every_cell_is_a_word_or_a_sentence() -> None:
    table, reasons = rows_of_the_page()
    assert [row[0] for row in table] == [info["name"] for info in BUILT_IN]
    numbers = set()
    for row in table:
        assert len(row) == 1 + len(COLUMNS)
        for cell in row[1:]:
            assert cell in WORDS or 1 <= int(cell.strip("()")) <= len(reasons)
            numbers |= {cell} - WORDS
    assert len(numbers) == len(reasons)
    assert all(len(reason) > 20 for reason in reasons)


@pytest.mark.parametrize("name", ["ADR", "PairConcordance", "Compat", "Q", "AP", "ADRInverted", "infAP"])
def test_cells_say_what_functions_do(name: str) -> None:
    """Of another example than the table's."""
    found = abilities.abilities(INFOS[name])
    qrels, run = {"q": {"x": 2, "y": 1, "n": 0}}, {"q": [["x", "u"], ["n", "y"]]}
    runs = {"a": run, "b": {"q": ["u", "y", "x"]}}
    tried = {
        "law": lambda: untied.distributions(qrels, run, name),
        "unjudged": lambda: untied.evaluate(qrels, run, name, unjudged="range"),
        "MED": lambda: untied.compare(
            runs["a"], runs["b"], f"MED({name}@3)" if name == "AP" else f"MED({name})", qrels=qrels
        ),
        "verdict": lambda: untied.certify(qrels, runs, name),
        "judge-next": lambda: judge_next(qrels, run, name),
    }
    for column, function in tried.items():
        if found[column] in WORDS:
            function()
        else:
            with pytest.raises(UntiedError):
                function()


def test_partly_ordered_truth_composes() -> None:
    """Measures of ordered groups have all that others have; the exceptions say why."""
    for name in ("ADR", "PairConcordance"):
        assert set(abilities.abilities(INFOS[name]).values()) <= WORDS
    compat = abilities.abilities(INFOS["Compat"])
    assert [column for column, cell in compat.items() if cell not in WORDS] == ["law"]
    assert "better ranking can have a lower value" in abilities.abilities(INFOS["ADRInverted"])["unjudged"]
    ordered = [name for name, *_, groups in rows_of_the_page()[0] if groups == "exact"]
    assert {"ADR", "ADRInverted", "Compat", "PairConcordance"} <= set(ordered)
    assert not {"AP", "nDCG", "ERR", "P"} & set(ordered)


def test_the_command_prints_the_table(untied_: Command) -> None:
    code, text, _ = untied_("measures", "--abilities", "ADR", "AP")
    assert code == 0
    header, adr, ap = (line.split() for line in text.splitlines() if line.startswith(("measure ", "ADR ", "AP ")))
    assert (tuple(header[1:]), adr[0], ap[0]) == (COLUMNS, "ADR", "AP") or (ap[0], adr[0]) == ("ADR", "AP")
