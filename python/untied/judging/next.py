"""Which unjudged documents matter most for a run's value, or for the question which of two runs is better."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from math import fsum

from untied._core import Policies, judgment_outlook
from untied.errors import UntiedError, check_count, check_flag, check_share
from untied.inputs import mismatch
from untied.inputs.convert import as_lengths, as_qrels, named_runs
from untied.measures import as_measure
from untied.results.difference_bounds import DifferenceBounds
from untied.verdicts.runs import certify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from untied._core import Measure
    from untied.inputs.convert import DocsLike, QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.verdicts.verdict import Verdict


#: Rounding errors of means are smaller, relative to means above 1, as for verdicts.
MARGIN = 1e-9
#: Numbers of a document, as columns.
COLUMNS = ("probability", "narrowing", "swing", "worth")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that you could judge next, and what you would learn from it.

    Attributes
    ----------
    query, document : str
        The id of the query and of the document.
    ranks : tuple of (int or None)
        The document's rank in each run, or None if a run does not retrieve it. Tied documents share the rank of the
        first of them.
    probability : float
        An estimate of how probable it is that the document gets a grade above 0.
    narrowing : float
        By how much this judgment is expected to narrow the bounds of the run's mean. For two runs, it is the sum over
        both.
    swing : float
        By how much the mean is higher if the document gets a grade above 0 than if it gets 0. Other unjudged documents
        count as in an evaluation. For two runs, this is about the difference of their means, first minus second.
    worth : float
        The number by which candidates are sorted. For one run, it is `narrowing`. For two runs, it is `probability`
        times the size of `swing`. With ``until_decided``, it is the size of `swing` times the probability of the
        judgment that would help to decide.
    """

    query: str
    document: str
    ranks: tuple[int | None, ...]
    probability: float
    narrowing: float
    swing: float
    worth: float


@dataclass(frozen=True, slots=True)
class Advice:
    """Which documents to judge next, and what is certain so far, as `judge_next` returns it.

    Attributes
    ----------
    measure : str
        The name of the measure.
    runs : tuple of str
        The names of the runs, one or two.
    bounds : tuple of (float, float)
        For each run, the smallest and the largest mean over all grades of unjudged documents.
    candidates : list of Candidate
        The documents to judge, the one that is most worth judging first.
    considered : int
        How many unjudged documents were considered.
    difference : tuple of (float, float) or None
        For two runs, the smallest and the largest possible difference of their means, first minus second. With one run,
        this is None.
    is_joint : bool
        Whether `difference` takes into account that a document has the same grade in both runs. If not, as for measures
        that `untied.certify` does not support, it is wider than necessary.
    verdict : Verdict or None
        The verdict of `untied.certify` on the two runs, if you passed ``until_decided=True``, else None.
    facts : dict
        For each run, how many judged queries it lacks (``absent``) and how many of its queries are not judged
        (``unknown``). The first count as empty rankings; the second are left out.
    """

    measure: str
    runs: tuple[str, ...]
    bounds: tuple[tuple[float, float], ...]
    candidates: list[Candidate]
    considered: int
    difference: tuple[float, float] | None = None
    is_joint: bool = True
    verdict: Verdict | None = None
    facts: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def settled(self) -> bool:
        """Whether one of two runs is better whatever grades the unjudged documents have."""
        if self.verdict is not None:
            return self.verdict.verdict != "open"
        if self.difference is None:
            return False
        (low, high), margin = self.difference, MARGIN * max(1.0, *(abs(end) for ends in self.bounds for end in ends))
        return low > margin or high < -margin


