"""A run and qrels with nothing in common: every entry point warns, raises, or prints a note."""

import importlib
import inspect
import json
import pkgutil
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import untied
import untied.compat
from entry_points import COMMANDS as LINES
from untied import study
from untied.cli import main
from untied.cli.commands import COMMANDS
from untied.inputs import mismatch

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}, "q3": {"e": 1, "f": 0}}
RUN = {"q1": {"a": 0.9, "b": 0.4}, "q2": {"c": 0.8, "x": 0.3}, "q3": {"f": 0.75, "e": 0.25}}
#: Qrels and run. All but the first have nothing to do with each other.
SITUATIONS: dict[str, tuple[Any, Any]] = {
    "sound": (QRELS, RUN),
    "swapped": (RUN, QRELS),
    "empty run": (QRELS, {}),
    "empty qrels": ({}, RUN),
    "other queries": (QRELS, {query.replace("q", "p"): documents for query, documents in RUN.items()}),
    "other documents": (QRELS, {query: {f"{d}.txt": s for d, s in docs.items()} for query, docs in RUN.items()}),
}
#: Whoever finds it fine that nothing is relevant yet.
NOTHING_RELEVANT = ({query: dict.fromkeys(documents, 0) for query, documents in QRELS.items()}, RUN)
#: Without a query in common there is nothing to evaluate.
NO_QUERY = ("empty qrels", "other queries")
#: Entry points without ids of queries in the qrels.
NO_IDS = ("evaluate_arrays", "ArrayEvaluator.evaluate", "evaluate_features", "batches.BatchComparer.summary")
REASONS = [text for name, text in vars(mismatch).items() if name.isupper() and isinstance(text, str)]


def rows(qrels: Any, run: Any) -> Any:
    """Both in one table, as `BatchEvaluator` takes them."""
    import pyarrow

    def table(of: Any, column: str) -> Any:
        flat = [(query, document, float(number)) for query, docs in of.items() for document, number in docs.items()]
        columns = list(zip(*flat, strict=True)) or [(), (), ()]
        kinds = (pyarrow.string(), pyarrow.string(), pyarrow.float64())
        arrays = [pyarrow.array(one, kind) for one, kind in zip(columns, kinds, strict=True)]
        return pyarrow.table(dict(zip(("query", "document", column), arrays, strict=True)))

    both = pyarrow.concat_tables([table(run, "score"), table(qrels, "grade")], promote_options="default")
    return both.sort_by("query").to_batches()


def in_strata(qrels: Any) -> Any:
    """The qrels as a sample of documents of one stratum, all of which were drawn."""
    judged = {query: {doc: (0, grade) for doc, grade in docs.items()} for query, docs in qrels.items()}
    return untied.Qrels(judged, format="stratified")


def batches(qrels: Any, run: Any, _: Any) -> None:
    from untied.batches import BatchEvaluator

    grades = sorted({grade for docs in qrels.values() for grade in docs.values()})
    evaluator = BatchEvaluator(["AP"], grades=grades)
    evaluator.summary(evaluator(rows(qrels, run)))


def batches_compared(qrels: Any, run: Any, _: Any) -> None:
    import pyarrow

    from untied.batches import BatchComparer

    comparer = BatchComparer("Overlap@2", grades=[0, 0.25, 0.3, 0.4, 0.75, 0.8, 0.9, 1])
    flat = [
        (query, document, RUN.get(query, {}).get(document), run.get(query, {}).get(document))
        for query in sorted({*RUN, *run})
        for document in {**RUN.get(query, {}), **run.get(query, {})}
    ]
    query, document, a, b = (list(column) for column in zip(*flat, strict=True))
    number = pyarrow.float64()
    table = pyarrow.table(
        {
            "query": query,
            "document": document,
            "score_a": pyarrow.array(a, number),
            "score_b": pyarrow.array(b, number),
            "grade": pyarrow.array(
                [None if q not in qrels or d not in qrels[q] else float(qrels[q][d]) for q, d, *_ in flat], number
            ),
        }
    )
    comparer.summary(comparer(table.to_batches()))


