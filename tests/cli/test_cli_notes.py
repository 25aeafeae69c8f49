"""Notes: they recommend only options that the command has, and results in JSON have all of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commands import Command
from entry_points import COMMANDS
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


#: Judgments in which nothing is relevant; ones that repeat and miss queries; ones of no query of the runs.
WORLDS = {
    "nothing relevant": "q1 0 a 0\nq1 0 b 0\nq2 0 c 0\n",
    "queries missing": "q1 0 a 1\nq1 0 a 1\nq1 0 b 0\nq3 0 a 2\nq4 0 a 0\n",
    "documents unknown": "q1 0 x 1\nq2 0 y 0\n",
}
#: Options with which commands have more to say, besides none.
FURTHER = {
    "eval": ["--adjust chance", "--unjudged range -m AP -m nDCG", "--quantiles 0.5", "{bad} --keep-going", "-m ESL"],
    "compare": ["-m Delta(nDCG@10) -m MED(AP@10)", "{bad} --keep-going --show matrix", "--certify"],
    "passages": ["--qrels {pq}"],
    "stats": ["--certify", "--correction none -m RR", "{bad} --keep-going --adjust chance", "--top 1"],
    "judges": ["--adjust chance", "{bad} --keep-going --target these", "--show agreement"],
    "certify": ["-m nDCG", "--from-sample", "--certificate {folder}/c.json -m ERR", "--show ranks", "--show levels"],
    "gate": ["--baseline {b} --max-drop AP=0 --certain P@2", "--max ESL=0 --ties best"],
    "features": ["-m AP -m nDCG", "--directions both -q"],
    "judge-next": ["{b}", "{b} --until-decided -m P@1", "--depth 1"],
}
JSON_LINES = [
    (command, f"{COMMANDS[command]} {more}") for command, further in FURTHER.items() for more in ("", *further)
]


def test_all_commands_that_write_json_are_swept() -> None:
    """But convert, which writes runs and qrels."""
    styles = {
        name: next((one.options.get("choices") for one in made[0].declared if "--format" in one.names), None) or ()
        for name in COMMANDS
        if name != "study" and (made := parser_of([name])) is not None
    }
    assert {name for name, allowed in styles.items() if "json" in allowed} - {"convert"} == FURTHER.keys()


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("command", "line"), JSON_LINES)
def test_json_has_all_notes(command: str, line: str, world: str, untied_: Command, tmp_path: Path) -> None:
    contents = {
        "q": WORLDS[world],
        "a": "q1 Q0 a 1 2 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 1 t\n",
        "b": "q1 Q0 b 1 2 t\nq1 Q0 d 2 1 t\nq5 Q0 c 1 1 t\n",
        "bad": "q1 Q0\n",
        "pa": "q1 d 0 9 1 2 t\nq2 d 0 9 1 2 t\n",
        "pb": "q1 d 5 9 1 2 t\n",
        "pq": "q1 d 0 4 0\nq9 d 0 4 1\n",
        "l": "0 qid:1 1:0.5 2:1\n0 qid:1 1:0.5 2:1\n1 qid:2 1:1 2:1\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    paths = {name: str(tmp_path / name) for name in contents} | {"folder": str(tmp_path)}
    code, out, err = untied_(command, *line.format(**paths).split(), "--format", "json")
    if code == 2:
        assert "untied:" in err
        pytest.skip(f"refused: {err.splitlines()[0]}")
    assert json.loads(out)["notes"] == [one.removeprefix("note: ") for one in err.splitlines() if "note:" in one]
