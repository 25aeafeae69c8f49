"""The tests of the packages we stand for, run on our code in the place of theirs.

scikit-learn carries its tests. Those of ir_measures are in its source distribution, which is looked for, unpacked, in
``$UNTIED_HOSTS`` (``../shared/hosts``); ``pip download --no-binary :all: --no-deps ir_measures==0.4.3`` fetches it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from nightly import SEED, some

HOSTS = Path(os.environ.get("UNTIED_HOSTS", Path(__file__).parents[3] / "shared" / "hosts"))


def run(folder: Path, *arguments: str, **environment: str) -> tuple[int, set[str]]:
    """Run pytest; the number of tests that passed, and the names of those that did not."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", "-W", "ignore", "-c", os.devnull,
         f"--rootdir={folder}", *arguments],
        cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "hosts"), **environment},
    )  # fmt: skip
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed, done.stdout[-2000:] + done.stderr[-2000:]
    return int(passed[1]), set(re.findall(r"^(?:SUB)?(?:FAILED|ERROR)\S* .*?::(\w+)(?=[\[ \n])", done.stdout, re.M))


#: What scikit-learn's tests hold otherwise, on purpose: ties (docs/coming_from/scikit_learn.md), and words of errors.
SKLEARN = {
    "test_alternative_lrap_implementation": "ties",
    "test_coverage_error": "ties",
    "test_coverage_tie_handling": "ties",
    "test_label_ranking_loss": "ties",
    "test_label_ranking_loss_sparse": "ties",
    "test_top_k_accuracy_score_ties": "ties",
    "test_coverage_1d_error_message": "words",
    "test_ndcg_negative_ndarray_error": "words",
    "test_ndcg_error_single_document": "words",
    "test_top_k_accuracy_score_error": "words",
    "test_top_k_accuracy_score_warning": "words",
}


def test_scikit_learn(tmp_path: Path) -> None:
    pytest.importorskip("sklearn.metrics.tests.test_ranking")
    chosen = "(label_ranking or lrap or coverage or dcg_ or ndcg or top_k)"
    chosen += "" if SEED else " and not check_lrap_only_ties and not check_lrap_without_tie_and_increasing_score"
    passed, failed = run(
        tmp_path, "-p", "sklearn_plugin", "--pyargs", "sklearn.metrics.tests.test_ranking", "-k", chosen
    )
    assert failed == set(SKLEARN)
    assert passed >= (30 if SEED else 25)


@pytest.mark.parametrize("who", ["provider", "module"])
def test_ir_measures(who: str, tmp_path: Path) -> None:
    """What fails without us (files and packages that are not there) fails with us, and nothing else."""
    pytest.importorskip("ir_measures")
    suite = HOSTS / "ir_measures-0.4.3" / "tests"
    if not suite.is_dir():
        pytest.skip(f"no source distribution of ir_measures in {HOSTS}")
    tests = shutil.copytree(suite, tmp_path / "theirs")
    (tests / "__init__.py").touch()
    shutil.copy(Path(__file__).parents[1] / "hosts" / "ir_measures_base.py", tests / "base.py")
    without = run(tmp_path, "-p", "ir_measures_plugin", "theirs", WHO="nobody")
    assert without[0] >= 29
    assert run(tmp_path, "-p", "ir_measures_plugin", "theirs", WHO=who) == without


@pytest.mark.filterwarnings("ignore")  # its own
def test_pyterrier() -> None:
    """Experiments over frames, with batches and topics that qrels or topics lack: the same tables, or both refuse."""
    pyterrier = pytest.importorskip("pyterrier")
    pandas = pytest.importorskip("pandas")
    import untied.compat.ir_measures as ours

    rows = {"1": [("10", 3.0), ("x", 2.0)], "2": [("y", 3.0), ("94", 2.0), ("z", 2.0)], "3": [("10", 1.0)]}

    def search(topics: Any) -> Any:
        found = [(topic, *row, rank) for topic in topics.qid for rank, row in enumerate(rows[topic])]
        return pandas.DataFrame(found, columns=["qid", "docno", "score", "rank"]).merge(topics, on="qid")

    qrels = pandas.DataFrame({"qid": ["1", "1", "2"], "docno": ["10", "56", "94"], "label": [1, 1, 1]})
    topics = pandas.DataFrame({"qid": ["1", "2", "3"], "query": ["one", "two", "three"]})
    names = pyterrier.measures
    measures = [names.P @ 2, "P", names.AP(rel=2), names.NumRet, names.NumQ, names.NumRel, names.RR, "bpref"]

    def table(judged: list[str], asked: list[str], **options: Any) -> Any:
        try:
            found = pyterrier.Experiment(
                [pyterrier.apply.generic(search)], topics[topics.qid.isin(asked)], qrels[qrels.qid.isin(judged)],
                measures, **options,
            )  # fmt: skip
        except ValueError as error:
            return str(error)
        if options["perquery"]:
            return found.sort_values(["qid", "measure"]).drop(columns="name").to_numpy().tolist()
        return sorted(found.drop(columns="name").iloc[0].items())

    differences, refused, asked_for = [], 0, 0
    for judged, asked in product((["1", "2"], ["1"]), (["1", "2"], ["1"], ["2", "3"], ["3", "1"])):
        for plan, batch, keep, perquery in some(
            list(product(("linear", "tree"), (None, 1), (True, False), (True, False))), 3
        ):
            options = {"plan": plan, "batch_size": batch, "perquery": perquery,
                       "filter_by_qrels": keep, "filter_by_topics": not keep}  # fmt: skip
            results = []
            for prefer in (False, True):
                ours.install(prefer=prefer)
                results.append(repr(table(judged, asked, **options)))
            ours.install()
            asked_for += 1
            refused += "overlap" in results[0]
            if results[0] != results[1]:
                differences.append((judged, asked, options, results))
    assert differences == []
    assert refused < asked_for / 2