def results(qrels: Any, run: Any) -> untied.Results:
    """Evaluated with whatever warning there is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", untied.UntiedWarning)
        return untied.evaluate(qrels, {"a": RUN, "b": run}, ["AP", "RR"])


def two(run: Any) -> dict[str, Any]:
    return {"bm25": RUN, "other": run}


def pooled(qrels: Any) -> dict[str, Any]:
    """With a document in the pool that is not judged."""
    return {query: {**docs, "pooled": -1} for query, docs in qrels.items()}


def arrays(qrels: Any, run: Any) -> tuple[list[list[float]], list[list[int]]]:
    """Scores and labels; documents that the qrels lack are not relevant."""
    scores = [list(docs.values()) for docs in RUN.values()]
    labels = [[int(qrels.get(q, {}).get(d, 0) >= 1 and q in run and d in run[q]) for d in RUN[q]] for q in RUN]
    return scores, labels


def letor(qrels: Any, run: Any, folder: Any) -> Any:
    path = folder / "data.letor"
    scores, labels = arrays(qrels, run)
    lines = [
        f"{label} qid:{query} 1:{score}\n"
        for query, (of_query, labels_of) in enumerate(zip(scores, labels, strict=True), 1)
        for score, label in zip(of_query, labels_of, strict=True)
    ]
    path.write_text("".join(lines))
    return path


def studied(name: str, **options: Any) -> Callable[[Any, Any, Any], Any]:
    def conduct(qrels: Any, run: Any, folder: Any) -> Any:
        runs = two(run) | {"third": {query: dict(list(docs.items())[:1]) for query, docs in RUN.items()}}
        return getattr(study, name)(qrels, runs, folder / name, plots="none", **options)

    return conduct


def gated(qrels: Any, run: Any, **limits: Any) -> None:
    """A gate says what is wrong in its verdict: it fails, or has a note where only MED is asked for."""
    verdict = untied.gate.gate(qrels, run, **limits)
    if not verdict.passed or verdict.notes:
        raise untied.UntiedError(f"{verdict.notes} {verdict}")


#: Python's entry points that hold a run against qrels or another run: qrels, run and a folder in.
CASES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "evaluate": lambda qrels, run, _: untied.evaluate(qrels, run),
    "Evaluator.evaluate": lambda qrels, run, _: untied.Evaluator(qrels).evaluate(two(run)),
    "Evaluator.means": lambda qrels, run, _: untied.Evaluator(qrels).means(run),
    "evaluate_arrays": lambda qrels, run, _: untied.evaluate_arrays(*arrays(qrels, run), ["AP"]),
    "ArrayEvaluator.evaluate": lambda qrels, run, _: untied.ArrayEvaluator(arrays(qrels, run)[1]).evaluate(
        arrays(qrels, run)[0]
    ),
    "evaluate_features": lambda qrels, run, folder: untied.evaluate_features(letor(qrels, run, folder)),
    "certify": lambda qrels, run, _: untied.certify(qrels, two(run), ["AP"]),
    "distributions": lambda qrels, run, _: untied.distributions(qrels, two(run)),
    "compare": lambda qrels, run, _: untied.compare(RUN, run, qrels=qrels),
    "compare_all": lambda qrels, run, _: untied.compare_all(two(run), ["RBO"], qrels=qrels),
    "batches.BatchEvaluator.summary": batches,
    "batches.BatchComparer.summary": batches_compared,
    "evaluation.curves.curves": lambda qrels, run, _: untied.evaluation.curves.curves(qrels, run, "q1"),
    "judging.estimates.infap_error": lambda qrels, run, _: untied.judging.estimates.infap_error(qrels, run),
    "judging.estimates.subcollection": lambda qrels, run, _: untied.judging.estimates.subcollection(qrels, run),
    "gate.gate": lambda qrels, run, _: gated(qrels, run, min={"AP": 0}),
    "gate.gate baseline": lambda qrels, run, _: gated(qrels, RUN, baseline=run, max_drop={"AP": 1}),
    "gate.gate MED": lambda qrels, run, _: gated(qrels, RUN, baseline=run, max_med={"P@2": 1}),
    "judging.agreement": lambda qrels, run, _: untied.judging.agreement(qrels, qrels, run),
    "judging.judge_next": lambda qrels, run, _: untied.judging.judge_next(qrels, run),
    "report.report": lambda qrels, run, _: untied.report.report(qrels, two(run), ["AP"], distances=["RBO"]),
    "judging.sample.pool": lambda qrels, run, _: untied.judging.sample.pool([run], 10, qrels),
    "judging.sample.collection": lambda qrels, run, _: untied.judging.sample.collection(qrels, {"x": run}, 1.0),
    "statistics.significance": lambda qrels, run, _: untied.statistics.significance(
        results(qrels, run), interval="none"
    ),
    "statistics.discriminative_power": lambda qrels, run, _: untied.statistics.discriminative_power(
        results(qrels, run)
    ),
    "statistics.estimate_runs": lambda qrels, run, _: untied.statistics.estimate_runs(
        results(qrels, run), results(qrels, run)
    ),
    "statistics.estimate_drawn": lambda qrels, run, _: untied.statistics.estimate_drawn(
        in_strata(qrels), qrels, run, "P@10"
    ),
    "statistics.required_queries": lambda qrels, run, _: untied.statistics.required_queries(results(qrels, run)),
    "study.agreement": studied("agreement", depths=[]),
    "study.imperfect": studied("imperfect", rates=[0.5], samples=1),
    "study.incomplete": studied("incomplete", rates=[0.5], samples=1),
    "study.judges": studied("judges", measures=["P@2"], machines=["good"], judged=[5], samples=1, asked=8),
    "study.judging": studied("judging", pairs=1, measures=["P@2"]),
    "study.med": studied("med", groups={"bm25": "lexical", "other": "lexical", "third": "lexical"}),
    "study.order": studied("order"),
    "study.ties": studied("ties"),
    "verdicts.from_sample": lambda qrels, run, _: untied.verdicts.from_sample(pooled(qrels), two(run), "P@2"),
}


#: Scores and grades stand in columns of these names: they cannot be swapped.
COLUMNS_SAY = ["batches.BatchEvaluator.summary", "batches.BatchComparer.summary"]
#: Why others need none.
NONE_NEEDED = {
    "classes of results": [
        "ArrayComparison", "ArrayQueries", "ArrayResults", "ArrayValues", "Assignment", "Comparison", "Comparisons",
        "FeatureResults", "Outcomes", "PassageComparison", "comparison.passages.PassageComparison", "Results", "Table",
        "Value", "Verdict", "Distribution", "Distributions", "Verdicts", "batches.ComparisonSummary",
        "batches.EvaluationSummary", "batches.Summary", "gate.Check", "gate.check.Check", "gate.GateResult",
        "judging.Advice", "judging.Candidate", "statistics.Significance", "statistics.Test", "study.Result",
        "spark.SparkComparison", "spark.SparkEvaluation", "spark.SparkResults",
    ],
    "errors": [
        "InputError", "MeasureError", "NotKeptError", "UndefinedError", "UntiedError", "UntiedWarning",
        "inputs.truth.ContradictingPreferences",
    ],
    "one input, or none": [
        "Measure", "Qrels", "Run", "additive_measure", "measure", "parse_measure", "read_qrels", "read_run",
        "judging.sample.judgments", "judging.sample.queries", "judging.sample.document_key",
        "judging.sample.keeps_document", "judging.sample.ranked", "inputs.truth.read_groups", "inputs.truth.read_mirex",
        "inputs.probabilities.qrels_of_table",
        "inputs.probabilities.qrels_of_probabilities",
        "inputs.truth.read_preferences", "inputs.truth.qrels_of_preferences", "inputs.truth.groups_from_preferences",
        "inputs.truth.groups_from_rankings", "judging.rows",
        "comparison.passages.read_passages", "comparison.passages.read_judged_passages", "statistics.adjust",
        "statistics.said_of", "study.Study", "study.Agreement", "study.Imperfect", "study.Incomplete", "study.Judges",
        "study.Judging", "study.Med", "study.Order", "study.Passages", "study.Ties", "spark.clear_errors",
    ],
    "two lists that must hold the same, or that may well differ wholly": [
        "compare_arrays", "comparison.correlation.kendall", "comparison.correlation.tau_ap",
        "comparison.correlation.swapped", "comparison.correlation.same_items", "comparison.correlation.spearman",
        "comparison.distances.kendall_distance", "comparison.distances.footrule", "statistics.randomization_test",
        "statistics.t_test", "statistics.wilcoxon_test", "statistics.paired_p", "statistics.mean_interval",
        "statistics.effect_size", "statistics.estimate_mean", "statistics.Estimate", "statistics.RunEstimates",
        "statistics.allocate", "statistics.estimate_strata",
    ],
    "of results, of which whoever evaluated has been warned": [
        "paper.paper_table", "report.comparison_report", "report.page", "report.collect_comparison",
    ],
    "an error unless the pool holds all that is judged, see test_estimates.py": ["judging.estimates.with_pool"],
    "what report.report is made of": ["report.collect"],
    "parts of functions for one ranking or list of preferences": [
        "comparison.correlation.tie_groups", "inputs.truth.levels_of_preferences", "inputs.truth.preferred_to",
        "inputs.truth.orders_of_preferences", "inputs.truth.pairs_of_preferences",
    ],
    "preferences cannot be swapped with a run, see test_evaluate_orders.py": ["evaluation.orders.evaluate_orders"],
    "warned of on the driver, see test_spark.py": ["spark.evaluate", "spark.compare"],
    "queries in common are demanded, see test_interleavings.py, test_compare_passages.py and test_study_notes.py": [
        "compare_passages", "comparison.passages.compare_passages", "evaluation.searches.evaluate_searches",
        "evaluation.searches.evaluate_interleavings",
        "study.passages",
    ],
    "drop-ins, as silent as their hosts (docs/coming_from.md)": [
        "compat.beir.EvaluateRetrieval", "compat.beir.mrr", "compat.beir.recall_cap", "compat.beir.top_k_accuracy",
        "compat.beir.hole", "compat.ir_measures.UntiedMeasure", "compat.ir_measures.GeometricMean",
        "compat.ir_measures.Mean", "compat.ir_measures.UntiedProvider", "compat.ir_measures.UntiedEvaluator",
        "compat.ir_measures.install", "compat.ir_measures.uninstall", "compat.mteb.RelevanceEvaluator",
        "compat.mteb.install", "compat.mteb.uninstall", "compat.mteb.mrr", "compat.mteb.recall_cap",
        "compat.sklearn.coverage_error", "compat.sklearn.top_k_accuracy_score", "compat.pytrec_eval.RelevanceEvaluator",
        "compat.pytrec_eval.compute_aggregated_measure", "compat.pytrec_eval.parse_run",
        "compat.pytrec_eval.parse_qrel", "compat.sentence_transformers.compute_metrics",
        "compat.sentence_transformers.TieAware", "compat.sklearn.ndcg_score", "compat.sklearn.dcg_score",
        "compat.sklearn.label_ranking_average_precision_score", "compat.sklearn.label_ranking_loss",
    ],
}  # fmt: skip
MODULES = [
    "batches", "comparison.correlation", "comparison.distances", "comparison.passages", "evaluation.curves",
    "evaluation.orders", "evaluation.searches", "gate",
    "inputs.truth", "judging", "judging.estimates", "judging.sample", "paper", "report", "spark", "statistics", "study",
]  # fmt: skip


def entry_points() -> set[str]:
    """All public functions and classes, but for measures."""
    found = {
        name
        for name in untied.__all__
        if inspect.isroutine(getattr(untied, name)) or inspect.isclass(getattr(untied, name))
    }
    modules = [
        *MODULES,
        *(f"compat.{one.name}" for one in pkgutil.iter_modules(untied.compat.__path__) if one.name[0] != "_"),
    ]
    for module in modules:
        try:
            imported = importlib.import_module(f"untied.{module}")
        except ImportError:
            continue  # its host is not installed
        found |= {
            f"{module}.{name}"
            for name, one in vars(imported).items()
            if not name.startswith("_")
            if name in getattr(imported, "__all__", ())
            or getattr(one, "__module__", "") == f"untied.{module}"
            or (module == "study" and getattr(one, "__module__", "").startswith("untied.study"))
            if inspect.isroutine(one) or inspect.isclass(one)
        }
    return found


def test_every_entry_point_has_a_case_or_a_reason() -> None:
    explained = {name for names in NONE_NEEDED.values() for name in names}
    tried = {name.split(" ")[0] for name in CASES}
    covered = explained | tried | {name.rpartition(".")[0] for name in tried}
    assert entry_points() - covered == set()
    assert explained & tried == set()


def heard(call: Callable[[], Any]) -> str | None:
    """What a call says of inputs with nothing in common: its warning or error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except (untied.UntiedError, KeyError) as error:
            return f"error: {error}"
    told = [str(one.message) for one in caught if issubclass(one.category, untied.UntiedWarning)]
    assert len(told) <= 1, "once a call"
    return told[0] if told else None


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("name", CASES)
def test_python_tells(name: str, situation: str, tmp_path: Any) -> None:
    said = heard(lambda: CASES[name](*SITUATIONS[situation], tmp_path))
    if situation == "sound" or (situation == "swapped" and name in COLUMNS_SAY):
        assert said is None or "lower than these measures need" in said  # than the scores that are read as grades
    else:
        assert said is not None
        assert situation not in NO_QUERY or name in NO_IDS or said.startswith("error: ")


