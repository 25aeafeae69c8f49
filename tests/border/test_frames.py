"""Runs and qrels from Arrow streams: frames and tables of any library."""

import numpy
import pandas
import polars
import pyarrow as pa
import pytest

import untied
from untied import AP, Qrels, Run, UntiedError, nDCG

QRELS = {"1": {"10": 1, "11": 0, "12": 2}, "2": {"10": 0, "13": 1}}
RUN = {"1": {"10": 2.0, "11": 2.0, "12": 1.0}, "2": {"13": 5.0, "10": 4.0}}
QUERIES = [query for query, documents in RUN.items() for _ in documents]
DOCUMENTS = [document for documents in RUN.values() for document in documents]
SCORES = [score for documents in RUN.values() for score in documents.values()]
MEASURES = [AP, nDCG @ 2, "NumRet", "infAP"]

INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]


def table(queries=QUERIES, documents=DOCUMENTS, numbers=SCORES, number="score"):
    return pa.table({"qid": queries, "docno": documents, number: numbers})


def content(held):
    return {query: held[query] for query in held.queries()}


def ids(values, kind):
    """A column of ids of a type, by way of the text where it is not text."""
    if pa.types.is_integer(kind):
        return pa.array([int(value) for value in values], kind)
    column = pa.array([value.encode() for value in values] if "binary" in str(kind) else values, kind)
    return pa.chunked_array([column.slice(0, 2), column.slice(2)])


def dictionary(values, index, kind):
    distinct = sorted(set(values), reverse=True)
    indices = pa.array([distinct.index(value) for value in values], index)
    return pa.DictionaryArray.from_arrays(indices, ids(distinct, kind).cast(kind) if kind in INTEGERS else distinct)


