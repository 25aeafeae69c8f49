"""Probabilities of grades as qrels: expected values against all grades and all orders of ties, as fractions."""

from __future__ import annotations

import io
import json
import pickle
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest

import untied
from commands import Command
from nightly import many, seeded
from oracle.expected import moments
from oracle.measures import Measure
from untied.evaluation.curves import curves
from untied.gate import gate
from untied.judging import agreement, judge_next
from untied.report import report
from untied.statistics import estimate_runs

Chances = dict[str, dict[int, float]]
EXP2 = {"gain": "exp2"}
#: Measures whose expected values are known, by their names, and whether the variance is.
MEASURES: dict[str, tuple[Measure, bool]] = {
    "P@2": (Measure("P", 2), True),
    "P(rel=2)@3": (Measure("P", 3, rel=2), True),
    "Hits": (Measure("Hits"), True),
    "R@2": (Measure("R", 2), True),
    "R(recall_base='ranking')@3": (Measure("R", 3, recall_base="ranking"), True),
    "R(recall_base=3)@3": (Measure("R", 3, recall_base=3), True),
    "F1@3": (Measure("F1", 3), True),
    "RelP@2": (Measure("RelP", 2), True),
    "Success@2": (Measure("Success", 2), True),
    "RR": (Measure("RR"), True),
    "RR(rel=2)@3": (Measure("RR", 3, rel=2), True),
    "AP": (Measure("AP"), True),
    "AP@3": (Measure("AP", 3), True),
    "AP(rel=2)": (Measure("AP", rel=2), True),
    "AP(recall_base='ranking')@3": (Measure("AP", 3, recall_base="ranking"), True),
    "DCG": (Measure("DCG"), True),
    "DCG(gain='exp2')@3": (Measure("DCG", 3, **EXP2), True),
    "RBP": (Measure("RBP"), True),
    "RBP(p=0.5)@3": (Measure("RBP", 3, p=0.5), True),
    "nDCG@2": (Measure("nDCG", 2), True),
    "nDCG(gain='exp2')@3": (Measure("nDCG", 3, **EXP2), True),
    "nDCG(recall_base='ranking')@3": (Measure("nDCG", 3, recall_base="ranking"), True),
    "nDCG(gain={1: 2, 2: 2})": (Measure("nDCG", gain={0: 0, 1: 2, 2: 2}), True),
    "nDCG(gain={1: 0, 2: 1})@3": (Measure("nDCG", 3, gain={0: 0, 1: 0, 2: 1}), True),
    "nDCG(rel=2)@3": (Measure("nDCG", 3, rel=2), True),
    "ERR(max_grade=2)": (Measure("ERR", max_grade=2), False),
    "ERR@2": (Measure("ERR", 2), False),
    "iRBU(p=0.5)@3": (Measure("iRBU", 3, p=0.5), False),
}
QRELS = {"q": {"a": {0: 0.25, 1: 0.5, 2: 0.25}, "b": 0.5, "c": 0}}
QRELS_OF_PEOPLE = {"q": {"a": 1, "b": 0}}
RUN = {"q": [["a", "b"], ["c", "d"]]}
OTHERS = "no error bar"


def chances(chance: random.Random, *, certain: bool = False) -> dict[int, float]:
    """Probabilities of grades 0 to 2 in sixteenths, of which few are possible."""
    grades = chance.sample([0, 1, 2], 1 if certain else chance.choice([1, 2, 2, 3]))
    cuts = sorted([0, *(chance.randint(1, 15) for _ in grades[1:]), 16])
    return {grade: (high - low) / 16 for grade, low, high in zip(grades, cuts[:-1], cuts[1:], strict=True)}


