"""Rankings of passages against all assignments of gains to characters, in exact fractions."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import untied
from nightly import many, seeded
from untied.cli import main
from untied.comparison.passages import read_judged_passages, read_passages

Passage = tuple[str, int, int]
Judged = tuple[str, int, int, float]
Character = tuple[str, int]


def characters(document: str, start: int, length: int) -> list[Character]:
    return [(document, start + i) for i in range(length)]


class Reading(NamedTuple):
    """How text is read."""

    decay: str
    length: Fraction
    overhead: Fraction

    def worth(self, time: Fraction) -> Fraction:
        """D: falling to 0 within the length, or by half with each."""
        if self.decay == "linear":
            return max(Fraction(0), 1 - time / self.length)
        return Fraction(2.0 ** float(-time / self.length))


def score(ranking: Sequence[Passage], gains: Mapping[Character, Fraction], reading: Reading) -> Fraction:
    """S of a ranking, read character by character."""
    time = total = Fraction(0)
    for passage in ranking:
        time += reading.overhead * (passage[2] > 0)
        for character in characters(*passage):
            time += 1
            total += gains[character] * reading.worth(time)
    return total


def largest(a: list[Passage], b: list[Passage], judged: list[Judged], reading: Reading) -> tuple[Fraction, Fraction]:
    """The largest S(A) - S(B) and S(B) - S(A) over gains 0 and 1 of every character that is not judged."""
    known: dict[Character, Fraction] = {}
    for document, start, extent, gain in judged:
        for character in characters(document, start, extent):
            known[character] = max(known.get(character, Fraction(0)), Fraction(gain))
    unknown = sorted({c for passage in [*a, *b] for c in characters(*passage)} - known.keys())
    differences = []
    for drawn in itertools.product([Fraction(0), Fraction(1)], repeat=len(unknown)):
        gains = {**known, **dict(zip(unknown, drawn, strict=True))}
        differences.append(score(a, gains, reading) - score(b, gains, reading))
    return max(differences), -min(differences)


def rest(ranking: list[Passage], reading: Reading) -> Fraction:
    """What text of its own that follows a ranking at once is worth, if all of it gains 1."""
    time = sum((passage[2] + reading.overhead * (passage[2] > 0) for passage in ranking), Fraction(0))
    end = int(reading.length) if reading.decay == "linear" else 60 * int(reading.length)
    return sum((reading.worth(time + i) for i in range(1, end + 1)), Fraction(0))


@pytest.mark.parametrize("decay", ["linear", "exponential"])
@pytest.mark.parametrize("filled", [True, False], ids=["filled", "not filled"])
def test_all_assignments(filled: bool, decay: str) -> None:
    chance = seeded(f"passages {filled} {decay}")
    for _ in range(many(200 if decay == "linear" else 50)):

        def passage() -> Passage:
            return chance.choice("xyz"), chance.randrange(3), chance.randrange(3)

        a, b = ([passage() for _ in range(chance.randrange(4))] for _ in "ab")
        judged = [(*passage(), chance.choice([0, 0.25, 1])) for _ in range(chance.randrange(3))]
        length, overhead = Fraction(chance.randrange(2, 24), 2), chance.choice([Fraction(0), Fraction(3, 4)])
        reading = Reading(decay, length, overhead)
        up, down = largest(a, b, judged, reading)
        if filled:
            up, down = (value + rest(one, reading) for value, one in ((up, a), (down, b)))
        options = {"judged": judged, "filled": filled, "decay": decay}
        options |= {"length": float(length), "overhead": float(overhead)}
        found = {
            direction: untied.compare_passages(a, b, **options, direction=direction).mean
            for direction in ("a-b", "b-a", "both")
        }
        assert found == {
            "a-b": pytest.approx(float(up), abs=1e-12),
            "b-a": pytest.approx(float(down), abs=1e-12),
            "both": pytest.approx(float(max(up, down)), abs=1e-12),
        }


def test_what_the_paper_has() -> None:
    """Rankings without common text differ by all of U: 5999.5, half of it where relevant text gains 1/2."""
    a, b = [("x", 500, 9000), ("y", 0, 7000)], [("x", 9500, 700), ("z", 100, 200)]
    assert untied.compare_passages(a, b).mean == pytest.approx(5999.5, rel=1e-13)
    assert untied.compare_passages(a, b, max_gain=0.5).mean == pytest.approx(2999.75, rel=1e-13)
    assert untied.compare_passages(a, a).mean == 0


def test_exponential_decay() -> None:
    """Adding up a geometric sequence: 1000 characters against nothing."""
    found = untied.compare_passages([("x", 7, 1000)], [], decay="exponential", length=300, filled=False).mean
    assert found == pytest.approx(sum(2 ** (-i / 300) for i in range(1, 1001)), rel=1e-12)


def test_queries() -> None:
    a = {"1": [("x", 0, 10)], "2": [("x", 0, 10)], "3": []}
    b = {"2": [("x", 0, 10)], "10": [], "1": [("y", 0, 10)]}
    found = untied.compare_passages(a, b, judged={"1": [("x", 0, 100, 0)]}, filled=False, length=10)
    assert found.per_query == {"1": pytest.approx(4.5), "2": 0}
    assert (found.mean, found.alone) == (pytest.approx(2.25), (1, 1))
    assert repr(found) == "<untied.PassageComparison: mean 2.2500 of 2 queries>"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"decay": "none"}, "decay must be 'linear' or 'exponential', not 'none'"),
        ({"direction": "up"}, "direction must be 'both', 'a-b' or 'b-a', not 'up'"),
        ({"length": 0}, "length must be a number above 0, not 0"),
        ({"length": float("nan")}, "length must be a number above 0, not nan"),
        ({"max_gain": float("inf")}, "max_gain must be a number above 0, not inf"),
        ({"overhead": -1}, "overhead must be a number of at least 0, not -1"),
        ({"a": [("x", 0, 1), ("x", 3)]}, r"query 'query' of a, passage 2: expected \(document, start, length\)"),
        ({"b": [("x", -1, 1)]}, "of b, passage 1: start and length must be whole numbers of at least 0, not -1 and 1"),
        ({"b": [("x", 1 << 32, 1)]}, "of b, passage 1: it ends at 4294967297, beyond 4294967296"),
        ({"judged": [("x", 0, 1)]}, r"of judged, passage 1: expected \(document, start, length, gain\)"),
        ({"judged": [("x", 0, 1, -1)]}, "of judged, passage 1: the gain must be a number of at least 0, not -1"),
        ({"a": {"1": []}, "b": {"2": []}}, "no query in common"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(untied.UntiedError, match=message):
        untied.compare_passages(**{"a": [("x", 0, 1)], "b": [], **arguments})


def test_lists_go_with_lists() -> None:
    with pytest.raises(TypeError, match="both inputs must be ranked lists"):
        untied.compare_passages([("x", 0, 1)], {"1": []})
    with pytest.raises(TypeError, match="a dict"):
        untied.compare_passages({"1": []}, {"1": []}, judged=[("x", 0, 1, 0)])


OLD = "q1 d1 0 500 1 9.5 t\nq1 d2 200 300 2 9.5 t\n# a comment\n\nq2 x 0 100 2 1 t\nq2 y 5 10 1 3 t\nq3 y 0 10 1 1 t\n"
NEW = "q1\td1\t0\t500\t1\t3\tt\nq1 d3 0 300 2 2 t\nq2 x 0 100 1 1 t\n"
JUDGED = "q1 d2 0 900 0\nq1 d2 250 80 1\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"old.txt": OLD, "new.txt": NEW, "judged.txt": JUDGED}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_files(files: Path) -> None:
    old, tied = read_passages("old.txt")
    assert old == {"q1": [("d1", 0, 500), ("d2", 200, 300)], "q2": [("y", 5, 10), ("x", 0, 100)], "q3": [("y", 0, 10)]}
    assert tied == 2
    assert read_passages(files / "new.txt")[1] == 0
    assert read_judged_passages("judged.txt") == {"q1": [("d2", 0, 900, 0.0), ("d2", 250, 80, 1.0)]}


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        (read_passages, "q d 0 5 1 1\n", r":1: expected 7 fields \(query document start length .*\), found 6"),
        (
            read_passages,
            "q d 0 5 1 1 t\nq d -1 5 1 1 t\n",
            ":2: expected a start: a whole number of at least 0, found -1",
        ),
        (read_passages, "q d 0 5.0 1 1 t\n", ":1: expected a length: a whole number of at least 0, found 5.0"),
        (read_passages, "q d 4294967296 1 1 1 t\n", ":1: expected text that ends before 4294967296"),
        (
            read_judged_passages,
            f"q d {'9' * 5000} 1 1\n",
            ":1: expected text that ends before 4294967296, found 9{200}",
        ),
        (read_judged_passages, "q d 0 5 \u0661\n", ":1: expected a gain: a finite number"),
        (read_passages, "q d 0 5 1 high t\n", ":1: expected a score: a finite number, found high"),
        (read_passages, "q d 0 5 1 inf t\n", ":1: expected a score: a finite number, found inf"),
        (read_passages, "# nothing\n", "expected query document .*, found nothing"),
        (
            read_judged_passages,
            "q d 0 5 1 1 t\n",
            r":1: expected 5 fields \(query document start length gain\), found 7",
        ),
        (read_judged_passages, "q d 0 5 -1\n", ":1: expected a gain of at least 0, found -1"),
    ],
)
def test_bad_lines(tmp_path: Path, reader: Any, text: str, message: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(untied.InputError, match="file" + message if message[0] == ":" else message):
        reader(tmp_path / "file")


def expected_rows(per_query: bool) -> list[list[str]]:
    judged = read_judged_passages("judged.txt")
    found = untied.compare_passages(read_passages("old.txt")[0], read_passages("new.txt")[0], judged=judged, length=900)
    assert list(found.per_query) == ["q1", "q2"]
    values = [*(found.per_query.items() if per_query else ()), ("all", found.mean)]
    return [["old", "new", query, "MED-U@900", *[f"{value:.4f}"] * 3, "exact"] for query, value in values]


@pytest.mark.usefixtures("files")
def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["passages", "old.txt", "new.txt", "--qrels", "judged.txt", "--text-length", "900"]

    def written(*options: str) -> str:
        assert main([*command, *options]) == 0
        captured = capsys.readouterr()
        assert captured.err.splitlines() == [
            "note: passages of equal score, in the order of the file: 2 of old",
            "note: queries in only one run, left out: 1 of old",
        ]
        return captured.out

    for style, delimiter in (("tsv", "\t"), ("csv", ",")):
        rows = list(csv.reader(io.StringIO(written("-q", "--format", style)), delimiter=delimiter))
        assert rows[0] == ["run_a", "run_b", "query", "measure", "value", "low", "high", "certainty"]
        assert rows[1:] == expected_rows(per_query=True)
    assert [line.split("\t") for line in written("--format", "tsv").splitlines()[1:]] == expected_rows(per_query=False)
    halved = untied.compare_passages(
        read_passages("old.txt")[0], read_passages("new.txt")[0], judged=read_judged_passages("judged.txt"), length=900,
        decay="exponential",
    )  # fmt: skip
    [*_, mean] = (line.split("\t") for line in written("--format", "tsv", "--decay", "exponential").splitlines())
    assert mean[3:5] == ["MED-U(decay='exponential')@900", f"{halved.mean:.4f}"]
    table = written("--format", "table")
    assert written("--format", "table", "--top", "0") == table.partition("\ncould differ most")[0]
    assert "could differ most" in table
    content = json.loads(written("--format", "json", "--top", "1"))
    assert content["settings"] == {"text_length": 900, "decay": "linear"}
    assert [entry["path"] for entry in content["inputs"]] == ["old.txt", "new.txt", "judged.txt"]
    rows = expected_rows(per_query=True)
    most = max(rows[:2], key=lambda row: float(row[4]))
    assert [row["query"] for row in content["results"]] == [most[2], "all"]
    assert content["results"][0]["value"] == pytest.approx(float(most[4]), abs=1e-4)
    table = written("--format", "table")
    assert table.startswith("old to new: 2 queries\n")
    assert f"MED-U@900   {rows[2][4]}   " in table
    assert [line.split()[0] for line in table.splitlines()[-2:]] == [most[2], next(r[2] for r in rows if r != most)]
    assert f"| {most[2]} | {most[4]} |" in written("--format", "md")


@pytest.mark.usefixtures("files")
def test_several_runs(capsys: pytest.CaptureFixture[str], files: Path) -> None:
    (files / "other.txt").write_text(NEW)
    assert main(["passages", "old.txt", "new.txt", "other.txt", "-q", "--format", "tsv"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[:3] for row in rows] == [
        [*pair, query] for pair in (["old", "new"], ["old", "other"], ["new", "other"]) for query in ("q1", "q2", "all")
    ]
    assert [row[4] for row in rows[:3]] == [row[4] for row in rows[3:6]]
    assert main(["passages", "old.txt", "new.txt", "other.txt", "--format", "table"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["run", "a", "run", "b", "MED-U@12000"]


@pytest.mark.usefixtures("files")
def test_what_the_command_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in {
        ("new.txt", "--text-length", "0"): "length must be a number above 0, not 0.0",
        ("new.txt", "--qrels", "old.txt"): "old.txt:1: expected 5 fields",
        ("new.txt", "-o", "old.txt", "--format", "tsv"): "old.txt is one of the inputs",
        (): "a comparison needs at least 2 runs, found 1",
    }.items():
        assert main(["passages", "old.txt", *words]) == 2
        assert message in capsys.readouterr().err
    for options in (["-m", "RBO"], ["--ties", "docid"]):
        with pytest.raises(SystemExit):
            main(["passages", "old.txt", "new.txt", *options])
        assert "unknown option" in capsys.readouterr().err
