"""Runs and qrels that are Python objects, and the tables that results go out by."""

import copy
import os
import pathlib
import pickle
import re
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import untied
from untied import AP, DCG, RR, P, nDCG
from untied.gate import gate
from untied.inputs import folders, lines, provenance
from untied.inputs.texts import texts_of
from untied.judging import judge_next
from untied.report import report

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 0, "d": 1}}
RUN = {"q1": {"a": 2.0, "b": 2.0, "c": 1.0}, "q2": {"d": 5.0, "a": 4.0}}


def test_kinds_of_runs_agree():
    lists = {"q1": [["a", "b"], "c"], "q2": ["d", "a"]}
    numpies = {q: {d: numpy.float32(s) for d, s in docs.items()} for q, docs in RUN.items()}
    bytes_ = {q.encode(): {d.encode(): s for d, s in docs.items()} for q, docs in RUN.items()}
    expected = untied.evaluate(QRELS, RUN, [AP, nDCG @ 2]).means.to_dicts()
    for run in (lists, numpies, bytes_):
        assert untied.evaluate(QRELS, run, [AP, nDCG @ 2]).means.to_dicts() == expected


def test_named_runs_keep_their_names():
    with pytest.raises(untied.UntiedError, match="run '1' is given twice"):
        untied.evaluate(QRELS, {1: RUN, "1": RUN}, AP)
    with pytest.raises(TypeError, match="means takes one run, not 2"):
        untied.Evaluator(QRELS, AP).means([RUN, RUN])


def test_int_ids_are_their_digits():
    assert untied.evaluate({1: {10: 1}}, {"1": {"10": 0.5}}, RR)["RR"].mean == 1.0
    assert untied.evaluate({1: {10: 1}}, {numpy.int64(1): {numpy.uint8(10): 0.5}}, RR)["RR"].mean == 1.0


class Loud(str):
    """A str that equals no other."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


@pytest.mark.parametrize(
    "run",
    [
        {"q": {1: 0.5, "1": 0.25}},
        {"q": {"a": 0.5, b"a": 0.25}},
        {"q": {"\udcc3\udca9": 0.5, "\u00e9": 0.25}},
        {"q": {Loud("a"): 0.5, Loud("a"): 0.25}},
        {"1": {"a": 0.5}, 1: {"a": 0.25}},
        {"q": {"a": 0.5}, b"q": {"b": 1.0, "a": 0.25}},
        {"p": {"a": 0.5, "b": 1.0}, "q": {1: 0.5, "1": 0.25}},
        {"p": {"a": 0.5}, "q": ["a", ["b", "a"]]},
    ],
)
def test_keys_that_differ_may_be_one_document(run):
    with pytest.raises(untied.UntiedError, match="expected every document once in a query"):
        untied.Run(run)


def test_documents_may_be_objects():
    """Retrievers such as Haystack's return lists of objects with an id and a score."""
    scores = {"a": 1.0, "b": 2.0, "c": 2.0}
    scored = [SimpleNamespace(id=name, score=score, content="text") for name, score in scores.items()]
    mixed = {"q1": scored, "q2": {"a": 1.0}, "q3": []}
    held = untied.Run(mixed)
    assert dict(held["q1"]) == scores
    assert held["q2"] == [("a", 1.0)]
    assert untied.evaluate(QRELS, mixed, AP).runs == ["run"]
    assert untied.evaluate(QRELS, {"x": mixed, "y": {"q1": ["a"]}}, AP).runs == ["x", "y"]
    assert untied.compare(mixed, {"q1": ["c", "b", "a"], "q2": ["a"], "q3": []}, "Overlap@3").runs == ("a", "b")
    without = [SimpleNamespace(id=name, score=None) for name in scores]
    assert untied.Run({"q1": without})["q1"] == untied.Run({"q1": list(scores)})["q1"]