def instances(name: str, count: int, *, certain: bool = False) -> tuple[dict[str, Chances], dict[str, list[list[str]]]]:
    """Probabilities and rankings of some queries."""
    chance = seeded(name)
    judged: dict[str, Chances] = {}
    ranked: dict[str, list[list[str]]] = {}
    for number in range(count):
        query = f"q{number:04}"
        documents = chance.sample("abcde", chance.randint(1, 4))
        judged[query] = {document: chances(chance, certain=certain) for document in documents}
        groups: list[list[str]] = []
        for document in chance.sample("abcdexy", chance.randint(1, 5)):
            if groups and chance.random() < 0.5:
                groups[-1].append(document)
            else:
                groups.append([document])
        ranked[query] = groups
    return judged, ranked


@pytest.mark.parametrize("name", MEASURES)
def test_mean_and_variance_are_those_over_all_grades_and_orders(name: str) -> None:
    measure, has_variance = MEASURES[name]
    judged, ranked = instances(f"probabilities {name}", many(150, 2500))
    results = untied.evaluate(
        judged, ranked, name, qrels_format="probabilities", variance=has_variance, on_undefined="nan"
    )
    for query, groups in ranked.items():
        exact = {
            document: {grade: Fraction(chance) for grade, chance in of.items()}
            for document, of in judged[query].items()
        }
        expected = moments(measure, groups, exact)
        value = results.value(name, query=query)
        if expected is None:
            assert value != value, query
            continue
        assert abs(value - float(expected[0])) < 1e-12, (query, judged[query], groups)
        if has_variance:
            assert value.variance is not None
            assert abs(value.variance - float(expected[1])) < 1e-12, (query, judged[query], groups)


def test_certain_grades_are_grades() -> None:
    judged, ranked = instances("certain", 200, certain=True)
    grades = {
        query: {document: next(iter(of)) for document, of in of_query.items()} for query, of_query in judged.items()
    }
    for name, (_, has_variance) in MEASURES.items():
        options: dict[str, Any] = {"variance": has_variance, "on_undefined": "nan"}
        expected = untied.evaluate(judged, ranked, name, qrels_format="probabilities", **options)
        plain = untied.evaluate(grades, ranked, name, **options)
        for query in ranked:
            one, other = (results.value(name, query=query) for results in (expected, plain))
            assert (one != one) == (other != other)
            assert other != other or abs(one - other) < 1e-12, (name, query)
            if has_variance and other == other:
                assert one.variance == pytest.approx(other.variance, abs=1e-12), (name, query)


def test_long_rankings_stay_exact() -> None:
    """A thousand documents in one tie group, and one by one: means of P, DCG and AP that can be stated."""
    documents = [f"d{number:04}" for number in range(1000)]
    judged = {"q": dict.fromkeys(documents, 0.5)}
    tied = untied.evaluate(judged, {"q": [documents]}, ["AP", "P@10", "nDCG@10", "RR"], qrels_format="probabilities")
    listed = untied.evaluate(judged, {"q": documents}, ["AP", "P@10", "nDCG@10", "RR"], qrels_format="probabilities")
    for name in tied.measures:
        assert abs(tied[name] - listed[name]) < 1e-12  # equal documents, so orders do not matter
    assert abs(tied["P@10"] - 0.5) < 1e-12
    # Given R, the document at rank i is relevant with chance R / 1000, and then (i - 1) (R - 1) / 999 above it are. So
    # AP is linear in R, which is 500 on average.
    exact = sum((1 + (i - 1) * Fraction(499, 999)) / i for i in range(1, 1001)) / 1000
    assert abs(tied["AP"] - float(exact)) < 1e-12


def test_orders_by_id_are_orders() -> None:
    one = untied.evaluate(QRELS, RUN, "AP", qrels_format="probabilities", ties="docid")["AP"]
    other = untied.evaluate(QRELS, {"q": ["b", "a", "d", "c"]}, "AP", qrels_format="probabilities")["AP"]
    assert one == other


