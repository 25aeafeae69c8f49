"""Files with names of columns, JSON and archives: what they hold, and one clear error for what is wrong with them."""

import csv
import enum
import gzip
import io
import json

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import untied
from untied._core import file_formats
from untied.inputs.files import QRELS_READERS, RUN_READERS

HEADER = "qid,docno,score\n"


@pytest.mark.parametrize(
    ("formats", "readers", "native"),
    [
        (file_formats(runs=True), RUN_READERS, lambda path, format: untied.Run.read(path, 1, format, None, False)),
        (
            file_formats(runs=False),
            QRELS_READERS,
            lambda path, format: untied.Qrels.read(path, 1, "trec", format, None),
        ),
    ],
    ids=["runs", "qrels"],
)
def test_every_format_has_one_reader(tmp_path, formats, readers, native):
    """Python reads the formats of the table that the core leaves to it, and no others."""
    assert {format["name"] for format in formats if format["in_python"]} == readers.keys()
    path = tmp_path / "file"
    path.write_text("")
    for format in formats:
        with pytest.raises(untied.UntiedError) as refused:
            native(path, format["name"])
        assert ("is not read here" in str(refused.value)) == (format["name"] in readers), format["name"]


def run(tmp_path, text, suffix=".csv", **options):
    path = tmp_path / f"run{suffix}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return untied.read_run(path, **options)


def content(held):
    return {query: held[query] for query in held.queries()}


@pytest.mark.parametrize(
    "text",
    [
        'q,"a,b",1\nq,"say ""c""",-2.5\nr,d,1e3\n',
        'q,"a,b",1\r\nq,"say ""c""",-2.5\r\nr,d,1e3\r\n',
        '"q","a,b","1"\n\nq,"say ""c""","-2.5"\n\r\n"r","d","1e3"',
        '\nq,"a,b",1\nq,"say ""c""",-2.5\nr,d,1e3\r\n',
    ],
)
def test_delimited_text(tmp_path, text):
    expected = {"q": [("a,b", 1.0), ('say "c"', -2.5)], "r": [("d", 1000.0)]}
    assert content(run(tmp_path, HEADER + text)) == expected
    assert content(run(tmp_path, "\ufeff" + HEADER.replace("qid", '"QID"') + text)) == expected


def test_fields_over_several_lines(tmp_path):
    """Texts in quotes may hold anything; pieces are cut outside of them, and lines are counted."""
    rows = [(f"q{n // 50}", f"d{n}", n % 7, 'what "is"\n,new\r\n' * (n % 40)) for n in range(5000)]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([("query-id", "doc_id", "score", "text"), *rows])
    expected = content(untied.Run([row[:3] for row in rows]))
    assert content(run(tmp_path, text.getvalue())) == expected
    assert len(text.getvalue()) > 3 * (1 << 19)
    broken = text.getvalue() + "q,d,x,y\n"
    line = broken.count("\n")
    with pytest.raises(untied.InputError, match=f'line {line}: expected a finite number as the score, found "x"'):
        run(tmp_path, broken)
    twice = text.getvalue() + "q99,d4999,1,y\n"
    with pytest.raises(untied.InputError, match=f"line {line}: .* again, already in line"):
        run(tmp_path, twice)


FIELDS = st.text(st.sampled_from(list("ab\",;\n\r \t'é")), min_size=1, max_size=6)