def test_one_run_or_several(tmp_path):
    path = tmp_path / "bm25.run.gz"
    path.with_suffix("").write_text("q1 Q0 a 1 2 t\n")
    file = path.with_suffix("")
    assert untied.evaluate(QRELS, RUN, AP).runs == ["run"]
    assert untied.evaluate(QRELS, file, AP).runs == ["bm25"]
    assert untied.evaluate(QRELS, [RUN, str(file)], AP).runs == ["run1", "bm25"]
    assert untied.evaluate(QRELS, {"x": RUN, "y": file, "z": {"q1": ["a"]}}, AP).runs == ["x", "y", "z"]
    assert untied.evaluate(QRELS, {"x": {"q1": ["a"]}, "y": {"q1": ["b"]}}, AP).runs == ["x", "y"]
    other = tmp_path / "deep"
    other.mkdir()
    (other / "bm25.run").write_text("q1 Q0 a 1 2 t\n")
    assert untied.evaluate(QRELS, [file, other / "bm25.run"], AP).runs == [f"{tmp_path.name}/bm25", "deep/bm25"]
    with pytest.raises(ValueError, match="given twice"):
        untied.evaluate(QRELS, [file, file], AP)


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        ({"q1": {"a": float("nan")}}, ValueError, 'query "q1", document "a": expected a finite number as the score'),
        ({"q1": {"a": "x"}}, ValueError, "expected a finite number as the score, found 'x'"),
        ({"q1": {"a": None}}, ValueError, "found None"),
        ({"q1": ["a", "b", "a"]}, ValueError, 'expected every document once in a query, found document "a"'),
        ({"q1": {1.5: 2.0}}, TypeError, "a document id must be a str, bytes or an int, not float"),
        ({"q1": [("a", 12), ("b", 3)]}, TypeError, "not tuples; scores go into a dict"),
        (pandas.DataFrame({"query": ["q1"]}), ValueError, "run: expected a column for the score or rank"),
        ({"q1": [SimpleNamespace(id="a", score=1.0)] * 2}, ValueError, "'q1': document 'a' is retrieved twice"),
        (
            {"q1": [SimpleNamespace(id="a", score=None), SimpleNamespace(id="b", score=1.0)]},
            ValueError,
            "query 'q1': document 'a' has no score, but others have one",
        ),
        ({"q1": [SimpleNamespace(id="a", score=1.0), "b"]}, TypeError, "query 'q1': object 1 has no id"),
        ([SimpleNamespace(id="a", score=1.0)], TypeError, r"has no query; pass \{query: \[document, ...\]\}"),
        ([], untied.UntiedError, "no run given"),
        ({"q1": 3.0}, TypeError, r"run\['q1'\] must be a mapping, not float"),
        (3, TypeError, "runs: expected a path, a frame, a dict or rows, not int"),
        (None, TypeError, "runs: expected a path, a frame, a dict or rows, not NoneType"),
    ],
)
def test_bad_runs_are_refused(run, error, message):
    with pytest.raises(error, match=message):
        untied.evaluate(QRELS, run, AP)


#: Documents of a query that are equally relevant, or best first: only their author knows.
WITHOUT_GRADES = (
    ["a", "b"],
    ("a", "b"),
    {"a", "b"},
    frozenset("ab"),
    {"a": 1}.keys(),
    ["a", ["b"]],
    numpy.array(["a"]),
)


@pytest.mark.parametrize("documents", WITHOUT_GRADES)
def test_qrels_without_grades_are_refused(documents):
    message = (
        rf"qrels\['q1'\] is a {type(documents).__name__} of documents without grades: write {{document: 1, \.\.\.}} if "
        r"they are equally relevant, or \[\[document, \.\.\.\], \.\.\.\], groups of equal documents with"
    )
    qrels = {"q0": {"a": 1}, "q1": documents}
    for read in (untied.Qrels, lambda qrels: untied.evaluate(qrels, RUN, AP)):
        with pytest.raises(TypeError, match=message):
            read(qrels)


def test_json_qrels_without_grades_are_refused(tmp_path):
    path = tmp_path / "qrels.json"
    path.write_text('{"q": ["d1", "d2"]}')
    with pytest.raises(untied.InputError, match=r"qrels.json: qrels\['q'\] is a list of documents without grades"):
        untied.read_qrels(path)
    path.write_text('{"q": [["d1", "d2"], ["d3"]]}')
    assert untied.read_qrels(path)["q"] == {"d1": 2, "d2": 2, "d3": 1}