FILES = {
    "p.csv": "query_id,doc_id,p0,p1,p2\nq,a,0.25,0.5,0.25\nq,b,0.5,0.5,0\nq,c,1,0,0\n",
    "p.tsv": "query_id\tdoc_id\tp2\tp1\tp0\nq\ta\t0.25\t0.5\t0.25\nq\tb\t0\t.5\t5e-1\nq\tc\t0\t0\t1\n",
    "p.jsonl": "".join(
        json.dumps({"query_id": "q", "doc_id": document, "p0": p0, "p1": p1, "p2": p2}) + "\n"
        for document, p0, p1, p2 in [("a", 0.25, 0.5, 0.25), ("b", 0.5, 0.5, 0), ("c", 1, 0, 0)]
    ),
}


@pytest.mark.parametrize("name", [*FILES, "p.parquet", "frame"])
def test_tables_and_dicts_are_the_same(name: str, tmp_path: Path) -> None:
    frame = pandas.read_csv(io.StringIO(FILES["p.csv"]))
    source: Any = tmp_path / name
    if name in FILES:
        source.write_text(FILES[name])
    elif name == "p.parquet":
        frame.to_parquet(source)
    else:
        source = frame
    options = {"qrels_format": "probabilities", "variance": True}
    for measure in ("AP", "nDCG@3", "DCG"):
        one, other = (untied.evaluate(qrels, RUN, measure, **options)[measure] for qrels in (source, QRELS))
        assert (float(one), one.variance) == (float(other), other.variance)


def test_a_column_of_relevance_has_any_name(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("qid,docno,chance\nq,a,0.75\nq,b,.5\n")
    qrels = untied.read_qrels(path, format="probabilities", columns={"probability": "chance"})
    assert qrels.format == "probabilities"
    assert qrels["q"] == {"a": 0.75, "b": 0.5}  # expected grades
    assert untied.evaluate(qrels, RUN, "P@2")["P@2"] == 0.625
    again = pickle.loads(pickle.dumps(qrels))
    assert untied.evaluate(again, RUN, "P@2")["P@2"] == 0.625


def test_rounded_probabilities_are_scaled_to_1() -> None:
    thirds = {"q": {"a": {0: 0.333, 1: 0.333, 2: 0.333}}}
    assert untied.evaluate(thirds, RUN, "DCG@1", qrels_format="probabilities")["DCG@1"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("q,a,0.5,-0.5,1", ":3: expected a probability from 0 to 1 (p1), found -0.5"),
        ("q,a,0,1.5,0", ":3: expected a probability from 0 to 1 (p1), found 1.5"),
        (
            "q,a,0.25,0.25,0.25",
            ":3: expected probabilities of all grades that add up to 1, found 0.25 + 0.25 + 0.25 = 0.75",
        ),
        ("q,a,0.5,,0.5", ":3: expected a probability from 0 to 1 (p1), found none"),
        ("q,a,0.5,nan,0.5", ":3: expected a probability from 0 to 1 (p1), found nan"),
        ("q,a,0.5,likely,0.5", ":3: expected a probability from 0 to 1 (p1), found likely"),
        ("q,,0.5,0.5,0", ":3: expected a document's id, found "),
        ("q,z,0.5,0.5,0", ":3: expected the same probabilities of a document, found others of z"),
    ],
)
def test_errors_name_the_line(row: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"query_id,doc_id,p0,p1,p2\nq,z,1,0,0\n{row}\n")
    with pytest.raises(untied.errors.InputError, match=re.escape(message)):
        untied.read_qrels(path, format="probabilities")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("query_id,doc_id", "expected a column probability, or columns p0, p1"),
        ("query_id,doc_id,grade,rating", 'columns "grade" and "rating" may both hold the grade'),
        ("query_id,doc_id,grade,judge,Rater", 'expected one column for the rater, found "judge", "Rater"'),
        ("query_id,doc_id,grade", "found no row"),
        ("query_id,doc_id,p1,p2", "expected a column probability, or columns p0, p1"),
        ("query_id,doc_id,p0", "expected a column probability, or columns p0, p1"),
        ("query_id,doc_id,probability,p0,p1", "found both"),
        ("query_id,probability", "expected a column for the document"),
    ],
)
def test_errors_name_missing_columns(header: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"{header}\n")
    with pytest.raises(untied.UntiedError, match=message):
        untied.read_qrels(path, format="probabilities")


