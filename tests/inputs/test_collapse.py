"""Parts of documents, such as chunks, that become documents."""

from __future__ import annotations

import warnings

import pytest

import untied


@pytest.fixture
def run_of(tmp_path):
    """A function that writes a run in TREC's format."""

    def write(text, name="x.run"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def read(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", untied.UntiedWarning)
        return untied.read_run(path, **options)


CHUNKS = "q Q0 d1#0 1 0.4 t\nq Q0 d1#7 2 0.9 t\nq Q0 d2#1 3 0.9 t\n"


def test_chunks_become_documents_and_ties_stay(run_of):
    path = run_of(CHUNKS)
    with pytest.warns(untied.UntiedWarning, match=f"3 rows became 2 documents in 1 query of {path}"):
        run = untied.read_run(path, collapse="#")
    assert dict(run["q"]) == {"d1": 0.9, "d2": 0.9}
    value = untied.evaluate({"q": {"d1": 1}}, run, "RR", ties="range")["RR"]
    assert (value.low, value, value.high) == (0.5, 0.75, 1)


def test_ways_to_find_the_document(run_of, tmp_path):
    path = run_of(CHUNKS)
    table = tmp_path / "chunks.tsv"
    table.write_text("d1#0\td1\nd1#7\td1\nd2#1\td2\n")
    for how in ("#", r"re:(.+)#\d+", str(table)):
        assert dict(read(path, collapse=how)["q"]) == {"d1": 0.9, "d2": 0.9}


@pytest.mark.parametrize(
    ("text", "how", "problem"),
    [
        ("q Q0 a#b#c 1 1 t\n", "#", "a#b#c has # twice"),
        ("q Q0 a 1 1 t\n", "#", "no document's id has #"),
        ("q Q0 a 1 1 t\n", r"re:(.+)_\d", "no document's id has"),
        (CHUNKS, "re:(", "is no regular expression"),
        (CHUNKS, "re:d1", "has no group (...), which is the document's id"),
        (CHUNKS, "", "not an empty text"),
        ("q Q0 d1#0 1 2 t\nq Q0 d1#0 2 1 t\n", "#", 'document "d1#0" of query "q" again'),
    ],
)
def test_parts_that_are_not_clear_are_refused(run_of, text, how, problem):
    with pytest.raises(untied.UntiedError) as refused:
        untied.read_run(run_of(text), collapse=how)
    assert problem in str(refused.value)


@pytest.mark.parametrize("line", ["d1#0", "d1#0\t", "\td1", "d1#0\td1\tx"])
def test_wrong_files_of_parts(run_of, tmp_path, line):
    (tmp_path / "chunks.tsv").write_text(f"\n{line}\n")
    with pytest.raises(untied.InputError, match=":2: expected a part, a tab and its document"):
        untied.read_run(run_of(CHUNKS), collapse=str(tmp_path / "chunks.tsv"))
    (tmp_path / "chunks.tsv").write_text("c\td\nc\te\n")
    with pytest.raises(untied.InputError, match=":2: expected one document for every part"):
        untied.read_run(run_of(CHUNKS), collapse=str(tmp_path / "chunks.tsv"))


def test_ids_without_the_mark_are_counted(run_of):
    with pytest.warns(untied.UntiedWarning, match=r"without #, taken as whole documents: 1"):
        assert len(untied.read_run(run_of("q Q0 a#1 1 2 t\nq Q0 b 2 1 t\n"), collapse="#")["q"]) == 2


def test_on_the_command_line(run_of, untied_):
    qrels = run_of("q 0 d1#3 0\nq 0 d1#7 1\nq 0 d2#1 0\n", "qrels")
    path = run_of(CHUNKS)
    code, out, err = untied_("eval", qrels, path, "-m", "RR", "--collapse", "#", "--collapse-qrels", "#")
    assert (code, out.splitlines()[-1]) == (0, "x\tall\tRR\t0.7500")
    assert f"note: 3 rows became 2 documents in 1 query of {path}\n" in err
    assert "note: 3 judgments" not in err
    assert untied_("eval", qrels, path, "--stream", "--collapse", "#")[0] == 2


def test_judgments_of_parts_with_more_than_grades_are_refused(run_of, untied_):
    qrels = run_of("q s d1#3 1\n", "qrels")
    code, _, err = untied_("eval", qrels, run_of(CHUNKS), "--qrels-format", "subtopics", "--collapse-qrels", "#")
    assert code == 2
    assert "they have more than grades" in err
