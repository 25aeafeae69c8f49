"""Names of columns that are not the usual ones, on the command line: every command that reads tables takes them."""

import json

import pytest

import untied
from untied.cli import main
from untied.inputs.files import DETAILED, QRELS_COLUMNS, RUN_COLUMNS

QRELS = ["--column", "qrels.query=topic", "--column", "qrels.document=passage", "--column", "grade=judgment"]
NAMES_OF_QUERIES = "qid, query_id, query, query_text, user_input, question or user_id"
RUN = ["--column", "run.query=topic", "--column", "run.document=pid", "--column", "score=points"]
COMMANDS = {
    "eval": [],
    "check": [],
    "stats": ["-m", "RR"],
    "gate": ["--min", "RR=0.3", "--max-drop", "RR=90%"],
    "judge-next": [],
    "curve": ["--query", "1"],
    "report": ["-m", "RR", "-o", "-"],
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The same judgments and runs in tables with odd names, and in TREC's format; the folder holds them."""
    monkeypatch.chdir(tmp_path)
    judged = [("1", "a", 1), ("1", "b", 0), ("2", "c", 2), ("3", "a", 1)]
    runs = {"one": [("1", "a", 1.0), ("1", "b", 3.0), ("2", "c", 0.5)], "other": [("1", "a", 2.0), ("2", "b", 2.0)]}
    for folder in ("named", "plain"):
        (tmp_path / folder).mkdir()
    lines = "".join(f"{grade},{document},{query}\n" for query, document, grade in judged)
    (tmp_path / "named" / "qrels.csv").write_text(f"judgment,passage,topic\n{lines}")
    lines = "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in judged)
    (tmp_path / "plain" / "qrels.txt").write_text(lines)
    for name, rows in runs.items():
        # score is a name that is known, and holds something else here
        lines = "".join(f'{{"topic":"{q}","pid":"{d}","points":{s},"score":7}}\n' for q, d, s in rows)
        (tmp_path / "named" / f"{name}.jsonl").write_text(lines)
        (tmp_path / "plain" / f"{name}.run").write_text("".join(f"{q} 0 {d} 0 {s} t\n" for q, d, s in rows))


def inputs(command, named):
    qrels = "named/qrels.csv" if named else "plain/qrels.txt"
    runs = ["named/one.jsonl", "named/other.jsonl"] if named else ["plain/one.run", "plain/other.run"]
    options = [*QRELS, *RUN] if named else []
    if command == "compare":
        return [*runs, "--qrels", qrels, *options]
    if command == "gate":
        return [qrels, runs[0], "--baseline", runs[1], "--allow-missing", *options]
    return [qrels, *(runs[:1] if command == "curve" else runs), *options]


@pytest.mark.parametrize("command", [*COMMANDS, "compare"])
def test_every_command_takes_names(command, files, capsys):
    """The output is that of the same rows in TREC's format."""
    shown = []
    for named in (False, True):
        assert main([command, *inputs(command, named), *COMMANDS.get(command, ["-q"])]) == 0
        text = capsys.readouterr().out
        for name in ("named/one.jsonl", "named/other.jsonl", "plain/one.run", "plain/other.run", "named/qrels.csv"):
            text = text.replace(name, "FILE")
        shown.append(text.replace("plain/qrels.txt", "FILE"))
    if command == "report":  # a page holds the sizes and sums of its inputs
        assert "<!doctype html>" in shown[1].lower()
        return
    assert shown[0] == shown[1]


@pytest.mark.parametrize("command", ["eval", "stats", "compare", "check"])
def test_names_are_for_the_runs_that_have_columns(command, files, capsys):
    shown = []
    for one in ("named/one.jsonl", "plain/one.run"):
        qrels = [] if command == "compare" else ["plain/qrels.txt"]
        names = RUN if one.startswith("named") else []
        assert main([command, *qrels, one, "plain/other.run", *names]) == 0
        shown.append(capsys.readouterr().out.replace("named/one.jsonl", "plain/one.run"))
    assert shown[0] == shown[1]


def test_names_are_kept_with_what_was_found(files, capsys):
    assert main(["eval", *inputs("eval", True), "--format", "json"]) == 0
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert settings["qrels_columns"] == {"query": "topic", "document": "passage", "grade": "judgment"}
    assert settings["run_columns"] == {"query": "topic", "document": "pid", "score": "points"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["named/qrels.csv", "plain/one.run", *QRELS, *RUN],
            "plain/one.run: names of columns are for frames and files of format csv, ",
        ),
        (
            ["plain/qrels.txt", "named/one.jsonl", *QRELS, *RUN],
            "plain/qrels.txt: names of columns are for frames and files of format csv, ",
        ),
        (
            ["named/qrels.csv", "named/one.jsonl", *RUN],
            f"({NAMES_OF_QUERIES}; or name it by columns= or --column",
        ),
        (
            ["named/qrels.csv", "named/one.jsonl", *QRELS],
            f"({NAMES_OF_QUERIES}; or name it by columns= or --column), found",
        ),
        (["named/qrels.csv", "named/one.jsonl", *QRELS, *RUN, "--column", "query=a"], "query is named twice"),
        (["named/qrels.csv", "named/one.jsonl", *QRELS, *RUN, "--column", "run.query=a"], "query is named twice"),
        (
            ["named/qrels.csv", "named/one.jsonl", *RUN, *QRELS, "--column", "subtopic=a"],
            'columns of qrels of this format name query, document, grade, relevant or grades, not "subtopic"',
        ),
        (
            ["named/qrels.csv", "named/one.jsonl", *QRELS, "--column", "score=a"],
            'expected a column "a", found "top',
        ),
    ],
)
def test_what_is_wrong_is_one_line(arguments, expected, files, capsys):
    assert main(["eval", *arguments]) == 2
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1


