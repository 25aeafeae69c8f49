"""Spark DataFrames: the numbers of the whole, whatever the partitions; and what goes wrong on the way."""

import os
import random
import shutil
import sys
import warnings
from decimal import Decimal

import pyarrow
import pytest

import untied
from benchmarks import spark as benchmark
from nightly import seeded

if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    pytest.skip("Spark needs Java 17 or later", allow_module_level=True)

# PySpark itself warns of pandas 3, and leaves sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

MEASURES = ["AP", "nDCG@10", "RR", "P@5", "ERR@10"]


@pytest.fixture(scope="module")
def spark():
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        from pyspark.sql import SparkSession

        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.memory": "600m",
            # What lives for seconds is not worth optimising.
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.shuffle.partitions": "3",
            "spark.sql.warehouse.dir": "/nonexistent",
        }
        builder = SparkSession.builder.master("local[2,3]")  # a task is tried three times
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def batch_size(spark):
    """A function that sets how many rows Spark puts into a batch."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(name)
    yield lambda rows: spark.conf.set(name, rows)
    spark.conf.set(name, before)


def make(seed, queries=12, depth=25):
    draw = seeded(seed)
    documents = [f"d{number}" for number in range(40)]

    def some(most, values):
        return {document: draw.choice(values) for document in draw.sample(documents, draw.randint(1, most))}

    run = {f"q{query}": some(depth, [0.5, 1.0, 1.5, 2.0]) for query in range(queries)}
    qrels = {f"q{query}": some(20, [-1, 0, 1, 2]) for query in range(1, queries + 2)}
    qrels["q3"]["d1"] = 4
    return run, qrels


def frame(spark, numbers, name, kinds="string string double"):
    """A DataFrame of {query: {document: number}}, its rows in some order."""
    rows = [(query, document, number) for query, found in numbers.items() for document, number in found.items()]
    random.Random(0).shuffle(rows)
    query, document, number = kinds.split()
    return spark.createDataFrame(rows, f"qid {query}, docno {document}, {name} {number}")


def values(results):
    """Values of queries as text, as NaN is not equal to itself."""
    names = [
        name for name in ("query", "measure", "value", "low", "high", "variance") if name in results.per_query.columns
    ]
    return sorted(repr(tuple(row)) for row in results.per_query.select(names).collect())


def local_values(results):
    return sorted(repr(row[-len(results.per_query.columns) + 1 :]) for row in results.per_query.rows())


def same(results, expected):
    """Values of queries, and aggregates."""
    assert values(results) == local_values(expected)
    assert repr(list(results.means.rows())) == repr(list(expected.means.rows()))
    assert results.means.columns == expected.means.columns


@pytest.mark.parametrize(
    ("size", "partitions", "options"),
    [
        (1, 1, {"ties": "range", "variance": True}),
        (2, 5, {"unjudged": "range", "ties": "range"}),
        (3, 4, {"ties": "best", "unjudged": "best"}),
        (4, 3, {"ties": "worst", "unjudged": "worst", "unretrieved": "pooled"}),
        (5, 40, {"ties": "docid", "unjudged": "remove"}),
        (6, 2, {"ties": "trec", "queries": "common", "on_undefined": "nan"}),
        (7, None, {"score_dtype": "float16", "docs": {f"d{n}": n for n in range(40)}, "measures": ["TBG", "AP"]}),
    ],
)
def test_the_numbers_are_those_of_one_machine(spark, batch_size, size, partitions, options):
    batch_size(size)
    run, qrels = make(size)
    options = {"measures": MEASURES, **options}
    expected = untied.evaluate(qrels, run, **options)
    judged, retrieved = frame(spark, qrels, "label", "string string int"), frame(spark, run, "score")
    results = untied.spark.evaluate(judged, retrieved, partitions=partitions, **options).persist()
    same(results, expected)
    assert results.facts() == expected.facts()["run"]
    assert results.measures == expected.measures
    assert results[options["measures"][0]] == expected[options["measures"][0]]
    results.unpersist()


@pytest.mark.parametrize("method", ["untied.spark", "applyInArrow"])
def test_the_benchmark_measures_both_ways(spark, tmp_path, method):
    folder = tmp_path / "new" / "folder"
    for rows in (500, 1000):
        benchmark.generate(folder, rows)
    cost = benchmark.measured(spark, method, 1000, folder, warm=500)
    assert cost["values"] == 2 * len(benchmark.MEASURES)


def test_workers_of_another_python_are_told_apart():
    from pyspark.errors import PySparkException

    trace = "An exception was thrown from the Python worker:\n...\nModuleNotFoundError: No module named 'untied'\n"
    said = r"workers has no module 'untied': .* set the environment variable PYSPARK_PYTHON"
    with pytest.raises(untied.UntiedError, match=said), untied.spark.clear_errors():
        raise PySparkException(trace)


def test_comparisons(spark, batch_size):
    batch_size(5)
    (run_a, qrels), (run_b, _) = make(1), make(2)
    run_a["only a"] = {"d1": 1.0}
    chances = {query: {"d1": 0.5} for query in run_a}
    frames = [frame(spark, run_a, "score"), frame(spark, run_b, "score", "string string float")]
    known = {"qrels": frame(spark, qrels, "rel", "string string int"), "probabilities": frame(spark, chances, "score")}
    measures = ["RBO", "MED(nDCG@10)", "Overlap@5", "Delta(P@5, p=0.25)"]
    options = {"variance": True, "names": ("old", "new")}
    results = untied.spark.compare(*frames, measures, **known, **options)
    expected = untied.compare(run_a, run_b, measures, qrels=qrels, probabilities=chances, **options)
    assert (results.alone, results.undefined) == (expected.alone, expected.undefined)

    def close(rows, others):
        """Equal, but that last bits of MED and Delta depend on the order of a query's rows, on one machine too."""
        assert len(rows) == len(others)
        for one, other in zip(rows, others, strict=True):
            for cell, expected_cell in zip(one, other, strict=True):
                is_inexact = ("MED" in str(one) or "Delta" in str(one)) and isinstance(cell, float)
                assert cell == (pytest.approx(expected_cell, rel=1e-12) if is_inexact else expected_cell)

    found = sorted(tuple(row) for row in results.per_query.drop("certainty").collect())
    close(list(results.means.rows()), list(expected.means.rows()))
    close(found, sorted((*row[2:4], *row[5:]) for row in expected.per_query.rows()))
    assert str(results.means) == str(expected.means)