def ratings(name: str, count: int, raters: int) -> tuple[list[tuple[str, str, str, int]], dict[str, list[list[str]]]]:
    """Rows of query, document, rater and grade, and rankings of the queries."""
    chance = seeded(name)
    _, ranked = instances(name, count)
    rows = [
        (query, document, f"r{rater}", chance.choice([0, 0, 1, 2]))
        for query in ranked
        for document in chance.sample("abcde", chance.randint(1, 4))
        for rater in range(chance.randint(1, raters))
    ]
    chance.shuffle(rows)
    return rows, ranked


RATED = ["query_id", "doc_id", "rater", "grade"]


@pytest.mark.parametrize("name", MEASURES)
def test_raters_are_as_probable_as_each_other(name: str) -> None:
    measure, has_variance = MEASURES[name]
    rows, ranked = ratings(f"raters {name}", many(40, 600), 4)
    votes: dict[str, dict[str, list[int]]] = {query: {} for query in ranked}
    for query, document, _, grade in rows:
        votes[query].setdefault(document, []).append(grade)
    frame = pandas.DataFrame(rows, columns=RATED)
    options: dict[str, Any] = {"qrels_format": "probabilities", "variance": has_variance, "on_undefined": "nan"}
    results = untied.evaluate(frame, ranked, name, **options)
    shares = {
        query: {
            document: {grade: given.count(grade) / len(given) for grade in set(given)}
            for document, given in of_query.items()
        }
        for query, of_query in votes.items()
    }
    by_share = untied.evaluate(shares, ranked, name, **options)
    for query, groups in ranked.items():
        exact = {
            document: {grade: Fraction(given.count(grade), len(given)) for grade in set(given)}
            for document, given in votes[query].items()
        }
        expected = moments(measure, groups, exact)
        value = results.value(name, query=query)
        assert repr(value) == repr(by_share.value(name, query=query))  # to the last bit
        if expected is None:
            assert value != value, query
            continue
        assert abs(value - float(expected[0])) < 1e-12, (query, votes[query], groups)
        if has_variance:
            assert value.variance is not None
            assert abs(value.variance - float(expected[1])) < 1e-12, (query, votes[query], groups)


def test_one_rater_s_grades_are_grades() -> None:
    rows, ranked = ratings("one rater", 200, 1)
    grades: dict[str, dict[str, int]] = {}
    for query, document, _, grade in rows:
        grades.setdefault(query, {})[document] = grade
    frame = pandas.DataFrame(rows, columns=RATED)
    for name in MEASURES:
        expected = untied.evaluate(frame, ranked, name, qrels_format="probabilities", on_undefined="nan")
        plain = untied.evaluate(grades, ranked, name, on_undefined="nan")
        for query in ranked:
            one, other = (results.value(name, query=query) for results in (expected, plain))
            assert (one != one) == (other != other)
            assert other != other or abs(one - other) < 1e-12, (name, query)


