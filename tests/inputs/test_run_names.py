"""Names of runs: no two alike, and no run under the name of another."""

import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import untied
from untied.inputs.names import FORMATS, names_of

ARCHIVES = (".gz", ".zst", ".xz")


class Frame:
    """What is no path; with a name, if it has one."""

    def __init__(self, name: str | None = None) -> None:
        if name is not None:
            self.name = name


def stem(file: str) -> str:
    """Once more, by the rule: archives, then one format."""
    rest = file
    for suffix in ARCHIVES:
        rest = rest.removesuffix(suffix)
    for suffix in FORMATS:
        if rest.lower().endswith(suffix) and len(rest) > len(suffix) and rest[: -len(suffix)].strip("."):
            return rest[: -len(suffix)]
    return rest or file


FILES = [
    "x",
    "x.run",
    "x.txt",
    "x.y",
    "x.y.run",
    "x.run.gz",
    "x.run.run",
    "x.TSV.xz",
    "x.lr",
    "run1",
    "run2.json",
    "stdin.run",
]
PATHS = st.builds(os.path.join, st.sampled_from(["", "a", "b", "a/b", "../a", os.sep + "a"]), st.sampled_from(FILES))


@given(st.lists(PATHS | st.just("-"), min_size=1, max_size=6, unique_by=os.path.abspath), st.randoms())
@example(["a.b", "a.b.d", "a.c"], None)
@example(["x.run.run", "x.run"], None)
@example(["x", "x.run"], None)
@example(["a/x", "b/x.run", "x.run.gz"], None)
def test_every_name_is_that_of_its_own_file(paths: list[str], chance) -> None:
    names = names_of(paths)
    assert len(set(names)) == len(names)
    whole = [os.path.basename(path) for path in paths]
    for place, (path, name) in enumerate(zip(paths, names, strict=True)):
        folder, file = os.path.split(os.path.abspath(path))
        forms = {file, stem(file)} if path != "-" else {"-", "stdin"}
        assert name in forms or any(f"{folder}/{form}".endswith(f"/{name}") for form in forms) or name == path
        others = {other for number, other in enumerate(whole) if number != place and other != whole[place]}
        assert name not in others, "the whole name of another file"
    stems = ["stdin" if path == "-" else stem(os.path.basename(path)) for path in paths]
    if len(set(stems)) == len(stems) and not any(
        one == other and place != number for place, one in enumerate(stems) for number, other in enumerate(whole)
    ):
        assert names == stems, "no longer than needed"
    if chance is not None:
        order = list(range(len(paths)))
        chance.shuffle(order)
        assert names_of([paths[place] for place in order]) == [names[place] for place in order]


@given(
    st.lists(
        PATHS | st.builds(Frame, st.sampled_from(["x", "x.run", "run1", "a/x", "a/x.run"])) | st.builds(Frame),
        min_size=1,
        max_size=6,
        unique_by=lambda one: os.path.abspath(one) if isinstance(one, str) else id(one),
    )
)
def test_files_frames_and_nameless_runs_together(sources: list) -> None:
    given_names = [one.name for one in sources if isinstance(one, Frame) and hasattr(one, "name")]
    names = names_of(sources)
    for one, name in zip(sources, names, strict=True):
        if isinstance(one, Frame) and hasattr(one, "name"):
            assert name == one.name
    rest = [name for one, name in zip(sources, names, strict=True) if not hasattr(one, "name")]
    assert len(set(rest)) == len(rest)
    assert not set(rest) & set(given_names)


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a.b", "a.b.d", "a.c"], ["a.b", "a.b.d", "a.c"]),
        (["covidex.r4.duot5", "covidex.r4.duot5.lr"], ["covidex.r4.duot5", "covidex.r4.duot5.lr"]),
        (["bm25.run.gz", "dense.trec", "splade.jsonl.zst"], ["bm25", "dense", "splade"]),
        (["a/x.run", "b/x.run", "y.run"], ["a/x", "b/x", "y"]),
        (["a/x.run", "a/x.txt", "b/x.run"], ["a/x.run", "a/x.txt", "b/x.run"]),
        (["x.run", "x"], ["x.run", "x"]),
        (["-", "bm25.run"], ["stdin", "bm25"]),
        ([".run", "archive.gz"], [".run", "archive"]),
    ],
)
def test_names(paths: list[str], names: list[str]) -> None:
    assert names_of(paths) == names