def test_a_name_for_inputs_without_columns_is_refused_for_each(files, capsys):
    assert main(["eval", "plain/qrels.txt", "plain/one.run", "--column", "query=a"]) == 2
    for line, name in zip(capsys.readouterr().err.splitlines(), ("plain/qrels.txt", "plain/one.run"), strict=True):
        assert line.startswith(f"untied: {name}: names of columns are for frames and files of format csv, ")


def test_an_option_without_both_is_refused(files, capsys):
    for wrong in ("score", "=points", "score=", "points=a", "run.grade=a", "qrels.=a"):
        with pytest.raises(SystemExit):
            main(["eval", "named/qrels.csv", "named/one.jsonl", "--column", wrong])
        known = (
            "query, document, grade, relevant, grades, subtopic, stratum, probability, score, rank, retrieved or scores"
        )
        assert f"must be WHAT=NAME, where WHAT is {known}, not {wrong!r}" in capsys.readouterr().err


def test_a_name_without_its_input_is_for_all_inputs_with_columns(files, capsys):
    query = ["--column", "query=topic"]
    shown = []
    for qrels, run, names in (
        ("plain/qrels.txt", "plain/one.run", []),
        ("named/qrels.csv", "named/one.jsonl", [*query, *QRELS[2:], *RUN[2:]]),
        ("named/qrels.csv", "plain/one.run", [*query, *QRELS[2:]]),
        ("plain/qrels.txt", "named/one.jsonl", [*query, *RUN[2:]]),
    ):
        assert main(["eval", qrels, run, *names]) == 0, names
        shown.append(capsys.readouterr().out.replace(run, "RUN"))
    assert len(set(shown)) == 1, shown


def test_columns_of_judgments_need_judgments(files, capsys):
    for name in ("grade=a", "qrels.query=a"):
        assert main(["compare", "named/one.jsonl", "named/other.jsonl", *RUN, "--column", name]) == 2
        assert capsys.readouterr().err == f"untied: --column {name.rpartition('.')[2][:-2]} needs --qrels\n"


def test_what_columns_hold_is_what_the_core_says(files):
    """Every name that the command line knows is one that some format of runs or judgments has."""
    for read, formats, roles in (
        (untied.read_run, ["auto"], RUN_COLUMNS),
        (untied.read_qrels, ["auto", *DETAILED], QRELS_COLUMNS),
    ):
        known = set()
        for format in formats:
            with pytest.raises(untied.UntiedError, match=" name ") as refused:
                read("named/qrels.csv", format=format, columns={"absent": "x"})
            listed = str(refused.value).rpartition(" name ")[2].partition(", not ")[0]
            known |= set(listed.replace(" or ", ", ").split(", "))
        assert known == set(roles)


def test_where_there_are_no_names(files):
    for held, what in (
        (lambda: untied.Run({"q": {"d": 1.0}}, columns={"query": "x"}), "run: .* not for a dict"),
        (lambda: untied.Qrels({"q": {"d": 1}}, columns={"query": "x"}), "qrels: .* not for a dict"),
        (lambda: untied.read_run("plain/one.run", columns={"query": "x"}), "not for a file of format"),
        (lambda: untied.read_qrels("plain/qrels.txt", columns={"query": "x"}), "of format trec"),
    ):
        with pytest.raises(untied.UntiedError, match=what):
            held()
