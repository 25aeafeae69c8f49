"""Runs and qrels in Arrow batches: the numbers of the whole, whatever the pieces."""

import pickle
import warnings

import polars
import pyarrow
import pytest

import untied
from nightly import seeded
from untied.batches import BatchComparer, BatchEvaluator, pieces
from untied.inputs.tolerance import DUPLICATES

MEASURES = [
    "AP", "nDCG@10", "nDCG(gain='exp2')", "RR", "P@5", "R@10", "Bpref", "infAP", "RBP(p=0.8)", "ERR@20", "nERR@5",
    "Rprec", "IPrec@0.3", "Judged@10", "SetF", "Success@3", "Compat(p=0.9)", "NumRet", "NumRel", "Rndcg", "ESL",
    "INST(max_rel=4)",
]  # fmt: skip
BOUNDED = ["AP", "nDCG@10", "nDCG(gain='exp2')@5", "RR", "P@5", "R@10", "RBP(p=0.8)", "ERR@20", "DCG@5", "Success@3"]


def make(seed, queries=23, grades=(-1, 0, 1, 2, 4)):
    """A run and qrels; each has queries that the other lacks, and the highest grade occurs in one query only."""
    draw = seeded(seed)
    documents = [f"d{number}" for number in range(40)]

    def some(most, values):
        chosen = draw.sample(documents, draw.randint(1, most))
        return {document: draw.choice(values) for document in chosen}

    run = {f"q{query}": some(30, [0.5, 1.0, 1.5, 2.0, 1e-3]) for query in range(queries)}
    qrels = {f"q{query}": some(20, grades[:-1]) for query in range(2, queries + 3)}
    qrels["q7"]["d1"] = grades[-1]
    return run, qrels