@pytest.mark.parametrize("name", ["evaluate", "Evaluator.means", "evaluate_arrays", "evaluate_features", "study.ties"])
def test_nothing_relevant(name: str, tmp_path: Any) -> None:
    assert mismatch.NOTHING_RELEVANT in (heard(lambda: CASES[name](*NOTHING_RELEVANT, tmp_path)) or "")


@pytest.mark.parametrize(
    ("situation", "reason"),
    [
        ("swapped", mismatch.SWAPPED),
        ("empty run", mismatch.EMPTY),
        ("other documents", mismatch.DOCUMENTS),
    ],
)
def test_the_reason(situation: str, reason: str) -> None:
    qrels, run = SITUATIONS[situation]
    with pytest.warns(untied.UntiedWarning) as caught:
        untied.evaluate(qrels, {"x": untied.Run(run)})
    assert [str(one.message) for one in caught] == [f"{reason}: 'x'"]
    assert caught[0].filename == __file__, "where untied was called"
    with pytest.raises(untied.UntiedError, match=f"^{reason[:20]}"):
        untied.evaluate(qrels, {"x": untied.Run(run)}, strict=True)
    with pytest.raises(untied.UntiedError, match=f"^{reason[:20]}"):
        untied.Evaluator(qrels, strict=True).means(run)