@pytest.mark.parametrize(
    ("duplicates", "ties"), [("best", "range"), ("repeat", "expected"), ("first", "given"), ("last", "given")]
)
def test_duplicates_are_those_of_one_machine(spark, batch_size, duplicates, ties):
    batch_size(5)
    run, qrels = make(11)
    rows = [
        (query, document, score, rank)
        for query, found in run.items()
        for rank, (document, score) in enumerate([*found.items(), (next(iter(found)), 2.5)])
    ]
    columns = ("qid", "docno", "score", "rank")
    retrieved = spark.createDataFrame(
        random.Random(1).sample(rows, len(rows)), "qid string, docno string, score double, rank int"
    )
    in_order = pyarrow.table(
        dict(zip(columns[:3], map(list, zip(*(row[:3] for row in rows), strict=True)), strict=True))
    )
    judged = frame(spark, qrels, "label", "string string int")
    with pytest.warns(untied.UntiedWarning, match="^12 duplicates in 12 of 12 queries of the run: ") as told:
        expected = untied.evaluate(qrels, untied.Run(in_order, duplicates=duplicates), MEASURES, ties=ties)
    results = untied.spark.evaluate(judged, retrieved, MEASURES, ties=ties, duplicates=duplicates)
    with pytest.warns(untied.UntiedWarning) as told_too:
        same(results, expected)
    assert str(told[0].message) in {str(warning.message) for warning in told_too}
    assert results.facts()["duplicates"] == expected.facts()["run"]["duplicates"] == 12
    other_run = make(12)[0]
    ranked = [(query, document, score, rank) for query, found in other_run.items()
              for rank, (document, score) in enumerate(found.items())]  # fmt: skip
    other = spark.createDataFrame(ranked, "qid string, docno string, score double, rank int")
    if ties != "range":
        compared = untied.spark.compare(retrieved, other, ["RBO", "Tau"], ties=ties, duplicates=duplicates)
        with pytest.warns(untied.UntiedWarning, match="^12 duplicates in 12 of 12 queries of a: "):
            means = compared.means
        with pytest.warns(untied.UntiedWarning, match="^12 duplicates"):
            in_memory = untied.Run(in_order, duplicates=duplicates)
        alone = untied.compare(in_memory, other_run, ["RBO", "Tau"], ties=ties)
        assert list(means.rows()) == list(alone.means.rows())
    if ties != "given":
        with pytest.raises(untied.UntiedError, match="duplicates='first' needs ties='given', as rows of a DataFrame"):
            untied.spark.evaluate(judged, retrieved, MEASURES, ties=ties, duplicates="first")
        with pytest.raises(untied.UntiedError, match="duplicates='first' needs ties='given', as rows of a DataFrame"):
            untied.spark.compare(retrieved, other, duplicates="first")


