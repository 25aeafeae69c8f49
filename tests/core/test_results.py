"""Values are numbers, and results are looked up, iterated over, shown and exported alike."""

from __future__ import annotations

import copy
import json
import math
import pickle
import posixpath
import re
import statistics
from collections.abc import Callable
from fractions import Fraction
from html.parser import HTMLParser
from numbers import Real
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import untied
from untied.batches import BatchComparer, BatchEvaluator
from untied.cli import main
from untied.paper import paper_table
from untied.results import for_trackers
from untied.results.base import ByMeasure, MeasureResults
from untied.results.text import markdown_code, markdown_text
from untied.statistics import significance

QRELS = {"q": {"a": 1, "b": 0}, "r": {"b": 1}}
RUNS = {"tied": {"q": {"a": 1, "b": 1}, "r": {"b": 1}}, "<i>": {"q": ["b", "a"], "r": ["a", "b"]}}
VALUE = untied.Value(0.75, 0.5, 1.0, 0.0625, "exact")
NAN = untied.Value(math.nan)


def test_names_and_notes_are_shown_as_the_command_line_does() -> None:
    """A line for each run, whatever its name is; and what does not count, beside tests of the values too."""
    qrels = {"q": {"a": 1, "b": 0}, "r": {"b": 1}, "s": {"c": 0}}
    results = untied.evaluate(qrels, {"two\nlines": {"q": ["a"], "x": ["a"]}, "tied\t": {"q": {"a": 1, "b": 1}}}, "AP")
    rows = [line.split() for line in repr(results).splitlines()[1:3]]
    assert rows == [["two\\nlines", "0.3333"], ["tied\\t", "~", "0.2500"]]
    assert "two\nlines" not in results._repr_html_()
    tests = repr(significance(results))
    assert tests.splitlines()[1].split()[1:3] == ["two\\nlines", "tied\\t"]
    for note in (
        "judged queries missing from a run: 2 from two\\nlines, 2 from tied\\t (counted as empty rankings)",
        "queries without judgments, left out: 1 of two\\nlines; untied check lists them, and ids that nearly match",
        "queries with undefined values, usually because no document is relevant: 1 of 3 (counted as 0)",
    ):
        assert f"\nnote: {note}\n" in tests


def batches(made: Any, **columns: Any) -> Any:
    rows = pyarrow.table({"query": ["q", "q"], "document": ["a", "b"], **columns})
    return made.summary(made(rows.to_batches()))


#: Every kind of result, with the keys that it has.
FOUND: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "one run": (lambda: untied.evaluate(QRELS, RUNS["tied"], ["AP", "RR"]), ["AP", "RR"]),
    "runs": (lambda: untied.evaluate(QRELS, RUNS, ["AP"], ties="range"), [("tied", "AP"), ("<i>", "AP")]),
    "comparison": (lambda: untied.compare(*RUNS.values(), ["RBO", "Overlap@1"]), ["RBO", "Overlap@1"]),
    "comparisons": (lambda: untied.compare_all(RUNS, ["RBO"]), [("tied", "<i>")]),
    "arrays": (lambda: untied.evaluate_arrays([[1, 1]], [[1, 0]], ["RR", "P@1"]), ["RR", "P@1"]),
    "columns": (lambda: untied.evaluate_arrays([[[1, 1]]] * 2, [[1, 0]], ["RR"], ties="range"), ["RR"]),
    "arrays of ids": (lambda: untied.compare_arrays([[1, 2]], [[2, 1]], ["RBO"]), ["RBO"]),
    "features": (
        lambda: untied.evaluate_features(
            [[7, 1], [7, 2]], ["RR"], labels=[1, 0], query_ids=["q", "q"], names=["a", "b"]
        ),
        [("a", "RR"), ("b", "RR")],
    ),
    "batches": (
        lambda: batches(BatchEvaluator(["RR"], grades=[0, 1]), score=[2.0, 1.0], grade=[1, None]),
        ["RR"],
    ),
    "compared batches": (lambda: batches(BatchComparer(["RBO"]), score_a=[2.0, 1.0], score_b=[1.0, 2.0]), ["RBO"]),
}