@given(st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=8, unique=True), st.sampled_from(",\t"), st.booleans())
def test_what_python_writes_is_read(tmp_path_factory, ids, delimiter, all_quoted):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL)
    writer.writerow(["qid", "docno", "score"])
    writer.writerows((query, document, 2) for query, document in ids)
    folder = tmp_path_factory.mktemp("csv")
    found = run(folder, text.getvalue(), format="csv" if delimiter == "," else "tsv")
    assert sorted((q, d) for q, rows in content(found).items() for d, _ in rows) == sorted(ids)


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), min_size=1, unique=True), st.booleans())
def test_json_of_any_text_is_read(tmp_path_factory, ids, ascii_only):
    ids = [(q, d) for q, d in ids if (q + d).isprintable() or q]
    lines = [
        json.dumps({"x": [d, {"}": q}], "qid": q, "docno": d, "score": 2}, ensure_ascii=ascii_only) for q, d in ids
    ]
    try:
        text = "\n".join(lines).encode()
    except UnicodeEncodeError:  # a lone surrogate
        return
    folder = tmp_path_factory.mktemp("json")
    if any("\ud800" <= character <= "\udfff" for q, d in ids for character in q + d):
        with pytest.raises(untied.InputError, match="valid JSON escapes"):
            run(folder, text, ".jsonl")
        return
    found = content(run(folder, text, ".jsonl"))
    assert sorted((q, d) for q, rows in found.items() for d, _ in rows) == sorted(ids)


def test_json_lines(tmp_path):
    text = (
        ' {"query_id": 7, "doc_id": "d", "score": -1.5e2, "text": {"score": "]}"}}\r\n\n'
        '{"score": true, "doc_id": "\\u00e9\\n", "query_id": "7"}\n'
    )
    assert content(run(tmp_path, text, ".ndjson")) == {"7": [("d", -150.0), ("é\n", 1.0)]}
    ranked = '{"qid": "q", "docno": "a", "rank": 2}\n{"qid": "q", "docno": "b", "rank": 1}'
    assert content(run(tmp_path, ranked, ".jsonl")) == {"q": [("a", -2.0), ("b", -1.0)]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found none at all"),
        ("qid,docno,score\n", "expected records, found none"),
        ("q,d,1\n", 'expected a column for the score or rank .*found "q", "d", "1" .*give its format: trec or msmarco'),
        (HEADER + "q,d\n", 'line 2: expected 3 fields, as in the header, found 2: "q,d"'),
        (HEADER + "q,d,1\nq,e,1,2\n", 'line 3: expected 3 fields, as in the header, found 4: "q,e,1,2"'),
        (HEADER + "q,d,\n", "line 2: expected a finite number as the score, found an empty field"),
        (HEADER + "q,d,nan\n", 'line 2: expected a finite number as the score, found "nan"'),
        (HEADER + ",d,1\n", "line 2: expected a query's id, found an empty field"),
        (HEADER + 'q,"",1\n', "line 2: expected a document's id, found an empty field"),
        (HEADER + 'q,"d,1\n', "line 2: expected a quote at the end of a quoted field"),
        (HEADER + 'q,"d"x,1\n', "line 2: expected the end of a field after its closing quote"),
        (HEADER + 'q,5" disk,1\n', "line 2: expected quotes around a whole field only, doubled within it"),
        (HEADER + 'q, "d",1\n', "line 2: expected quotes around a whole field only"),
        (HEADER + "q,d,1\rr,e,2\n", "line 2: expected a line feed after a carriage return"),
        (HEADER + "q,d,1\r\r\n", "line 2: expected a line feed after a carriage return"),
        (HEADER + 'q,d,1\nq,"e\n\0",1\n', "line 3: expected text without NUL bytes"),
        ("\n" + HEADER.replace("docno", "d\0cno"), "line 2: expected text without NUL bytes"),
        (HEADER + "q,d,1\n\nq,d,2\n", "line 4: expected every document once .* again, already in line 2"),
        ("qid,query_id,docno,score\n", 'columns "qid" and "query_id" may both hold the query'),
    ],
)
def test_bad_csv(tmp_path, text, message):
    with pytest.raises(untied.UntiedError, match=message) as caught:
        run(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path))