def test_values_are_collected_and_grouped(spark, batch_size):
    batch_size(5)
    run, qrels = make(13)
    expected = untied.evaluate(qrels, {"run": run}, MEASURES, ties="range")
    judged, retrieved = frame(spark, qrels, "label", "string string int"), frame(spark, run, "score")
    results = untied.spark.evaluate(judged, retrieved, MEASURES, ties="range").collect()
    assert list(results.table().rows()) == list(expected.table().rows())
    assert results.facts() == expected.facts()
    queries = {query: {"market": "ab"[n % 2], "traffic": n + 1.5} for n, query in enumerate(expected.queries)}
    for how in ({"by": "market"}, {"weight": "traffic"}):
        ours, theirs = results.grouped(queries, **how), expected.grouped(queries, **how)
        assert list(ours.table().rows()) == list(theirs.table().rows())


def test_one_query_has_half_of_all_rows(spark, batch_size):
    batch_size(50)
    run, qrels = make(6)
    draw = random.Random(6)
    run["q4"] = {f"d{n}": float(draw.randint(0, 9)) for n in range(sum(map(len, run.values())) - len(run["q4"]))}
    results = untied.spark.evaluate(
        frame(spark, qrels, "label", "string string int"), frame(spark, run, "score"), MEASURES, ties="range"
    )
    same(results, untied.evaluate(qrels, run, MEASURES, ties="range"))


def test_ids_and_scores_of_all_types(spark):
    run = {7: {1: 2.5, 2: 2.5, 30: 1.0}, 10: {1: 0.5, 2: 0.25}}
    qrels = {7: {2: 1}, 10: {2: 2, 30: 1}}
    expected = untied.evaluate(qrels, run, ["AP", "nDCG"])
    decimals = {query: {document: Decimal(str(score)) for document, score in of.items()} for query, of in run.items()}
    judged = frame(spark, qrels, "label", "long int tinyint")
    for retrieved in (
        frame(spark, run, "score", "int long float"),
        frame(spark, {str(q): {str(d): s for d, s in of.items()} for q, of in run.items()}, "score"),
        frame(spark, decimals, "score", "short byte decimal(9,3)"),
    ):
        same(untied.spark.evaluate(judged, retrieved, ["AP", "nDCG"]), expected)


def test_the_given_order_is_that_of_a_column(spark, batch_size):
    batch_size(3)
    run, qrels = make(9)
    rows = [(q, d, s, n) for q, of in run.items() for n, (d, s) in enumerate(of.items())]
    random.Random(1).shuffle(rows)
    retrieved = spark.createDataFrame(rows, "query_id string, doc_id string, score double, rank int")
    judged = frame(spark, qrels, "label", "string string int")
    same(
        untied.spark.evaluate(judged, retrieved, ["AP"], ties="given"),
        untied.evaluate(qrels, run, ["AP"], ties="given"),
    )
    with pytest.raises(
        untied.UntiedError, match="ties='given' needs a column 'rank', as rows of a DataFrame have no order"
    ):
        untied.spark.evaluate(judged, retrieved.drop("rank"), ["AP"], ties="given")
    ranked = {q: {d: -n for n, d in enumerate(of)} for q, of in run.items()}
    same(untied.spark.evaluate(judged, retrieved.drop("score"), ["AP"]), untied.evaluate(qrels, ranked, ["AP"]))


@pytest.mark.parametrize(
    ("rows", "kinds", "message"),
    [
        ([("q", "d", None)], "string string double", "run: column 'score' has a null"),
        ([(None, "d", 1.0)], "string string double", "run: column 'qid' has a null"),
        ([("q", None, 1.0)], "string string double", "run: column 'docno' has a null"),
        (
            [("q", "d", 1.0), ("q", "d", 2.0)],
            "string string double",
            'run: expected every .* document "d" of query "q"',
        ),
        (
            [("q", "d", float("nan"))],
            "string string double",
            "query 'q', document 'd': expected a finite number .* found nan",
        ),
    ],
)
def test_rows_that_are_refused(spark, rows, kinds, message):
    query, document, score = kinds.split()
    run = spark.createDataFrame([*rows, ("p", "e", 1.0)], f"qid {query}, docno {document}, score {score}").repartition(
        2
    )
    qrels = frame(spark, {"q": {"d": 1}}, "label", "string string int")
    results = untied.spark.evaluate(qrels, run, "AP")
    with pytest.raises(untied.UntiedError, match=message) as caught:
        results.means  # noqa: B018
    assert caught.value.__cause__ is not None
    assert "Traceback" not in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(untied.UntiedError, match=message), untied.spark.clear_errors():
        results.per_query.collect()