def test_strict_comparisons() -> None:
    apart = {"q1": {"z": 1.0}}
    with pytest.raises(untied.UntiedError, match=f"^{mismatch.APART}: 'b'$"):
        untied.compare(RUN, apart, "RBO", strict=True)
    with pytest.raises(untied.UntiedError, match=f"^{mismatch.APART}: 'z'$"):
        untied.compare_all({"x": RUN, "y": RUN, "z": apart}, "RBO", strict=True)
    with pytest.raises(untied.UntiedError, match=f"^{mismatch.IMPROBABLE}: 'a', 'b'$"):
        untied.compare(RUN, RUN, "Delta(P@2)", probabilities=apart, strict=True)
    assert untied.compare(["x"], ["y"], "RBO", strict=True)["RBO"].mean == 0, "two lists may differ wholly"


def test_several_runs_are_named() -> None:
    runs = {f"run{number}": {"p": {"a": 1.0}} for number in range(6)} | {"good": RUN, "bad": {"q1": {"z": 1.0}}}
    with pytest.raises(untied.UntiedError) as refused:
        untied.evaluate(QRELS, runs)
    assert str(refused.value) == (
        f"{mismatch.QUERIES}: 'run0', 'run1', 'run2', 'run3' and 2 more runs; "
        f"{mismatch.DOCUMENTS}: 'bad'; {mismatch.NEARLY}"
    )