def test_pairs_of_a_document_and_a_number_are_no_groups():
    pairs = {"q1": [["a", 2], ["b", 1]]}
    message = "all with ids of one type, not {}; {}s go into a dict, {{document: {}}}"
    with pytest.raises(TypeError, match=re.escape(message.format("['a', 2]", "grade", "grade"))):
        untied.Qrels(pairs)
    with pytest.raises(TypeError, match=re.escape(message.format("['a', 2]", "score", "score"))):
        untied.Run(pairs)


def test_bad_options_are_refused():
    for option, value in {
        "ties": "random",
        "unjudged": "x",
        "score_dtype": "float8",
        "queries": "all",
        "on_undefined": "x",
    }.items():
        with pytest.raises(untied.UntiedError, match=f"{option} must be .*, not '{value}'"):
            untied.evaluate(QRELS, RUN, AP, **{option: value})
    for threads in (0, -1):
        with pytest.raises(untied.UntiedError, match=f"threads must be at least 1, not {threads}"):
            untied.evaluate(QRELS, RUN, AP, threads=threads)
    with pytest.raises(untied.MeasureError, match="P needs a cutoff"):
        untied.evaluate(QRELS, RUN, P)
    with pytest.raises(untied.MeasureError, match="no measure given"):
        untied.evaluate(QRELS, RUN, [])


def test_scores_beyond_a_precision_are_refused():
    run = {"q1": {"a": 70_000.0, "b": 1.0}}
    with pytest.raises(untied.UntiedError, match=r"score 70000\.0 of query q1 does not fit the score_dtype"):
        untied.evaluate(QRELS, run, AP, score_dtype="float16")


def test_gain_tables_must_cover_the_grades():
    with pytest.raises(untied.UntiedError, match="no gain for grade 2"):
        untied.evaluate(QRELS, RUN, nDCG(gain={1: 3}) @ 5)


def test_gains_without_bounds_are_refused():
    with pytest.raises(untied.UntiedError, match="the gain of grade 1100 is too large"):
        untied.evaluate({"q": {"a": 1100, "b": 1}}, {"q": ["a", "b"]}, nDCG(gain="exp2"))


def test_a_gain_for_grade_0_takes_part_in_the_best_order():
    """A judged document of grade 0 gains, an unjudged one does not."""
    with pytest.warns(untied.UntiedWarning, match="no query has a grade above 0"):
        results = untied.evaluate({"q": {"a": 0}}, {"q": [["a", "x"]]}, DCG(gain={0: 0.5, 1: 1}), ties="range")
    value = results.value(DCG(gain={0: 0.5, 1: 1}))
    assert (value.low, value.high) == (pytest.approx(0.5 / numpy.log2(3), rel=1e-15), 0.5)