def test_what_is_refused_at_once(spark):
    run, qrels = frame(spark, {"q": {"d": 1.0}}, "score"), frame(spark, {"q": {"d": 1}}, "label", "string string int")
    from pyspark.sql import functions

    for judged, retrieved, options, message in [
        (qrels, run.drop("docno"), {}, "run: expected a column for the document"),
        (qrels.drop("label"), run, {}, "qrels: expected a column for the grade"),
        (
            qrels,
            run.withColumn("score", functions.lit("1")),
            {},
            "run: expected numbers in column 'score', found string",
        ),
        (qrels, run.withColumn("qid", functions.lit(1.5)), {}, "expected text or whole numbers in column 'qid', found"),
        (
            qrels.withColumn("label", functions.lit(float("nan"))),
            run,
            {},
            "qrels: expected finite .* 'label', found nan",
        ),
        (qrels.withColumn("label", functions.lit(None).cast("int")), run, {}, "qrels: column 'label' has a null"),
        (qrels, run, {"ties": "some"}, "ties must be"),
        (qrels, run, {"measures": "TBG"}, "needs lengths of documents"),
        (qrels, run, {"measures": "nope"}, "nope"),
        (qrels, run, {"qrels_format": "mirex"}, "qrels format must be auto, trec, subtopics, stratified or prels"),
    ]:
        with pytest.raises(untied.UntiedError, match=message):
            untied.spark.evaluate(judged, retrieved, **options)


def test_no_rows_and_no_query_in_common(spark):
    run, qrels = frame(spark, {"p": {"d": 1.0}}, "score"), frame(spark, {"q": {"d": 1}}, "label", "string string int")
    with pytest.raises(untied.UntiedError, match="no query to evaluate: the run and the qrels have no query in common"):
        untied.spark.evaluate(qrels, run, "AP", queries="common").means  # noqa: B018
    with pytest.raises(untied.UntiedError, match="no query to evaluate: the qrels are empty"):
        untied.spark.evaluate(qrels.limit(0), run.limit(0), "AP").means  # noqa: B018
    with pytest.raises(untied.UntiedError, match="the runs have no query in common"):
        untied.spark.compare(run, qrels.withColumnRenamed("label", "score")).means  # noqa: B018


def test_undefined_values_are_an_error_if_asked_for(spark):
    run, qrels = frame(spark, {"q": {"d": 1.0}}, "score"), frame(spark, {"q": {"d": 0}}, "label", "string string int")
    with pytest.raises(untied.UndefinedError, match="AP"):
        untied.spark.evaluate(qrels, run, "AP", on_undefined="raise").means  # noqa: B018


@pytest.mark.parametrize("deaths", [2, 3])
def test_workers_that_die(spark, tmp_path, deaths):
    """Killed in the middle of a task, twice it is tried again; the third time is one too many."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    run, qrels = make(4)
    folder = str(tmp_path)

    def poisoned(batches):
        for batch in batches:
            if "q3" in batch.column(0).to_pylist():
                for death in range(deaths):
                    try:
                        os.close(os.open(f"{folder}/{death}", os.O_CREAT | os.O_EXCL))
                    except FileExistsError:
                        continue
                    os.kill(os.getpid(), 9)
            yield batch

    retrieved = frame(spark, run, "score").coalesce(1)  # one task
    retrieved = retrieved.mapInArrow(poisoned, retrieved.schema)
    results = untied.spark.evaluate(frame(spark, qrels, "label", "string string int"), retrieved, MEASURES)
    if deaths == 2:
        same(results, untied.evaluate(qrels, run, MEASURES))
    else:
        with pytest.raises((PySparkException, Py4JError)):
            results.per_query.collect()
        same(results, untied.evaluate(qrels, run, MEASURES))  # the session lives, and so do the results
    assert len(list(tmp_path.iterdir())) == deaths


def test_nothing_in_common_is_told_on_the_driver(spark):
    """Warnings of workers are seen by nobody."""
    qrels, run = {"q1": {"a": 1.0}}, {"q1": {"x": 1.0}}
    other = {"q1": {"y": 1.0}}
    judged, retrieved = frame(spark, qrels, "grade"), frame(spark, run, "score")
    results = untied.spark.evaluate(judged, retrieved, "AP")
    with pytest.warns(untied.UntiedWarning, match="queries in common with the qrels, but no document: 'run'"):
        assert results["AP"].mean == 0
    compared = untied.spark.compare(retrieved, frame(spark, other, "score"), "Overlap@1", qrels=judged)
    with pytest.warns(untied.UntiedWarning, match="no document in common with the other runs: 'b'; queries in common"):
        assert compared["Overlap@1"].mean == 0
