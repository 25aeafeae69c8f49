"""Features as scoring functions, against runs with the same scores (to the last bit) and against the oracle."""

from __future__ import annotations

import gzip
import json
import lzma
import math
import os
import random
import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import untied
from commands import Command
from nightly import many, seeded
from strategies import close

MEASURES = ["AP", "nDCG@10", "nDCG(gain='exp2')@3", "RR", "P@2", "R@2", "F1@3", "ESL", "Bpref"]

JUDGES = {
    "AP": oracle.Measure("AP"),
    "nDCG@3": oracle.Measure("nDCG", 3),
    "RR": oracle.Measure("RR"),
    "P@2": oracle.Measure("P", 2),
}

#: Query, label, and by feature a value or NULL; a feature that is not there is 0.
Line = tuple[str, float, dict[int, float | None]]


def text_of(lines: list[Line]) -> str:
    def pair(number: int, value: float | None) -> str:
        return f"{number}:{'NULL' if value is None else repr(value)}"

    return "".join(
        f"{label!r} qid:{query} {' '.join(pair(*one) for one in sorted(pairs.items()))} # a comment 1:2\n"
        for query, label, pairs in lines
    )


def numbers_of(lines: list[Line]) -> list[int]:
    return sorted({number for *_, pairs in lines for number in pairs})


