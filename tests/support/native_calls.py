"""A call of everything in the native part, and of what is built on it; run as a program, each in forked processes too.

``python tests/support/native_calls.py`` makes every call, forks, and makes it again in the child, which gets some
seconds.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import pickle
import signal
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy
import pyarrow

import untied
from untied import _core, batches, gate, judging, report, statistics
from untied.cli.trec_eval import defaults
from untied.comparison import distances
from untied.evaluation import curves
from untied.judging import estimates, sample
from untied.measures import as_measures, own

#: Seconds that a child may take: far more than any call here needs, even on a busy machine.
LIMIT = 120

QUERIES = [f"q{n}" for n in range(60)]
QRELS = {query: {"a": 1, "b": 0, "c": 2} for query in QUERIES}
RUNS = {
    "one": {query: {"a": 1.0, "b": 1.0, "c": 3.0, "d": 2.0} for query in QUERIES},
    "two": {query: {"a": 3.0, "b": 2.0, "c": 3.0, "e": float(n)} for n, query in enumerate(QUERIES)},
}
SETTINGS: dict[str, Any] = {"ties": "expected", "score_dtype": "float64"}


@cache
def folder() -> pathlib.Path:
    """Files of the same."""
    made = pathlib.Path(tempfile.mkdtemp(prefix="untied"))
    lines = [f"{query} 0 {doc} {grade}\n" for query in QUERIES for doc, grade in QRELS[query].items()]
    (made / "qrels").write_text("".join(lines))
    for name, run in RUNS.items():
        rows = [f"{query} Q0 {doc} 0 {score} t\n" for query in QUERIES for doc, score in run[query].items()]
        (made / name).write_text("".join(rows))
    (made / "run.csv").write_text("qid,docno,score\n" + "".join(f"{query},a,1\n" for query in QUERIES))
    (made / "docs").write_text("a 10\nb 20\nc 30\nd 40\ne 50\n")
    (made / "letor").write_text("".join(f"{n % 2} qid:{n // 4} 1:{n % 7} 2:{n % 3}\n" for n in range(400)))
    return made


def qrels() -> untied.Qrels:
    return untied.Qrels(QRELS)


def run(name: str = "one") -> untied.Run:
    return untied.Run(RUNS[name])


def terms() -> list[_core.Terms]:
    columns = array("d", [1.0, 2.0, 3.0] * 99), array("d", [2.0, 1.0, 0.5] * 99)
    return [_core.Terms("run", untied.AP, column) for column in columns]


def arrow(number: str) -> pyarrow.Table:
    ids = pyarrow.array([query for query in QUERIES for _ in range(3)])
    numbers = [3.0, 1.0, 0.0] * len(QUERIES)
    return pyarrow.table({"qid": ids, "docno": ["a", "b", "c"] * len(QUERIES), number: numbers})


def evaluator() -> _core.Evaluator:
    return _core.Evaluator(
        qrels(),
        as_measures(["AP", "TBG"]),
        _core.Policies("runs", ties="range"),
        variance=False,
        threads=None,
        docs=_core.Lengths.from_mapping({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}),
    )


def features(read: bool) -> object:
    made = _core.FeatureEvaluator(
        as_measures(["AP"]),
        _core.Policies("arrays"),
        directions=[False, True],
        per_query=True,
        threads=None,
    )
    if read:
        return made.read([folder() / "letor"]).totals(0, 0)
    column = numpy.arange(100.0)
    ends = [(n, 10 * n, 10 * n + 10) for n in range(10)]
    return made.columns(ends, (column % 2, "float64"), [(column % 3, "float64", "f")]).totals(0, 0)


def own_measures() -> list[untied.Measure]:
    def Forked(grades: tuple[float, ...]) -> float:
        return sum(grades)

    def ForkedSum() -> tuple[Any, Any]:
        return {1.0: 1.0, 2.0: 2.0}, [1.0, 0.5]

    return [own.measure(Forked), own.additive_measure(ForkedSum)]


def trec_report() -> list[bytes]:
    options: Any = {**defaults(), "measures": ["all_trec"], "per_topic": True}
    return list(_core.TrecReport(folder() / "qrels", folder() / "one", options))


def batch_evaluation() -> object:
    run, judged = arrow("score"), arrow("grade")
    rows = pyarrow.concat_tables([run, judged], promote_options="default").rename_columns(
        {"qid": "query", "docno": "document"}
    )
    made = batches.BatchEvaluator(["AP"], grades=[0, 1, 3])
    return made.summary(made(rows.sort_by("query").to_batches())).means


def batch_comparison() -> object:
    rows = arrow("score_a").rename_columns({"qid": "query", "docno": "document"}).sort_by("query")
    made = batches.BatchComparer(["RBO"])
    return made.summary(made(rows.append_column("score_b", rows["score_a"]).to_batches())).means


def comparison() -> untied.Comparison:
    return untied.compare(RUNS["one"], RUNS["two"], ["RBO", "MED(AP@10)", "Delta(P@3)"], qrels=QRELS)


CALLS: dict[str, Callable[[], object]] = {
    "Run": run,
    "Run.read": lambda: [_core.Run.read(folder() / "one"), _core.Run.read(folder() / "run.csv", None, "csv")],
    "Run.from_mapping": lambda: _core.Run.from_mapping(RUNS["one"]),
    "Run.from_arrow": lambda: _core.Run.from_arrow(arrow("score")),
    "Run.from_rows": lambda: _core.Run.from_rows([(query, "a", 1) for query in QUERIES]),
    "Run.restore": lambda: pickle.loads(pickle.dumps(run())),
    "Run.queries": lambda: [run().queries(), run()["q1"], "q1" in run(), len(run())],
    "Run.with_duplicates": lambda: evaluator().evaluate(run().with_duplicates(2)).facts()["duplicates"],
    "Qrels": qrels,
    "Qrels.read": lambda: _core.Qrels.read(folder() / "qrels"),
    "Qrels.from_mapping": lambda: _core.Qrels.from_mapping({query: {"s": {"a": 1}} for query in QUERIES}),
    "Qrels.from_arrow": lambda: _core.Qrels.from_arrow(arrow("grade")),
    "Qrels.from_rows": lambda: _core.Qrels.from_rows([(query, "a", 1) for query in QUERIES]),
    "Qrels.from_probabilities": lambda: _core.Qrels.from_probabilities(
        [(query, [("a", [(1, 0.5)]), ("b", [])]) for query in QUERIES]
    ),
    "Qrels.from_preferences": lambda: _core.Qrels.from_preferences(
        [(query, [("a", []), ("b", [0])]) for query in QUERIES]
    ),
    "Qrels.restore": lambda: pickle.loads(pickle.dumps(qrels())),
    "Qrels.unanswered": lambda: untied.Qrels({"q": {"d": 1}, "r": {}}).unanswered(),
    "Qrels.by_subtopic": lambda: untied.Qrels({"q": {"s": {"d": 1}}}).by_subtopic("q"),
    "Qrels.without": lambda: qrels().without({0, 2}, None).queries(),
    "Qrels.among": lambda: [qrels().among([0.0, 1.0, 2.0]).grades(), qrels().queries(), qrels().repeated],
    "Lengths.read": lambda: _core.Lengths.read(folder() / "docs"),
    "Lengths.from_mapping": lambda: _core.Lengths.from_mapping({"a": 1, "b": (2, 3.0)}),
    "Lengths.restore": lambda: pickle.loads(pickle.dumps(_core.Lengths.from_mapping({"a": 1, "b": (2, 3.0)}))),
    "Measure": lambda: pickle.loads(pickle.dumps(_core.Measure("AP(rel=2)") @ 10)),
    "Evaluator.evaluate": lambda: evaluator().evaluate(run()).totals(),
    "Evaluator.evaluate_file": lambda: evaluator().evaluate_file(folder() / "one", "trec", None, True).totals(),
    "Evaluator.evaluate_arrow": lambda: evaluator().evaluate_arrow(arrow("score"), None, "run", True).totals(),
    "Evaluator.rows": lambda: evaluator().rows(run()),
    "Evaluation": lambda: [
        (found.queries(), found.columns(), found.values(), found.value(0, 0), found.find("q1"), found.facts())
        for found in [evaluator().evaluate(run())]
    ],
    "FeatureEvaluator.read": lambda: features(read=True),
    "FeatureEvaluator.columns": lambda: features(read=False),
    "FeatureEvaluation": lambda: untied.evaluate_features(folder() / "letor", ["AP"]).table(),
    "ArrayComparer": lambda: untied.compare_arrays([[1, 2, 3]] * 99, [[3, 2, 1]] * 99, "RBO"),
    "ArrayEvaluator": lambda: untied.evaluate_arrays([[1, 2, 2]] * 99, [[0, 1, 0]] * 99, ["AP"], ties="range").means,
    "ArrayEvaluation": lambda: untied.evaluate_arrays([[1, 2, 2]] * 99, [[0, 1, 0]] * 99, ["AP"]).per_query["AP"],
    "Totals": batch_evaluation,
    "TrecEvaluator": lambda: _core.TrecEvaluator(
        QRELS, ["map"], _core.Policies("one-value", ties="trec"), level=1, judged_only=False
    ).evaluate(RUNS["one"]),
    "TrecReport": trec_report,
    "arrow_stream": lambda: pyarrow.table(untied.evaluate(QRELS, RUNS).means),
    "Terms": terms,
    "adjust": lambda: _core.adjust([0.01, 0.02], "holm"),
    "bootstrap_interval": lambda: _core.bootstrap_interval([1.0, 2.0, 3.0] * 99, 0.95, 99, 0),
    "bootstrap_means": lambda: _core.bootstrap_means([1.0, 2.0, 3.0] * 99, 99, 0),
    "certify_runs": lambda: untied.certify(QRELS, RUNS, ["P@3", "AP@10"]).table,
    "differences_of_queries": lambda: untied.evaluate(QRELS, RUNS, "AP", unjudged="range").query_differences(),
    "check_run": lambda: _core.check_run(qrels(), run()),
    "judged_tops": lambda: _core.judged_tops(qrels(), run(), [1, 10]),
    "malformed_lines": lambda: _core.malformed_lines(__file__, "trec", True, 3),
    "compare_laws": lambda: untied.distributions(QRELS, RUNS, ["AP", "RR"]).pairs,
    "compare_rows": batch_comparison,
    "compare_runs": lambda: comparison().means,
    "Comparison": lambda: comparison().table(),
    "fact_info": lambda: _core.fact_info(),
    "file_formats": lambda: _core.file_formats(True),
    "no_facts": lambda: _core.no_facts(),
    "comparing_info": lambda: _core.comparing_info(_core.comparing_measure("RBO")),
    "comparing_measure": lambda: _core.comparing_measure("MED(AP@10)"),
    "decide": lambda: _core.decide([0.01, 0.02], [], [], "holm", 0.95),
    "define_additive": lambda: untied.evaluate(QRELS, RUNS, own_measures()[1:]).means,
    "define_formula": lambda: untied.evaluate(QRELS, RUNS, own_measures()[:1]).means,
    "difference_outcomes": lambda: comparison().outcomes("Delta(P@3)", "q1"),
    "Laws": lambda: untied.distributions(QRELS, RUNS, "AP", per_query=True).quantiles(per_query=True),
    "explain_measures": lambda: _core.trec_eval_names(),
    "explain_verdict": lambda: untied.certify(QRELS, RUNS, "AP@10").explain("one", "two"),
    "filled_rankings": lambda: _core.filled_rankings(untied.MED(untied.AP @ 10), run(), run("two"), None),
    "find_columns": lambda: _core.find_columns(["qid", "docno", "score"], "run", None, "run"),
    "formula_inputs": _core.formula_inputs,
    "register": lambda: _core.register("as_run", untied.read_run),
    "in_common": lambda: [_core.in_common(run(), qrels()), _core.in_common(run(), run("two"))],
    "judgment_outlook": lambda: judging.judge_next(QRELS, RUNS, "AP"),
    "item_distance": lambda: distances.footrule([["a", "b"], "c"], ["c", "b", "a"]),
    "largest_assignment": lambda: comparison().assignment("MED(AP@10)", "q1"),
    "look_swapped": lambda: _core.look_swapped(qrels(), run()),
    "measure_info": _core.measure_info,
    "moved_documents": lambda: comparison().moved("q1"),
    "Policies": lambda: pickle.loads(pickle.dumps(_core.Policies("runs", ties="trec"))).chosen(),
    "policies": lambda: _core.policies("runs"),
    "why_not": lambda: _core.why_not("runs", "ties", "best"),
    "observe": lambda: _core.observe(None),
    "top_changes": lambda: comparison().top_changes(),
    "only_documents": lambda: _core.only_documents([run(), run("two")], iter(["a", "b"])),
    "overturning_documents": lambda: untied.certify(QRELS, RUNS, "AP@10")._overturning("one", "two", "AP@10"),
    "drawn_at_least": lambda: _core.drawn_at_least(1000),
    "differences": lambda: _core.differences(array("d", [1.0, 2.0]), array("d", [2.0, 0.5])),
    "most_different": lambda: _core.most_different([array("d", [0.5, 0.25]), array("d", [0.5, 0.5])], 1),
    "ranked": lambda: _core.ranked([0.5, 0.25, 0.5], False),
    "difference": lambda: _core.difference(0.5, 0.25),
    "pair": lambda: _core.pair(*terms()),
    "standing": lambda: _core.standing(*terms()),
    "parse_measures": lambda: _core.parse_measures("map"),
    "passage_differences": lambda: untied.compare_passages([("d", 0, 10)], [("d", 5, 10)]).mean,
    "place_columns": lambda: _core.place_columns(["qid", "docno", "score"], None, False, "run"),
    "possible_grades": lambda: _core.possible_grades(qrels(), untied.AP),
    "randomization_p": lambda: _core.randomization_p([[1.0, -2.0, 3.0] * 9] * 4, 99, 0),
    "read_bytes": lambda: _core.read_bytes(folder() / "qrels", lines=True),
    "retrieved_documents": lambda: _core.retrieved_documents([run(), run("two")]),
    "show_id": lambda: _core.show_id("a"),
    "tie_counts": lambda: _core.tie_counts(run()),
    "top_groups": lambda: _core.top_groups(run(), "q1", 3),
    "trec_eval_names": _core.trec_eval_names,
    "tukey_p": lambda: _core.tukey_p(terms() * 15, [(0, 29)], 99, 0),
    # What is built on it.
    "evaluate": lambda: untied.evaluate(QRELS, RUNS, ["AP", "nDCG@10"], ties="range").table(),
    "compare_all": lambda: untied.compare_all(RUNS, ["RBO"]).means,
    "statistics": lambda: statistics.significance(untied.evaluate(QRELS, RUNS, ["AP"]), samples=99),
    "discriminative_power": lambda: statistics.discriminative_power(untied.evaluate(QRELS, RUNS, ["AP"]), samples=99),
    "gate": lambda: gate.gate(QRELS, RUNS["one"], baseline=RUNS["two"], max_drop={"AP": 0.9}),
    "report": lambda: report.report(QRELS, RUNS, ["AP"]),
    "comparison_report": lambda: report.comparison_report(comparison()),
    "curves": lambda: curves.curves(QRELS, RUNS, "q1"),
    "sample": lambda: [
        sample.judgments(QRELS, 0.5),
        sample.pool(RUNS.values(), 2),
        sample.collection(QRELS, RUNS, 0.5),
    ],
    "estimates": lambda: [estimates.infap_error(QRELS, RUNS["one"]), estimates.subcollection(QRELS, RUNS["one"])],
}


def in_a_child(call: Callable[[], object]) -> str:
    """Make a call in a forked process; what went wrong."""
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            call()
            status = 0
        os._exit(status)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return "" if status == 0 else f"ended with {os.waitstatus_to_exitcode(status)}"
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return f"took more than {LIMIT} seconds"


def failures() -> Iterator[str]:
    """What went wrong with each call, here or in a forked process."""
    for name, call in CALLS.items():
        try:
            call()
        except BaseException as error:
            yield f"{name}: {type(error).__name__}: {error}"
            continue
        wrong = in_a_child(call)
        if wrong:
            yield f"{name}, in a forked process: {wrong}"


if __name__ == "__main__":
    found = list(failures())
    print("\n".join(found))
    sys.exit(bool(found))
