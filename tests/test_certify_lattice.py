"""What is certain as a partial order, and its picture."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pytest

import untied
from untied.cli import main
from untied.errors import UntiedError
from untied.verdicts import Verdicts
from untied.verdicts.lattice import _rising, alike, covered, depths, laid_out, placed, unmarked

QUERIES = [f"q{number}" for number in range(4)]


def verdicts(seed: int, runs: int, measure: str = "P@4") -> Verdicts:
    """Runs over judged documents with a few unjudged ones."""
    chance = random.Random(seed)
    qrels = {query: {f"d{n}": n % 2 for n in range(8)} for query in QUERIES}

    def ranking() -> list[str]:
        return chance.sample([*qrels["q0"], "n1", "n2", "n3"], 6)

    return untied.certify(qrels, {f"run{n}": {query: ranking() for query in QUERIES} for n in range(runs)}, measure)


def paths(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The transitive closure."""
    closed = set(pairs)
    while more := {(a, d) for a, b in closed for c, d in closed if b == c} - closed:
        closed |= more
    return closed


@pytest.mark.parametrize("seed", range(6))
def test_the_lattice_has_all_that_is_certain_and_no_line_too_many(seed: int) -> None:
    found = verdicts(seed, 9)
    certain = {
        (a, b) if found[a, b]["P@4"].verdict == "A" else (b, a)
        for a, b in found.pairs
        if found[a, b]["P@4"].verdict != "open"
    }
    rows = found.lattice().to_dicts()
    lines = {(row["better"], row["worse"]) for row in rows}
    assert len(lines) == len(rows)
    assert lines <= certain
    assert paths(lines) == paths(certain)
    assert all(line not in paths(lines - {line}) for line in lines)
    assert unmarked(found._better("P@4")) == len(paths(certain) - certain)


def test_open_pairs_that_lines_join_are_counted() -> None:
    better = {"a": set(), "b": {"a"}, "c": {"b"}, "d": {"a", "b", "c"}}
    assert unmarked(better) == 1  # a and c
    assert covered(better) == {"a": set(), "b": {"a"}, "c": {"b"}, "d": {"c"}}
    assert depths(better) == {"a": 0, "b": 1, "c": 2, "d": 3}


def test_groups_and_places() -> None:
    better = {"top": set(), "x": {"top"}, "y": {"top"}, "z": {"top", "x", "y"}, "low": {"top"}, "off": set()}
    assert alike(better) == [["top"], ["x", "y"], ["z"], ["low"], ["off"]]
    among = {run: above - {"y"} for run, above in better.items() if run != "y"} | {"end": {"top", "low", "off"}}
    made, lines = laid_out(depths(among), covered(among))
    assert [sorted(map(str, layer)) for layer in made] == [
        sorted(["top", "off"]), sorted(["x", "low", str(("end", 1))]), sorted(["z", "end"]),
    ]  # fmt: skip
    assert (("end", 1), "end") in lines
    assert ("off", ("end", 1)) in lines
    where = placed(made, lines, lambda node: 1.0)
    for layer in made:
        assert all(abs(where[a] - where[b]) >= 1 - 1e-9 for a, b in combinations(layer, 2))


def test_rising() -> None:
    assert _rising([1, 3, 2, 2, 5, 0]) == [1, *[pytest.approx(7 / 3)] * 3, 2.5, 2.5]


@pytest.mark.parametrize("runs", [2, 4, 40])
def test_pictures(runs: int) -> None:
    found = verdicts(1, runs)
    picture = found.plot()
    assert picture == found.plot(style="svg")
    assert picture.startswith(b"<?xml")
    text = picture.decode()
    assert all(name in text for name in found.runs)
    decided = sum(found[pair]["P@4"].verdict != "open" for pair in found.pairs)
    assert f"<!-- {decided} of {len(found.pairs)} pairs are certain" in text
    assert found.plot(style="png").startswith(b"\x89PNG")
    with pytest.raises(UntiedError, match="style"):
        found.plot(style="gif")


def test_the_command_draws_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 0\n")
    for name, doc in (("one", "a"), ("two", "b")):
        (tmp_path / f"{name}.run").write_text(f"q Q0 {doc} 1 1 x\n")
    inputs = [str(tmp_path / name) for name in ("qrels.txt", "one.run", "two.run")]
    drawn = tmp_path / "certain.svg"
    main(["certify", *inputs, "-m", "P@1", "--plot", str(drawn)])
    assert capsys.readouterr().out.splitlines()[1].split("\t")[5] == "A"
    assert drawn.read_bytes() == untied.certify(inputs[0], inputs[1:], "P@1").plot()
    assert main(["certify", *inputs, "--plot", "certain.gif"]) == 2
    assert "expected a suffix of .svg, .png or .pdf" in capsys.readouterr().err