FORK = """
import os, untied
qrels = {f"q{n}": {"a": 1} for n in range(100)}
run = {f"q{n}": {"a": 1.0, "b": 1.0} for n in range(100)}
evaluators = [untied.Evaluator(qrels, "AP", threads=threads) for threads in (None, 1, 2)]
expected = [evaluator.means(run) for evaluator in evaluators]
child = os.fork()
if child == 0:
    os._exit([evaluator.means(run) for evaluator in evaluators] != expected)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_evaluates_too():
    """Threads do not survive a fork; whoever waits for them waits for ever."""
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], check=True, timeout=60)


def test_undefined_values():
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}}
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    assert untied.evaluate(qrels, run, AP)["AP"].mean == 0.5
    left_out = untied.evaluate(qrels, run, AP, on_undefined="nan")
    assert left_out["AP"].mean == 1.0
    assert numpy.isnan(left_out.value("AP", query="q2").mean)
    assert left_out.facts()["run"]["undefined"] == 1
    with pytest.raises(untied.UndefinedError, match="AP is undefined for query q2"):
        untied.evaluate(qrels, run, AP, on_undefined="raise")


def test_absent_and_unknown_queries():
    run = {"q1": RUN["q1"], "q3": {"a": 1.0}}
    every = untied.evaluate(QRELS, run, [AP, "NumQ"])
    common = untied.evaluate(QRELS, run, [AP, "NumQ"], queries="common")
    assert every.queries == ["q1", "q2"]
    assert common.queries == ["q1"]
    assert every["AP"].mean == common["AP"].mean / 2
    assert (every["NumQ"].mean, common["NumQ"].mean) == (2, 1)
    assert every.facts()["run"] == {
        "evaluated": 2,
        "mixed": 1,
        "absent": 1,
        "unknown": 1,
        "common": 1,
        "matched": 1,
        "relevant": 2,
        "swapped": False,
        "highest": 2.0,
        "undefined": 0,
        "undefined_queries": 0,
        "left_out": 0,
        "estimated": 0,
        "standard_error": None,
        "enclosed": 0,
        "overstated": 0,
        "unsettled": 0,
        "duplicates": 0,
        "ungrouped": False,
    }


def test_no_query_in_common_is_an_error():
    with pytest.raises(untied.UntiedError, match="no query to evaluate"):
        untied.evaluate(QRELS, {"q3": {"a": 1.0}}, AP, queries="common")
    for runs in ({"q3": {"a": 1.0}}, {"good": RUN, "other": {"q3": {"a": 1.0}}}):
        with pytest.raises(untied.UntiedError, match=r"^no query in common with the qrels: '(run|other)'; untied"):
            untied.evaluate(QRELS, runs, AP)
    with pytest.raises(untied.UntiedError, match=r"^no query in common with the qrels: 'run'; untied check shows"):
        untied.Evaluator(QRELS, AP).means({"q3": {"a": 1.0}})


def test_a_perfect_ranking_is_exactly_perfect():
    qrels = {"q": {f"d{n}": n % 4 for n in range(200)}}
    run = {"q": {f"d{n}": float(n % 4) for n in range(200)}}
    for measure in (nDCG, nDCG @ 7, nDCG(gain="exp2"), nDCG(recall_base="ranking"), AP):
        value = untied.evaluate(qrels, run, measure, ties="range")[str(measure)]
        assert (value.low, value.mean, value.high) == (1.0, 1.0, 1.0)


def test_an_evaluator_is_used_again_and_again():
    evaluator = untied.Evaluator(QRELS, [nDCG, AP])
    assert repr(evaluator) == f"<untied.Evaluator: nDCG, AP; {len(QRELS)} queries>"
    deep = {"q1": {f"x{n}": float(-n) for n in range(5000)} | {"c": -4999.5}}
    for run in (RUN, deep, RUN):
        once = untied.evaluate(QRELS, run, [nDCG, AP])
        assert evaluator.means(run) == {"nDCG": once["nDCG"].mean, "AP": once["AP"].mean}


def test_results_are_looked_up():
    results = untied.evaluate(QRELS, {"x": RUN, "y": RUN}, [AP, "ndcg_cut_2"], ties="range", variance=True)
    value = results["x", nDCG @ 2]
    assert value == results.value("ndcg_cut_2", run="y")
    assert value.low < float(value) < value.high
    assert value.variance > 0
    assert value.certainty == "exact"
    assert results.value(AP, query="q2", run="x").mean == 1.0
    for key, message in {
        "AP": "name one of the runs: x, y; for example results\\['x', 'AP'\\]",
        "x": "name one of the runs: x, y; for example results",
        ("z", "AP"): "no run 'z'",
        ("x", "RR"): "RR was not computed; AP, nDCG@2 were",
    }.items():
        with pytest.raises(KeyError, match=message):
            results[key]
    with pytest.raises(KeyError, match="query 'q9' was not evaluated"):
        results.value(AP, query="q9", run="x")


def test_tables_go_to_other_libraries():
    results = untied.evaluate(QRELS, RUN, [AP, RR], ties="range")
    table = results.table()
    assert table.columns == ["run", "query", "measure", "value", "low", "high"]
    assert table["query"] == ["q1", "q1", "q2", "q2", "all", "all"]
    assert len(results.per_query) == 4
    assert len(results.means) == 2
    rows = table.to_dicts()
    assert pyarrow.table(table).to_pylist() == rows
    assert polars.DataFrame(table).to_dicts() == rows == table.to_polars().to_dicts()
    pandas.testing.assert_frame_equal(table.to_pandas(), pandas.DataFrame(rows))
    assert repr(table).splitlines()[0].split() == table.columns


def test_html_escapes_ids():
    table = untied.evaluate({"<b>": {"a": 1}}, {"<b>": {"a": 1.0}}, AP).per_query
    assert "&lt;b&gt;" in table._repr_html_()
    assert "<b>" not in table._repr_html_()


def test_measures_and_tables_can_be_pickled():
    for measure in (AP, P, nDCG(gain={1: 2}) @ 5, P(rel=2)):
        assert pickle.loads(pickle.dumps(measure)) == copy.deepcopy(measure) == measure
    means = untied.evaluate(QRELS, RUN, AP).means
    assert pickle.loads(pickle.dumps(means)).to_dicts() == means.to_dicts()


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # one run for qrels of every format
def test_runs_and_qrels_can_be_pickled_and_copied():
    run = {"q1": {"a": 2.0, "b": 2.0, "c": 1.0}, b"\xff": {b"\xfe\xff": -0.0}, "q3": {}}
    held = untied.Run(run)
    judged = {
        "trec": {"q1": {"a": 1, "b": -1}, b"\xff": {b"\xfe\xff": 0.5}},
        "subtopics": {"q1": {"2": {"a": 1, "b": 2}, "1": {"a": 0, "c": -1}}, "q2": {"7": {"x": 1}}},
        "stratified": {"q1": {"a": (0, 1), "b": (3, -1), "c": (3, 0)}},
        "prels": {"q1": {"a": (1, 0.5), "c": (2, 1)}},
    }
    measures = {"trec": "Bpref", "subtopics": "alpha_nDCG@10", "stratified": "xinfAP", "prels": "statAP"}
    for again in (pickle.loads(pickle.dumps(held)), copy.copy(held), copy.deepcopy({"x": held})["x"]):
        assert list(again) == again.queries() == held.queries()
        assert [again[query] for query in run] == [held[query] for query in run]
        for format, qrels in judged.items():
            made = untied.Qrels(qrels, format=format)
            expected = untied.evaluate(made, held, [measures[format], "AP", "NumRel"], ties="range").table().to_dicts()
            for other in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
                assert (other.format, other.grades(), other.repeated) == (made.format, made.grades(), made.repeated)
                assert list(other) == other.queries() == made.queries()
                assert [other[query] for query in qrels] == [made[query] for query in qrels]
                results = untied.evaluate(other, again, [measures[format], "AP", "NumRel"], ties="range")
                assert results.table().to_dicts() == expected
    named = untied.Run(held, name="bm25 <i>")
    for again in (pickle.loads(pickle.dumps(named)), copy.copy(named), copy.deepcopy(named), untied.Run(named)):
        assert again.name == "bm25 <i>"
        assert [again[query] for query in run] == [held[query] for query in run]
    assert pickle.loads(pickle.dumps(held)).name is None
    with pytest.raises(untied.UntiedError, match="these bytes are no qrels of this version"):
        untied.Qrels.restore(b"x")


def test_results_can_be_pickled():
    results = untied.evaluate(QRELS, {"x": RUN, "y": {"q2": ["d"]}}, [AP, nDCG @ 2], ties="range", variance=True)
    for again in (pickle.loads(pickle.dumps(results)), pickle.loads(pickle.dumps(copy.deepcopy(results)))):
        assert again.table().to_dicts() == results.table().to_dicts()
        assert again.table().columns == results.table().columns
        assert again.facts() == results.facts()
        assert again.queries == results.queries
        assert again["x", AP] == results["x", AP]
        assert again.value(nDCG @ 2, query="q2", run="y") == results.value(nDCG @ 2, query="q2", run="y")
        with pytest.raises(KeyError, match="query 'q9' was not evaluated"):
            again.value(AP, query="q9", run="y")
    assert len(pickle.dumps(results)) < 3000


def test_values_are_numbers_where_they_are_used_as_such():
    results = untied.evaluate(QRELS, RUN, AP)
    assert f"{results['AP']:.3f}" == f"{results['AP'].mean:.3f}"
    assert "map" in results
    assert RR not in results


def test_errors_can_be_pickled():
    error = untied.InputError("message", "file", 3, "this", "that")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.file, again.line, again.found) == ("message", "file", 3, "that")


def test_importing_is_light():
    code = "import untied, sys; print([m for m in ('numpy', 'pandas', 'typing', 'inspect', 're') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_modules_are_there_when_they_are_named():
    code = "import untied; print(untied.inputs.truth.read_groups.__name__, untied.evaluation.curves.curves.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["read_groups", "curves"]
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = untied.nope


def test_measure_objects():
    assert str(nDCG(gain="exp2") @ 10) == "nDCG(gain='exp2')@10"
    assert nDCG @ 10 == untied.parse_measure("ndcg_cut_10")
    assert hash(nDCG @ 10) == hash(untied.parse_measure("nDCG@10"))
    assert nDCG @ 10 != nDCG @ 20
    assert (nDCG(gain={1: 1, 2: 3}, discount=[1, 0.5]) @ 5).cutoff == 5
    assert [str(m) for m in untied.Evaluator(QRELS, "P.5,10")._measures] == ["P@5", "P@10"]
    for wrong, message in [
        (lambda: AP @ 0, "at least 1"),
        (lambda: untied.Rprec @ 3, "takes no cutoff"),
        (lambda: AP(rel=0), "rel must be a number above 0"),
        (lambda: AP(level=2), 'no parameter "level"'),
        (lambda: AP(rel=[1, "x"]), "cannot be"),
        (lambda: untied.parse_measure("P.5,10"), "expected one measure, found 2"),
        (lambda: untied.parse_measure("nDGC@10"), "did you mean nDCG"),
    ]:
        with pytest.raises(untied.MeasureError, match=message):
            wrong()


def test_a_path_object_is_a_path(tmp_path):
    (tmp_path / "q").write_text("q1 0 a 1\n")
    (tmp_path / "r").write_text("q1 Q0 a 1 1 t\n")
    assert untied.evaluate(pathlib.Path(tmp_path / "q"), tmp_path / "r", RR)["RR"].mean == 1.0


def test_geometric_mean_of_values_of_at_least_a_hundred_thousandth() -> None:
    qrels = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1}}
    run = {"a": {"x": 1.0}, "b": {"y": 2.0, "x": 1.0}, "c": {"y": 1.0}}
    gmap = untied.AP(mean="geometric")
    results = untied.evaluate(qrels, run, [gmap, "gm_map", untied.AP], ties="range", variance=True)
    assert results.measures == ["AP(mean='geometric')", "AP"]
    value = results.value(gmap)
    assert value.mean == pytest.approx((1 * 0.5 * 1e-5) ** (1 / 3))
    assert (value.low, value.high) == (value.mean, value.mean)
    assert value.variance is None
    assert [results.value(gmap, query=query).mean for query in "abc"] == [1.0, 0.5, 0.0]
    assert results.value(gmap, query="a").variance == 0.0
    assert results.means.columns[3:] == ["value", "low", "high", "variance"]


class Ranx:
    """What ranx's Run and Qrels show of themselves."""

    def __init__(self, content: dict[str, dict[str, float]], name: str | None = None) -> None:
        self.content = content
        self.name = name

    def to_dict(self) -> dict[str, dict[str, float]]:
        return self.content

    def keys(self) -> object:
        return self.content.keys()


