"""Find which of several runs are certainly better, for all grades of unjudged documents."""

from __future__ import annotations

from untied import _core
from untied.errors import check_between, check_pairs
from untied.inputs import mismatch
from untied.inputs.convert import as_lengths, as_qrels, two_or_more
from untied.measures import as_measures
from untied.verdicts.results import Verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from untied._literals import ScoreDtype, TiesOfVerdicts, UnjudgedOfVerdicts, Unretrieved
    from untied.inputs.convert import DocsLike, QrelsLike, Runs
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
    docs: DocsLike | None = None,
    strict: bool = False,
    threads: int | None = None,
) -> Verdicts:
    """Find which runs are certainly better despite missing judgments.

    Use it if your runs retrieve documents that nobody judged. A run is *certainly better* if its mean is higher
    whatever grades these documents have. For every two runs, you get the lowest and the highest possible difference of
    their means. This says more than the bounds of each mean that `evaluate` gives, because a document that both runs
    retrieve has the same grade in both.

    If a run leads, you also learn how firmly: how many unjudged documents would have to be relevant to end the lead.

    Parameters
    ----------
    qrels : qrels
        Judgments, as for `evaluate`.
    runs : list of runs, or {name: run}
        Two or more runs, of any kind that `evaluate` takes.
    measures : measures or their names, optional
        The measures to compare by; the default is nDCG@10, P@10 and RR. P, Hits, R, F1, RBP, DCG, nDCG, RR, Success,
        Rprec, AP, ERR, Bpref, TBG and U have solvers of their own, and so do measures of subtopics that are not divided
        by the best ranking: alpha_DCG, ERR_IA, P_IA and StRecall with a cutoff, NRBP, AP_IA, and RBU with
        ``max_grade``. For other measures of one run that have bounds over unjudged documents, such as ADR or Q, there
        is a general search.
    ties : str
        How to score tied documents. ``"expected"``: take the mean over all orders. ``"range"``: a verdict must hold for
        every order in both runs. ``"docid"``, ``"trec"``, ``"given"``: use one order, as for `evaluate`.

        Some bounds may be wider than necessary: with ``"expected"`` those of AP, ERR and Bpref, and with ``"range"``
        those of these three and of nDCG with several grades. TBG, U and measures of subtopics do not take ``"range"``.
    unjudged : str
        Which documents may turn out to be relevant. ``"retrieved"``: all that a run retrieves and nobody judged.
        ``"pooled"``: only those with a negative grade (*pooled but not judged*). All others count as not relevant.
    unretrieved : str
        Whether documents that neither run retrieves may turn out to be relevant, too. ``"none"``: they may not.
        ``"pooled"``: they may if they have a negative grade.
    score_dtype : str
        The precision at which scores are compared, as for `evaluate`.
    most : int, optional
        How many unjudged documents of each query may be relevant at most. By default, all of them may be.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The length of each document, and optionally the seconds that it takes to read. Only the measures TBG and U need
        this.
    strict : bool
        Whether to raise an error where you would otherwise get a warning.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

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
        An option or a score is refused; there are fewer than two runs; or a run and the qrels have no query in common,
        or look swapped.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        A run and the qrels have no document in common, a run is empty, or nothing is relevant. With ``strict=True``,
        this is an `UntiedError`.

    Examples
    --------
    One of the two documents of run ``b`` is not judged. Even if it is relevant, ``a`` has more relevant documents:

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
    options: dict[str, Any] = {
        "policies": policies, "most": most, "docs": as_lengths(docs, threads), "threads": threads,
    }  # fmt: skip
    mismatch.refuse_swapped(
        {name: mismatch.of_inputs(known, run, threads) for name, run in loaded.items()}, strict=strict
    )
    concluded = _core.certify_runs(list(loaded.values()), asked, qrels=known, **options)
    return Verdicts(loaded, asked, concluded, known, options)


#: Verdicts that are certain most often where judgments are complete to some depth.
DEFAULT = ("nDCG@10", "P@10", "RR")