@pytest.mark.parametrize("kind", [*INTEGERS, *TEXTS], ids=str)
def test_types_of_ids(kind):
    held = Run(table(ids(QUERIES, kind), ids(DOCUMENTS, kind)))
    assert content(held) == content(Run(RUN))
    judged = [(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]
    queries, documents, grades = zip(*judged, strict=True)
    assert content(Qrels(table(ids(queries, kind), ids(documents, kind), grades, "label"))) == content(Qrels(QRELS))


@pytest.mark.parametrize("index", INTEGERS, ids=str)
@pytest.mark.parametrize("kind", [pa.string(), pa.int64()], ids=str)
def test_dictionaries_of_ids(index, kind):
    held = Run(table(dictionary(QUERIES, index, kind), dictionary(DOCUMENTS, index, kind)))
    assert content(held) == content(Run(RUN))


@pytest.mark.parametrize("kind", [*INTEGERS, pa.float16(), pa.float32(), pa.float64(), pa.decimal128(5, 2)], ids=str)
def test_types_of_numbers(kind):
    if pa.types.is_decimal(kind):
        from decimal import Decimal

        numbers = pa.array([Decimal(str(score)) for score in SCORES], kind)
    else:
        numbers = pa.array(numpy.array(SCORES, str(kind).replace("halffloat", "float16")), kind)
    assert content(Run(table(numbers=numbers))) == content(Run(RUN))
    assert content(Qrels(table(numbers=numbers, number="Relevance"))) == content(Qrels(RUN))


def test_scores_keep_their_precision():
    third = 1 / 3
    for dtype in ("float16", "float32", "float64"):
        held = Run(table(["q"], ["d"], pa.array(numpy.array([third], dtype))))
        assert held["q"] == [("d", float(numpy.dtype(dtype).type(third)))]
    assert Run(table(["q"], ["d"], pa.array([-(2**53)])))["q"] == [("d", -(2.0**53))]
    assert Run(table(["q"], ["d"], pa.array([2**63], pa.uint64())))["q"] == [("d", 2.0**63)]
    assert content(Qrels(table(["q"], ["d"], [True], "rel"))) == {"q": {"d": 1.0}}


def test_extreme_integers_are_ids():
    numbers = [-(2**63), -1, 0, 7, 2**63 - 1]
    held = Run(table(["q"] * 5, pa.array(numbers), [5, 4, 3, 2, 1]))
    assert [document for document, _ in held["q"]] == [str(number) for number in numbers]
    assert Run(table(["q"], pa.array([2**64 - 1], pa.uint64()), [1]))["q"][0][0] == str(2**64 - 1)


def frames():
    arrow = table()
    yield arrow
    yield arrow.to_batches()[0]
    yield arrow.to_reader()
    yield pa.concat_tables([arrow.slice(0, 1), arrow.slice(1, 3), arrow.slice(4)])
    yield polars.DataFrame(arrow)
    yield polars.DataFrame(arrow).with_columns(polars.col("qid", "docno").cast(polars.Categorical))
    yield arrow.to_pandas()
    yield arrow.to_pandas().astype({"qid": "category", "docno": object, "score": "float32"})
    yield arrow.to_pandas(types_mapper=pandas.ArrowDtype)
    yield arrow.to_pandas().sample(frac=1, random_state=3).sort_values("score", kind="stable")


@pytest.mark.parametrize("frame", list(frames()), ids=lambda frame: type(frame).__module__)
def test_frames_of_libraries(frame):
    expected = untied.evaluate(QRELS, RUN, MEASURES, ties="range", variance=True)
    found = untied.evaluate(QRELS, frame, MEASURES, ties="range", variance=True)
    assert found.table().to_dicts() == expected.table().to_dicts()


def test_everything_takes_frames():
    judged = polars.DataFrame([(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()], orient="row")
    judged.columns = ["query-id", "corpus-id", "score"]
    other = {"1": ["12", "10"], "2": ["10", "13"]}
    expected = untied.evaluate(QRELS, {"a": RUN, "b": other}, MEASURES)
    frame = table()
    assert untied.evaluate(judged, {"a": frame, "b": other}, MEASURES).table().to_dicts() == expected.table().to_dicts()
    assert untied.evaluate(judged, [frame, frame], AP).runs == ["run1", "run2"]
    assert untied.Evaluator(judged, AP).means(frame) == untied.Evaluator(QRELS, AP).means(RUN)
    compared = untied.compare(frame, other, "Delta(nDCG@2)", qrels=judged).per_query.to_dicts()
    assert compared == untied.compare(RUN, other, "Delta(nDCG@2)", qrels=QRELS).per_query.to_dicts()


def test_rows_may_stand_anywhere():
    """More rows than a slice holds, queries that begin in one and go on in others, rows shuffled."""
    rng = numpy.random.default_rng(5)
    queries, documents = rng.permutation(90), numpy.arange(2000)
    frame = pandas.DataFrame({"qid": queries.repeat(2000), "docno": numpy.tile(documents, 90)})
    frame["score"] = rng.integers(0, 900, len(frame))
    expected = content(Run(frame))
    assert sum(map(len, expected.values())) == len(frame)
    sample = frame[frame.qid == 17]
    assert expected["17"] == list(zip(sample.docno.astype(str), sample.score.astype(float), strict=True))
    shuffled = content(Run(frame.sample(frac=1, random_state=1)))
    assert {query: dict(rows) for query, rows in shuffled.items()} == {q: dict(rows) for q, rows in expected.items()}
    for threads in (1, 2, 7):
        assert content(Run(frame, threads=threads)) == expected


def test_names_of_columns():
    ranked = pa.table({"QUERY": ["q"] * 3, "Document": ["a", "b", "c"], "rank": [0, 2, 2]})
    assert Run(ranked)["q"] == [("a", 0.0), ("b", -2.0), ("c", -2.0)]
    terrier = pa.table(
        {"qid": ["q"], "docid": [4], "docno": ["a"], "rank": [1], "score": [2.5], "query": ["what is new"]}
    )
    assert content(Run(terrier)) == {"q": [("a", 2.5)]}
    assert content(Run(terrier, columns={"document": "docid"})) == {"q": [("4", 2.5)]}
    own = pa.table({"Q": ["q"], "d": ["a"], "points": [3], "g": [1]})
    assert content(Run(own, columns={"query": "Q", "document": "d", "score": "points"})) == {"q": [("a", 3.0)]}
    assert content(Qrels(own, columns={"query": "Q", "document": "d", "grade": "g"})) == {"q": {"a": 1.0}}


def test_qrels_that_say_more_than_a_grade():
    rows = [("q", "1", "a", 1), ("q", "2", "a", 2), ("q", "2", "b", 1), ("p", "1", "c", 0)]
    query, subtopic, document, grade = (list(column) for column in zip(*rows, strict=True))
    frame = pa.table({"query_id": query, "subtopic_id": subtopic, "doc_id": document, "relevance": grade})
    judged = {"q": {"1": {"a": 1}, "2": {"a": 2, "b": 1}}, "p": {"1": {"c": 0}}}
    run = {"q": {"a": 1, "b": 1, "x": 1}, "p": {"c": 1}}
    found = untied.evaluate(frame, run, ["alpha_nDCG@10", AP], qrels_format="subtopics")
    expected = untied.evaluate(judged, run, ["alpha_nDCG@10", AP], qrels_format="subtopics")
    assert found.table().to_dicts() == expected.table().to_dicts()
    sampled = pa.table({"qid": ["q", "q"], "docno": ["a", "b"], "rel": [1, -1], "stratum": [0, 1], "iprob": [0.5, 1]})
    for name, dict_ in [
        ("stratified", {"q": {"a": (0, 1), "b": (1, -1)}}),
        ("prels", {"q": {"a": (1, 0.5), "b": (-1, 1)}}),
    ]:
        measure = {"stratified": "xinfAP", "prels": "statAP"}[name]
        found = untied.evaluate(sampled, run, measure, qrels_format=name)
        expected = untied.evaluate(dict_, run, measure, qrels_format=name)
        assert found.table().to_dicts() == expected.table().to_dicts()
    with pytest.raises(untied.UntiedError, match="must be trec, subtopics, stratified or prels for a table"):
        Qrels(frame, format="mirex")


def test_no_rows_are_no_queries():
    empty = table().slice(0, 0)
    assert Run(empty).queries() == Run({}).queries() == []
    assert Run(empty.to_pandas()).queries() == Run(polars.DataFrame(empty)).queries() == []
    with pytest.warns(untied.UntiedWarning, match="nothing is retrieved: 'run'"):
        assert untied.evaluate(QRELS, empty, AP)["AP"].mean == 0.0


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (table(["q", None], ["a", "b"], [1, 2]), 'run, row 1: expected a query\'s id in column "qid", found null'),
        (table(["q"] * 2, ["a", None], [1, 2]), 'row 1: expected a document\'s id in column "docno", found null'),
        (
            table(["q"] * 2, [1.0, 2.0], [1, 2]),
            'run: expected text, bytes or whole numbers in column "docno", found Fl',
        ),
        (table(["q"] * 2, ["a", "b"], ["1", "2"]), 'run: expected numbers in column "score", found Utf8'),
        (
            table(["q"] * 2, ["a", "b"], [1.0, None]),
            'row 1: expected a finite number as the score in column "score", f',
        ),
        (table(["q"] * 2, ["a", "b"], [1.0, numpy.nan]), "row 1: .*, found NaN"),
        (table(["q"] * 2, ["a", "b"], [numpy.inf, 1.0]), "row 0: .*, found inf"),
        (table(["q"] * 2, ["a", "b"], [1, 2**53 + 1]), "row 1: expected a whole number that .* found 9007199254740993"),
        (table(["q"] * 2, ["a", "b"], [1, -(2**62) - 1]), "found -4611686018427387905"),
        (
            table(["q"] * 3, ["a", "b", "a"], [1, 2, 3]),
            'row 2: expected every document once in a query, found document "a"',
        ),
        (table(["q"] * 2, ["a", "b"], pa.nulls(2)), "row 0: .*, found null"),
        (table(["q"] * 2, dictionary(["a", "b"], pa.int8(), pa.string()).take(pa.array([0, None])), [1, 2]), "row 1"),
        (table().drop(["docno"]), 'run: expected a column for the document .*found "qid", "score"'),
        (table().append_column("Qid", pa.array(QUERIES)), 'columns "qid" and "Qid" may both hold the query'),
        (pa.table({}), "found none at all"),
    ],
)
def test_bad_frames_are_refused(frame, message):
    with pytest.raises(untied.UntiedError, match=message):
        untied.evaluate(QRELS, frame, AP)