def judge_next(
    qrels: QrelsLike,
    runs: Runs,
    measure: MeasureLike = "AP",
    *,
    top: int = 20,
    depth: int = 100,
    prior: float | None = None,
    until_decided: bool = False,
    docs: DocsLike | None = None,
    threads: int | None = None,
) -> Advice:
    """List the unjudged documents that are most worth judging.

    Use it if somebody has time to judge a few more documents. With one run, you get those that would say most about its
    mean; with two runs, those that would change their difference most. Judge some of them and call it again, because
    each judgment changes what is worth judging next.

    Parameters
    ----------
    qrels : Qrels, path, or {query: {document: grade}}
        The judgments that you have so far. Documents with a negative grade count as not judged.
    runs : runs
        One run, or two runs that you compare, of any kind that `untied.evaluate` takes.
    measure : measure or str
        The measure that you want to know better, such as ``"nDCG@10"``. It must have bounds over unjudged documents.
    top : int
        How many documents to list.
    depth : int
        How many documents of each ranking to consider. Tied documents are put in descending order of their ids first.
    prior : float, optional
        How probable it is that an unjudged document has a grade above 0, such as 0.1. By default, it is estimated for
        each query, as the share of its judged documents that have such a grade (after adding half a document with one,
        and half a document without).

        If a document has a grade above 0, each of these grades is as probable as it is frequent in the qrels. If the
        measure counts none of them as relevant, half a document with a relevant grade is added.
    until_decided : bool
        Whether to look for documents that help to decide which of two runs is certainly better. A judgment helps if it
        makes the leading run look better: a document that it gains from is relevant, or one that the trailing run gains
        from is not. Each document counts by its swing times the probability of this judgment.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The length of each document, and optionally the seconds that it takes to read. Only the measures TBG and U need
        this.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    Advice

    Raises
    ------
    UntiedError
        There are more than two runs; the measure has no bounds; a number is out of range; or a run and the qrels have
        no query in common. With `until_decided`, there are not two runs, or the measure has no verdicts.

    Warns
    -----
    UntiedWarning
        A run and the qrels have no document in common.
    """
    check_count("top", top)
    check_count("depth", depth)
    check_flag("until_decided", until_decided)
    if prior is not None:
        check_share("prior", prior)
    table = as_qrels(qrels, threads)
    if not len(table):
        raise UntiedError("no query to judge: the qrels are empty")
    measure = as_measure(measure)
    if measure.is_geometric:
        raise UntiedError(f"judge-next needs a measure with an arithmetic mean over queries, not {measure}")
    named = named_runs(runs, threads, qrels)
    if len(named) > 2:
        raise UntiedError(f"expected one run, or two to compare, found {len(named)}")
    if until_decided and len(named) != 2:
        raise UntiedError(f"until_decided needs two runs, found {len(named)}")
    loaded = {name: load() for name, load in named}
    lengths = as_lengths(docs, threads)
    now, rows, considered = judgment_outlook(
        table, list(loaded.values()), measure, top=top, depth=depth, prior=prior, until_decided=until_decided,
        docs=lengths, threads=threads,
    )  # fmt: skip
    mismatch.warn({name: mismatch.of_inputs(table, run, threads, judging=True) for name, run in loaded.items()})
    candidates = [Candidate(query, document, tuple(ranks), *numbers) for query, document, ranks, *numbers in rows]
    verdict = None
    if until_decided:
        with mismatch.Silence():  # there has been a warning
            verdict = certify(table, loaded, measure, docs=lengths, threads=threads).between(*loaded)
        if verdict.verdict != "open":
            candidates = []
    queries = 1 if measure.is_count else len(table)
    columns = [[array("d", bytes(column)) for column in of_run] for of_run in now]
    bounds = tuple((fsum(low) / queries, fsum(high) / queries) for _, low, high in columns)
    facts = mismatch.queries_of_inputs(table, loaded, threads)
    difference, is_joint = None, True
    if len(bounds) == 2:
        (low, high), (other_low, other_high) = bounds
        together = DifferenceBounds(table, loaded, Policies("runs"), lengths, threads)
        joint = _difference(together, measure, list(loaded), [values for values, *_ in columns])
        difference, is_joint = joint or (low - other_high, high - other_low), joint is not None
    return Advice(str(measure), tuple(loaded), bounds, candidates, considered, difference, is_joint, verdict, facts)


def _difference(
    joint: DifferenceBounds, measure: Measure, runs: list[str], values: Sequence[Sequence[float]]
) -> tuple[float, float] | None:
    """Bounds of the mean difference of two runs with these values of queries; None if the measure has no verdicts."""
    bounds = joint.bounds(measure, [(runs[0], runs[1])])
    if bounds is None:
        return None
    [(lows, highs)] = bounds
    differences = array("d", (a - b for a, b in zip(*values, strict=True)))
    # They contain the difference, as those that are tested do.
    low, high = fsum(map(min, lows, differences)), fsum(map(max, highs, differences))
    return low / len(differences), high / len(differences)


def rows(advice: Advice) -> Iterator[dict[str, str | float | None]]:
    """The candidates as rows of a table, with one column for the rank in each run."""
    for one in advice.candidates:
        row: dict[str, str | float | None] = {"query": one.query, "document": one.document}
        row |= {f"rank in {name}": rank for name, rank in zip(advice.runs, one.ranks, strict=True)}
        yield row | {name: getattr(one, name) for name in COLUMNS}
