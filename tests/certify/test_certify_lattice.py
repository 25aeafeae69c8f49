"""What is certain as a partial order, and its picture."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import untied
from untied.cli import main
from untied.errors import UntiedError
from untied.results.plotting import picture
from untied.verdicts import Verdicts, lattice
from untied.verdicts.lattice import by_rank, covered, matrix

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


def test_a_line_is_left_out_only_if_two_others_imply_it() -> None:
    better = {"a": set(), "b": {"a"}, "c": {"b"}, "d": {"a", "b", "c"}}
    assert covered(better) == {"a": set(), "b": {"a"}, "c": {"b"}, "d": {"c"}}


def test_the_matrix_has_every_verdict_twice() -> None:
    found = verdicts(2, 5)
    cells = matrix(found.runs, found._better("P@4"))
    signs = {"A": 1, "B": -1, "open": 0}
    for row, a in enumerate(found.runs):
        for column, b in enumerate(found.runs):
            expected = 0 if a == b else signs[found.between(a, b).verdict]
            assert cells[row][column] == expected
    assert {cell for row in cells for cell in row} == {1, 0, -1}


def test_runs_stand_in_the_order_of_their_middle_ranks() -> None:
    assert by_rank({"any": (1, 5), "last": (5, 5), "first": (1, 2), "third": (3, 3)}) == [
        "first", "any", "third", "last",
    ]  # fmt: skip


@pytest.mark.parametrize("runs", [2, 40])
def test_pictures(runs: int) -> None:
    found = verdicts(1, runs)
    picture = found.plot()
    assert picture == found.plot(style="svg")
    assert picture.startswith(b"<?xml")
    text = picture.decode()
    assert all(name in text for name in found.runs)
    decided = sum(found[pair]["P@4"].verdict != "open" for pair in found.pairs)
    assert f"<!-- {decided} of {len(found.pairs)} pairs are certain -->" in text
    if runs == 2:
        assert found.plot(style="png").startswith(b"\x89PNG")
        with pytest.raises(UntiedError, match="style"):
            found.plot(style="gif")


def figure_of(found: Verdicts, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The figure that became the picture."""
    figures: list[Any] = []

    def keep(draw: Callable[[Any], None], size: tuple[float, float], style: str) -> bytes:
        def draw_and_keep(figure: Any) -> None:
            draw(figure)
            figures.append(figure)

        return picture(draw_and_keep, size, style)

    monkeypatch.setattr(lattice, "picture", keep)
    found.plot(style="png")
    return figures[0]


def test_each_bar_spans_the_possible_ranks_of_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    found = verdicts(2, 5)
    ranks = {row["run"]: (row["best"], row["worst"]) for row in found.ranks.to_dicts()}
    left, right = figure_of(found, monkeypatch).axes
    assert left.get_xlim() == (0.5, 5.5)
    names = [label.get_text() for label in left.get_yticklabels()]
    bars = {name: bar.get_bbox() for name, bar in zip(names, left.patches, strict=True)}
    assert {run: (bar.x0 + 0.5, bar.x1 - 0.5) for run, bar in bars.items()} == ranks
    assert any(best < worst for best, worst in ranks.values())
    edges = sorted((bar.y0, bar.y1) for bar in bars.values())
    assert all(end < start for (_, end), (start, _) in pairwise(edges))  # no bar touches another
    assert [label.get_text() for label in right.get_xticklabels()] == names


def test_all_that_a_picture_of_two_runs_says_lies_within_it(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = figure_of(verdicts(1, 2), monkeypatch)
    everything = figure.get_tightbbox()
    assert 0 <= everything.x0 < everything.x1 <= figure.get_figwidth()
    assert 0 <= everything.y0 < everything.y1 <= figure.get_figheight()


def test_names_are_no_formulas() -> None:
    runs = {name: {"q": ["a"]} for name in ("$a$", "$", "b_{")}
    text = untied.certify({"q": {"a": 1}}, runs, "P@1").plot().decode()
    assert all(text.count(f"<!-- {name} -->") == 2 for name in runs), "beside the bars and below the cells"
    drawn = [part.split("<!--")[0] for part in text.split("<!-- $a$ -->")[1:]]
    assert [part.count("<use ") for part in drawn] == [3, 3], "a glyph for each character"


def test_the_command_draws_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 0\n")
    for name, doc in (("one", "a"), ("two", "b")):
        (tmp_path / f"{name}.run").write_text(f"q Q0 {doc} 1 1 x\n")
    inputs = [str(tmp_path / name) for name in ("qrels.txt", "one.run", "two.run")]
    drawn = tmp_path / "certain.svg"
    main(["certify", *inputs, "-m", "P@1", "-o", str(drawn)])
    assert capsys.readouterr().out.splitlines()[1].split("\t")[5] == "A"
    assert drawn.read_bytes() == untied.certify(inputs[0], inputs[1:], "P@1").plot()
    assert main(["certify", *inputs, "-o", "certain.gif"]) == 2
    assert ".svg, .png or .pdf, found .gif" in capsys.readouterr().err
