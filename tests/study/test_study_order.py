"""The study of ordered groups: its tables against the public interface and by hand."""

from __future__ import annotations

import itertools
import operator
import pathlib
from typing import Any

import pytest

import untied
from study_data import check, collection
from untied import study
from untied.cli import main
from untied.comparison.correlation import kendall, swapped, tau_ap
from untied.study.order import merge

MEASURES = ["ADR", "PairConcordance", "nDCG@5"]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[study.Result, dict[str, Any], dict[str, untied.Run]]:
    """The result, the grades, and the first 20 of 40 documents of each ranking."""
    folder = tmp_path_factory.mktemp("order")
    path, runs = collection(folder)
    qrels = untied.read_qrels(path)
    first = {}
    for path_of_run in runs:
        run = untied.read_run(path_of_run)
        rankings = {query: sorted(run[query], key=operator.itemgetter(1), reverse=True) for query in run.queries()}
        first[path_of_run.stem] = untied.Run.from_mapping({q: dict(ranking[:20]) for q, ranking in rankings.items()})
    result = check(study.order, path, runs, folder, measures=MEASURES, depth=20)
    return result, {query: qrels[query] for query in qrels.queries()}, first


def test_runs(found: tuple[study.Result, dict[str, Any], dict[str, untied.Run]]) -> None:
    result, qrels, runs = found
    ties = untied.evaluate(qrels, runs, MEASURES, ties="range")
    grades = untied.evaluate(qrels, runs, MEASURES, unjudged="range")
    rows = list(result.tables["order-runs"].rows())
    assert len(rows) == 6 * 3
    for run, measure, *values in rows:
        by_ties, by_grades = ties.value(measure, run=run), grades.value(measure, run=run)
        assert values == [by_ties.mean, by_ties.low, by_ties.high, by_grades.low, by_grades.high]
    for measure, cause, a, b, pairs, number, difference in result.tables["order-reversible"].rows():
        ranges = {
            run: (round(mean, 12), *(low_high[:2] if cause == "ties" else low_high[2:]))
            for run, of, mean, *low_high in rows
            if of == measure
        }
        could = {
            (one, other): ranges[one][0] - ranges[other][0]
            for one, other in itertools.permutations(ranges, 2)
            if ranges[one][0] > ranges[other][0] and ranges[other][2] > ranges[one][1] + 1e-12
        }
        assert (pairs, number) == (15, len(could))
        assert difference == pytest.approx(max(could.values(), default=0))
        assert not could or difference == pytest.approx(could[a, b])


def test_pairs_of_measures(found: tuple[study.Result, dict[str, Any], dict[str, untied.Run]]) -> None:
    result, qrels, runs = found
    results = untied.evaluate(qrels, runs, MEASURES)
    assert [row[:2] for row in result.rows] == list(itertools.combinations(MEASURES, 2))
    for one, other, tau, ap, swaps, tied, to_tied, pairs, comparisons, opposite, equal, to_equal in result.rows:
        a, b = ({run: round(results.value(m, run=run).mean, 12) for run in runs} for m in (one, other))
        assert (tau, ap) == (kendall(a, b, variant="b").mean, tau_ap(a, b, variant="b").mean)
        assert (swaps, tied, to_tied, pairs) == (swapped(a, b), 0, 0, 15)
        signs = []
        for query, (x, y) in itertools.product(qrels, itertools.combinations(runs, 2)):
            sides = [
                round(results.value(m, query, run=x).mean - results.value(m, query, run=y).mean, 11)
                for m in (one, other)
            ]
            signs.append(tuple((side > 0) - (side < 0) for side in sides))
        assert comparisons == len(signs) == 75
        assert opposite == sum(a * b < 0 for a, b in signs)
        assert equal == sum(a == 0 != b for a, b in signs)
        assert to_equal == sum(b == 0 != a for a, b in signs)


def test_merged_groups(found: tuple[study.Result, dict[str, Any], dict[str, untied.Run]]) -> None:
    """The judgments have the grades 1 and 2, so there is only one way to merge."""
    result, qrels, runs = found
    one = {query: {doc: min(grade, 1) for doc, grade in judged.items()} for query, judged in qrels.items()}
    rows = list(result.tables["order-merged"].rows())
    assert [row[:2] for row in rows] == [(measure, "all") for measure in MEASURES]
    for measure, _, tau, swaps, tied, pairs, change, largest in rows:
        a, b = (
            {run: round(value.mean, 12) for run, value in ((run, r.value(measure, run=run)) for run in runs)}
            for r in (untied.evaluate(grades, runs, MEASURES) for grades in (qrels, one))
        )
        assert tau == pytest.approx(kendall(a, b, variant="b").mean, nan_ok=True)
        assert (swaps, pairs) == (swapped(a, b), 15)
        assert tied == sum(b[x] == b[y] for x, y in itertools.combinations(b, 2))
        changes = [b[run] - a[run] for run in runs]
        assert change == pytest.approx(sum(changes) / 6)
        assert largest == pytest.approx(max(map(abs, changes)))


def test_merge() -> None:
    truth = {"a": 9.0, "b": 4.0, "c": 4.0, "d": 2.0, "e": 1.5, "f": 1.0}
    assert merge(truth, 2) == {"a": 3, "b": 3, "c": 3, "d": 2, "e": 2, "f": 1}
    assert set(merge(truth, None).values()) == {1}
    assert merge({}, None) == {}