def as_run(lines: list[Line], feature: int, sign: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The labels as qrels, the feature as a run."""
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for row, (query, label, pairs) in enumerate(lines):
        qrels.setdefault(query, {})[f"d{row}"] = label
        value = pairs.get(feature, 0.0)
        scores = run.setdefault(query, {})
        if value is not None:
            scores[f"d{row}"] = sign * value
    return qrels, run


def same(found: untied.FeatureResults, lines: list[Line], **policies: Any) -> None:
    """The features have the values of runs, to the last bit."""
    measures = found.measures
    assert found.features == [str(number) for number in numbers_of(lines)]
    for feature in found.features:
        for direction in found.directions:
            qrels, run = as_run(lines, int(feature), 1 if direction == "high" else -1)
            expected = untied.evaluate(qrels, run, measures, **policies)
            for measure in measures:
                assert repr(found.value(feature, measure, direction=direction)) == repr(expected[measure])
                got, want = found.value(feature, measure, direction=direction), expected[measure]
                assert bits(got) == bits(want), (feature, direction, measure, got, want)


def bits(value: untied.Value) -> list[bytes]:
    import struct

    return [struct.pack("d", math.nan if one is None else one) for one in (value.mean, value.low, value.high)]


@st.composite
def data_sets(draw: st.DrawFn) -> list[Line]:
    features = draw(st.lists(st.sampled_from([0, 1, 2, 7, 300, 16_777_215]), min_size=1, max_size=4, unique=True))
    values = st.sampled_from([0.0, 1.0, 1.0, 2.5, -1.0, 1e-300, None])
    one = st.tuples(
        st.sampled_from(["10", "9", "q/x"]),
        st.sampled_from([0.0, 0.0, 1.0, 2.0, 1.5, -1.0]),
        st.dictionaries(st.sampled_from(features), values),
    )
    lines = draw(st.lists(one, min_size=1, max_size=14))
    lines[0][2][features[0]] = 1.0  # there is a feature
    return lines


@settings(max_examples=many(60, nightly=1500))
@given(data_sets(), st.data())
def test_features_are_runs_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, lines: list[Line], data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp()
    ties = data.draw(st.sampled_from(["range", "expected", "given", "best", "worst"]))
    unjudged = data.draw(st.sampled_from(["nonrelevant", "remove"]))
    cut = data.draw(st.integers(1, len(lines)))
    paths = [folder / "first.txt", folder / "second.txt.gz"][: 1 if cut == len(lines) else 2]
    paths[0].write_text(text_of(lines[:cut]).removesuffix("\n"))
    paths[-1].write_bytes(gzip.compress(text_of(lines[cut:]).encode())) if len(paths) > 1 else None
    policies = {"ties": ties, "unjudged": unjudged}
    threads = data.draw(st.sampled_from([1, 3]))
    found = untied.evaluate_features(list(paths), MEASURES, directions="both", threads=threads, **policies)
    same(found, lines, **policies)
    for feature in found.features:
        counted = found.ties(feature)
        by_query: dict[str, list[float]] = {}
        for query, _, pairs in lines:
            value = pairs.get(int(feature), 0.0)
            by_query.setdefault(query, []).extend([] if value is None else [value])
        ranked = [value for values in by_query.values() for value in values]
        tied = sum(values.count(value) > 1 for values in by_query.values() for value in values)
        assert counted["distinct"] == len(set(ranked))
        assert counted["tied"] == (tied / len(ranked) if ranked else 0.0)
        assert counted["missing"] == len(lines) - len(ranked)


@settings(max_examples=many(40, nightly=1000))
@given(st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from([0.0, 1.0, 3.0])), min_size=1, max_size=7))
def test_features_against_the_oracle(documents: list[tuple[int, float]]) -> None:
    labels, values = [label for label, _ in documents], [value for _, value in documents]
    found = untied.evaluate_features(
        [[value] for value in values], list(JUDGES), labels=labels, query_ids=["q"] * len(labels),
        names=["f"], directions="both"
    )  # fmt: skip
    truth = {str(i): float(label) for i, label in enumerate(labels)}
    for direction in ("high", "low"):
        distinct = sorted(set(values), reverse=direction == "high")
        groups = [tuple(str(i) for i, one in enumerate(values) if one == value) for value in distinct]
        for name, measure in JUDGES.items():
            expected = oracle.statistics(measure, groups, truth)
            got = found.value("f", name, direction=direction)
            assert expected is not None
            assert got.low is not None
            assert got.high is not None
            assert close(got.mean, expected.mean)
            assert close(got.low, expected.low)
            assert close(got.high, expected.high)


TOKENS = [
    b"1",
    b"qid:1",
    b"qid:",
    b"2:3",
    b"2:NULL",
    b"3:",
    b":",
    b"#",
    b" ",
    b" ",
    b"\n",
    b"\n1 qid:2 1:1",
    b"\0",
    b"\xff",
]


@settings(max_examples=many(80, nightly=2000))
@given(st.lists(st.sampled_from(TOKENS) | st.binary(max_size=3), max_size=30))
def test_whatever_a_file_holds_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, tokens: list[bytes]
) -> None:
    path = tmp_path_factory.getbasetemp() / "anything.txt"
    path.write_bytes(b"1 qid:1 2:1 " + b"".join(tokens))
    refused = None
    try:
        found = untied.evaluate_features(path, ["AP"])
    except untied.InputError as error:
        refused = error
    if refused is None:
        assert found.documents >= len(found.queries) >= 1
    else:
        assert refused.file == str(path)
        assert refused.line is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:2", 'line 1: expected qid:Q after the label, found "1 1:2"'),
        ("1 qid: 1:2", "expected qid:Q after the label"),
        ("x qid:1 1:2", 'expected a number as the label, found "x"'),
        ("nan qid:1 1:2", "expected a finite number as the label"),
        ("1 qid:1 1:NaN", 'found "NaN"; write NULL for a missing value'),
        ("\n1 qid:1 1:inf", 'line 2: expected a finite number as the value of feature 1, found "inf"'),
        ("1 qid:1 1:", 'expected a number as the value of feature 1, found ""'),
        ("1 qid:1 2:1 2:1", 'expected every feature once, in ascending order, found "2:1" after feature 2'),
        ("1 qid:1 -1:1", "expected feature:value"),
        ("1 qid:1 16777216:1", "expected feature:value, the feature a whole number below 16777216"),
        ("1 qid:1 99999999999999999999:1", "expected feature:value"),
        ("1 qid:1 :1", "expected feature:value"),
        ("1 qid:1 sid:1", "expected feature:value"),
        ("1 qid:1 1:1\0", "binary data"),
        ("\n# nothing\n", "found only blank lines and comments"),
        ("", "found an empty file"),
        ("1 qid:1", "expected 1 to 65536 different features, found 0"),
        ("1 qid:1" + "".join(f" {feature}:1" for feature in range(65537)), "found 65537"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "features.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(untied.InputError, match=re.escape(message)):
        untied.evaluate_features(path, ["AP"])


def drawn(queries: int, documents: int, features: int, seed: int = 1) -> list[Line]:
    """Data whose features have few values, many, or only one; not all lines have all of them."""
    draw = seeded(seed)
    kinds = [lambda: float(draw.randrange(2)), lambda: draw.random(), lambda: 0.0, lambda: float(draw.randrange(50))]
    return [
        (
            str(query),
            float(draw.choice([0, 0, 0, 1, 2])),
            {f: kinds[f % 4]() for f in range(features) if f % 4 != 3 or draw.random() < 0.6},
        )
        for query in draw.sample(range(1000), queries)
        for _ in range(draw.randrange(1, documents))
    ]


def test_data_larger_than_a_batch_and_the_order_of_lines(tmp_path: Path) -> None:
    lines = drawn(60, 60, 9)
    padding = "# " + "x" * 8000 + "\n"
    large = tmp_path / "large.txt"
    large.write_text("".join(line + padding for line in text_of(lines).splitlines(keepends=True)))
    assert large.stat().st_size > 12 << 20
    found = untied.evaluate_features(large, MEASURES, directions="both")
    same(found, lines, ties="range")
    shuffled = list(lines)
    random.Random(2).shuffle(shuffled)
    apart = tmp_path / "shuffled.txt.xz"
    apart.write_bytes(lzma.compress(text_of(shuffled).encode()))
    for threads in (1, 2):
        other = untied.evaluate_features(apart, MEASURES, directions="both", threads=threads)
        assert list(other.means.rows()) == list(found.means.rows())


def test_values_of_queries(tmp_path: Path) -> None:
    lines = drawn(20, 10, 3)
    path = tmp_path / "data.txt"
    path.write_text(text_of(lines))
    found = untied.evaluate_features(path, ["AP", "RR"], directions="low", per_query=True)
    rows = found.table(per_query=True).to_dicts()
    assert len(rows) == 3 * 2 * (20 + 1)
    for feature in found.features:
        qrels, run = as_run(lines, int(feature), -1)
        expected = untied.evaluate(qrels, run, ["AP", "RR"], ties="range").table().to_dicts()
        got = [row for row in rows if row["feature"] == feature]
        fields = ("query", "measure", "value", "low", "high")
        assert [[row[one] for one in fields] for row in got] == [[row[one] for one in fields] for row in expected]
    with pytest.raises(untied.UntiedError, match="per_query=True"):
        untied.evaluate_features(path, ["AP"]).table(per_query=True)


# ---------------------------------------------------------------------------------------------------------------------
# Arrays, frames, parquet


def wide(lines: list[Line]) -> dict[str, Any]:
    numbers = numbers_of(lines)
    columns: dict[str, Any] = {"qid": [query for query, *_ in lines], "label": [label for _, label, _ in lines]}
    return columns | {str(n): [pairs.get(n, 0.0) for *_, pairs in lines] for n in numbers}


class Capsule:
    """Nothing but Arrow's interface."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def frames(columns: dict[str, Any], folder: Path) -> dict[str, Callable[[], Any]]:
    import duckdb
    import numpy
    import pandas
    import polars
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table(columns)
    duckdb.register("table_of_features", table)
    pyarrow.parquet.write_table(table, folder / "data.parquet")
    names = [name for name in columns if name not in ("qid", "label")]
    lists = {"qid": columns["qid"], "label": columns["label"]}
    lists["features"] = [list(row) for row in zip(*(columns[name] for name in names), strict=True)]
    array = numpy.array([columns[name] for name in names]).T
    given = {"labels": numpy.array(columns["label"]), "query_ids": columns["qid"]}
    return {
        "dict": lambda: untied.evaluate_features(columns, MEASURES),
        "pandas": lambda: untied.evaluate_features(pandas.DataFrame(columns), MEASURES),
        "polars": lambda: untied.evaluate_features(polars.DataFrame(columns), MEASURES),
        "pyarrow": lambda: untied.evaluate_features(table, MEASURES),
        "batch": lambda: untied.evaluate_features(table.combine_chunks().to_batches()[0], MEASURES),
        "reader": lambda: untied.evaluate_features(table.to_reader(max_chunksize=7), MEASURES),
        "duckdb": lambda: untied.evaluate_features(duckdb.sql("from table_of_features"), MEASURES),
        "capsule": lambda: untied.evaluate_features(Capsule(table), MEASURES),
        "parquet": lambda: untied.evaluate_features(folder / "data.parquet", MEASURES),
        "array": lambda: untied.evaluate_features(array, MEASURES, names=names, **given),
        "rows": lambda: untied.evaluate_features(array.tolist(), MEASURES, names=names, **given),
        "lists": lambda: untied.evaluate_features(pyarrow.table(lists), MEASURES),
        "float32": lambda: untied.evaluate_features(array.astype(numpy.float32), MEASURES, names=names, **given),
    }


@pytest.mark.parametrize("grouped", [True, False])
def test_every_input_has_the_values_of_files(tmp_path: Path, grouped: bool) -> None:
    lines = [(query, label, {n: math.floor(64 * (pairs.get(n) or 0)) / 64 for n in range(40)})
             for query, label, pairs in drawn(30, 9, 40)]  # fmt: skip
    if not grouped:
        random.Random(3).shuffle(lines)
    path = tmp_path / "data.txt"
    path.write_text(text_of(lines))
    expected = list(untied.evaluate_features(path, MEASURES).means.rows())
    for name, evaluate in frames(wide(lines), tmp_path).items():
        assert list(evaluate().means.rows()) == expected, name


def test_integers_and_halves_are_compared_as_they_are() -> None:
    import numpy

    given: dict[str, Any] = {"labels": [1, 0, 0], "query_ids": [7, 7, 7]}
    small = numpy.array([[3], [2], [2]], dtype=numpy.int8)
    assert untied.evaluate_features(small, ["RR"], **given)["0", "RR"].mean == 1
    half = numpy.array([[2049], [2048], [1]], dtype=numpy.float16)  # both are 2048
    assert untied.evaluate_features(half, ["RR"], **given)["0", "RR"].mean == 0.75
    large = numpy.array([[2**53 + 1], [2**53], [1]])
    with pytest.raises(untied.UntiedError, match=r"0: expected integers of at most 2\^53"):
        untied.evaluate_features(numpy.array([[2**53 + 2], [2**53], [1]]), ["RR"], **given)
    assert large.dtype == numpy.int64


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": None}, "an array needs labels and query_ids"),
        ({"labels": [1.0]}, r"labels have shape \(1,\), query_ids have shape \(3,\)"),
        ({"labels": [1.0, math.inf, 0.0]}, "labels: expected finite numbers or NaN, found inf in row 1"),
        ({"query_ids": [1.0, 2.0, 2.0]}, "query_ids must be texts or integers"),
        ({"names": ["a"]}, "names: expected 2 different names, one for each feature, found 1"),
        ({"names": ["a", "a"]}, "names: expected 2 different names"),
        ({"ties": "docid"}, "not 'docid': documents have no ids here"),
        ({"directions": "up"}, "directions must be high, low, both or better, not 'up'"),
        ({"measures": "TBG"}, "TBG needs lengths of documents"),
        ({"data": [[1.0, 2.0], [math.nan, 1.0], [0.0, 1.0]]}, "0: expected finite numbers, found NaN in row 1"),
        ({"data": [1.0, 2.0, 3.0]}, "data must have two dimensions, documents x features, not 1"),
        ({"data": {"y": [1.0], "qid": ["q"], "f": [1.0]}, "labels": None}, "labels: expected one column"),
        ({"data": {"rel": [1.0], "label": [1.0], "qid": ["q"]}, "labels": None}, "found rel and label"),
        ({"data": {"f": [1.0]}, "labels": "y"}, "labels: expected one column y, found none; columns are f"),
    ],
)  # fmt: skip
def test_what_is_refused(change: dict[str, Any], message: str) -> None:
    data: dict[str, Any] = {"data": [[1.0, 2.0], [0.0, 1.0], [0.0, 1.0]], "labels": [1, 0, 0], "query_ids": [1, 1, 1]}
    with pytest.raises(untied.UntiedError, match=message):
        untied.evaluate_features(**(data | change))


