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

    Use it if your runs retrieve documents that nobody judged. The ranges that `evaluate` gives for two runs may overlap
    although one of the runs is certainly better, because each document has the same grade in both. So `certify` bounds
    the *difference* of their means, over all grades that unjudged documents may have.

    If a run leads, `certify` also says how firmly. It says how many unjudged documents would have to be relevant to end
    the lead, and how many of them may be relevant in each query while the lead stays certain. Documents that turn out
    relevant also count in R and in the ideal ranking. A judged query that a run lacks counts as an empty ranking.

    Parameters
    ----------
    qrels : qrels
        Judgments, as for `evaluate`.
    runs : list of runs, or {name: run}
        Two or more runs, of any kind that `evaluate` takes.
    measures : measures or their names, optional
        By default nDCG@10, P@10 and RR. P, Hits, R, F1, RBP, DCG, nDCG, RR, Success, Rprec, AP, ERR and Bpref have
        solvers of their own. You can ask for any other measure of one run that has bounds over unjudged documents, such
        as ADR or Q; a general search finds its verdicts.
    ties : str
        ``"expected"``: the runs' values are means over all orders of tied documents. ``"range"``: verdicts hold for
        every order of both runs. ``"docid"``, ``"trec"``, ``"given"``: use one order, as for `evaluate`.

        Bounds may be wider than necessary with ``"expected"`` for AP, ERR and Bpref, and with ``"range"`` for these and
        for nDCG with several grades.
    unjudged : str
        Which documents may turn out to be relevant. ``"retrieved"``: all documents that a run retrieves and nobody
        judged. ``"pooled"``: only documents that were pooled but not judged (a negative grade). All other documents
        without a judgment then count as not relevant.
    unretrieved : str
        Whether documents that neither of the two runs retrieves may turn out to be relevant too. ``"none"``: they may
        not. ``"pooled"``: they may, if they were pooled but not judged.
    score_dtype : str
        Precision at which scores are compared, as for `evaluate`.
    most : int, optional
        How many unjudged documents of each query may be relevant at most. By default, any number of them may be.
    strict : bool
        Whether to raise an error instead of a warning if a run and the qrels have no document in common, or nothing is
        relevant.
    threads : int, optional
        How many threads to use. By default, there is one for each processor. The number of threads never changes a
        value.

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
