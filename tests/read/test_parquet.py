"""Parquet files of every writer: their encodings, nested columns, checksums and damages."""

import pytest

import untied
from nightly import many, seeded

pyarrow = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

QRELS = {"q1": {"d1": 1, "d3": 2}, "q2": {"d2": 1}}
ROWS = [("q1", "d1", 3.0), ("q1", "d2", 2.0), ("q1", "d3", 2.0), ("q2", "d2", 1.0), ("q2", "d9", 1.0)]
HELD = {"q1": [("d1", 3.0), ("d2", 2.0), ("d3", 2.0)], "q2": [("d2", 1.0), ("d9", 1.0)]}
MEASURES = ["AP", "RR", "nDCG"]


def table(**more):
    queries, documents, scores = zip(*ROWS, strict=True)
    return pyarrow.table({"qid": queries, "docno": documents, "score": scores, **more})


def same_everywhere(path, **columns):
    """What is read, after all ways to evaluate the file have given the same values."""
    run = untied.read_run(path, columns=columns)
    expected = means(run)
    for stream in () if columns else (False, True):
        for threads in (1, 3):
            assert means(str(path), stream=stream, threads=threads) == expected
    return {query: run[query] for query in run.queries()}


def means(run, **options):
    found = untied.evaluate(QRELS, run, MEASURES, **options)
    return [repr(float(found[measure])) for measure in MEASURES]


@pytest.mark.parametrize("column", ["qid", "docno"])
@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "brotli", "zstd", "lz4"])
def test_encodings(tmp_path, column, encoding, compression):
    """pyarrow cannot decode all of them to dictionaries."""
    path = tmp_path / "run.parquet"
    options = {"use_dictionary": False, "column_encoding": {column: encoding}, "compression": compression}
    parquet.write_table(table(), path, row_group_size=2, **options)
    assert same_everywhere(path) == HELD


def test_encodings_may_differ_between_row_groups(tmp_path):
    """Long ids overflow the dictionary of the second row group."""
    queries = [f"{n:0200}" for n in range(3000)]
    run = pyarrow.table({"qid": ["q"] * 3000 + queries, "docno": ["d"] * 6000, "score": [1.0] * 6000})
    run = run.set_column(1, "docno", pyarrow.array([f"d{n}" for n in range(6000)]))
    parquet.write_table(run, tmp_path / "run.parquet", row_group_size=3000, dictionary_pagesize_limit=10_000)
    held = untied.read_run(tmp_path / "run.parquet")
    assert len(held) == 3001
    assert (len(held["q"]), held[queries[7]]) == (3000, [("d3007", 1.0)])


def test_keys_of_dictionaries_are_not_ids(tmp_path):
    """Equal ids may have several keys, and neighbours with different keys may be one query."""
    keys = pyarrow.array([0, 2, 3, 1, 4], pyarrow.int8())
    queries = pyarrow.DictionaryArray.from_arrays(keys, pyarrow.array(["q1", "q2", "q1", "q1", "q2", "unused"]))
    run = untied.Run(table().set_column(0, "qid", queries))
    assert {query: run[query] for query in run.queries()} == HELD
    first = table().slice(0, 4).set_column(0, "qid", queries.slice(0, 4))
    assert len(untied.Run(first.slice(2, 2))) == 2


def test_other_columns_do_not_matter(tmp_path):
    path = tmp_path / "run.parquet"
    nested = [{"score": 1, "qid": "x"}] * 5
    before = {"qid.x": ["w"] * 5, "a": nested, "score.y": [9.0] * 5}
    parquet.write_table(pyarrow.table({**before, **{name: table()[name] for name in ("score", "docno", "qid")}}), path)
    assert same_everywhere(path) == HELD
    # A column whose name contains a point, beside a nested one with the same path.
    named = table(a=pyarrow.array(nested)).rename_columns(["a.qid", "docno", "score", "a"])
    parquet.write_table(named, path)
    assert same_everywhere(path, query="a.qid") == HELD


@pytest.mark.parametrize("name", ["qid", "docno", "score"])
@pytest.mark.parametrize("value", [["x"], {"qid": "x"}, {"a": {"score": 1}}])
def test_nested_columns_are_refused(tmp_path, name, value):
    path = tmp_path / "run.parquet"
    number = table().column_names.index(name)
    parquet.write_table(table().set_column(number, name, pyarrow.array([value] * 5)), path)
    for read in (untied.read_run, lambda path: untied.evaluate(QRELS, str(path), MEASURES)):
        with pytest.raises(
            untied.UntiedError, match=rf'run\.parquet: expected .* in column "{name}", found (List|Struct)'
        ):
            read(path)


def damaged(data, rng):
    """Change, remove or insert a few bytes; half of the times in the metadata, which is at the end."""
    data = bytearray(data)
    at = rng.randrange(max(len(data) - 1500, 0) if rng.random() < 0.5 else 0, len(data))
    kind = rng.randrange(3)
    if kind == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del data[at : at + rng.randrange(1, 30)]
    else:
        data[at:at] = rng.randbytes(rng.randrange(1, 9))
    return bytes(data)


def test_damages_are_one_error_without_a_traceback(tmp_path):
    path = tmp_path / "run.parquet"
    rows = [(f"q{n // 40}", f"d{n}", float(-n)) for n in range(400)]
    queries, documents, scores = zip(*rows, strict=True)
    whole = pyarrow.table({"qid": queries, "docno": documents, "score": scores})
    parquet.write_table(whole, path, row_group_size=150, write_page_checksum=True)
    data = path.read_bytes()
    rng = seeded("parquet")
    refused = []
    for _ in range(many(60, nightly=1500)):
        path.write_bytes(damaged(data, rng))
        try:
            untied.read_run(path, threads=1)
        except (untied.UntiedError, MemoryError) as error:
            refused.append(str(error))
    assert len(refused) > 50
    assert not [text for text in refused if "Traceback" in text or "C Data interface" in text or "\n" in text]


def test_checksums_of_pages_are_compared(tmp_path):
    path = tmp_path / "run.parquet"
    options = {"write_page_checksum": True, "use_dictionary": False, "compression": "none", "write_statistics": False}
    parquet.write_table(table(), path, **options)
    data = path.read_bytes()
    assert same_everywhere(path) == HELD
    path.write_bytes(data.replace(b"d9", b"d8", 1))
    with pytest.raises(untied.UntiedError, match=r"run\.parquet: .*CRC"):
        untied.read_run(path)


def test_features_report_damages_and_names_that_occur_twice(tmp_path):
    path = tmp_path / "data.parquet"
    features = pyarrow.table({"qid": ["q"] * 3, "label": [1, 0, 0], "a": [1.0, 2.0, 3.0], "b": [3.0, 2.0, 1.0]})
    parquet.write_table(features, path)
    assert untied.evaluate_features(path, "RR", names=["b", "a"]).features == ["b", "a"]
    data = path.read_bytes()
    for damaged in (b"", data[:-20], data[:40] + b"\xff" * 30 + data[70:], data[20:]):
        path.write_bytes(damaged)
        with pytest.raises(untied.UntiedError, match=r"data\.parquet: "):
            untied.evaluate_features(path, "RR")
    twice = features.rename_columns(["qid", "label", "a", "a"])
    parquet.write_table(twice, path)
    for source in (twice, path):
        with pytest.raises(untied.UntiedError, match="expected columns with different names, found 'a' 2 times"):
            untied.evaluate_features(source, "RR")