#: Document a has the grades 2, 0 and 1 of three raters, b has 1 and a failure, c has failures only, and so has query z.
RATINGS: list[tuple[str, str, str, Any]] = [
    ("q", "a", "r1", 2),
    ("q", "a", "r2", 0),
    ("q", "b", "r1", None),
    ("q", "a", "r3", 1),
    ("q", "b", "r2", 1),
    ("q", "c", "r1", -1),
    ("z", "a", "r1", None),
]


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "pandas", "nullable", "polars"])
def test_ratings_that_are_no_grade_do_not_count(kind: str, tmp_path: Path) -> None:
    frame = pandas.DataFrame(RATINGS, columns=RATED)
    path = tmp_path / f"r.{kind}"
    source: Any = path
    if kind in ("csv", "tsv"):
        frame.to_csv(path, sep="," if kind == "csv" else "\t", index=False)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(dict(zip(RATED, row, strict=True))) + "\n" for row in RATINGS))
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        source = {
            "pandas": frame,
            "nullable": frame.convert_dtypes(),
            "polars": polars.DataFrame(RATINGS, schema=RATED, orient="row"),
        }[kind]
    with pytest.warns(untied.UntiedWarning) as warned:
        qrels = untied.Qrels(source, format="probabilities")
    notes = " / ".join(str(warning.message) for warning in warned)
    assert "ratings without a grade, which do not count: 3 of 7 in" in notes
    assert "-1" in notes
    assert "documents without any other rating, which are unjudged: 2" in notes
    assert "without any label, for which no document is relevant: 1" in notes
    assert (qrels["q"], qrels["z"]) == ({"a": 1.0, "b": 1.0}, {})
    votes = {"q": {"a": {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}, "b": {1: 1}}}
    for name in ("AP", "nDCG@3", "P(rel=2)@1"):
        one = untied.evaluate(qrels, RUN, name).value(name, query="q")
        assert one == untied.evaluate(votes, RUN, name, qrels_format="probabilities").value(name, query="q")


def test_texts_in_place_of_grades_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("qid,docno,Annotator,label\nq,a,1,2.0\nq,a,2,cannot say\nq,a,2,1\nq,a,3,nan\n")
    with pytest.warns(untied.UntiedWarning, match=r"2 of 4 in .*\(cannot say: 1, nan: 1\)$"):
        qrels = untied.read_qrels(path, format="probabilities")
    assert qrels["q"] == {"a": 1.5}


