"""Files that other packages wrote: `recorded/` has each with its version, and the script that wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import untied
from untied.cli import main

RECORDED = Path(__file__).with_name("recorded")


def _only(pattern: str) -> Path:
    [path] = RECORDED.glob(pattern)
    return path


def test_ragas() -> None:
    path = _only("ragas-*.jsonl")
    results = untied.evaluate(path, path, ["SetR", "SetP", "R@2", "nDCG@3"])
    values = {name: results.value(name, query="capital of Peru?") for name in results.measures}
    assert values == pytest.approx({"SetR": 1, "SetP": 2 / 3, "R@2": 0.5, "nDCG@3": 0.9197207891481876})
    assert results.value("SetR", query="capital of Chile?") == 1
    assert results.queries == ["capital of Chile?", "capital of Mars?", "capital of Peru?"]
    assert untied.read_run(path)["capital of Mars?"] == []


def test_llama_index() -> None:
    path = _only("llama-index-*.jsonl")
    ours = untied.evaluate(path, path, ["RR", "Success@2", "SetR"])
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == 3
    for row in rows:
        for name, measure in (("mrr", "RR"), ("hit_rate", "Success@2"), ("recall", "SetR")):
            assert ours.value(measure, query=row["query"]) == row["metric_dict"][name]["score"]


def test_haystack() -> None:
    recorded = json.loads(_only("haystack-*.json").read_text())
    # Documents of Haystack are objects with these fields.
    found = {
        query: [SimpleNamespace(**document) for document in documents] for query, documents in recorded["found"].items()
    }
    qrels = {query: {document: 1} for query, document in recorded["relevant"].items()}
    results = untied.evaluate(qrels, found, "RR")
    assert {query: results.value("RR", query=query) for query in qrels} == recorded["reciprocal_ranks"]


def test_mteb() -> None:
    path = _only("mteb-*.json")
    predictions = json.loads(path.read_text())
    for part in ("de/test", "en/test"):
        subset, split = part.split("/")
        run = untied.read_run(path, format="mteb", part=part)
        assert {query: dict(run[query]) for query in run.queries()} == predictions[subset][split]
    with pytest.raises(untied.UntiedError, match="several parts, de/test or en/test; name one: --part"):
        untied.read_run(path, format="mteb")
    with pytest.raises(untied.UntiedError, match="of de/test or en/test, not of fr/test"):
        untied.read_run(path, format="mteb", part="fr/test")


def test_mteb_on_the_command_line(tmp_path, capsys) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 lima 1\nq2 0 santiago 1\n")
    assert main(["eval", str(qrels), str(_only("mteb-*.json")), "--run-format", "mteb", "-m", "RR"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    # In de, lima is tied with cusco at rank 1. In en, q2 is missing.
    assert lines[1:] == [["de/test", "all", "RR", "0.6250"], ["en/test", "all", "RR", "0.2500"]]


@pytest.mark.parametrize("content", [{"q1": {"a": 1.0}}, {"de": {"test": {"q1": ["a"]}}}, {"de": []}])
def test_other_json_is_refused_as_predictions_of_mteb(content, tmp_path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(content))
    with pytest.raises(untied.UntiedError, match="expected predictions of MTEB"):
        untied.read_run(path, format="mteb")


#: AutoRAG's questions: one passage of each group is needed.
NEEDED = {"q1": {"0": {"lima-1": 1, "lima-2": 1}, "1": {"cusco-1": 1}}, "q2": {"0": {"santiago-1": 1}}}
RUN = {"q1": ["lima-2", "andes", "cusco-1"], "q2": ["andes"]}


@pytest.mark.parametrize("read", ["path", "pandas", "polars", "pyarrow", "jsonl", "json", "dict"])
def test_autorag(read, tmp_path) -> None:
    path = _only("autorag-*.parquet")
    rows = pyarrow.parquet.read_table(path).to_pylist()
    nested = {row["qid"]: row["retrieval_gt"] for row in rows}
    jsonl, in_json = tmp_path / "qa.jsonl", tmp_path / "qa.json"
    jsonl.write_text("".join(json.dumps(row) + "\n" for row in rows))
    in_json.write_text(json.dumps(nested))
    source = {
        "path": lambda: path,
        "pandas": lambda: pandas.read_parquet(path),
        "polars": lambda: polars.read_parquet(path),
        "pyarrow": lambda: pyarrow.parquet.read_table(path),
        "jsonl": lambda: jsonl,
        "json": lambda: in_json,
        "dict": lambda: nested,
    }[read]()
    results = untied.evaluate(source, RUN, ["StRecall@1", "StRecall@3", "alpha_nDCG"], qrels_format="subtopics")
    expected = untied.evaluate(NEEDED, RUN, ["StRecall@1", "StRecall@3", "alpha_nDCG"])
    assert list(results) == list(expected)
    assert (results["StRecall@1"], results["StRecall@3"]) == (0.25, 0.5)
    if read not in ("json", "dict"):
        with pytest.raises(untied.UntiedError, match=r"retrieval_gt|a document's id in the list"):
            untied.evaluate(source, RUN, "StRecall@1")


def test_lenskit() -> None:
    run, test = _only("lenskit-*-run.parquet"), _only("lenskit-*-test.parquet")
    read = untied.read_run(run)
    assert {query: dict(read[query]) for query in read.queries()} == {
        "1": {"7": 0.75, "3": 0.75, "9": 0.25},
        "2": {"4": 0.5, "8": 0.25},
        "3": {},
    }
    qrels = untied.read_qrels(test)
    assert {query: dict(qrels[query]) for query in qrels.queries()} == {
        "1": {"7": 4.0, "9": 5.0},
        "2": {"8": 3.0},
        "3": {"5": 4.0},
    }
    results = untied.evaluate(test, run, ["RR", "R@2"])
    assert [results.value("RR", query=query) for query in "123"] == [0.75, 0.5, 0]


def test_items_without_scores_are_ranked_by_their_order(tmp_path) -> None:
    path = tmp_path / "run.parquet"
    items = [[{"item_id": 7, "rank": 1}, {"item_id": 3, "rank": 2}], []]
    pyarrow.parquet.write_table(pyarrow.table({"user_id": [1, 2], "items": items}), path)
    read = untied.read_run(path)
    assert [[document for document, _ in read[query]] for query in read.queries()] == [["7", "3"], []]


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([[{"item_id": 7}]], "neither a score nor a rank"),
        ([[{"item_id": 7, "rank": 1}], None], "expected a list in column items, found null"),
        ([[{"item_id": 7, "score": None}]], "found null"),
        ([[{"name": 7, "score": 1.0}]], "expected a column"),
    ],
)
def test_items_that_are_no_rankings(items, said, tmp_path) -> None:
    path = tmp_path / "run.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"user_id": list(range(len(items))), "items": items}), path)
    with pytest.raises(untied.UntiedError, match=said):
        untied.read_run(path)


def test_items_may_repeat(tmp_path) -> None:
    path = tmp_path / "run.parquet"
    items = [[{"item_id": 7, "score": 2.0}, {"item_id": 7, "score": 1.0}, {"item_id": 3, "score": 0.5}]]
    pyarrow.parquet.write_table(pyarrow.table({"user_id": [1], "items": items}), path)
    with pytest.raises(untied.UntiedError, match='document "7" of query "1" again'):
        untied.read_run(path)
    with pytest.warns(untied.UntiedWarning, match="1 duplicate"):
        assert dict(untied.read_run(path, duplicates="best")["1"]) == {"7": 2.0, "3": 0.5}


def test_items_in_several_pieces(tmp_path) -> None:
    """Row groups and batches cut lists anywhere; test items without ratings are relevant."""
    users = list(range(1000))
    items = [[{"item_id": user * 10 + place, "score": -float(place)} for place in range(user % 4)] for user in users]
    run, test = tmp_path / "run.parquet", tmp_path / "test.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"user_id": users, "items": items}), run, row_group_size=7)
    bare = [[{"item_id": item["item_id"]} for item in of_user] for of_user in items]
    pyarrow.parquet.write_table(pyarrow.table({"user_id": users, "items": bare}), test, row_group_size=300)
    read, qrels = untied.read_run(run), untied.read_qrels(test)
    for user, of_user in zip(users, items, strict=True):
        assert read[str(user)] == [(str(item["item_id"]), item["score"]) for item in of_user]
        assert qrels[str(user)] == {str(item["item_id"]): 1.0 for item in of_user}


def test_a_part_is_chosen_on_the_command_line(tmp_path, untied_) -> None:
    """If two models predict the same part, the names of their files say which is which."""
    qrels, other = tmp_path / "qrels.txt", tmp_path / "other.json"
    qrels.write_text("q1 0 lima 1\nq2 0 santiago 1\n")
    path = _only("mteb-*.json")
    other.write_text(path.read_text().replace("0.75", "0.8", 1))
    chosen = ["--run-format", "mteb", "--part", "de/test"]
    code, out, _ = untied_("eval", qrels, path, other, "-m", "RR", *chosen)
    assert code == 0
    rows = [line.split("\t") for line in out.splitlines()[1:]]
    assert [(row[0], row[3]) for row in rows] == [(path.stem, "0.6250"), ("other", "0.7500")]
    code, out, _ = untied_("eval", qrels, path, "-m", "RR", "--format", "json", *chosen)
    assert json.loads(out)["settings"]["part"] == "de/test"
    code, out, _ = untied_("convert", "run", path, *chosen)
    assert (code, len(out.splitlines())) == (0, 5)
    code, _, err = untied_("convert", "run", path, "--run-format", "mteb")
    assert (code, "de/test or en/test; name one: --part" in err) == (2, True)
    code, _, err = untied_("eval", qrels, path, "--run-format", "mteb", "--part", "fr/test", "-m", "RR")
    assert (code, "not of fr/test" in err) == (2, True)
    (tmp_path / "x.run").write_text("q1 Q0 lima 1 1 t\n")
    code, _, err = untied_("eval", qrels, tmp_path / "x.run", "--part", "de/test", "-m", "RR")
    assert (code, "part is for files of format workbench or mteb, not trec" in err) == (2, True)