def test_files_tell_the_same(tmp_path: Any) -> None:
    """Streamed, or read as a whole."""
    for situation, reason in (("other queries", mismatch.QUERIES), ("other documents", mismatch.DOCUMENTS)):
        qrels, run = SITUATIONS[situation]
        path = tmp_path / "x.run"
        path.write_text(trec_run(run))
        for source in (path, untied.read_run(path)):
            assert reason in str(heard(partial(untied.evaluate, qrels, source)))


@pytest.mark.filterwarnings("ignore:some grades lie between 0 and 1:untied.UntiedWarning")
def test_soft_grades_and_whole_scores_are_not_swapped() -> None:
    """Grades that documents share are grades, however odd; scores that are not small and whole are scores."""
    soft = {f"q{q}": {f"d{d}": (d % 4) / 2 for d in range(8)} for q in range(4)}
    discrete = {query: {document: float(len(document)) for document in docs} for query, docs in soft.items()}
    assert not untied.evaluate(soft, discrete).facts()["run"]["swapped"]
    # Ranks are whole and small, and no two documents of a query share one.
    own = {"q1": {"a": 0.9, "b": 0.25, "c": 0.5}, "q2": {"a": 0.1, "d": 0.7}}
    ranks = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"d": 2.0, "a": 1.0}}
    assert not untied.evaluate(own, ranks, ["nDCG"]).facts()["run"]["swapped"]
    with pytest.warns(untied.UntiedWarning, match=r"swapped\?"):
        untied.evaluate(own, {"q1": {"a": 1.0, "b": 0.0, "c": 1.0}}, ["nDCG"])
    ranked = {query: list(docs) for query, docs in QRELS.items()}
    assert not untied.evaluate(RUN, ranked, ["nDCG"]).facts()["run"]["swapped"]
    assert not untied.evaluate(RUN, RUN, ["nDCG"]).facts()["run"]["swapped"]


