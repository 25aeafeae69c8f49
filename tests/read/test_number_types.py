"""Numbers of all types: the same values by every way in, and no ties that their digits do not make."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import untied

GRADES = [1, 0, 2, 0, 1]
DOCS = ["a", "b", "c", "d", "e"]
NUMBERS = [3, 1, 3, -2, 0]
SETTINGS = {"ties": "range", "variance": True}
#: All types that arrays have, numpy's and those of ml_dtypes that come through them.
DTYPES = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "bool",
]


def rows(numbers: list[Any]) -> list[tuple[str, str, Any]]:
    return [("q", doc, number) for doc, number in zip(DOCS, numbers, strict=True)]


def columns(numbers: Any) -> dict[str, Any]:
    return {"qid": ["q"] * 5, "docno": DOCS, "score": numbers}


def in_file(folder: pathlib.Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def ways(numbers: numpy.ndarray[Any, Any], folder: pathlib.Path) -> dict[str, Any]:
    """One run by every way in; files have what Python writes."""
    plain = numbers.tolist()
    if numbers.dtype == bool:
        plain = [int(number) for number in plain]
    csv = "qid,docno,score\n" + "".join(f"q,{doc},{number}\n" for _, doc, number in rows(plain))
    lines = "".join(json.dumps({"qid": "q", "docno": doc, "score": number}) + "\n" for _, doc, number in rows(plain))
    frame = pandas.DataFrame(columns(numbers))
    frame.to_parquet(folder / "run.parquet")
    return {
        "dict": {"q": dict(zip(DOCS, numbers, strict=True))},
        "dict of Python's": {"q": dict(zip(DOCS, plain, strict=True))},
        "rows": rows(list(numbers)),
        "pandas": frame,
        "polars": polars.DataFrame(columns(numbers)),
        "pyarrow": pyarrow.table(columns(numbers)),
        "reader": pyarrow.table(columns(numbers)).to_reader(),
        "TREC": in_file(folder, "run.trec", "".join(f"q Q0 {doc} 0 {number} t\n" for _, doc, number in rows(plain))),
        "CSV": in_file(folder, "run.csv", csv),
        "JSON-lines": in_file(folder, "run.jsonl", lines),
        "JSON": in_file(folder, "run.json", json.dumps({"q": dict(zip(DOCS, plain, strict=True))})),
        "parquet": str(folder / "run.parquet"),
    }


@pytest.mark.parametrize("score_dtype", [None, "float64", "float32", "float16", "bfloat16", "decimals=1"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_all_types_have_one_value_by_every_way(dtype: str, score_dtype: str | None, tmp_path: pathlib.Path) -> None:
    numbers = numpy.array(NUMBERS)
    if dtype.startswith("uint") or dtype == "bool":
        numbers = abs(numbers)
    if dtype.startswith("float"):
        numbers = numbers + numpy.array([0.1, 1 / 3, 0.1, 0.25, 1e-4])
    numbers = numbers.astype(dtype)
    arrays = untied.evaluate_arrays(numbers[None], [GRADES], ["AP", "nDCG"], score_dtype=score_dtype, **SETTINGS)
    expected = [arrays["AP"], arrays["nDCG"]]
    qrels = {"q": dict(zip(DOCS, GRADES, strict=True))}
    for way, run in ways(numbers, tmp_path).items():
        found = untied.evaluate(qrels, run, ["AP", "nDCG"], score_dtype=score_dtype or "float64", **SETTINGS)
        assert [found["AP"], found["nDCG"]] == expected, way


WIDE = 1 << 53


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_whole_numbers_of_64_bits_are_rounded_where_that_is_asked_for(dtype: str, tmp_path: pathlib.Path) -> None:
    numbers = numpy.array([WIDE, WIDE + 1, WIDE + 2, WIDE + 3, WIDE + 4], dtype=dtype)

    def value(scores: Any, score_dtype: str | None) -> untied.Value:
        return untied.evaluate_arrays([scores], [GRADES], "AP", score_dtype=score_dtype, **SETTINGS)["AP"]

    assert value(numbers, None).low == value(numbers, None).high  # no ties
    assert value(numbers, "float64") == value(numbers.astype("float64"), None)
    assert value(numbers, "float64").low < value(numbers, "float64").high
    prepared = untied.ArrayEvaluator([GRADES], "AP", score_dtype="float64", **SETTINGS)
    assert prepared.evaluate(numbers[None])["AP"] == value(numbers, "float64")
    assert prepared.evaluate([numbers[None]])["AP"].low[0] == value(numbers, "float64").low
    # By all other ways they are refused, as they would tie.
    for run in ways(numbers, tmp_path).values():
        with pytest.raises(untied.UntiedError, match=r"9007199254740993|stay different as 64-bit floats"):
            untied.Run(run)


#: Two numbers that 64 bits of floating point do not tell apart, and one that is the first again.
ONE, TWO = Decimal("0.10000000000000000001"), Decimal("0.10000000000000000002")
LONG = numpy.nextafter(numpy.longdouble(1) / 3, numpy.longdouble(1))
PAIRS: dict[str, tuple[Any, Any]] = {
    "Decimal": (ONE, TWO),
    "Decimal of 17 digits": (Decimal("0.90000000000000001"), Decimal("0.90000000000000002")),
    "Fraction": (Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)),
    "longdouble": (numpy.longdouble(1) / 3, LONG),
    "Decimal and Fraction": (ONE, Fraction(TWO)),
    "below the smallest float": (Decimal("1e-400"), Decimal("2e-400")),
}


def decimals(kind: pyarrow.DataType) -> Callable[[Any, Any], Any]:
    def make(one: Any, two: Any) -> pyarrow.Table:
        docs = ["a", "b"]
        return pyarrow.table({"qid": ["q", "q"], "docno": docs, "score": pyarrow.array([one, two], type=kind)})

    return make


HOLDERS: dict[str, Callable[[Any, Any], Any]] = {
    "dict": lambda one, two: {"q": {"a": one, "b": two}},
    "rows": lambda one, two: [("q", "a", one), ("other", "a", two), ("q", "b", two)],
    "iterator": lambda one, two: iter([("q", "a", one), ("q", "b", two)]),
}
DECIMAL_HOLDERS: dict[str, Callable[[Any, Any], Any]] = {
    "decimal128": decimals(pyarrow.decimal128(38, 20)),
    "decimal256": decimals(pyarrow.decimal256(60, 20)),
    "pandas": lambda one, two: pandas.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [one, two]}),
    "polars": lambda one, two: polars.DataFrame(
        {"qid": ["q", "q"], "docno": ["a", "b"], "score": [one, two]},
        schema_overrides={"score": polars.Decimal(38, 20)},
    ),
}
CASES = [(name, pair, holder) for name, pair in PAIRS.items() for holder in HOLDERS] + [
    ("Decimal", (ONE, TWO), holder) for holder in DECIMAL_HOLDERS
]


@pytest.mark.parametrize(("name", "pair", "holder"), CASES)
def test_different_numbers_do_not_tie_in_silence(name: str, pair: tuple[Any, Any], holder: str) -> None:
    one, two = pair
    hold = (HOLDERS | DECIMAL_HOLDERS)[holder]
    said = 'scores? .*documents "a".* and "b" of query "q" that both round to '
    with pytest.raises(untied.UntiedError, match=said):
        untied.Run(hold(one, two))
    with pytest.raises(untied.UntiedError, match=said):
        untied.evaluate({"q": {"a": 1}}, {"one": hold(one, two)}, score_dtype="float32")
    # The same number is a tie, and one of another query is none of this one's business.
    assert len(untied.Run(hold(one, one))["q"]) == 2
    assert len(untied.Run({"q": {"a": one}, "p": {"a": two}})) == 2
    if name != "below the smallest float":
        assert untied.Run(hold(one, 2 * one))["q"][1][1] > float(one)


@pytest.mark.parametrize("holder", [*HOLDERS, *DECIMAL_HOLDERS])
@pytest.mark.parametrize("short_first", [True, False])
@pytest.mark.parametrize("long", [ONE, Decimal("0.10000000000000001")], ids=str)
def test_a_long_number_does_not_tie_with_a_short_one_in_silence(long: Decimal, holder: str, short_first: bool) -> None:
    hold, short = (HOLDERS | DECIMAL_HOLDERS)[holder], Decimal("0.1")
    with pytest.raises(untied.UntiedError, match=r'documents "[ab]".* and "[ab]" of query "q" that both round to 0\.1'):
        untied.Run(hold(short, long) if short_first else hold(long, short))


def test_different_grades_do_not_become_one_in_silence() -> None:
    for qrels in ({"q": {"a": ONE, "b": TWO}}, {"q": {"s": {"a": ONE, "b": TWO}}}, [("q", "a", ONE), ("q", "b", TWO)]):
        with pytest.raises(
            untied.UntiedError, match=r'grades? .*documents "a".* and "b" of query ".*" that both round to 0.1'
        ):
            untied.Qrels(qrels)


FILES = {
    "run.txt": "q Q0 a 1 {} t\nq Q0 b 2 {} t\n",
    "run.csv": "qid,docno,score\nq,a,{}\nq,b,{}\n",
    "run.tsv": "qid\tdocno\tscore\nq\ta\t{}\nq\tb\t{}\n",
    "run.jsonl": '{{"qid":"q","docno":"a","score":{}}}\n{{"qid":"q","docno":"b","score":{}}}\n',
    "run.json": '{{"q":{{"a":{},"b":{}}}}}',
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("one", "two"),
    [
        (str(ONE), str(TWO)),
        (str(ONE), "0.1"),
        ("0.1", str(ONE)),
        ("9007199254740993", "9007199254740992"),
        ("1.00000000000000000001e-7", "1.00000000000000000002e-7"),
    ],
)
def test_digits_of_files_do_not_tie_in_silence(name: str, one: str, two: str, tmp_path: pathlib.Path) -> None:
    path = in_file(tmp_path, name, FILES[name].format(one, two))
    for read in (untied.read_run, lambda path: untied.evaluate({"q": {"a": 1}}, path)):
        with pytest.raises(untied.UntiedError, match=r"that both round to|which a 64-bit float does not hold exactly"):
            read(path)
    if "9007" not in one:
        same = one.replace("0000000001", "00000000010") if "e" not in one else one.replace("1e", "10e")
        assert len(untied.read_run(in_file(tmp_path, name, FILES[name].format(one, same)))["q"]) == 2


def test_numbers_as_languages_print_them_are_floats(tmp_path: pathlib.Path) -> None:
    """Seventeen digits name a float, and a float printed with more of them is that float."""
    numbers = [0.1 + 0.2, 1 / 3, 1e-320, 5e-324, 123456789.123456789, float(WIDE) * 3]
    for form in ("{!r}", "{:.17g}", "{:.20f}", "{:.25e}", "{:f}"):
        for name in ("run.txt", "run.csv"):
            texts = [form.format(number) for number in numbers]
            lines = [
                f"q Q0 d{i} 1 {text} t\n" if name == "run.txt" else f"q,d{i},{text}\n"
                for i, text in enumerate(texts * 2)
            ]
            head = "" if name == "run.txt" else "qid,docno,score\n"
            run = untied.read_run(in_file(tmp_path, name, head + "".join(lines)))
            assert [score for _, score in run["q"]] == [float(text) for text in texts * 2]


def test_decimals_and_floats_go_together() -> None:
    """0.1 as a float and as a Decimal tie, as everyone expects."""
    run = {"q": {"a": Decimal("0.1"), "b": 0.1, "c": Fraction(1, 10), "d": numpy.float32(0.5)}}
    assert [score for _, score in untied.Run(run)["q"]] == [0.1, 0.1, 0.1, 0.5]


def test_long_scores_of_a_run_that_comes_in_pieces(tmp_path: pathlib.Path) -> None:
    """Marks of rounded scores go with the query that is kept back until the next piece of a file has been read."""
    lines = [f"{q:06} Q0 d{d} 1 0.1234567890123456{d:04}{q:06} t\n" for q in range(100) for d in range(3000)]
    qrels = {f"{q:06}": {"d0": 1} for q in range(100)}
    path = tmp_path / "run"
    path.write_text("".join(lines))
    assert path.stat().st_size > 12 << 20  # a piece is of 8 MiB
    evaluator = untied.Evaluator(qrels, ["AP"])
    with pytest.raises(untied.InputError, match=r"that both round to") as whole:
        untied.read_run(path)
    with pytest.raises(untied.InputError) as streamed:
        evaluator.evaluate(path, stream=True)
    assert str(streamed.value) == str(whole.value)
    distinct = [f"{q:06} Q0 d{d} 1 0.{q * 3000 + d:07}00000000000001 t\n" for q in range(100) for d in range(3000)]
    path.write_text("".join(distinct))
    assert evaluator.means(path) == evaluator.means(untied.read_run(path))