def test_what_is_no_measure() -> None:
    for wrong in (3, [3], object()):
        with pytest.raises(TypeError, match="a measure must be a Measure or a str, not"):
            untied.evaluate({"q": {"a": 1}}, {"q": ["a"]}, wrong)  # type: ignore[arg-type]

    def mine(grades: tuple[float, ...]) -> float:
        return grades[0]

    undecorated: Any = [mine]
    for refusing in (
        lambda: untied.evaluate({"q": {"a": 1}}, {"q": ["a"]}, undecorated),
        lambda: untied.evaluate_features([[1.0]], undecorated, labels=[1], query_ids=["q"]),
        lambda: untied.compare({"q": ["a"]}, {"q": ["a"]}, undecorated),
    ):
        with pytest.raises(TypeError, match=r"not function: decorate mine with @untied\.measure or @untied"):
            refusing()


def test_constructors_and_objects_of_ranx(tmp_path: pathlib.Path) -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 2.0}}
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 2 1.0 t\nq Q0 b 1 2.0 t\n")
    for judged in (untied.Qrels(qrels), Ranx(qrels)):
        for retrieved in (untied.Run(run), untied.Run(path), untied.Run(str(path)), Ranx(run)):
            assert untied.evaluate(judged, retrieved, RR)["RR"].mean == 0.5
    results = untied.evaluate(qrels, [Ranx(run, "bm25"), Ranx(run), run], RR)
    assert list(results.facts()) == ["bm25", "run2", "run3"]
    assert list(untied.evaluate(qrels, Ranx(run, "bm25"), RR).facts()) == ["bm25"]


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with judgments, two runs and a hidden file."""
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "new.run").write_text("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n")
    (tmp_path / "old.run").write_text("q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\n")
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.mark.parametrize("function", [
    lambda qrels, runs: untied.evaluate(qrels, runs, RR),
    lambda qrels, runs: untied.Evaluator(qrels, RR).evaluate(runs),
    lambda qrels, runs: untied.evaluate(qrels, runs, RR, run_format="trec-ranks"),
    lambda qrels, runs: untied.compare_all(runs, "RBO", qrels=qrels),
    lambda qrels, runs: untied.certify(qrels, runs, RR),
    lambda qrels, runs: untied.distributions(qrels, runs, RR),
])  # fmt: skip
def test_a_folder_or_pattern_stands_for_its_runs(folder: pathlib.Path, function: Any) -> None:
    """As on the command line: without the judgments and hidden files."""
    qrels = folder / "qrels.txt"
    for runs in (folder, str(folder), f"{folder}/*.run", [f"{folder}/n*", f"{folder}/old.run"], [folder]):
        assert function(qrels, runs).runs == ["new", "old"]
    assert function({"q1": {"a": 1, "b": 0}}, f"{folder}/???.run").runs == ["new", "old"]
    with pytest.raises(untied.UntiedError, match="empty: no run in this folder"):
        function(qrels, folder / "empty")
    with pytest.raises(untied.UntiedError, match="no file matches this pattern"):
        function(qrels, f"{folder}/*.txt.run")


def test_other_functions_take_folders(folder: pathlib.Path) -> None:
    qrels = folder / "qrels.txt"
    assert "new" in report(qrels, folder, ["RR"])
    assert judge_next(qrels, folder, "RR").runs == ("new", "old")
    assert set(untied.evaluation.curves.curves(qrels, folder, "q1")["run"]) == {"new", "old"}
    assert untied.judging.sample.pool([folder], 1, qrels) == {"q1": {"a": 1.0, "b": 0.0}}
    with pytest.raises(TypeError, match="means takes one run, not 2"):
        untied.Evaluator(qrels, RR).means(folder)


@pytest.mark.parametrize("function", [
    lambda folder: untied.read_run(folder),
    lambda folder: untied.compare(folder, folder / "new.run", "RBO"),
    lambda folder: gate(folder / "qrels.txt", folder, min={"RR": 0}),
    lambda folder: untied.evaluate(folder / "qrels.txt", {"new": folder}, RR),
])  # fmt: skip
def test_one_run_is_no_folder(folder: pathlib.Path, function: Any) -> None:
    with pytest.raises(IsADirectoryError, match="expected the file of one run, found a folder; name a file in it"):
        function(folder)


def test_judgments_are_no_folder(folder: pathlib.Path) -> None:
    with pytest.raises(IsADirectoryError, match="expected the file of judgments, found a folder; name a file in it"):
        untied.evaluate(folder, folder / "new.run", RR)


def test_judgments_that_are_missing_are_no_run_of_a_folder(folder: pathlib.Path) -> None:
    assert folders.is_same(str(folder / "new.run"), folder / "new.run")
    assert not folders.is_same(str(folder / "new.run"), folder / "missing")
    assert not folders.is_same(str(folder / "new.run"), {"q": {"d": 1}})


def test_only_wanted_texts_are_kept(tmp_path: pathlib.Path) -> None:
    texts = {"a": "first text", "b": "second text"}
    path = tmp_path / "texts.tsv"
    path.write_text("".join(f"{id}\t{text}\n" for id, text in texts.items()))
    for source in (texts, path):
        assert texts_of(source, {"b"}, 100) == {"b": "second text"}


def test_inputs_are_named_without_their_folder(tmp_path: pathlib.Path) -> None:
    paths = [tmp_path / "qrels.txt", tmp_path / "new.run"]
    assert [named["path"] for named in provenance.named_inputs(paths)] == ["qrels.txt", "new.run"]


def test_errors_show_two_hundred_characters_of_a_line() -> None:
    error = lines.refused("x.run", 1, "y" * 200, "z" * 201)
    assert (error.expected, error.found) == ("y" * 200, "z" * 200 + "...")