def test_missing_values_and_texts_in_columns_are_refused() -> None:
    import pyarrow

    table = pyarrow.table({"qid": ["q", "q"], "label": [1, 0], "f": [1.0, None], "docid": ["a", "b"]})
    with pytest.raises(untied.UntiedError, match="f: expected a value in every row, found 1 missing"):
        untied.evaluate_features(table, ["AP"])
    with pytest.raises(TypeError, match="docid must hold"):
        untied.evaluate_features(table, ["AP"], names=["docid"])
    with pytest.raises(untied.UntiedError, match="names: no column 'g'"):
        untied.evaluate_features(table, ["AP"], names=["g"])


# ---------------------------------------------------------------------------------------------------------------------
# Directions, ranks, the command line

SMALL = "2 qid:1 1:1 2:5 3:9\n0 qid:1 1:2 2:5 3:9\n1 qid:2 1:0 2:5 3:8\n0 qid:2 1:3 2:5 3:7\n"


@pytest.fixture
def small(tmp_path: Path) -> str:
    path = tmp_path / "small.txt"
    path.write_text(SMALL)
    return str(path)


def test_directions_and_ranks(small: str) -> None:
    high = untied.evaluate_features(small, ["RR", "ESL"])
    assert high.ranked() == [("3", "high"), ("2", "high"), ("1", "high")]
    assert high.ranked("ESL") == high.ranked()  # where lower is better
    both = untied.evaluate_features(small, ["RR"], directions="both")
    assert both.ranked(top=2) == [("1", "low"), ("3", "high")]
    assert len(both.ranked()) == 6
    assert (both["1", "high", "RR"].mean, both["1", "low", untied.RR].mean, both["1", "RR"].mean) == (0.5, 1, 1)
    assert ("1", "low", "RR") in both
    for key, found in (
        (("1", "low", "AP"), both),
        (("9", "high", "RR"), both),
        (("1",), both),
        (("1", "low", "RR"), high),
    ):
        assert key not in found
    better = untied.evaluate_features(small, ["RR"], directions="better")
    assert better.ranked() == [("1", "low"), ("3", "high"), ("2", "high")]
    assert (better.best_direction("1"), better["1", "RR"].mean) == ("low", 1)
    assert better.value("1", "RR", direction="high").mean == 0.5
    assert better["2", "RR"] == untied.Value(0.75, 0.5, 1.0, None, "exact")
    with pytest.raises(KeyError, match="direction 'low' was not evaluated"):
        high.value("1", "RR", direction="low")
    for key, said in {
        ("9", "RR"): "no feature '9'",
        ("1", "AP"): "AP was not computed",
        ("1", "low", "RR"): "direction 'low' was not evaluated",
        ("1",): "such as ('1', 'RR'), or a direction between them, such as ('1', 'high', 'RR'), found ('1',)",
        ("1", "RR", "high", "low"): "expected a feature and a measure, such as",
    }.items():
        with pytest.raises(KeyError, match=re.escape(said)):
            high[key]  # type: ignore[index]


