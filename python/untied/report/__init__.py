"""One self-contained page about an evaluation: what `untied report` writes."""

from __future__ import annotations

from untied.inputs.provenance import provenance
from untied.report.comparison import collect_comparison
from untied.report.data import collect
from untied.report.page import page
from untied.statistics.tests import SAMPLES, TEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from untied.compare.comparison import Comparison
    from untied.inputs.convert import QrelsLike, Runs
    from untied.inputs.texts import TextsLike
    from untied.measures import MeasureLike
    from untied.policies import Correction, Interval, QrelsFormat, ScoreDtype, TestName


#: What runs are compared by where nothing is asked for.
DISTANCES = ("RBO", "MED(nDCG@10)")


def report(
    qrels: QrelsLike,
    runs: Runs,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    baseline: str | None = None,
    title: str = "",
    depth: int = 20,
    level: float = 0.95,
    test: TestName = TEST,
    correction: Correction = "holm",
    interval: Interval = "bca",
    distances: Sequence[str] = DISTANCES,
    samples: int = SAMPLES,
    seed: int = 0,
    score_dtype: ScoreDtype = "float64",
    qrels_format: QrelsFormat = "auto",
    queries_text: TextsLike | None = None,
    docs_text: TextsLike | None = None,
    inputs: Sequence[str] = (),
    threads: int | None = None,
) -> str:
    """Make a report of one or several runs, as HTML that needs nothing else: no network, no server.

    Values are exact means over all orders of tied documents, with the lowest and the highest.

    Parameters
    ----------
    qrels, runs, measures, score_dtype, qrels_format, threads
        As for `untied.evaluate`.
    baseline : str, optional
        The run that all others are tested against. Where there is none every two are tested.
    title : str
        Of the page.
    depth : int
        How many documents of each ranking the page holds.
    level, test, correction, samples, seed
        As for `untied.statistics.significance`, with the same defaults, so both give one verdict.
    interval : str
        Of means: ``"bca"``, ``"t"`` or ``"none"``, as for `untied.statistics.mean_interval`.
    distances : list of measures
        What runs are compared by without judgments, as for `untied.compare_all`.
    queries_text, docs_text : path or mapping, optional
        Texts of queries and of documents by id, shown beside the ids. A file has an id, a tab and a text on every line;
        or, if it ends in .jsonl, an object with an id and a title or text.
    inputs : list of paths
        Files whose hashes the page gives, to tell later what it was made from.

    Returns
    -------
    str
        The page.

    Raises
    ------
    UntiedError
        As for `untied.evaluate` and `untied.statistics.significance`, or NumPy or SciPy is needed and not installed.
    InputError
        A file's content is not what its format promises.
    OSError
        A file cannot be read.
    """
    found = collect(
        qrels,
        runs,
        measures,
        baseline=baseline,
        depth=depth,
        level=level,
        test=test,
        correction=correction,
        interval=interval,
        distances=distances,
        samples=samples,
        seed=seed,
        score_dtype=score_dtype,
        qrels_format=qrels_format,
        queries_text=queries_text,
        docs_text=docs_text,
        threads=threads,
    )
    found["inputs"] = provenance(inputs)
    return page(found, title or "Evaluation")


def comparison_report(
    found: Comparison,
    *,
    title: str = "",
    depth: int = 20,
    queries_text: TextsLike | None = None,
    docs_text: TextsLike | None = None,
    inputs: Sequence[str] = (),
    threads: int | None = None,
) -> str:
    """Make a report of a comparison of two runs: how values spread, and both rankings of every query.

    Parameters
    ----------
    found : Comparison
        What `untied.compare` found.
    title, depth, queries_text, docs_text, inputs, threads
        As for `report`.

    Returns
    -------
    str
        The page.

    Raises
    ------
    InputError
        A line of a file of texts is not what it should be.
    """
    collected = collect_comparison(found, depth, queries_text, docs_text, threads)
    collected["inputs"] = provenance(inputs)
    return page(collected, title or f"{found.runs[0]} and {found.runs[1]}")