def test_a_name_by_place_gives_way() -> None:
    assert names_of(["run1.txt", Frame(), Frame()]) == ["run1", "run2", "run3"]
    assert names_of([Frame(), "run1.txt"]) == ["run1_", "run1"]
    assert names_of([Frame()]) == ["run"]


def test_a_run_is_called_as_it_was_named() -> None:
    bm25 = untied.Run({"q": {"d": 1.0}}, name="bm25")
    other = untied.Run(bm25, name="other")
    assert (bm25.name, other.name, untied.Run({"q": ["d"]}).name) == ("bm25", "other", None)
    assert untied.Run(bm25).name == "bm25"
    assert repr(other) == '<untied.Run "other": 1 queries, 1 documents>'
    qrels = {"q": {"d": 1}}
    assert untied.evaluate(qrels, bm25, "RR").runs == ["bm25"]
    assert untied.evaluate(qrels, [bm25, other, untied.Run({"q": ["d"]})], "RR").runs == ["bm25", "other", "run3"]
    assert untied.evaluate(qrels, {"x": bm25}, "RR").runs == ["x"]
    assert untied.compare(bm25, other, "RBO").runs == ("bm25", "other")
    with pytest.raises(untied.UntiedError, match="run 'bm25' is given twice"):
        untied.evaluate(qrels, [bm25, untied.Run(other, name="bm25")], "RR")
    for name, message in (("", "name must not be empty"), ("\ud800", "name must be valid text")):
        with pytest.raises(untied.UntiedError, match=message):
            untied.Run(bm25, name=name)


def test_a_short_path_does_not_keep_longer_ones_from_growing() -> None:
    """The first path has no more folders when the other two still have the same name."""
    assert names_of(["/x.run", "/a/x.run", "/b/a/x.run"]) == ["/x.run", "/a/x.run", "b/a/x"]


@pytest.mark.parametrize("twice", [["x.run", "./x.run"], ["-", "-"], ["a/../x", "x"]])
def test_a_file_twice_is_an_error(twice: list[str]) -> None:
    with pytest.raises(untied.UntiedError, match="is given twice"):
        names_of(twice)


def test_two_frames_of_one_name_are_an_error() -> None:
    run = {"q": {"d": 1.0}}

    class Named(dict):
        name = "bm25"

    with pytest.raises(untied.UntiedError, match="run 'bm25' is given twice"):
        untied.evaluate({"q": {"d": 1}}, [Named(run), Named(run)], "RR")


def test_rows_hold_the_values_of_the_file_they_name(tmp_path, capsys) -> None:
    """Files a.b and a.b.d gave rows a and a.b, the latter with the values of a.b.d."""
    from untied.cli import main

    (tmp_path / "qrels").write_text("q 0 d 1\n")
    (tmp_path / "a.b").write_text("q Q0 d 1 2 t\n")
    (tmp_path / "a.b.d").write_text("q Q0 x 1 2 t\nq Q0 d 2 1 t\n")
    (tmp_path / "a.c").write_text("q Q0 x 1 3 t\nq Q0 y 2 2 t\nq Q0 d 3 1 t\n")
    runs = [str(tmp_path / name) for name in ("a.b", "a.b.d", "a.c")]
    assert main(["eval", str(tmp_path / "qrels"), *runs, "-m", "RR"]) == 0
    rows = [line.split("\t")[::3] for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [["a.b", "1.0000"], ["a.b.d", "0.5000"], ["a.c", "0.3333"]]
