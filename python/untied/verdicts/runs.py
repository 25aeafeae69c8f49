"""Certifying which of several runs are better for all grades of unjudged documents."""

from __future__ import annotations

from untied import _core
from untied.errors import check_between, check_pairs
from untied.inputs import mismatch
from untied.inputs.convert import as_qrels, two_or_more
from untied.measures import as_measures
from untied.verdicts.results import Verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from untied._literals import ScoreDtype, TiesOfVerdicts, UnjudgedOfVerdicts, Unretrieved
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike


def certify(
    qrels: QrelsLike,
    runs: Runs,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    ties: TiesOfVerdicts = "expected",
    unjudged: UnjudgedOfVerdicts = "retrieved",
    unretrieved: Unretrieved = "none",
    score_dtype: ScoreDtype = "float64",
    most: int | None = None,
    strict: bool = False,
    threads: int | None = None,
) -> Verdicts:
    """Find which runs are certainly better despite missing judgments.

    Use it if documents of both runs are unjudged. The ranges of two runs may overlap although one is certainly better,
    because a document has the same grade in both. So this bounds the *difference* of their means, over all grades that
    unjudged documents may have. It also finds how many more relevant documents could end the lead of the better run,
    and up to how many in each query the lead is certain. Every relevant document counts in R and in the ideal ranking.
    A judged query that is missing from a run counts as an empty ranking.

    Parameters
    ----------
    qrels : qrels
        Judgments, as for `evaluate`.
    runs : list of runs, or {name: run}
        Two or more runs, of any kind that `evaluate` takes.
    measures : measures or their names, optional
        P, Hits, R, F1, RBP, DCG, nDCG, RR, Success, Rprec, AP, ERR or Bpref, with their parameters; or any other
        measure of one run with bounds over unjudged documents, such as ADR or Q, whose verdicts a general search finds.
        By default nDCG@10, P@10 and RR.
    ties : str
        ``"expected"``: differences of means over all orders of tied documents (for AP, ERR and Bpref, bounds may be
        wider than necessary). ``"range"``: verdicts that hold for every order of both runs (for AP, ERR, Bpref, and
        nDCG with several grades, bounds may be wider than necessary). ``"docid"``, ``"trec"``, ``"given"``: one order,
        as for `evaluate`.
    unjudged : str
        ``"retrieved"``: every retrieved document without a judgment may be relevant. ``"pooled"``: only unjudged
        documents in the pool (negative grade) may be relevant; all others are non-relevant.
    unretrieved : str
        ``"none"``: only unjudged documents that one of the two runs retrieves may be relevant. ``"pooled"``: documents
        in the pool that neither run retrieves may be relevant too.
    score_dtype : str
        Precision at which scores are compared, as for `evaluate`.
    most : int, optional
        Largest number of unjudged documents of each query that may be relevant; by default any number.
    strict : bool
        Whether to raise an error instead of a warning if a run and the qrels have no document in common, or nothing is
        relevant.
    threads : int, optional
        Number of threads; as many as there are processors by default. The number of threads never changes a value.

    Returns
    -------
    Verdicts

    Raises
    ------
    MeasureError
        A measure is not understood, or has no verdicts.
    InputError
        A file does not match its format.
    UntiedError
        An option or a score is refused; there are fewer than two runs; a run and the qrels have no query in common,
        or look swapped; with ``strict=True``, also instead of a warning.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        A run and the qrels have no document in common, a run is empty, or nothing is relevant.

    Examples
    --------
    One of the two documents of run ``b`` is not judged. Even if it is relevant, ``a`` has more relevant documents.

    >>> import untied
    >>> qrels = {"q": {"x": 1, "y": 1, "z": 0}}
    >>> runs = {"a": {"q": ["x", "y"]}, "b": {"q": ["z", "new"]}}
    >>> untied.certify(qrels, runs, "P@2")["a", "b"]["P@2"]
    Verdict(verdict='A', low=0.5, high=1.0, overturn=inf, largest_m=inf)
    """
    policies = _core.Policies(
        "verdicts", ties=ties, unjudged=unjudged, unretrieved=unretrieved, score_dtype=score_dtype
    )  # fmt: skip
    if most is not None:
        check_between("most", most, 0)
    asked = as_measures(DEFAULT if measures is None else measures)
    loaded = two_or_more(runs, "a verdict", threads, qrels)
    check_pairs(len(loaded), "certify fewer runs")
    known = as_qrels(qrels, threads)
    options: dict[str, Any] = {"policies": policies, "most": most, "threads": threads}
    mismatch.refuse_swapped(
        {name: mismatch.of_inputs(known, run, threads) for name, run in loaded.items()}, strict=strict
    )
    concluded = _core.certify_runs(list(loaded.values()), asked, qrels=known, **options)
    return Verdicts(loaded, asked, concluded, known, options)


#: Verdicts that are certain most often where judgments are complete to some depth.
DEFAULT = ("nDCG@10", "P@10", "RR")