def test_objects_of_json_lines_may_lack_a_grade_but_no_rater(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    rows = [{"qid": "q", "docno": "a", "rater": rater, "grade": grade} for rater, grade in (("r", 2), ("s", 1))]
    path.write_text("".join(json.dumps(row) + "\n" for row in [{"qid": "q", "docno": "a", "rater": "t"}, *rows]))
    with pytest.warns(untied.UntiedWarning, match=r"1 of 3 in .*\(empty: 1\)$"):
        qrels = untied.read_qrels(path, format="probabilities")
    assert qrels["q"] == {"a": 1.5}
    path.write_text("".join(json.dumps(row) + "\n" for row in [{"qid": "q", "docno": "a", "grade": 1}, *rows, *rows]))
    with pytest.raises(untied.UntiedError, match=r"r.jsonl:1: expected a rater's id, found none"):
        untied.read_qrels(path, format="probabilities")


def test_named_columns_and_probabilities_come_first(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("qid,docno,vote\nq,a,1\nq,a,0\n")
    qrels = untied.read_qrels(path, format="probabilities", columns={"grade": "vote"})
    assert qrels["q"] == {"a": 0.5}
    path.write_text("qid,docno,grade,probability\nq,a,1,0.25\n")
    assert untied.read_qrels(path, format="probabilities")["q"] == {"a": 0.25}
    with pytest.raises(untied.UntiedError, match="expected a column probability"):
        untied.read_qrels(path, format="probabilities", columns={"probability": "chance"})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "q,a,r,1\nq,b,r,1\nq,a,r,1\n",
            r"r.csv:4: expected one grade of each rater .*another one of r for a, .*r.csv:2$",
        ),
        ("q,a,r,1\nq,a,s,0.5\n", r"r.csv:3: expected a whole number as a rater's grade \(grade; .*, found 0.5"),
        ("q,a,r,5000000000\n", "r.csv:2: expected a whole number as a rater's grade"),
        ("q,a,,1\n", "r.csv:2: expected a rater's id"),
        ("q,a,r,yes\nq,a,s,no\n", r"expected grades of raters \(grade\), found none in 2 rows \(yes: 1, no: 1\)"),
    ],
)
def test_ratings_that_mean_two_things_are_refused(rows: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(f"query_id,doc_id,rater,grade\n{rows}")
    with pytest.raises(untied.UntiedError, match=message):
        untied.read_qrels(path, format="probabilities")


def test_ratings_can_stand_for_the_machine_s_labels(untied_: Command, tmp_path: Path) -> None:
    human, machine, shares, run = (tmp_path / name for name in ("human.qrels", "m.csv", "shares.csv", "a.run"))
    human.write_text("".join(f"q{i} 0 a {i % 2}\nq{i} 0 b {1 - i % 2}\n" for i in range(10)))
    run.write_text("".join(f"q{i} Q0 {d} 0 {s} a\n" for i in range(30) for d, s in (("a", 2), ("b", 1))))
    rated = [(f"q{i}", "a", f"r{r}", int((i + r) % 4 > 1)) for i in range(30) for r in range(3)]
    rated += [(f"q{i}", "b", "r0", i % 2) for i in range(30)]
    machine.write_text("query_id,doc_id,rater,grade\n" + "".join("{},{},{},{}\n".format(*row) for row in rated))
    given: dict[tuple[str, str], list[int]] = {}
    for query, document, _, grade in rated:
        given.setdefault((query, document), []).append(grade)
    shares.write_text(
        "query_id,doc_id,probability\n" + "".join(f"{q},{d},{sum(g) / len(g)!r}\n" for (q, d), g in given.items())
    )
    for command in (
        ["judges", str(human), "MACHINE", str(run), "-m", "RR"],
        ["eval", "MACHINE", str(run), "-m", "RR"],
        ["gate", str(human), str(run), "--machine", "MACHINE", "--min", "RR=0.1"],
    ):
        one, other = (
            untied_(*(str(path) if word == "MACHINE" else word for word in command), "--qrels-format", "probabilities")
            for path in (machine, shares)
        )
        assert one[0] == other[0] == 0, one
        assert one[1].replace("m.csv", "shares.csv") == other[1]


@pytest.mark.parametrize(
    ("judged", "message"),
    [
        ({"q": {"a": 1.5}}, r"qrels\['q'\]\['a'\]: expected a probability from 0 to 1 \(of relevance\), found 1.5"),
        ({"q": {"a": True}}, "expected a probability from 0 to 1"),
        ({"q": {"a": {0: 0.5, 1: 0.2}}}, r"add up to 1, found 0.5 \+ 0.2 = 0.7"),
        ({"q": {"a": {}}}, "add up to 1, found none"),
        ({"q": {"a": {0.5: 1}}}, "whole numbers of at least 0 as grades, found 0.5"),
        ({"q": {"a": {-1: 1}}}, "whole numbers of at least 0 as grades, found -1"),
        ({"q": {"a": None}}, "found none"),
    ],
)
def test_errors_name_the_document(judged: Any, message: str) -> None:
    with pytest.raises(untied.UntiedError, match=message):
        untied.evaluate(judged, RUN, "AP", qrels_format="probabilities")


@pytest.mark.parametrize("judged", [[("q", "a", 0.5)], {"q": [("a", 0.5)]}, {"q": {None: 0.5}}])
def test_other_shapes_are_refused(judged: Any) -> None:
    with pytest.raises(TypeError, match="expected"):
        untied.evaluate(judged, RUN, "AP", qrels_format="probabilities")


def test_what_has_no_expected_value_is_refused() -> None:
    qrels = untied.Qrels(QRELS, format="probabilities")
    for name in ("Bpref", "Rprec", "nERR", "infAP", "nDCG", "Judged@2", "SetP", "Compat"):
        with pytest.raises(untied.UntiedError, match="has no expected value that is known"):
            untied.evaluate(qrels, RUN, name)
    refused: dict[str, dict[str, Any]] = {
        "ties must be expected": {"ties": "range"},
        "cannot be adjusted": {"adjust": "chance"},
        "no bounds": {"unjudged": "range"},
    }
    for message, options in refused.items():
        with pytest.raises(untied.UntiedError, match=message):
            untied.evaluate(qrels, RUN, "AP", **options)
    runs = {"a": RUN, "b": {"q": ["c", "a"]}}
    for call in (
        lambda: untied.certify(qrels, runs, "AP"),
        lambda: untied.distributions(qrels, RUN, "AP"),
        lambda: untied.compare(RUN, runs["b"], "MED(AP@3)", qrels=qrels),
        lambda: judge_next(qrels, RUN, "AP"),
        lambda: gate(qrels, RUN, min={"AP": 0.1}),
        lambda: report(qrels, RUN, "AP"),
        lambda: curves(qrels, RUN, "q"),
        lambda: agreement(QRELS_OF_PEOPLE, qrels),
    ):
        with pytest.raises(untied.UntiedError):
            call()


def test_a_model_s_probabilities_can_stand_for_its_labels() -> None:
    human = {f"q{i}": {"a": i % 2, "b": 1 - i % 2} for i in range(20)}
    machine = {f"q{i}": {"a": 0.2 + 0.6 * (i % 2), "b": 0.8 - 0.6 * (i % 2)} for i in range(60)}
    run = {f"q{i}": ["a", "b"] for i in range(60)}
    by_people = untied.evaluate(human, run, "RR", queries="common")
    by_machine = untied.evaluate(machine, run, "RR", qrels_format="probabilities")
    [row] = estimate_runs(by_people, by_machine).table.to_dicts()
    assert row["correlation"] == pytest.approx(1)
    assert row["width"] < 0.75


def test_the_command_says_what_the_variance_is_not(untied_: Command, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(FILES["p.csv"])
    (tmp_path / "a.run").write_text("q Q0 a 1 2 a\nq Q0 b 2 2 a\nq Q0 c 3 1 a\n")
    code, text, said = untied_(
        "eval", str(tmp_path / "p.csv"), str(tmp_path / "a.run"), "--qrels-format", "probabilities",
        "-m", "AP", "-m", "nDCG@10", "--variance", "--format", "tsv",
    )  # fmt: skip
    assert code == 0
    assert OTHERS in " ".join(said.split())
    (tmp_path / "b.run").write_text("q Q0 b 1 2 b\n")
    runs = [str(tmp_path / name) for name in ("a.run", "b.run")]
    _, _, said = untied_("stats", str(tmp_path / "p.csv"), *runs, "--qrels-format", "probabilities", "-m", "AP")
    assert OTHERS in " ".join(said.split())
    expected = untied.evaluate(QRELS, {"q": [["a", "b"], "c"]}, "AP", qrels_format="probabilities", variance=True)["AP"]
    assert f"{expected:.4f}" in text
    assert f"{expected.variance:.4f}" in text or f"{expected.variance:.3g}" in text


def test_whole_scores_beside_probabilities_look_like_scores() -> None:
    judged = {"q": {"a": 0.3, "b": 0.9, "c": 0.4}}
    run = {"q": {"a": 2, "b": 1, "c": 2}}
    assert untied.evaluate(judged, run, "P@1", qrels_format="probabilities", strict=True)["P@1"] == 0.35


def test_judges_takes_probabilities_of_the_machine(untied_: Command, tmp_path: Path) -> None:
    human, machine, run = (tmp_path / name for name in ("human.qrels", "machine.csv", "a.run"))
    human.write_text("".join(f"q{i} 0 a {i % 2}\nq{i} 0 b {1 - i % 2}\n" for i in range(10)))
    machine.write_text(
        "query_id,doc_id,probability\n" + "".join(f"q{i},a,{(i % 2) * 0.6 + 0.2}\nq{i},b,0.5\n" for i in range(30))
    )
    run.write_text("".join(f"q{i} Q0 {d} 0 {s} a\n" for i in range(30) for d, s in (("a", 2), ("b", 1))))
    code, text, _ = untied_(
        "judges", str(human), str(machine), str(run), "--qrels-format", "probabilities", "-m", "RR", "--format", "tsv"
    )
    assert code == 0
    header, row = (line.split("\t") for line in text.splitlines())
    cells = dict(zip(header, row, strict=True))
    assert cells["human"] == "0.7500"
    assert float(cells["correlation"]) == pytest.approx(1)