def test_a_value_is_a_number() -> None:
    assert isinstance(VALUE, float)
    assert isinstance(VALUE, Real)
    assert VALUE > 0.5
    assert 0.75 == VALUE <= 1
    assert Fraction(3, 4) == VALUE
    assert hash(VALUE) == hash(0.75)
    assert {0.75: "found"}[VALUE] == "found"
    assert (VALUE + 1, 1 - VALUE, VALUE / 3, -VALUE, abs(VALUE)) == (1.75, 0.25, 0.25, -0.75, 0.75)
    assert {type(one) for one in (VALUE + 1, VALUE * VALUE, -VALUE, round(VALUE, 1), sum([VALUE]), VALUE.mean)} == {
        float
    }
    assert round(VALUE, 1) == 0.8
    assert sum([VALUE, VALUE]) == 1.5
    assert max(VALUE, untied.Value(0.5, 0.5, 2.0)) is VALUE
    assert sorted([VALUE, untied.Value(0.5)])[0] == 0.5
    assert statistics.fmean([VALUE, 0.25]) == math.fsum([VALUE, 0.25]) / 2 == 0.5
    assert bool(untied.Value(0.0)) is False


def test_a_value_says_what_else_it_could_be() -> None:
    assert (VALUE.mean, VALUE.low, VALUE.high, VALUE.variance) == (0.75, 0.5, 1.0, 0.0625)
    assert (VALUE.certainty, VALUE.standard_error) == ("exact", None)
    both = untied.evaluate(
        {"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 1, "c": 1}}, "RR", ties="range", unjudged="range"
    )
    by_ties = untied.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 1, "c": 1}}, "RR", ties="range")
    by_judgments = untied.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 1, "c": 1}}, "RR", unjudged="range")
    assert both["RR"] == by_ties["RR"] == by_judgments["RR"]
    for one in (by_ties["RR"], by_judgments["RR"]):  # with both policies all is covered that either leaves open
        assert both["RR"].low <= one.low <= one.high <= both["RR"].high  # type: ignore[operator]


def test_a_value_is_shown_with_its_ends_and_formatted_as_a_number() -> None:
    assert repr(VALUE) == str(VALUE) == f"{VALUE}" == "0.7500 [0.5000, 1.0000] (variance 0.0625)"
    assert (f"{VALUE:.2f}", f"{VALUE:8.1%}", "%.3f" % VALUE) == ("0.75", "   75.0%", "0.750")  # noqa: UP031


def test_an_undefined_value_is_nan() -> None:
    assert math.isnan(NAN)
    assert not NAN > 0.5
    assert not NAN < 0.5
    assert NAN != NAN
    assert repr(NAN) == "nan"
    assert numpy.isnan(numpy.asarray([VALUE, NAN])).tolist() == [False, True]
    assert json.dumps(NAN) == "NaN"
    with pytest.raises(ValueError, match="Out of range float"):
        json.dumps(NAN, allow_nan=False)