def table(numbers, name):
    rows = [(query, document, number) for query, found in numbers.items() for document, number in found.items()]
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    types = [pyarrow.string(), pyarrow.string(), pyarrow.float64()]
    arrays = [pyarrow.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return pyarrow.table(dict(zip(("query", "document", name), arrays, strict=True)))


def together(*tables):
    """One below the other, those of a query together."""
    return pyarrow.concat_tables(tables, promote_options="default").sort_by("query")


def rows_of(run, qrels):
    return together(table(qrels, "grade"), table(run, "score"))


def all_grades(qrels):
    return {grade for judged in qrels.values() for grade in judged.values()}


def local(qrels, run, measures, **options):
    results = untied.evaluate(qrels, run, measures, **options)
    return list(results.per_query.rows()), list(results.means.rows()), results.facts()["run"]


def by_query(values, names):
    """Rows of values as `local` has them."""
    kept = values.filter(values["measure"].is_valid()).sort_by("query").to_pylist()
    return [("run", row["query"], row["measure"], *(row[name] for name in names)) for row in kept]


def same(one, other):
    """Equal, and NaN is NaN."""
    return repr(one) == repr(other)


def check(run, qrels, measures, size=1000, **options):
    """Values, means and facts are those of the whole."""
    expected = local(qrels, run, measures, **options)
    evaluator = pickle.loads(pickle.dumps(BatchEvaluator(measures, grades=all_grades(qrels), **options)))
    found = pyarrow.Table.from_batches(evaluator(rows_of(run, qrels).to_batches(size)), evaluator.schema)
    summary = evaluator.summary(found.sort_by("query").to_batches(size))
    names = [name for name in ("value", "low", "high", "variance") if name in evaluator.schema.names]
    # A query's measures come in the order they were asked for; sorting by query keeps it.
    assert same(by_query(found, names), expected[0])
    assert same(list(summary.means.rows()), expected[1])
    assert summary.facts() == expected[2]
    assert summary.means.columns == untied.evaluate(qrels, run, measures, **options).means.columns


def test_each_row_says_what_is_true_of_its_own_value():
    qrels = {"a": {"r": 1, "n": 0}, "b": {"n": 0}, "c": {"r": 1}}
    run = {"a": {"r": 3.0, "n": 2.0, "x": 1.0}, "b": {"n": 1.0}, "c": {"x": 2.0, "r": 1.0}}
    evaluator = BatchEvaluator(["AP", "P@2"], grades=[0, 1], unjudged="range", on_undefined="nan")
    found = pyarrow.Table.from_batches(evaluator(rows_of(run, qrels).to_batches()))
    undefined = [(query, measure) for _, query, measure, flag in by_query(found, ["undefined"]) if flag]
    overstated = [(query, measure) for _, query, measure, flag in by_query(found, ["overstated"]) if flag]
    assert undefined == [("b", "AP")]  # nothing is relevant
    assert overstated == [("a", "AP")]  # it falls if x is relevant; in c, x above r does no harm


@pytest.mark.parametrize("size", range(1, 8))
def test_queries_may_be_split_over_batches(size, monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", 3 * size)
    run, qrels = make(size)
    check(run, qrels, MEASURES, size, ties="range", variance=True)


@pytest.mark.parametrize("ties", ["expected", "range", "best", "worst", "docid", "trec"])
@pytest.mark.parametrize("unjudged", ["nonrelevant", "remove", "range", "best", "worst"])
def test_policies(ties, unjudged, monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", 40)
    run, qrels = make(len(ties) + len(unjudged))
    measures = MEASURES if unjudged in {"nonrelevant", "remove"} else BOUNDED
    check(run, qrels, measures, 17, ties=ties, unjudged=unjudged)


@pytest.mark.parametrize(
    "options",
    [
        {"queries": "common"},
        {"on_undefined": "nan", "ties": "range", "variance": True},
        {"score_dtype": "float16"},
        {"unjudged": "range", "unretrieved": "pooled", "measures": BOUNDED},
        {"docs": {f"d{number}": 10 * number for number in range(40)}, "measures": ["TBG", "U"]},
    ],
)
def test_options(options, monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", 40)
    run, qrels = make(5)
    options = {"measures": MEASURES, **options}
    check(run, qrels, size=11, **options)


def test_given_order(monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", 10)
    run, qrels = make(8)
    check(run, qrels, ["AP", "RR"], 7, ties="given")


DETAILED = {
    "subtopics": (
        {
            "q1": {"s1": {"d1": 1, "d2": 0}, "s2": {"d2": 1, "d3": 2}},
            "q2": {"s1": {"d1": -1, "d4": 1}, "s9": {"d5": 1, "d1": 1}},
            "q4": {"s1": {"d1": 1}},
        },
        ["alpha_nDCG@5", "ERR_IA@5", "AP_IA", "StRecall@2", "AP", "nDCG"],
    ),
    "stratified": (
        {query: {f"d{n}": (n % 3, (n * k) % 4 - 1) for n in range(9)} for k, query in enumerate(["q1", "q2", "q4"])},
        ["xinfAP", "infNDCG", "AP"],
    ),
    "prels": (
        {query: {f"d{n}": (n % 2, 1 / (n + k + 1)) for n in range(5)} for k, query in enumerate(["q1", "q2", "q4"])},
        ["statAP", "P@3"],
    ),
}


def detailed_rows(qrels, format):
    """Rows query, document, grade, detail."""
    for query, judged in qrels.items():
        for key, value in judged.items():
            if format == "subtopics":
                yield from ((query, document, float(grade), key) for document, grade in value.items())
            elif format == "stratified":
                yield query, key, float(value[1]), float(value[0])
            else:
                yield query, key, float(value[0]), value[1]


@pytest.mark.parametrize("format", DETAILED)
def test_qrels_with_more_than_grades(format, monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", 1)
    qrels, measures = DETAILED[format]
    run = {query: {f"d{n}": 3.0 - n // 2 for n in range(7)} for query in ("q1", "q2", "q3")}
    names = (
        "query",
        "document",
        "grade",
        {"subtopics": "subtopic", "stratified": "stratum", "prels": "probability"}[format],
    )
    columns = list(zip(*detailed_rows(qrels, format), strict=True))
    judged = pyarrow.table({name: pyarrow.array(column) for name, column in zip(names, columns, strict=True)})
    expected = local(qrels, run, measures, qrels_format=format)
    evaluator = BatchEvaluator(measures, grades=set(columns[2]), qrels_format=format)
    found = pyarrow.Table.from_batches(evaluator(together(judged, table(run, "score")).to_batches(4)))
    summary = evaluator.summary(found.to_batches())
    assert same(by_query(found, ["value"]), expected[0])
    assert same(list(summary.means.rows()), expected[1])
    assert summary.facts() == expected[2]


COMPARING = [
    "RBO", "Overlap@5", "Jaccard@10", "Tau", "MED(nDCG@10)", "MED(RBP(p=0.8))", "MED(AP@5)", "MED(ERR@5)",
    "Delta(P@5, p=0.3)", "Delta(nDCG@5, p=0.3)",
]  # fmt: skip


@pytest.mark.parametrize("known", ["nothing", "qrels", "probabilities"])
@pytest.mark.parametrize("size", [1, 5])
def test_comparisons(known, size, monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", 30)
    (run_a, qrels), (run_b, _) = make(3, 9), make(4, 9)
    run_a["only a"], run_b["only b"], run_b["q0"]["d0"] = {"d1": 1.0}, {"d1": 1.0}, 0.25
    tables, options = [table(run_a, "score_a"), table(run_b, "score_b")], {"variance": size == 1}
    given = dict(options)
    if known == "qrels":
        tables.append(table(qrels, "grade"))
        options["grades"], given["qrels"] = all_grades(qrels), qrels
    if known == "probabilities":
        chances = {query: {"d1": 0.5, "d2": 0.25} for query in run_a}
        tables.append(table(chances, "probability"))
        options["probabilities"], given["probabilities"] = True, chances
    expected = untied.compare(run_a, run_b, COMPARING, **given)
    comparer = pickle.loads(pickle.dumps(BatchComparer(COMPARING, **options)))
    found = pyarrow.Table.from_batches(comparer(together(*tables).to_batches(size)), comparer.schema)
    summary = comparer.summary(found.to_batches(size), ("a", "b"))
    assert same(list(summary.means.rows()), list(expected.means.rows()))
    assert summary.means.columns == expected.means.columns
    assert (summary.alone, summary.undefined) == (expected.alone, expected.undefined)
    names = [name for name in ("certainty", "value", "low", "high", "variance") if name in comparer.schema.names]
    values = [("a", "b", *row[1:3], *row[3:]) for row in by_query(found, names)]
    assert same(values, list(expected.per_query.rows()))
    assert str(summary.means) == str(expected.means)


def test_ids_and_numbers_of_all_types():
    run = {"7": {"1": 2.5, "2": 2.5, "30": 1.0}, "10": {"1": 0.5, "2": 0.25}}
    qrels = {"7": {"2": 1}, "10": {"2": 2, "30": 1}}
    rows = rows_of(run, qrels)
    expected = local(qrels, run, ["AP", "nDCG"])
    for query, document, score, grade in [
        (pyarrow.string(), pyarrow.large_string(), pyarrow.float32(), pyarrow.int8()),
        (pyarrow.int64(), pyarrow.int32(), pyarrow.float64(), pyarrow.float32()),
        (pyarrow.uint8(), pyarrow.string(), pyarrow.decimal128(9, 3), pyarrow.int64()),
        (
            pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
            pyarrow.string_view(),
            pyarrow.float16(),
            pyarrow.int16(),
        ),
        (
            pyarrow.string_view(),
            pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
            pyarrow.float32(),
            pyarrow.uint8(),
        ),
    ]:
        kinds = {"query": query, "document": document, "score": score, "grade": grade}
        arrays = {}
        for name, kind in kinds.items():
            array = rows[name].combine_chunks()
            encoded = array.dictionary_encode() if pyarrow.types.is_dictionary(kind) else array
            arrays[name] = encoded.cast(kind, safe=False)
        evaluator = BatchEvaluator(["AP", "nDCG"], grades=[1, 2])
        found = list(evaluator(pyarrow.table(arrays).to_batches(2)))
        summary = evaluator.summary(found)
        assert same(by_query(pyarrow.Table.from_batches(found), ["value"]), expected[0]), kinds
        assert same(list(summary.means.rows()), expected[1]), kinds


def test_other_engines_pass_their_batches():
    """As `docs/spark.md` shows it: plain Arrow, and polars, partition by partition."""
    run, qrels = make(11)
    expected = local(qrels, run, ["AP", "nDCG@10"])
    judged, retrieved = polars.DataFrame(table(qrels, "grade")), polars.DataFrame(table(run, "score"))

    grades = judged["grade"].unique()
    evaluator = BatchEvaluator(["AP", "nDCG@10"], grades=grades)
    rows = polars.concat([judged, retrieved], how="diagonal").sort("query")
    parts = rows.with_columns(part=polars.col("query").hash() % 3).partition_by("part")
    values = polars.concat(
        polars.from_arrow(pyarrow.Table.from_batches(evaluator(part.to_arrow().to_batches()), evaluator.schema))
        for part in parts
    )
    summary = evaluator.summary(values.sort("query", maintain_order=True).to_arrow().to_batches())
    assert same(list(summary.means.rows()), expected[1])

    joined = retrieved.join(judged, on=["query", "document"], how="full", coalesce=True).sort("query")
    values = pyarrow.Table.from_batches(evaluator(joined.to_arrow().to_batches()))
    assert same(list(evaluator.summary(values.to_batches()).means.rows()), expected[1])


def test_nothing_comes_of_nothing():
    evaluator = BatchEvaluator("AP", grades=[0, 1])
    assert list(evaluator([])) == []
    assert list(evaluator(rows_of({}, {}).to_batches())) == []
    with pytest.raises(untied.UntiedError, match="no query to evaluate: the qrels are empty"):
        evaluator.summary(evaluator(rows_of({"q": {"d": 1.0}}, {}).to_batches()))
    common = BatchEvaluator("AP", grades=[0, 1], queries="common")
    with pytest.raises(untied.UntiedError, match="no query to evaluate: the run and the qrels have no query in common"):
        common.summary(common(rows_of({"q": {"d": 1.0}}, {"p": {"d": 1}}).to_batches()))
    comparer = BatchComparer("RBO")
    alone = together(table({"q": {"d": 1.0}}, "score_a"), table({"p": {"d": 1.0}}, "score_b"))
    with pytest.raises(untied.UntiedError, match="the runs have no query in common"):
        comparer.summary(comparer(alone.to_batches()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drop": "grade"}, "expected a column 'grade', found 'query', 'document', 'score'"),
        ({"query": [None, "q", "q"]}, "column 'query' has a null"),
        ({"query": [1.5, 1.5, 2.5]}, "expected text or whole numbers in column 'query', found double"),
        ({"document": ["x", None, "y"]}, "query 'q': column 'document' has a null"),
        ({"score": [1.0, float("nan"), None]}, "query 'q', document 'y': expected a finite number in column 'score'"),
        ({"score": [1.0, float("inf"), None]}, "query 'q', document 'y': expected a finite .* 'score', found inf"),
        ({"score": [1.0, None, None]}, "query 'q', document 'y': no value in 'score', 'grade'"),
        ({"score": ["1", "2", None]}, "run: expected numbers in column .score., found Utf8"),
        ({"document": ["x", "x", "z"]}, 'run: expected every document once in a query, found document "x" of query'),
        ({"grade": [None, None, 3]}, r"grade 3 is not in grades: \[0.0, 1.0\]"),
        ({"query": ["q", "p", "q"]}, "the rows of query 'q' are not next to each other"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 3])
def test_one_clear_error(change, message, size):
    columns = {"query": ["q"] * 3, "document": ["x", "y", "z"], "score": [1.0, 0.5, None], "grade": [None, None, 1]}
    columns |= change
    columns.pop(columns.pop("drop", ""), None)
    rows = pyarrow.table(columns)
    with pytest.raises(untied.UntiedError, match=message):
        list(BatchEvaluator("AP", grades=[0, 1])(rows.to_batches(size)))


def test_documents_judged_twice():
    rows = {"query": ["q", "q"], "document": ["x", "x"], "score": [None, None], "grade": [0, 1]}
    rows["score"] = pyarrow.array(rows["score"], pyarrow.float64())
    with pytest.raises(untied.UntiedError, match="one grade for every document of a query") as caught:
        list(BatchEvaluator("AP", grades=[0, 1])(pyarrow.table(rows).to_batches(1)))
    assert "row " not in str(caught.value)  # a piece's rows have numbers of their own


def test_what_is_wrong_is_refused_at_once():
    for message, options in [
        ("ties must be", {"ties": "some"}),
        ("qrels format must be auto, trec, subtopics, stratified or prels", {"qrels_format": "groups"}),
        ("expected finite numbers as grades, found inf", {"grades": [float("inf")]}),
        ("grade 4", {"measures": "nDCG(gain={1: 1, 2: 3})", "grades": [1, 4]}),
        ("needs lengths of documents", {"measures": "TBG"}),
    ]:
        options = {"measures": "AP", "grades": [0, 1]} | options
        with pytest.raises(untied.UntiedError, match=message):
            BatchEvaluator(**options)
    with pytest.raises(untied.MeasureError, match="RBO"):
        BatchEvaluator("RBO", grades=[1])
    with pytest.raises(untied.MeasureError):
        BatchComparer("AP")
    with pytest.raises(untied.UntiedError, match="ties must be"):
        BatchComparer("RBO", ties="some")


def test_values_that_are_out_of_order_are_not_added_up():
    run, qrels = make(2, 6)
    for measures in (["AP"], ["AP", "RR"]):
        evaluator = BatchEvaluator(measures, grades=all_grades(qrels))
        values = pyarrow.Table.from_batches(evaluator(rows_of(run, qrels).to_batches()))
        evaluator.summary(values.to_batches(1))
        for wrong in (
            values.take(list(range(len(values) - 1, -1, -1))),
            pyarrow.concat_tables([values, values]),
            pyarrow.concat_tables([values, values]).sort_by("query"),
        ):
            with pytest.raises(untied.UntiedError, match=r"values of query .* are out of order"):
                evaluator.summary(wrong.to_batches(2))
    # The run in one call and the qrels in another: their queries meet only here.
    apart = [*evaluator(rows_of({}, qrels).to_batches()), *evaluator(rows_of(run, {}).to_batches())]
    with pytest.raises(untied.UntiedError, match="pass all rows of a query to one call"):
        evaluator.summary(pyarrow.Table.from_batches(apart).sort_by("query").to_batches())


def test_values_are_looked_up_in_any_spelling():
    run, qrels = make(2, 6)
    evaluator = BatchEvaluator(["AP", "nDCG@10"], grades=all_grades(qrels))
    summary = evaluator.summary(evaluator(rows_of(run, qrels).to_batches()))
    assert summary["ndcg_cut_10"] == untied.evaluate(qrels, run, ["nDCG@10"])["nDCG@10"]
    assert summary.measures == ["AP", "nDCG@10"]
    assert "nDCG@10" in summary._repr_html_()
    with pytest.raises(KeyError, match="RR was not computed; AP, nDCG@10 were"):
        summary["RR"]


def test_options_about_judgments_are_checked_where_there_are_none():
    with pytest.raises(untied.UntiedError, match="qrels format must be auto, trec, subtopics, stratified or prels"):
        BatchComparer(["RBO"], qrels_format="csv")
    with pytest.raises(TypeError, match=r"^probabilities must be True or False, not 'no'$"):
        BatchComparer(["RBO"], probabilities="no")


@pytest.mark.parametrize(("format", "column", "wrong", "said"), [
    ("subtopics", "subtopic", None, "expected a subtopic's id in column \"subtopic\", found null"),
    ("prels", "probability", 7.0, "expected a number above 0 and at most 1 as the inclusion probability"),
    ("stratified", "stratum", 1.5, "expected a whole number of at least 0 as the stratum"),
])  # fmt: skip
def test_errors_name_the_document_and_not_a_row_of_a_piece(format, column, wrong, said):
    right = "s" if column == "subtopic" else 1
    rows = [{"query": query, "document": document, "grade": 1, column: right} for query in "pq" for document in "abc"]
    rows[4][column] = wrong  # the second document of the second query
    evaluator = BatchEvaluator(["RR"], grades=[1], qrels_format=format)
    table = pyarrow.Table.from_pylist([{**row, "score": None} for row in rows])
    table = table.set_column(table.column_names.index("score"), "score", pyarrow.nulls(6, pyarrow.float64()))
    for size in (1, 2, 6):
        with pytest.raises(untied.UntiedError) as caught:
            list(evaluator(table.to_batches(max_chunksize=size)))
        assert str(caught.value).startswith(f"qrels, query 'q', document 'b': {said}"), size


@pytest.mark.parametrize("duplicates", [policy for policy in DUPLICATES if policy != "error"])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_duplicates_are_those_of_a_run_in_memory(duplicates, size):
    run, qrels = make("duplicates")
    draw = seeded("repeated rows")
    rows = [(query, document, score) for query, found in run.items() for document, score in found.items()]
    rows += [(query, document, 3.0 + number / 8) for number, (query, document, _) in enumerate(draw.sample(rows, 20))]
    retrieved = pyarrow.table(
        dict(zip(("query", "document", "score"), map(list, zip(*rows, strict=True)), strict=True))
    )
    together_ = together(table(qrels, "grade"), retrieved)
    with pytest.warns(untied.UntiedWarning, match=r"^20 duplicates in \d+ of 23 queries of the run: ") as told:
        in_memory = untied.Run(retrieved, duplicates=duplicates)
    expected = local(qrels, in_memory, MEASURES, ties="range")
    evaluator = BatchEvaluator(MEASURES, grades=all_grades(qrels), ties="range", duplicates=duplicates)
    evaluator = pickle.loads(pickle.dumps(evaluator))
    found = pyarrow.Table.from_batches(evaluator(together_.to_batches(size)), evaluator.schema).sort_by("query")
    assert same(by_query(found, ("value", "low", "high")), expected[0])
    with pytest.warns(untied.UntiedWarning) as told_too:
        summary = evaluator.summary(found.to_batches(size))
    assert [str(warning.message) for warning in told_too] == [str(warning.message) for warning in told]
    assert same(list(summary.means.rows()), expected[1])
    assert summary.facts()["duplicates"] == 20
    with pytest.raises(untied.UntiedError, match="expected every document once in a query"):
        list(BatchEvaluator(MEASURES, grades=all_grades(qrels))(together_.to_batches(size)))


@pytest.mark.parametrize("duplicates", [policy for policy in DUPLICATES if policy != "error"])
@pytest.mark.parametrize("size", [1, 1000])
def test_duplicates_of_two_runs_are_those_of_runs_in_memory(duplicates, size):
    """The second run repeats documents in fewer queries, and one of these is in no other run."""
    draw = seeded("repeated rows of two runs")
    runs, tables = [], []
    for number, count in enumerate((20, 5)):
        run = make(f"duplicates of {number}", 9)[0] | {f"only {number}": {"d1": 1.0}}
        rows = [(query, document, score) for query, found in run.items() for document, score in found.items()]
        again = [(f"only {number}", "d1", 1.0), *draw.sample(rows, count - 1)]
        rows += [(query, document, 3.0 + place / 8) for place, (query, document, _) in enumerate(again)]
        columns = list(map(list, zip(*rows, strict=True)))
        source = pyarrow.table(dict(zip(("query", "document", "score"), columns, strict=True)))
        with pytest.warns(untied.UntiedWarning, match=f"^{count} duplicates in "):
            runs.append(untied.Run(source, duplicates=duplicates))
        names = ("query", "document", f"score_{'ab'[number]}")
        tables.append(pyarrow.table(dict(zip(names, columns, strict=True))))
    measures = ["RBO", "Overlap@5", "Tau", "MED(nDCG@10)"]
    expected = untied.compare(*runs, measures)
    comparer = pickle.loads(pickle.dumps(BatchComparer(measures, duplicates=duplicates)))
    rows = together(*tables)
    found = pyarrow.Table.from_batches(comparer(rows.to_batches(size)), comparer.schema).sort_by("query")
    with pytest.warns(untied.UntiedWarning) as told:
        summary = comparer.summary(found.to_batches(size), ("old", "new"))
    assert [str(warning.message).partition(":")[0].split(" in ")[0::2][0] for warning in told] == [
        "20 duplicates",
        "5 duplicates",
    ]
    assert [str(warning.message).partition(" of ")[2].partition(":")[0] for warning in told] == [
        f"{len(run)} queries of {name}" for run, name in zip(runs, ("old", "new"), strict=True)
    ]
    assert [row[4:] for row in summary.means.rows()] == [row[4:] for row in expected.means.rows()]
    assert (summary.alone, summary.undefined) == (expected.alone, expected.undefined)
    with pytest.raises(untied.UntiedError, match="expected every document once in a query"):
        list(BatchComparer(measures)(rows.to_batches(size)))


def test_batches_without_duplicates_say_nothing():
    run, qrels = make(3)
    evaluator = BatchEvaluator("AP", grades=all_grades(qrels), duplicates="best")
    found = pyarrow.Table.from_batches(evaluator(rows_of(run, qrels).to_batches()), evaluator.schema).sort_by("query")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluator.summary(found.to_batches())["AP"] == untied.evaluate(qrels, run, "AP")["AP"]
    comparer = BatchComparer("RBO", duplicates="best")
    rows = together(table(run, "score_a"), table(run, "score_b"))
    found = pyarrow.Table.from_batches(comparer(rows.to_batches()), comparer.schema).sort_by("query")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert comparer.summary(found.to_batches())["RBO"] == untied.compare(run, run, "RBO")["RBO"]
    with pytest.raises(untied.UntiedError, match="duplicates"):
        BatchComparer("RBO", duplicates="some")


@pytest.mark.parametrize("options", [{}, {"ties": "range", "variance": True}, {"unjudged": "range"}])
def test_results_of_batches_are_those_of_evaluate(options):
    """Values, means, facts, segments, weighted means and tests; the engine may shuffle the rows of a query."""
    run, qrels = make("results of batches", 12)
    run["not judged"], qrels["not retrieved"] = {"d1": 1.0}, {"d1": 1.0}
    measures = ["AP", "nDCG@10", "RR"]
    expected = untied.evaluate(qrels, {"run": run}, measures, **options)
    evaluator = BatchEvaluator(measures, grades=all_grades(qrels), **options)
    found = pyarrow.Table.from_batches(evaluator(rows_of(run, qrels).to_batches(9)), evaluator.schema)
    found = found.take(pyarrow.array(seeded("order of rows").sample(range(len(found)), len(found)))).sort_by("query")
    results = evaluator.results(found.to_batches(7), warn=False)
    queries = {query: {"market": "ab"[n % 2], "traffic": n + 1.5} for n, query in enumerate(expected.queries)}
    for ours, theirs in [
        (results, expected),
        (pickle.loads(pickle.dumps(results)), expected),
        *(
            (results.grouped(queries, **how), expected.grouped(queries, **how))
            for how in ({"by": "market"}, {"weight": "traffic"}, {"macro": "market", "weight": "traffic"})
        ),
    ]:
        assert list(ours.table().rows()) == list(theirs.table().rows())
        assert ours.table().columns == theirs.table().columns
        assert ours.facts() == theirs.facts()
    assert results.queries == expected.queries
    assert results.value("AP", "q3").notes == expected.value("AP", "q3").notes