@pytest.fixture
def run(untied_: Command) -> Command:
    return partial(untied_, "features")


def test_command_line(small: str, tmp_path: Path, run: Command) -> None:
    code, out, err = run(small, "-m", "RR")
    assert (code, err) == (0, "note: features with the same value everywhere, which cannot rank: 2\n")
    assert out.splitlines() == [
        "feature\tdirection\tquery\tmeasure\tvalue\tlow\thigh\tchance\trank\tdistinct\ttied\tmissing\tabsent\tvaried",
        "3\thigh\tall\tRR\t0.8750\t0.7500\t1.0000\t0.7500\t1\t3\t0.5000\t0\t0\t1",
        "2\thigh\tall\tRR\t0.7500\t0.5000\t1.0000\t0.7500\t2\t1\t1.0000\t0\t0\t0",
        "1\thigh\tall\tRR\t0.5000\t0.5000\t0.5000\t0.7500\t3\t4\t0.0000\t0\t0\t2",
    ]
    names = tmp_path / "names.txt"
    names.write_text("# features\n1 age of the page\n3\tlength\n99 elsewhere\n")
    code, out, err = run(
        small, "-m", "RR", "--directions", "better", "--feature-names", str(names), "--format", "table"
    )
    assert out.splitlines() == [
        "3 features, 2 queries, 4 documents; best RR first",
        "a random order has RR 0.7500",
        "first: high or low values, whichever gives the better RR",
        "value [lowest, highest] over all orders of tied documents, if these differ",
        "rank   feature           first   distinct   tied              RR",
        "1      age of the page   low            4     0%   1.0000",
        "2      length            high           3    50%   0.8750 [0.7500, 1.0000]",
        "3      2                 high           1   100%   0.7500 [0.5000, 1.0000]",
    ]
    assert "note: names of features that the data does not have: 99\n" in err
    with pytest.warns(untied.UntiedWarning, match="data does not have: 4, 5, 6, 7 and 1 more name$"):
        untied.evaluate_features(small, "RR", names=dict(zip(range(1, 9), "abcdefgh", strict=True)))
    code, out, err = run(small, "-m", "RR", "-m", "P@1", "--ties", "expected", "--format", "md", "--top", "1")
    assert out.splitlines()[-1] == "| 1 | 3 | 3 | 50% | 0.8750 | 0.7500 |"
    assert err == (
        "note: features with the same value everywhere, which cannot rank: 2\n"
        "note: tied documents have different grades in 50% of the rankings: each value is the mean over all orders; "
        "--ties range shows how far ties could move it\n"
    )
    code, out, err = run(small, "-m", "RR", "--sort-by", "P@1", "--format", "json", "-q")
    found = json.loads(out)
    assert found["settings"]["sort_by"] == "P@1"
    assert found["data"] == {"queries": 2, "documents": 4, "features": 3}
    assert len(found["results"]) == 3 * 2 * 3
    assert found["results"][0]["query"] == "1"
    assert found["results"][0]["measure"] == "P@1"