@pytest.mark.parametrize("before", range(-20, 20, 3))
def test_a_stray_quote_is_an_error_wherever_a_file_is_cut(tmp_path, before):
    """An odd number of quotes does not move the end of a piece into a field."""
    filling = "\n" * ((1 << 19) + before)
    text = HEADER + filling + 'q,d"1,1\nq,"d\n2",1\n'
    with pytest.raises(untied.InputError, match=f"line {len(filling) + 2}: expected quotes around a whole field"):
        run(tmp_path, text)
    assert content(run(tmp_path, text.replace('d"1', '"d""1"'))) == {"q": [('d"1', 1.0), ("d\n2", 1.0)]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found none at all"),
        ("[1]\n", 'line 1: expected a JSON object on a line, with an opening brace, found "\\[1\\]"'),
        ('\n\n{"qid": 1,}', "line 3: expected a JSON object on a line, with names in quotes"),
        ('{"qid": "q", "docno": "d"}', "expected a column for the score or rank"),
        ('{"qid": "q", "docno": "d", "score": 1}\n{"qid": "q", "docno": "e"}', "line 2: .* as the score, found none"),
        ('{"qid": "q", "docno": "d", "score": null}', 'line 1: .* as the score, found "null"'),
        ('{"qid": "q", "docno": "d", "score": NaN}', 'line 1: .* as the score, found "NaN"'),
        ('{"qid": "q", "docno": "d", "score": "1"}', 'line 1: .* as the score, found "1"'),
        ('{"qid": 1.0, "docno": "d", "score": 1}', 'line 1: expected a query\'s id, found "1.0"'),
        ('{"qid": "q", "docno": ["d"], "score": 1}', "line 1: expected a document's id, found "),
        ('{"qid": "q", "docno": "d", "score": 1, "score": 2}', "may both hold the score"),
    ],
)
def test_bad_json_lines(tmp_path, text, message):
    with pytest.raises(untied.UntiedError, match=message):
        run(tmp_path, text, ".jsonl")


LINE = '{"qid": "q", "docno": "d", "score": 1, "other": %s}\n'


@pytest.mark.parametrize(
    "value",
    ["[1}", "[1,,2]", "01", "1.", "-", '"\t"', "[nul]", '{"x" 1}', '["\\ud800"]', b'"\xff"', "[" * 100_000, "\f1"],
)
def test_what_is_not_read_is_to_be_json_too(tmp_path, value):
    value = value if isinstance(value, bytes) else value.encode()
    text = LINE.encode() % b"1" + LINE.encode().replace(b'"d"', b'"e"') % value
    with pytest.raises(untied.InputError, match="line 2: expected a JSON object on a line, with"):
        run(tmp_path, text, ".jsonl")


@pytest.mark.parametrize(
    "value", ["[NaN, Infinity, -Infinity]", "[" * 100_000 + "]" * 100_000, '{"x": 1, "x": [{}]}', '1, "other": 2']
)
def test_what_is_not_read_may_be_any_json(tmp_path, value):
    assert content(run(tmp_path, LINE % value, ".jsonl")) == {"q": [("d", 1.0)]}


def test_whole_numbers_as_ids(tmp_path):
    line = '{"qid": %s, "docno": %s, "score": 1}\n'
    text = line % ("-0", 10**30) + line % ("0", "-7")
    assert content(run(tmp_path, text, ".jsonl")) == {"0": [(str(10**30), 1.0), ("-7", 1.0)]}
    for wrong in ("-", "1e3", "007", "1.0"):
        with pytest.raises(untied.InputError, match="line 1: expected "):
            run(tmp_path, line % (wrong, '"d"'), ".jsonl")