def trec_run(run: Any) -> str:
    return "".join(f"{q} Q0 {d} 1 {s} t\n" for q, docs in run.items() for d, s in docs.items())


def trec_qrels(qrels: Any) -> str:
    return "".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items())


#: Commands that do not say which inputs have nothing in common.
NO_RUNS = {
    "convert": "takes one input",
    "measures": "takes no input",
    "verify": "checks what certify has written, which has told",
    "completion": "takes no input",
    "trec_eval": "is as silent as trec_eval",
    "features": "has labels, see below",
    "passages": "demands queries in common, see test_compare_passages.py",
}


def test_every_command_has_a_case_or_a_reason() -> None:
    assert LINES.keys() == COMMANDS.keys()
    assert NO_RUNS.keys() <= COMMANDS.keys()


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in NO_RUNS])
def test_commands_tell(command: str, situation: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = SITUATIONS[situation]
    paths = {"q": tmp_path / "q.json", "a": tmp_path / "a.json", "b": tmp_path / "b.run"}
    paths["q"].write_text(json.dumps(qrels))
    paths["a"].write_text(json.dumps(run))
    paths["b"].write_text(trec_run(RUN))
    words = [word.format(**paths, folder=tmp_path, query="q1") for word in LINES[command].split()]
    code = main([command, *words])
    out, err = capsys.readouterr()
    told = [line for line in err.splitlines() if any(reason in line for reason in REASONS)]
    if situation == "sound":
        assert code == 0, err
        assert not told
    elif command == "check" and code == 0:
        findings = [*REASONS, "no retrieved document is judged", "judged queries missing from the run"]
        assert told or any(f"! {finding}" in out for finding in findings)
    else:
        assert code != 0 or (told and situation not in NO_QUERY), (out, err)
    if command in ("gate", "stats") and situation != "sound":
        assert code > 0


def test_features_on_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_text("0 qid:1 1:0.5\n0 qid:1 1:0.7\n")
    assert main(["features", str(tmp_path / "x")]) == 0
    assert capsys.readouterr().err.count(f"note: {mismatch.NOTHING_RELEVANT}") == 1


def test_json_has_the_note(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q").write_text(trec_qrels(QRELS))
    (tmp_path / "r").write_text(trec_run(SITUATIONS["other documents"][1]))
    assert main(["eval", str(tmp_path / "q"), str(tmp_path / "r"), "--format", "json"]) == 0
    out, err = capsys.readouterr()
    note = f"{mismatch.DOCUMENTS}: 'r'"
    assert note in json.loads(out)["notes"]
    assert err.count(note) == 1


def test_trec_eval_is_silent(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q").write_text(trec_qrels(QRELS))
    (tmp_path / "r").write_text(trec_run(SITUATIONS["other documents"][1]))
    assert main(["trec_eval", str(tmp_path / "q"), str(tmp_path / "r")]) == 0
    assert capsys.readouterr().err == ""