@pytest.mark.parametrize(
    ("columns", "hidden"),
    [(100, []), (70, ["bounds of AP hidden"]), (60, ["AP hidden"])],
)
def test_what_a_narrow_terminal_hides_is_named(
    columns: int, hidden: list[str], small: str, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("untied.cli.features.width", lambda: columns)
    _, out, _ = run(small, "-m", "RR", "-m", "AP", "--format", "table")
    said = [line for line in out.splitlines() if "hidden" in line]
    assert said == [f"{what}: widen the terminal or use --format tsv" for what in hidden]


def test_equal_values_share_a_rank(tmp_path: Path, run: Command) -> None:
    path = tmp_path / "data.txt"
    path.write_text("1 qid:1 1:1 2:3 3:0 4:0\n0 qid:1 1:0 2:2 3:1 4:4\n")
    _, out, _ = run(str(path), "-m", "RR", "--format", "md")
    assert [line.split(" | ")[0] for line in out.splitlines()[2:]] == ["| 1", "| 1", "| 3", "| 3"]


@pytest.mark.parametrize(
    ("ties", "values"),
    [
        ("expected", "the mean over all orders"),
        ("worst", "from the worst order"),
        ("given", "from one order (given)"),
    ],
)
def test_the_note_on_ties_says_what_values_are(ties: str, values: str, small: str, run: Command) -> None:
    _, _, err = run(small, "-m", "RR", "--ties", ties)
    assert f": each value is {values}; --ties range shows how far ties could move it" in err


def test_what_the_command_line_refuses(small: str, tmp_path: Path, run: Command) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("1 qid:1 1:1\n1 qid:1 2:x\n")
    names = tmp_path / "names.txt"
    for arguments, message in [
        ([str(bad)], f'{bad}, line 2: expected a number as the value of feature 2, found "x"'),
        ([small, "--column", "label=y"], "labels is for arrays and frames"),
        ([small, "--column", "query=y"], "query_ids is for arrays and frames"),
        ([small, "--column", "query=y", "--column", "query=z"], "the column of the query is named twice"),
        ([small, "-m", "nothing"], "nothing"),
        (["-", "-"], "only one input can be standard input"),
        ([small, "-o", small, "--format", "tsv"], "is one of the inputs"),
        ([str(tmp_path / "absent")], "No such file"),
    ]:
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert message in err
    for text, message in [
        ("1", ":1: expected number name"),
        ("1 a\n1 b", ":2: expected every feature once, found feature 1 again"),
        ("1 a\n2 a", "two features have the name 'a'"),
    ]:
        names.write_text(text)
        code, _, err = run(small, "--feature-names", str(names))
        assert code == 2
        assert message in err


def test_queries_without_a_relevant_document_are_noted(tmp_path: Path, run: Command) -> None:
    path = tmp_path / "train.txt"
    path.write_text("1 qid:1 1:1 2:1\n0 qid:1 1:2 2:NULL\n0 qid:2 1:1 2:1\n0 qid:3 1:1 2:1\n")
    said = "queries with undefined values, usually because no document is relevant: 2 of 3"
    for measures, options, effect in [
        (["AP", "RR"], [], "counted as 0; --on-undefined nan leaves them out"),
        (["AP"], ["--on-undefined", "nan"], "left out of the means"),
        (["ESL"], [], "left out of the means"),
        (["AP", "ESL"], [], "counted as 0, or left out of the mean if lower values are better; --on-undefined nan "
                            "leaves them out"),
    ]:  # fmt: skip
        _, _, err = run(str(path), *(part for name in measures for part in ("-m", name)), *options)
        assert err.count(f"note: {said} ({effect})\n") == 1, err
    assert "undefined" not in run(str(path), "-m", "P@1")[2]
    facts = untied.evaluate_features(path, ["AP", "RR"]).facts()["1", "high"]
    assert (facts["undefined"], facts["undefined_queries"], facts["left_out"]) == (4, 2, 0)


def test_estimates_have_standard_errors(tmp_path: Path, run: Command) -> None:
    """As in an evaluation of the same rankings."""

    @untied.measure
    def Estimated(grades: tuple[float, ...]) -> float:
        return next((1 / rank for rank, grade in enumerate(grades, 1) if grade > 0), 0.0)

    rows: list[Line] = [
        (query, float(number % 7 == 0), {1: 1.0, 2: float(number % 2)}) for query in "ab" for number in range(40)
    ]
    path = tmp_path / "train.txt"
    path.write_text(text_of(rows))
    found = untied.evaluate_features(path, [Estimated], directions="both", per_query=True)
    for feature in found.features:
        for direction in found.directions:
            qrels, ranked = as_run(rows, int(feature), 1 if direction == "high" else -1)
            expected = untied.evaluate(qrels, ranked, [Estimated], ties="range")
            value, of_run = found[feature, direction, Estimated], expected.value(Estimated)
            assert value.standard_error is not None
            assert 0 < value.standard_error < 0.01
            assert (value, value.standard_error) == (of_run, of_run.standard_error)
            facts = expected.facts()["run"]
            for key in ("estimated", "standard_error"):
                assert found.facts()[feature, direction][key] == facts[key]
    most = max(fact["standard_error"] or 0 for fact in found.facts().values())
    err = run(str(path), "-m", "Estimated")[2]
    assert f"sample of the orders of tied documents: 4 (standard error of a value at most {most:.2g})" in err


def test_what_is_not_ranked_is_noted(tmp_path: Path, run: Command) -> None:
    path = tmp_path / "agg.txt"
    path.write_text("1 qid:1 1:NULL 2:1\n0 qid:1 1:3 2:NULL\n1 qid:1 1:NULL 2:3\n")
    code, out, err = run(str(path), "-m", "R@3", "--ties", "expected")
    assert code == 0
    assert [line.split("\t")[4] for line in out.splitlines()[1:]] == ["1.0000", "0.0000"]
    assert err == (
        "note: documents that are not ranked because their value is NULL: 2 of feature 1, 1 of feature 2\n"
        "note: features with the same value everywhere, which cannot rank: 1\n"
    )
    path.write_text("1 qid:1 1:2 2:1\n0 qid:1 1:3\n1 qid:1 2:3\n")
    code, out, err = run(str(path), "-m", "AP", "-m", "RR", "--wide")
    assert (
        out.splitlines()[0] == "feature\tdirection\tAP\tAP low\tAP high\tAP chance\tRR\tRR low\tRR high\tRR chance\t"
        "rank\tdistinct\ttied\tmissing\tabsent\tvaried"
    )
    assert (
        err
        == "note: lines that lack a feature, which then counts as 0 (of 3 documents): 1 of feature 1, 1 of feature 2\n"
    )
    assert [line.split("\t")[-2:] for line in out.splitlines()[1:]] == [["1", "1"], ["1", "1"]]
    assert run(str(path), "--wide", "--format", "json")[0] == 2
    code, _, err = run(str(tmp_path / "frame.csv"))
    assert (code, "read this one into a frame first" in err) == (2, True)
    with pytest.raises(TypeError, match=r"sparse matrix .*: call its toarray"):
        untied.evaluate_features(scipy.sparse.csr_matrix([[1.0, 0.0]]), labels=[1], query_ids=[1])


# ---------------------------------------------------------------------------------------------------------------------
# LETOR 4.0's MQ2008


@pytest.fixture(scope="module")
def mq2008() -> list[str]:
    shared = Path(os.environ.get("UNTIED_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    paths = sorted((shared / "data" / "mq2008").glob("S*.txt.xz"))
    if not paths:
        pytest.skip("MQ2008 is not there")
    return [str(path) for path in paths]


def read(path: str) -> list[Line]:
    lines = []
    with lzma.open(path, "rt") as file:
        for text in file:
            label, query, *pairs = text.split("#")[0].split()
            values = {int(pair.split(":")[0]): float(pair.split(":")[1]) for pair in pairs}
            lines.append((query.removeprefix("qid:"), float(label), dict(values)))
    return lines


def test_the_page_on_mq2008(mq2008: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The values in docs/features.md, whose code does not run in the tests of pages."""
    monkeypatch.chdir(Path(mq2008[0]).parent)
    page = (Path(__file__).resolve().parents[2] / "docs" / "features.md").read_text(encoding="utf-8")
    code = page.split("## In Python")[1].split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    checked = 0
    for line in code.splitlines():
        statement, _, said = line.partition("  # ")
        if said[:1] in ("", "b"):
            exec(statement, names)
            continue
        value = eval(statement, names)
        if isinstance(value, dict):
            value = {name: round(one, 3) for name, one in value.items()}
        shown = f"{value:.4f}" if type(value) is float else repr(value)
        assert said.replace('"', "'").startswith(shown), line
        checked += 1
    assert checked == 6


def test_equal_means_print_and_rank_equally(mq2008: list[str]) -> None:
    for paths in (mq2008, *([path] for path in mq2008)):
        found = untied.evaluate_features(paths, ["P@10", "Hits@10"])
        ranks = [
            [(row["feature"], row["rank"]) for row in found.table(name).to_dicts() if row["measure"] == name]
            for name in ("P@10", "Hits@10")
        ]
        assert ranks[0] == ranks[1]
        printed: dict[float, set[float]] = {}
        for feature in found.features:
            printed.setdefault(round(found[feature, "Hits@10"].mean, 9), set()).add(found[feature, "P@10"].mean)
        assert len(printed) < len(found.features)
        assert {len(means) for means in printed.values()} == {1}


@pytest.mark.parametrize("ties", ["range", "given"])
def test_mq2008_to_the_last_bit(mq2008: list[str], ties: str) -> None:
    lines = [line for path in mq2008 for line in read(path)]
    found = untied.evaluate_features(mq2008, MEASURES, ties=ties, directions="both")
    assert (len(found), len(found.queries), found.documents) == (46, 471, 9630)
    for feature in random.Random(7).sample(found.features, 6):
        for direction in found.directions:
            qrels, run = as_run(lines, int(feature), 1 if direction == "high" else -1)
            expected = untied.evaluate(qrels, run, MEASURES, ties=ties)
            for measure in MEASURES:
                assert bits(found.value(feature, measure, direction=direction)) == bits(expected[measure])


@pytest.mark.parametrize("ties", ["range", "expected", "best", "worst", "given"])
def test_a_feature_of_the_query_scores_what_chance_does(ties: str, tmp_path: Path, run: Command) -> None:
    """Feature 7 is the same for all documents of a query, and not everywhere; 8 is for some queries."""
    chance = seeded("chance")
    lines = []
    for query in range(9):
        for _ in range(chance.randint(1, 7)):
            eighth = chance.randint(0, 3) if query < 3 else query
            lines.append(f"{chance.randint(0, 2)} qid:{query} 1:{chance.random()} 7:{query} 8:{eighth}\n")
    path = tmp_path / "data.txt"
    path.write_text("".join(lines))
    measures = ["AP", "nDCG@3", "ERR", "RR"]
    found = untied.evaluate_features(str(path), measures, ties=ties, per_query=True)
    expected = untied.evaluate_features(str(path), measures, ties="expected", per_query=True)
    for measure in measures:
        assert found.chance(measure) == expected["7", measure]
    assert found.chance() == found.chance(found.measures[0])
    table = {
        (row["query"], row["measure"]): row["value"]
        for row in expected.table(per_query=True).to_dicts()
        if row["feature"] == "7"
    }
    for row in found.table(per_query=True).to_dicts():
        assert row["chance"] == table[row["query"], row["measure"]]
    assert found.ties("7")["varied"] == 0
    assert 0 < found.ties("8")["varied"] <= 3
    assert found.ties("1")["varied"] == sum(len(found_) > 1 for found_ in _queries(lines).values())
    _, _, err = run(str(path), "--ties", ties)
    assert "note: features with the same value for all documents of each query, which cannot rank: 7\n" in err
    assert "everywhere" not in err


def _queries(lines: list[str]) -> dict[str, list[str]]:
    queries: dict[str, list[str]] = {}
    for line in lines:
        queries.setdefault(line.split()[1], []).append(line)
    return queries


def test_decimals_are_numbers() -> None:
    """As DuckDB has them, in labels and in features; those that floats cannot tell apart are refused."""
    one_and_two = [Decimal("1.50"), Decimal("2.50")]
    columns = {
        "query": ["q", "q"],
        "label": pyarrow.array([Decimal(1), Decimal(0)], pyarrow.decimal128(3, 0)),
        "price": pyarrow.array(one_and_two, pyarrow.decimal128(5, 2)),
        "wide": pyarrow.array(one_and_two, pyarrow.decimal256(60, 2)),
    }
    found = untied.evaluate_features(pyarrow.table(columns), "RR", directions="both")
    assert {found[name, "high", "RR"].mean for name in ("price", "wide")} == {0.5}
    assert {found[name, "low", "RR"].mean for name in ("price", "wide")} == {1.0}
    lists = {"query": ["q", "q"], "label": [1, 0], "features": pyarrow.array([one_and_two] * 2)}
    assert untied.evaluate_features(pyarrow.table(lists), "RR")["0", "RR"].mean == 0.75
    close = [Decimal("1.00000000000000000001"), Decimal("1.00000000000000000002")]
    columns["price"] = pyarrow.array(close, pyarrow.decimal128(25, 20))
    with pytest.raises(
        untied.UntiedError, match=r"price: expected .*, found different ones of type decimal128\(25, 20\) that"
    ):
        untied.evaluate_features(pyarrow.table(columns), "RR")
