"""Which unjudged documents matter most for a run's value, or for the question which of two runs is better."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from math import fsum

from untied._core import Policies, judgment_outlook
from untied.errors import UntiedError, check_count, check_flag, check_share
from untied.inputs import mismatch
from untied.inputs.convert import as_qrels, named_runs
from untied.measures import as_measure
from untied.results.difference_bounds import DifferenceBounds
from untied.verdicts.runs import certify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from untied._core import Measure
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.verdicts.verdict import Verdict


#: Rounding errors of a mean are smaller, as for verdicts.
MARGIN = 1e-9
#: Numbers of a document, as columns.
COLUMNS = ("probability", "narrowing", "swing", "worth")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that could be judged.

    Attributes
    ----------
    query, document : str
        What to judge.
    ranks : tuple of (int or None)
        In each run, the rank of the first document that is tied with it; None if it is not retrieved.
    probability : float
        Estimated probability that its grade is above 0.
    narrowing : float
        How much a judgment is expected to narrow the bounds of the run's mean; for two runs, of both means together.
    swing : float
        How much the mean changes (for two runs, the difference, first minus second) if the document has a grade above 0
        instead of 0, while all other unjudged documents are non-relevant.
    worth : float
        What documents are ranked by: for one run, `narrowing`; for two, the expected change of their difference,
        `probability` times the size of `swing`. With ``until_decided``, the size of `swing` times the probability of
        the judgment that would help to decide the verdict.
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
    """What to judge next.

    Attributes
    ----------
    measure : str
        Name of the measure.
    runs : tuple of str
        One or two names.
    bounds : tuple of (float, float)
        For each run, the exact smallest and largest mean over all grades of unjudged documents.
    candidates : list of Candidate
        Best first, by `worth`.
    considered : int
        Number of documents considered.
    difference : tuple of (float, float) or None
        Bounds of the difference between two runs (first minus second) over all grades of unjudged documents, the same
        as in tests with ``unjudged="range"``.
    is_joint : bool
        Whether `difference` takes into account that a document has the same grade in both runs. If not, because the
        measure has no verdicts, it is computed from `bounds`, and documents of the other run do not count.
    verdict : Verdict or None
        The verdict of `untied.certify` about two runs, with ``until_decided``.
    facts : dict
        For each run, the number of judged queries that are missing from it (``absent``), which count as empty rankings,
        and of its queries without judgments (``unknown``), which are left out.
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
        """Whether one of two runs is better for all grades of unjudged documents."""
        if self.verdict is not None:
            return self.verdict.verdict != "open"
        return self.difference is not None and (self.difference[0] > MARGIN or self.difference[1] < -MARGIN)


def judge_next(
    qrels: QrelsLike,
    runs: Runs,
    measure: MeasureLike = "AP",
    *,
    top: int = 20,
    depth: int = 100,
    prior: float | None = None,
    until_decided: bool = False,
    threads: int | None = None,
) -> Advice:
    """Rank unjudged documents by how much a judgment is expected to narrow the bounds.

    Use it if somebody has time to judge a few more documents. With one run, it lists those that would say most about
    the run's mean; with two, those that would change their difference most. Judge some and ask again, because each
    judgment changes what is worth judging next.

    Parameters
    ----------
    qrels : Qrels, path, or {query: {document: grade}}
        Judgments. Documents with a negative grade are not judged.
    runs : runs
        One, or two to be compared; as for `evaluate`.
    measure : measure or str
        A measure with bounds over unjudged documents.
    top : int
        Number of documents to return.
    depth : int
        Number of documents per query that each run proposes: the first ones, with ties ordered by id, descending.
    prior : float, optional
        Probability of a grade above 0. By default, the share of such grades among the judged documents of the query,
        smoothed by adding half a document with such a grade and half a document without. The grades above 0 are
        distributed as in the qrels. If none of these is relevant to the measure, half a document with a relevant grade
        is added.
    until_decided : bool
        Rank documents by how much they help to decide a verdict of `untied.certify` about two runs. The verdict gets
        closer if a document that would help the trailing run is judged not relevant, or one that would help the leading
        run is judged relevant. Each document therefore counts by its swing times the probability of this outcome.
    threads : int, optional
        Number of threads; as many as there are processors by default. The number of threads never changes a value.

    Returns
    -------
    Advice

    Raises
    ------
    UntiedError
        There are more than two runs, the measure has no bounds, or a number is out of range; or verdicts are asked for,
        and there are not two runs or the measure has none; or a run and the qrels have no query in common.

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
    now, rows, considered = judgment_outlook(
        table, list(loaded.values()), measure, top=top, depth=depth, prior=prior, until_decided=until_decided,
        threads=threads,
    )  # fmt: skip
    mismatch.warn({name: mismatch.of_inputs(table, run, threads, judging=True) for name, run in loaded.items()})
    candidates = [Candidate(query, document, tuple(ranks), *numbers) for query, document, ranks, *numbers in rows]
    verdict = None
    if until_decided:
        with mismatch.Silence():  # there has been a warning
            verdict = certify(table, loaded, measure, threads=threads).between(*loaded)
        if verdict.verdict != "open":
            candidates = []
    queries = 1 if measure.is_count else len(table)
    columns = [[array("d", bytes(column)) for column in of_run] for of_run in now]
    bounds = tuple((fsum(low) / queries, fsum(high) / queries) for _, low, high in columns)
    facts = mismatch.queries_of_inputs(table, loaded, threads)
    difference, is_joint = None, True
    if len(bounds) == 2:
        (low, high), (other_low, other_high) = bounds
        together = DifferenceBounds(table, loaded, Policies("runs"), threads)
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