def test_a_member_twice(tmp_path):
    line = '{"qid": "q", "docno": "d", "score": 1}\n'
    with pytest.raises(untied.InputError, match='line 2: expected every member once, found "score" again'):
        run(tmp_path, line + line.replace("1}", '1, "score": 2}'), ".jsonl")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q": {"d": 1,\n "d": 2}}', "expected each name once in an object, found 'd' again"),
        ('{"q": {"d": 1}', ", line 1: expected JSON, found column"),
        ("[1, 2]", "expected a JSON object, found list"),
        ('{"q": {"d": NaN}}', "expected a finite number as the score, found NaN"),
        (b'{"q\xff": {}}', ", line 1: expected JSON in UTF-8, found the byte 0xff"),
        (b'\xef\xbb\xbf{"q":\n {"d": 1,\n "\xe9": 2}}', ", line 3: expected JSON in UTF-8, found the byte 0xe9"),
        ('{"q": {"d": 1}}'.encode("utf-16-le"), "expected JSON, found column"),
        ('{"\\u001b": {}, "\\u001b": {}}', r"found '\\x1b' again"),
        ('{"q": {"\\ud800": 1}}', "expected valid JSON escapes, found half of a surrogate pair"),
        ('{"q": {"\\uDC80": 1}}', "expected valid JSON escapes, found half of a surrogate pair"),
        ('{"q": {"d": ' + "1" * 4301 + "}}", "expected at most 4300 digits in a whole number, found more"),
        ('{"q": ' * 100_000, "expected JSON with fewer levels, found too many nested brackets"),
        ('{"q": {"d": ' + "[" * 300 + "]" * 300 + "}}", r"the score, found \[{60}\.\.\.$"),
        ('{"q": 5}', r"run\['q'\] must be a mapping, not int"),
        ('{"q": [null]}', "a document id must be a str, bytes or an int, not NoneType"),
        ('{"q": [true]}', "a document id must be a str, bytes or an int, not bool"),
        ('{"q": ["d", "d"]}', "expected every document once in a query"),
        ("{}", "found no document"),
        ('{"q": {}}', "found no document"),
    ],
)
def test_bad_json(tmp_path, text, message):
    with pytest.raises(untied.InputError, match=f"run.json.*{message}"):
        run(tmp_path, text, ".json")


def test_details_of_json_qrels(tmp_path):
    path = tmp_path / "qrels.json"
    path.write_text('{"none": {}, "q": {"1": {"d": 1}, "2": {"d": 2}}}')
    assert untied.read_qrels(path, format="subtopics")["q"] == {"d": 2.0}
    path.write_text('{"q": {"d": 1}}')
    with pytest.raises(untied.InputError, match="the qrels have format 'trec', not 'subtopics'"):
        untied.read_qrels(path, format="subtopics")


@pytest.mark.parametrize(
    ("response", "message"),
    [
        ({"q": {"d": 1}}, 'an object with an object "details"'),
        ({"details": {}, "failures": {"q7": {}}}, "requests failed: 'q7'"),
        ({"details": {}, "failures": [{"cause": "\x1b"}, 5]}, r"requests failed: \[{'cause': '\\x1b'}, 5\]"),
        ({"details": {"q" * 999: {}}}, r"run: request 'q{30,40}\.\.\.q{30,40}': expected"),
        ({"details": {"q": {}}}, "request 'q': expected \"hits\", found none"),
        (
            {"details": {"q": {"hits": [{"hit": {"_id": "d", "_score": None}}]}}},
            "a hit of request 'q': expected \"_score\", found none",
        ),
    ],
)
def test_bad_rank_eval(response, message):
    with pytest.raises(untied.UntiedError, match=message):
        untied.Run(response, format="rank-eval")


def test_rank_eval_objects():
    request = {"requests": [{"id": "q", "ratings": [{"_index": "i", "_id": "d", "rating": 2}]}]}
    assert untied.Qrels(request, format="rank-eval")["q"] == {"d": 2.0}
    response = {"details": {"q": {"hits": [{"hit": {"_id": "d", "_score": 1.5}, "rating": 2}]}}}
    assert untied.Run(response, format="rank-eval")["q"] == [("d", 1.5)]
    with pytest.raises(untied.UntiedError, match='an object with a list "requests"'):
        untied.Qrels(response, format="rank-eval")


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "run.parquet"
    table = pyarrow.table({"text": ["x"] * 2, "qid": [7, 7], "docno": ["a", None], "points": [1, 2]})
    parquet.write_table(table, path)
    columns = {"score": "points"}
    with pytest.raises(untied.UntiedError, match=r'run\.parquet, row 1: expected a document\'s id in column "docno"'):
        untied.read_run(path, columns=columns)
    with pytest.raises(untied.UntiedError, match=r"run\.parquet: expected a column for the score or rank"):
        untied.read_run(path)
    parquet.write_table(table.slice(0, 1), path)
    assert content(untied.read_run(path, columns=columns)) == {"7": [("a", 1.0)]}
    path.write_bytes(b"PAR1 is not enough")
    with pytest.raises(untied.UntiedError, match=r"run\.parquet: "):
        untied.read_run(path)
    with pytest.raises(FileNotFoundError):
        untied.read_run(tmp_path / "none.parquet")