@pytest.mark.parametrize("name", ["mean", "low", "high", "variance", "certainty", "standard_error", "notes", "other"])
def test_a_value_cannot_be_changed(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(VALUE, name, 1.0)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_value_comes_back_whole(way: Callable[[untied.Value], untied.Value]) -> None:
    fields = (0.5, 0.25, 1.0, 0.1, "estimate", 0.01, ("a note",), True)
    again = way(untied.Value(*fields))
    assert type(again) is untied.Value
    assert again.__reduce__()[1] == fields
    assert repr(again) == "0.5000 [0.2500, 1.0000] (variance 0.1) (standard error 0.01) ~ (see .notes)"


def test_values_go_to_json_as_numbers() -> None:
    results = untied.evaluate(QRELS, RUNS["tied"], ["AP", "RR"], ties="range", variance=True)
    assert json.loads(json.dumps(dict(results))) == {"AP": 0.875, "RR": 0.875}
    assert json.dumps({"AP": results["AP"]}, indent=1) == '{\n "AP": 0.875\n}'
    third = untied.Value(1 / 3, 0.0, 1.0)
    assert json.loads(json.dumps([third])) == [1 / 3]  # all digits, not those that people are shown


def test_values_go_to_numpy_pandas_polars_and_arrow_as_numbers() -> None:
    values = [VALUE, untied.Value(0.25)]
    assert numpy.asarray(values).dtype == numpy.asarray(VALUE).dtype == numpy.float64
    assert numpy.mean(values) == 0.5
    assert (numpy.ones(2) * VALUE).tolist() == [0.75, 0.75]
    assert pandas.Series(values).dtype == pandas.DataFrame({"AP": values})["AP"].dtype == numpy.float64
    assert pandas.Series({"AP": VALUE}).mean() == 0.75
    assert polars.Series(values).to_list() == pyarrow.array(values).to_pylist() == [0.75, 0.25]
    assert pyarrow.array(values).type == pyarrow.float64()


def test_arrays_of_values_are_arrays_to_numpy() -> None:
    found = untied.evaluate_arrays([[[1, 1]], [[2, 1]]], [[1, 0]], "RR")["RR"]
    assert numpy.mean(found) == 0.875
    assert numpy.asarray(found, dtype="float32").tolist() == [0.75, 1.0]
    copied = numpy.array(found)
    copied[:] = 0
    assert found.value.tolist() == [0.75, 1.0]


@pytest.mark.parametrize("name", FOUND)
def test_everything_is_looked_up_by_its_keys(name: str) -> None:
    make, keys = FOUND[name]
    found = make()
    assert isinstance(found, ByMeasure)
    assert list(found) == list(found.keys()) == list(dict(found)) == [key for key, _ in found.items()] == keys
    assert all(key in found for key in keys)
    assert list(map(repr, found.values())) == [repr(value) for _, value in found.items()]
    assert isinstance(found.measures, list)
    other = "Jaccard@1" if found.measures[0] == "RBO" else "NumQ"
    for wrong in [("nobody", keys[0][1])] if isinstance(keys[0], tuple) else [other]:
        assert wrong not in found
        with pytest.raises(KeyError):
            found[wrong]


@pytest.mark.parametrize("name", FOUND)
def test_results_are_their_means_where_a_table_is_expected(name: str) -> None:
    found = FOUND[name][0]()
    if not isinstance(found, MeasureResults):
        return
    rows = found.means.to_dicts()
    assert rows == found.to_dicts() == pyarrow.table(found).to_pylist() == found.to_polars().to_dicts()
    pandas.testing.assert_frame_equal(found.to_pandas(), found.means.to_pandas())
    wide = found.means.wide()
    assert set(found.measures) <= set(wide.columns)
    assert [row["value"] for row in rows] == [row[name] for row in wide.to_dicts() for name in found.measures]
    assert not {"measure", "query", "certainty"} & set(wide.columns)
    shown = repr(found).splitlines()[0].split()
    assert shown == wide.columns or shown == [one for one in wide.columns if " " not in one]


def test_columns_without_a_value_keep_their_type() -> None:
    """In pandas too, which would have to guess."""
    results = untied.evaluate(QRELS, RUNS, "AP(mean='geometric')", variance=True)
    frame = results.to_pandas()
    assert frame["variance"].isna().all()
    for found in (frame, untied.Table({"run": []}, {"variance": []}).to_pandas()):
        assert (found["run"].dtype, found["variance"].dtype) == (pandas.Series(["x"]).dtype, float)


@pytest.mark.parametrize("key", [("bm25",), ("bm25", "AP", "q1"), ()])
def test_keys_of_other_lengths_are_refused(key: Any) -> None:
    results = untied.evaluate(QRELS, RUNS, "AP")
    for found in (results, untied.distributions(QRELS, RUNS, "AP")):
        with pytest.raises(KeyError, match="expected a measure, or a run and a measure, found"):
            found[key]


@pytest.mark.parametrize("read", [numpy.array, pandas.DataFrame])
def test_what_reads_only_arrays_does_not_take_names_for_values(read: Callable[[Any], Any]) -> None:
    results = untied.evaluate(QRELS, RUNS, ["AP", "RR"])
    for found in (results, results.means, results.per_query.wide()):
        with pytest.raises(TypeError, match=r"use to_pandas\(\), to_polars\(\) or to_numpy\(\)"):
            read(found)


def test_verdicts_of_a_pair_are_shown() -> None:
    verdicts = untied.certify({"q": {"a": 1, "b": 0}}, {"x": {"q": ["a"]}, "y": {"q": ["b"]}}, ["P@1", "RR"])["x", "y"]
    assert repr(verdicts).startswith("{'P@1': Verdict(verdict='A', low=1.0, high=1.0, overturn=inf,")
    assert [one.verdict for one in verdicts.values()] == ["A", "A"]


def test_the_wide_form_of_queries() -> None:
    results = untied.evaluate(QRELS, RUNS, ["AP", "RR"], ties="range", variance=True)
    wide = results.per_query.wide()
    fields = ["", " low", " high", " variance"]
    assert wide.columns == ["run", "query", *(name + field for name in ("AP", "RR") for field in fields)]
    for row in wide.to_dicts():
        value = results.value("RR", row["query"], row["run"])
        assert [row["RR" + field] for field in fields] == [value, value.low, value.high, value.variance]
    assert dict(wide)["query"] == ["q", "r", "q", "r"]


def test_the_wide_form_keeps_a_query_that_is_called_all() -> None:
    results = untied.evaluate({"all": {"a": 1}}, {"run": {"all": ["b", "a"]}}, ["AP", "RR"])
    assert results.per_query.wide().to_dicts() == [{"run": "run", "query": "all", "AP": 0.5, "RR": 0.5}]
    assert pickle.loads(pickle.dumps(results.means)).wide().to_dicts() == [{"run": "run", "AP": 0.5, "RR": 0.5}]
    compared = untied.compare({"all": ["a", "b"]}, {"all": ["b", "a"]}, ["Overlap@1", "RBO"])
    assert "query" in compared.per_query.wide().columns
    assert "query" not in compared.means.wide().columns


@pytest.mark.parametrize(
    "table",
    [
        untied.Table({"run": ["a"]}, {"value": [1.0]}),
        untied.Table({"measure": ["AP"]}, {"p": [1.0]}),
        untied.Table({"measure": ["AP", "RR", "RR", "AP"]}, {"value": [1.0] * 4}),
    ],
)
def test_other_tables_have_no_wide_form(table: untied.Table) -> None:
    with pytest.raises(untied.UntiedError, match="no wide form"):
        table.wide()


def test_wide_text_gives_way_where_it_does_not_fit() -> None:
    few = untied.evaluate(QRELS, RUNS, ["AP", "NumRel"])
    assert repr(few).splitlines()[:3] == ["run         AP  NumRel", "tied ~  0.8750       2", "<i>     0.5000       2"]
    many = untied.evaluate(QRELS, RUNS, [untied.P @ k for k in range(1, 30)], ties="range")
    assert repr(many).startswith(f"{many.means!r}")


TIES = (
    "note: tied documents have different grades in 1 of 2 queries of tied: each value is the mean over all orders; "
    'ties="range" shows how far ties could move it'
)
LEGEND = '~ depends on the order of tied documents; ties="range" shows how far'


def test_results_have_the_notes_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, runs = (
        {**QRELS, "none": {"a": 0}, "absent": {"a": 1}},
        {name: {**of, "x": ["a"]} for name, of in RUNS.items()},
    )
    results = untied.evaluate(qrels, runs, ["AP"])
    (tmp_path / "qrels.json").write_text(json.dumps(qrels))
    for name, of in runs.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(of))
    paths = [str(tmp_path / f"{name}.json") for name in ("qrels", *runs)]
    assert main(["eval", *paths, "-m", "AP", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)["notes"]
    assert len(said) == 4
    lines = repr(results).splitlines()
    assert lines[1].split()[:2] == ["tied", "~"]
    assert lines[3] == LEGEND
    assert lines[4:] == [
        "note: " + note.replace("--ties range", 'ties="range"').replace("--queries common", 'queries="common"')
        .replace("--on-undefined nan", 'on_undefined="nan"')
        for note in said
    ]  # fmt: skip
    below = Shown(results._repr_html_()).below
    assert all(f"{line.removeprefix('note: ')[1:]}." in below for line in lines[3:])
    assert str(results) == repr(results) == repr(pickle.loads(pickle.dumps(results)))
    wide = untied.evaluate(QRELS, RUNS, [untied.P @ k for k in range(1, 30)])
    assert "tied ~" in repr(wide)
    assert repr(wide).splitlines()[-2:] == [LEGEND, TIES]
    counts = untied.evaluate(QRELS, RUNS, "NumRel")
    assert "~" not in repr(counts)
    assert "~" not in Shown(counts._repr_html_()).rows[1][0]


def test_results_of_arrays_features_and_comparisons_have_notes() -> None:
    scores, labels = [[3, 1, 1], [1, 2, 3]], [[0, 1, 0], [0, 0, 0]]
    arrays = repr(untied.evaluate_arrays(scores, labels, "AP"))
    assert "note: tied documents have different grades in 1 of 2 queries of scores" in arrays
    assert 'document is relevant: 1 of 2 (counted as 0; on_undefined="nan" leaves them out)' in arrays
    columns = repr(untied.evaluate_arrays([scores, scores], labels, "AP"))
    assert "1 of 2 queries of column 0, 1 of 2 queries of column 1" in columns
    features = untied.evaluate_features([[7, 1], [7, 2]], ["RR"], labels=[1, 0], query_ids=["q", "q"], names=["a", "b"])
    assert "note: features with the same value everywhere, which cannot rank: a" in repr(features)
    pair = untied.compare({"q": ["a"], "r": ["a"]}, {"q": ["a"], "s": ["b"]}, "RBO")
    assert repr(pair).endswith("\nnote: queries in only one run, left out: 1 of a, 1 of b")


def test_a_single_mean_has_the_mark_and_the_notes_of_its_row() -> None:
    qrels = {**QRELS, "none": {"a": 0}}
    results = untied.evaluate(qrels, {**RUNS, "<i>": {"q": ["a"], "r": ["b"], "none": ["a"]}}, ["AP", "NumRel"])
    tied = results["tied", "AP"]
    assert (repr(tied), str(tied), f"{tied:.4f}") == ("0.5833 ~ (see .notes)", "0.5833 ~ (see .notes)", "0.5833")
    [ties, missing, undefined] = tied.notes
    assert ties.startswith("tied documents have different grades in 1 of 3 queries of tied: ")
    assert missing == 'judged queries missing from a run: 1 from tied (counted as empty rankings; queries="common" leaves them out)'  # fmt: skip # noqa: E501
    assert undefined.endswith(': 1 of 3 (counted as 0; on_undefined="nan" leaves them out)')
    assert repr(results["<i>", "AP"]) == "0.6667 (see .notes)"
    assert repr(results["tied", "NumRel"]) == "2.0000 (see .notes)"  # a count does not depend on ties
    assert (repr(pickle.loads(pickle.dumps(tied))), copy.deepcopy(tied).notes) == (repr(tied), tied.notes)
    assert results.value("AP", "none", "tied").notes == ()
    ranged = untied.evaluate(QRELS, RUNS["tied"], "AP", ties="range")["AP"]
    assert repr(ranged) == "0.8750 [0.7500, 1.0000]"
    scores, labels = [[1, 1, 1]], [[0, 1, 0]]
    assert repr(untied.evaluate_arrays(scores, labels, "RR")["RR"]) == "0.6111 ~ (see .notes)"
    features = untied.evaluate_features(
        [[7], [7]], ["RR"], labels=[1, 0], query_ids=["q", "q"], names=["a"], ties="expected"
    )
    assert repr(features["a", "RR"]) == "0.7500 ~ (see .notes)"
    [note] = features["a", "RR"].notes
    assert note.startswith("tied documents have different grades in 1 of 1 queries of feature a: ")
    summary = batches(BatchEvaluator(["RR"], grades=[0, 1]), score=[1.0, 1.0], grade=[1, None])
    assert repr(summary["RR"]) == "0.7500 ~ (see .notes)"
    pair = untied.compare({"q": ["a"], "r": ["a"]}, {"q": ["a"], "s": ["b"]}, "RBO")
    assert pair["RBO"].notes == ("queries in only one run, left out: 1 of a, 1 of b",)
    assert pair.value("RBO", "q").notes == ()


def test_the_range_of_ties_takes_the_place_of_marks_in_summaries_of_batches() -> None:
    tied = batches(BatchEvaluator(["RR"], grades=[0, 1], ties="range"), score=[1.0, 1.0], grade=[1, None])
    assert "0.7500 [0.5000, 1.0000]" in repr(tied)
    assert "~" not in repr(tied)


class Shown(HTMLParser):
    """Cells of a table, those in bold, and all that marks tell."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.bold: list[str] = []
        self.marks: list[str] = []
        self.below = ""
        self.inside: list[str] = []
        self.feed(html)
        assert self.inside == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")
        self.marks += [value or "" for name, value in attrs if name == "title"]

    def handle_endtag(self, tag: str) -> None:
        assert self.inside.pop() == tag

    def handle_data(self, data: str) -> None:
        if "p" in self.inside:
            self.below += data
        else:
            self.rows[-1][-1] += data
            self.bold += [data] * ("b" in self.inside)


def test_notebooks_show_runs_by_measures_with_the_best_in_bold() -> None:
    runs = RUNS | {"best": {"q": ["a", "b"], "r": ["b"]}}
    shown = Shown(untied.evaluate(QRELS, runs, ["AP", "ESL", "NumRel"])._repr_html_())
    assert shown.rows == [
        ["run", "AP", "ESL", "NumRel"],
        ["tied ~", "0.8750", "0.2500", "2"],
        ["<i>", "0.5000", "1.0000", "2"],
        ["best", "1.0000", "0.0000", "2"],
    ]
    assert shown.bold == ["2", "2", "1.0000", "0.0000", "2"]  # of ESL, less is better
    assert shown.marks == ["tied documents have different grades in 1 of 2 queries"]
    assert shown.below.startswith(
        f"Bold: best. {LEGEND}. Tied documents have different grades in 1 of 2 queries of tied"
    )


def test_notebooks_show_how_far_ties_could_move_values() -> None:
    shown = Shown(untied.evaluate(QRELS, RUNS, ["AP", "NumRel"], ties="range")._repr_html_())
    assert shown.rows[1:] == [["tied", "0.8750 [0.7500, 1.0000]", "2"], ["<i>", "0.5000 ", "2"]]
    assert shown.marks == []
    assert shown.below.endswith("In brackets: the lowest and highest value over all orders of tied documents.")


@pytest.mark.parametrize(("measure", "best"), [("AP", "0.7500"), ("ESL", "0.5000")])  # of ESL, less is better
@pytest.mark.parametrize(("other", "could"), [([["c", "d", "a"]], True), (["c", "a"], True), (["c", "d", "a"], False)])
def test_notebooks_say_where_ties_decide_what_is_best(measure: str, best: str, other: Any, could: bool) -> None:
    runs = {"leader": {"q": [["a", "b"]]}, "other": {"q": other}}
    shown = Shown(untied.evaluate({"q": {"a": 1}}, runs, measure, ties="range")._repr_html_())
    assert shown.bold == [best]
    assert (f"Another could be as good or better by {measure}." in shown.below) == could


def test_of_a_single_run_and_of_comparisons_nothing_is_best() -> None:
    for name in ("one run", "comparison", "comparisons", "compared batches"):
        assert Shown(FOUND[name][0]()._repr_html_()).bold == []
    undefined = untied.evaluate({"q": {"a": 0}, "r": {"a": 1}}, {"x": {"q": ["a"]}, "y": {"q": ["a"]}}, "P@1")
    assert Shown(undefined._repr_html_()).bold == ["0.0000", "0.0000"]  # nobody is worse


def test_notebooks_show_the_answer_of_a_test_and_how_it_was_found() -> None:
    queries = [f"q{number}" for number in range(40)]
    runs = {"good": {query: ["a", "b"] for query in queries}, "bad": {query: ["b", "c", "a"] for query in queries}}
    results = untied.evaluate({query: {"a": 1} for query in queries}, runs, "RR", ties="range")
    shown = Shown(significance(results)._repr_html_())
    head = "measure run_a run_b significant survives mean_a mean_b difference ci_low ci_high p_adjusted"
    row = "RR good bad yes yes 1.0000 0.3333 0.6667 0.6667 0.6667 1e-05"
    assert shown.rows == [head.split(), row.split()]
    assert shown.below == "Paired randomisation test, significance level 0.05. All columns: .table."
    in_console = repr(significance(results)).splitlines()
    assert [line.split() for line in in_console[:2]] == shown.rows
    assert in_console[2:] == [shown.below]
    few = untied.evaluate(QRELS, RUNS, "AP")
    assert "no difference can be significant." in Shown(significance(few)._repr_html_()).below
    assert "\nnote: with 2 queries, p cannot be below 0.5; no difference can be significant" in repr(significance(few))


def test_notebooks_have_words_for_infinite_numbers_of_verdicts() -> None:
    shown = Shown(untied.certify({"q": {"a": 1, "b": 0}}, {"x": {"q": ["a"]}, "y": {"q": ["b"]}}, "P@1")._repr_html_())
    assert shown.rows[1][-2:] == ["never", "any"]


def test_long_tables_in_notebooks_end_with_how_many_rows_there_are() -> None:
    table = untied.Table({"run": ["a"] * 300}, {"value": [0.5] * 300})
    assert Shown(table._repr_html_()).below == "100 more rows"
    assert repr(table).endswith("\n... 240 more rows")


def test_keys_of_several_parts_are_explained(tmp_path: Path) -> None:
    data = tmp_path / "train.txt"
    data.write_text("1 qid:1 1:2\n0 qid:1 1:1\n", encoding="utf-8")
    features = untied.evaluate_features(data, ["RR"], names={1: "clicks"})
    with pytest.raises(
        KeyError, match=r"expected a feature and a measure, such as \('clicks', 'RR'\), or .*, found 'clicks'"
    ):
        features["clicks"]  # type: ignore[index]
    with pytest.raises(KeyError, match="no feature 'click'; the features are clicks"):
        features["click", "RR"]
    pairs = untied.compare_all({"ab": {"q": ["d"]}, "cd": {"q": ["d"]}}, ["RBO"])
    with pytest.raises(KeyError, match=r"expected two runs, such as \('ab', 'cd'\), found 'ab'"):
        pairs["ab"]  # type: ignore[index]


#: What MLflow accepts as the name of a metric, with paths that are their own normal form.
MLFLOW = re.compile(r"[/\w.\- ]+")


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("nDCG@10", "nDCG_at_10"),
        ("nDCG(gain='exp2')@10", "nDCG_gain_exp2_at_10"),
        ("RBP(p=0.8)", "RBP_p_0.8"),
        (("../old.run", "AP"), "old.run/AP"),
        (("..", "AP"), "_/AP"),
        (("/new/dense", "P@5"), "new_dense/P_at_5"),
    ],
)
def test_names_that_trackers_accept(key: Any, name: str) -> None:
    assert for_trackers({key: 0.5}) == {name: 0.5}
    assert MLFLOW.fullmatch(name)
    assert posixpath.normpath(name) == name


def test_results_for_trackers() -> None:
    measures = ["AP", "P@1"]
    one, two = (untied.evaluate(QRELS, runs, measures) for runs in (RUNS["tied"], RUNS))
    assert for_trackers(one) == {"AP": one["AP"], "P_at_1": one["P@1"]}
    assert for_trackers(one) == for_trackers(untied.Evaluator(QRELS, measures).means(RUNS["tied"]))
    assert list(for_trackers(two)) == ["tied/AP", "tied/P_at_1", "i/AP", "i/P_at_1"]
    assert {type(value) for value in for_trackers(two).values()} == {float}
    arrays = untied.evaluate_arrays([[2, 1]], [[1, 0]], "P@1")
    assert for_trackers(arrays) == {"P_at_1": 1.0}
    with pytest.raises(untied.UntiedError, match="would both be called 'a_b/AP'; rename one"):
        for_trackers(untied.evaluate(QRELS, {"a b": RUNS["tied"], "a+b": RUNS["tied"]}, "AP"))
    columns = untied.evaluate_arrays([[[2, 1]], [[1, 2]]], [[1, 0]], "P@1")
    with pytest.raises(TypeError, match="expected a number for 'P@1', not ArrayValues"):
        for_trackers(columns)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("bm25_k1_0.9", "bm25_k1_0.9"),
        ("_draft_ v2", r"\_draft\_ v2"),
        ("a__b", r"a\_\_b"),
        ("*best*", r"\*best\*"),
        ("`x`", r"\`x\`"),
        ("<i>", r"\<i>"),
        ("[x](y)", r"\[x\](y)"),
        ("a|b\\c", r"a\|b\\c"),
        ("#1 run #", r"\#1 run \#"),
        ("c#", "c#"),
        ("R&D", "R&D"),
        ("&lt;", r"\&lt;"),
    ],
)
def test_markdown_shows_names_as_they_are(text: str, escaped: str) -> None:
    assert markdown_text(text) == escaped


@pytest.mark.parametrize(
    ("text", "code"),
    [("bm25", "`bm25`"), ("a`b", "``a`b``"), ("`x`", "`` `x` ``"), ("a``b`c", "```a``b`c```"), ("<i>_a_", "`<i>_a_`")],
)
def test_markdown_shows_names_as_code(text: str, code: str) -> None:
    assert markdown_code(text) == code


def test_every_command_escapes_names_in_markdown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.txt").write_text("*q* 0 _d_ 1\n*q* 0 e 0\n2 0 x 1\n")
    for name, order in (("*a*", "_d_ e"), ("[b]", "e _d_")):
        ranked = "".join(f"*q* Q0 {document} 1 {-rank} t\n" for rank, document in enumerate(order.split()))
        (tmp_path / f"{name}.run").write_text(ranked + "2 Q0 x 1 1 t\n")
    qrels, *runs = (str(tmp_path / file) for file in ("q.txt", "*a*.run", "[b].run"))
    lines = {
        "eval": ["eval", qrels, *runs, "-m", "AP", "--per-query"],
        "stats": ["stats", qrels, *runs, "-m", "AP"],
        "compare": ["compare", *runs, "-m", "RBO"],
        "certify": ["certify", qrels, *runs, "-m", "AP"],
    }
    for command, line in lines.items():
        assert main([*line, "--format", "md"]) == 0, command
        out = capsys.readouterr().out
        assert r"\*a\*" in out, command
        assert r"\[b\]" in out, command
        assert not re.search(r"(?<!\\)\*[aq]|(?<!\\)\[b", out.replace("**", "")), command
    results = untied.evaluate({"q": {"d": 1}}, {"*a*": {"q": ["d"]}, "b": {"q": ["e", "d"]}}, "AP")
    assert r"| \*a\* | **1.0000** |" in paper_table(results, style="md")