def test_criteria(tmp_path: pathlib.Path) -> None:
    """By hand: the truth is 1 | 2 3 | 4, and the rankings are 2 4 x and 2 3 1.

    For example, criterion 7: a document inserted above 2 lowers ADR. One inserted above 4 does not, because 4 counts
    only at rank 4, and is among the first four either way.
    """
    truth = {"q": [["1"], ["2", "3"], ["4"]]}
    runs = {"a": {"q": ["2", "4", "x"]}, "b": {"q": ["2", "3", "1"]}}
    result = study.order(truth, runs, tmp_path, measures=["ADR", "PairConcordance", "AP"], plots="none")
    counts = {row[:2]: row[2:] for row in result.tables["order-criteria"].rows()}
    # a: 2 and 4 exchanged. b: 2 and 3 are of one group, 3 and 1 are not.
    assert [counts["5", measure] for measure in ("ADR", "PairConcordance", "AP")] == [(1, 1, 0, 0)] * 3
    for measure, met in (("ADR", 0), ("PairConcordance", 2), ("AP", 0)):
        assert counts["6", measure] == (2, met, 2 - met, 0)

    def adr(*rankings: str) -> list[float]:
        return [untied.evaluate(truth, {"q": [*ranking]}, "ADR")["ADR"].mean for ranking in rankings]

    lower = 0
    for whole, longer in (("24x", ("y24x", "2y4x")), ("231", ("y231", "2y31", "23y1"))):
        (before,) = adr(whole)
        lower += sum(value < before - 1e-12 for value in adr(*longer))
    assert counts["7", "ADR"] == (5, lower, 5 - lower, 0)
    assert counts["7", "PairConcordance"] == (5, 0, 5, 0)
    assert counts["7", "AP"] == (5, 5, 0, 0)
    above = adr("y24x", "2y4x", "y231", "2y31", "23y1")
    below = adr("2y4x", "24yx", "2y31", "23y1", "231y")
    lower = sum(a < b - 1e-12 for a, b in zip(above, below, strict=True))
    assert counts["8", "ADR"] == (5, lower, 5 - lower, 0)
    assert 0 < lower < 5
    assert counts["8", "AP"] == (5, 5, 0, 0)


def test_scores_order_documents(tmp_path: pathlib.Path) -> None:
    """Rankings are cut and changed in the order of scores, whatever the order of the input."""
    truth = {"q": [["a"], ["b"]]}
    scores = {"x": 1.0, "b": 2.0, "a": 3.0}
    runs = {"up": {"q": scores}, "down": {"q": dict(reversed(scores.items()))}}
    result = study.order(truth, runs, tmp_path, measures=["ADR"], depth=2, plots="none")
    values = {row["run"]: row["value"] for row in result.tables["order-runs"].to_dicts()}
    assert values == {"up": 1, "down": 1}
    rows = {row[0]: row[2:] for row in result.tables["order-criteria"].rows()}
    assert rows["6"] == (2, 2, 0, 0)


def test_a_document_that_stands_for_no_other(tmp_path: pathlib.Path) -> None:
    """The inserted document is none of the collection's."""
    truth = {"q": [["outsider"], ["outsider'"]]}
    runs = {"a": {"q": ["outsider", "outsider'"]}, "b": {"q": ["outsider'", "outsider"]}}
    result = study.order(truth, runs, tmp_path, measures=["ADR"], plots="none")
    rows = {row[0]: row[2:] for row in result.tables["order-criteria"].rows()}
    assert rows["7"] == (4, 4, 0, 0)


def test_files_of_groups(tmp_path: pathlib.Path) -> None:
    """As lists of groups, and with groups merged two and two."""
    truth = {"q1": [["a", "b"], ["c"], ["d", "e"]], "q2": [["f"], ["g"]]}
    path = tmp_path / "truth.groups"
    path.write_text("q1\ta b | c | d e\nq2\tf | g\n")
    runs = {"one": {"q1": [*"bcaxd"], "q2": [*"gf"]}, "two": {"q1": [*"xdea"], "q2": [*"fg"]}}
    one = study.order(truth, runs, tmp_path / "one", plots="none")
    other = study.order(path, runs, tmp_path / "other", qrels_format="groups", plots="none")
    assert "nan" not in one.summary
    for name, table in one.tables.items():
        assert repr(list(table.rows())) == repr(list(other.tables[name].rows())), "nan of PairConcordance included"
    merged = [["a", "b", "c"], ["d", "e"]]
    value = untied.evaluate({"q1": merged, "q2": [["f", "g"]]}, runs["one"], "ADR")["ADR"].mean
    before = untied.evaluate(truth, runs["one"], "ADR")["ADR"].mean
    two = [untied.evaluate({"q1": merged, "q2": [["f", "g"]]}, runs["two"], "ADR")["ADR"].mean,
           untied.evaluate(truth, runs["two"], "ADR")["ADR"].mean]  # fmt: skip
    rows = {row["merged"]: row for row in one.tables["order-merged"].to_dicts() if row["measure"] == "ADR"}
    assert [*rows] == ["two and two", "all"]
    assert rows["two and two"]["change"] == pytest.approx((value - before + two[0] - two[1]) / 2)


def test_refusals(tmp_path: pathlib.Path) -> None:
    qrels, runs = collection(tmp_path)
    with pytest.raises(untied.UntiedError, match="ADRInverted"):
        study.order(qrels, runs, tmp_path / "out", measures=["ADRInverted"])
    with pytest.raises(untied.UntiedError, match="depth must be at least 1, not 0"):
        study.order(qrels, runs, tmp_path / "out", depth=0)
    assert main(["study", "order", str(qrels), *map(str, runs), "-o", str(tmp_path / "out"), "--depth", "0"]) == 2