def test_qrels_that_say_more(tmp_path):
    path = tmp_path / "qrels.csv"
    path.write_text("query_id,subtopic_id,doc_id,relevance\nq,1,a,1\nq,2,a,2\nq,2,b,1\np,1,c,0\n")
    judged = {"q": {"1": {"a": 1}, "2": {"a": 2, "b": 1}}, "p": {"1": {"c": 0}}}
    found = {"q": {"a": 1, "b": 1, "x": 1}, "p": {"c": 1}}
    for qrels in (path, judged):
        results = untied.evaluate(qrels, found, ["alpha_nDCG@10"], qrels_format="subtopics")
        expected = untied.evaluate(judged, found, ["alpha_nDCG@10"])
        assert results.table().to_dicts() == expected.table().to_dicts()
    with pytest.raises(untied.UntiedError, match="expected one grade for every document"):
        untied.read_qrels(path)


def test_formats_are_names(tmp_path):
    for read, names in [
        (untied.read_run, "run format must be auto, trec, trec-ranks, msmarco"),
        (untied.read_qrels, "qrels format"),
    ]:
        with pytest.raises(untied.UntiedError, match=names):
            read(tmp_path / "x", format="xml")


@pytest.mark.parametrize("zeros", [0, 1, 1000, 200_000])
def test_padded_archives(tmp_path, zeros):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"q Q0 a 1 2 t\n") + gzip.compress(b"q Q0 b 2 1 t\n") + bytes(zeros))
    assert content(untied.read_run(path)) == {"q": [("a", 2.0), ("b", 1.0)]}
    path.write_bytes(path.read_bytes() + b"garbage")
    with pytest.raises(untied.InputError, match="a truncated or damaged file"):
        untied.read_run(path)


class Lacking(enum.IntEnum):
    NUMBER = 2**53 + 1


@pytest.mark.parametrize("whole", [2**53 + 1, numpy.int64(2**53 + 1), Lacking.NUMBER, 10**400], ids=type)
@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda n: untied.Run({"q": {"a": n}}), "a finite number as the score"),
        (lambda n: untied.Run([("q", "a", n)]), 'a finite number as the score in column "score"'),
        (
            lambda n: untied.evaluate({"q": {"a": (n, 1)}}, {"q": {"a": 1}}, "AP", qrels_format="stratified"),
            "a whole number of at least 0 as the stratum",
        ),
        (
            lambda n: untied.evaluate({"q": {"a": (1, n)}}, {"q": {"a": 1}}, "AP", qrels_format="prels"),
            "a number above 0 and at most 1 as the inclusion probability",
        ),
        (
            lambda n: untied.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "TBG", docs={"a": n}),
            "a finite length, or a tuple of it and seconds",
        ),
    ],
    ids=["dict", "rows", "stratum", "probability", "length"],
)
def test_a_whole_number_that_floats_lack(read, expected, whole):
    with pytest.raises(untied.UntiedError) as caught:
        read(whole)
    place, _, found = str(caught.value).partition(f": expected {expected}, found ")
    assert place in ('query "q", document "a"', "run, row 0", 'document "a"')
    shown, _, reason = found.partition(", which ")
    assert shown == (repr(whole) if len(repr(whole)) <= 60 else f"{repr(whole)[:60]}...")
    assert reason == "a 64-bit float does not hold exactly"


def test_whole_numbers_that_floats_hold():
    held = {"a": -(2**53), "b": 2**70, "c": numpy.uint64(2**63), "d": numpy.float32(2.0**60), "e": True}
    assert dict(untied.Run({"q": held})["q"]) == {doc: float(score) for doc, score in held.items()}