def test_bad_qrels_are_refused():
    twice = table(["q", "q"], ["a", "a"], [1, 2], "label")
    with pytest.raises(
        untied.UntiedError, match=r"qrels, row 1: .*grade 2 for document .*, which has grade 1 in row 0"
    ):
        untied.evaluate(twice, RUN, AP)
    assert untied.Qrels(table(["q", "q"], ["a", "a"], [1, 1], "label")).repeated == 1
    with pytest.raises(untied.UntiedError, match="qrels: expected a column for the grade"):
        Qrels(pa.table({"qid": ["q"], "docno": ["d"]}))
    for wrong, message in [
        ({"points": "score"}, "columns of a run name query, document, score, rank, retrieved or scores"),
        ({"score": "s"}, 'a column "s"'),
    ]:
        with pytest.raises(untied.UntiedError, match=message):
            Run(table(), columns=wrong)


def test_the_first_wrong_row_is_told():
    """Whatever the number of threads, and though slices are read in any order."""
    scores = numpy.zeros(400_000)
    scores[[399_000, 200_000, 131_000]] = numpy.nan
    frame = pa.table({"qid": numpy.arange(400_000), "docno": numpy.arange(400_000), "score": scores})
    for threads in (1, 2, 8):
        with pytest.raises(untied.UntiedError, match="run, row 131000"):
            Run(frame, threads=threads)


def test_a_stream_that_fails():
    def batches():
        yield table().to_batches()[0]
        raise ValueError("the source is gone")

    reader = pa.RecordBatchReader.from_batches(table().schema, batches())
    with pytest.raises(untied.UntiedError, match=r"run: .*the source is gone"):
        untied.evaluate(QRELS, reader, AP)
    with pytest.raises(untied.UntiedError, match="run: "):
        Run(pa.chunked_array([[1, 2]]))


def test_a_stream_is_read_once():
    reader = table().to_reader()
    assert len(Run(reader)) == 2
    with pytest.raises(UntiedError, match="this RecordBatchReader gave no rows; was it read before"):
        Run(reader)
