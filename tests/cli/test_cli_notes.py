"""Messages of commands recommend only options that the command has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commands import Command
from test_golden_cli import CASES, FOLDER, line_of, parser_of

#: Options after the name of a command belong to that command; others to the command that prints them.
MENTION = re.compile(r"(untied [a-z-]+[^;.,()]*?)?(?<![\w-])(--[a-z][a-z-]+)")
#: Options that all commands have.
COMMON = {"--help", "--version"}

EVALUATION = Path(__file__).parents[2] / "examples" / "tar2017"
QRELS, UOS, AMC = (str(EVALUATION / name) for name in ("qrels.txt", "uos.run", "amc.run"))


def unknown(line: list[str], text: str) -> set[str]:
    """Options in a text that the command of this line lacks."""
    found = parser_of(line)
    if found is None:
        return set()
    has = {name for one in found[0].declared for name in one.names} | COMMON
    return {option for other, option in MENTION.findall(text) if not other} - has


def test_an_unknown_option_is_found() -> None:
    assert unknown(["stats"], "note: x (--queries common leaves them out)") == {"--queries"}
    assert unknown(["stats"], "note: x (--ties range; untied eval q --queries common)") == set()


@pytest.mark.parametrize("case", CASES)
def test_messages_of_golden_cases_name_own_options(case: str) -> None:
    line = line_of(case)
    text = (FOLDER / f"{case}.txt").read_text("utf-8")
    said = text.partition("\n[messages]\n")[2].partition("\n\n[")[0]
    assert not line or unknown(line, said) == set()


@pytest.mark.parametrize(
    "line",
    [
        "eval {qrels} {part} {tied} -q --adjust chance",
        "eval {qrels} {part} --ties best",
        "stats {qrels} {part} {tied} -m AP --samples 100",
        "stats {qrels} {part} {tied} -m AP --samples 100 --adjust chance",
        "stats {qrels} {part} {tied} -m AP --samples 100 --show runs",
        "certify {qrels} {part} {tied} -m P@5",
        "judge-next {qrels} {part} {tied} -m P@5",
        "judge-next {qrels} {judged} -m P@1 --depth 1",
        "gate {qrels} {part} --min AP=0.9 --max ESL=0",
        "gate {qrels} {part} --baseline {judged} --max-drop AP=0 --max-drop ESL=0 --significant 0.95 --max-med AP@10=0",
        "gate {qrels} {tied} --min ERR=0.9 --ties best",
        "compare {part} {tied} --qrels {qrels} -m MED(AP@10) -m Delta(nDCG@10)",
        "check {qrels} {part} {tied}",
    ],
)
def test_notes_on_awkward_inputs_name_own_options(line: str, untied_: Command, tmp_path: Path) -> None:
    """A run without most queries, one in which everything ties, and unjudged queries."""
    part = tmp_path / "part.run"
    with Path(AMC).open() as amc:
        lines = amc.readlines()
    kept = lines[0].split()[0]
    part.write_text("".join(one for one in lines if one.split()[0] == kept) + "elsewhere Q0 d 1 1 t\n")
    given = {"{qrels}": QRELS, "{part}": str(part), "{tied}": UOS, "{judged}": AMC}
    words = [given.get(word, word) for word in line.split()]
    code, out, err = untied_(*words)
    assert code == (words[0] == "gate"), err
    assert (out + err).strip()
    assert unknown(words, out + err) == set()
