"""Which unjudged documents matter most for a run's value, or for the question which of two runs is better."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum

from untied._core import judgment_outlook
from untied.errors import UntiedError
from untied.inputs import overlap
from untied.inputs.convert import as_qrels, named_runs
from untied.judging.sample import ranked
from untied.measures import as_measure
from untied.verdicts.runs import certify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from untied._core import Qrels, Run
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.verdicts.verdict import Verdict


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
    """

    query: str
    document: str
    ranks: tuple[int | None, ...]
    probability: float
    narrowing: float
    swing: float


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
        Best first: by `narrowing` for one run; for two by the expected change of their difference, `probability` times
        the size of `swing`.
    considered : int
        Number of documents considered.
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
    verdict: Verdict | None = None
    facts: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def difference(self) -> tuple[float, float] | None:
        """An interval that contains the difference between two runs, whatever the grades of unjudged documents are.

        The bounds of the difference are computed from the bounds of each run. The difference may not reach its ends,
        because the grades that are best for one run are rarely worst for the other.
        """
        if len(self.bounds) != 2:
            return None
        (low, high), (other_low, other_high) = self.bounds
        return low - other_high, high - other_low

    @property
    def settled(self) -> bool:
        """Whether one of two runs is better whatever the grades of unjudged documents."""
        if self.verdict is not None:
            return self.verdict.verdict != "open"
        return self.difference is not None and (self.difference[0] > 0 or self.difference[1] < 0)


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
        distributed as in the qrels.
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
        and there are not two runs or the measure has none.

    Warns
    -----
    UntiedWarning
        A run and the qrels have no query or no document in common.
    """
    if top < 1 or depth < 1:
        raise UntiedError(f"top and depth must be at least 1, not {min(top, depth)}")
    if prior is not None and not 0 <= prior <= 1:
        raise UntiedError(f"prior must be from 0 to 1, not {prior:g}")
    table = as_qrels(qrels, threads)
    if not len(table):
        raise UntiedError("no query to judge: the qrels are empty")
    measure = as_measure(measure)
    if measure.is_geometric:
        raise UntiedError(f"{measure} is not an arithmetic mean over queries, which judge-next needs")
    named = named_runs(runs, threads)
    if len(named) > 2:
        raise UntiedError(f"expected one run, or two to compare, found {len(named)}")
    if until_decided and len(named) != 2:
        raise UntiedError(f"until_decided needs two runs, found {len(named)}")
    loaded = [load() for _, load in named]
    candidates = _candidates(table, loaded, depth)
    asked = list(candidates.items())
    outlooks = [judgment_outlook(table, run, measure, asked, threads) for run in loaded]
    by_name = {name: run for (name, _), run in zip(named, loaded, strict=True)}
    overlap.warn({name: overlap.of_inputs(table, run, threads, judging=True) for name, run in by_name.items()})
    grades = outlooks[0][0]
    shares = _shares(table, grades)
    queries = 1 if measure.is_count else len(asked)
    found = []
    for number, (query, documents) in enumerate(asked):
        likely = prior if prior is not None else _prior(table[query].values())
        # Grade by grade as in `grades`, highest first, the last being 0.
        weights = [likely * share for share in shares] + [1 - likely] if shares else [1.0]
        views = [outlook[1][number] for outlook in outlooks]
        for place, document in enumerate(documents):
            ranks, narrowing, swing = [], 0.0, 0.0
            for sign, ((_, low, high), after) in zip((1, -1), views, strict=False):
                rank, outcomes = after[place]
                ranks.append(rank)
                expected = fsum(w * (most - least) for w, (_, least, most) in zip(weights, outcomes, strict=True))
                narrowing += (high - low) - expected
                relevant = fsum(share * outcome[0] for share, outcome in zip(shares, outcomes, strict=False))
                swing += sign * (relevant - outcomes[-1][0]) if shares else 0.0
            found.append(Candidate(query, document, tuple(ranks), likely, narrowing / queries, swing / queries))

    considered = len(found)
    verdict = None
    if until_decided:
        with overlap.Notes():  # there has been a warning
            verdict = certify(table, by_name, measure, threads=threads).between(*by_name)
        if verdict.verdict != "open":
            found = []
    lead = fsum(sign * now[0] for sign, (_, views) in zip((1, -1), outlooks, strict=False) for now, _ in views)

    def worth(one: Candidate) -> float:
        if len(loaded) == 1:
            return one.narrowing
        if until_decided and lead and one.swing * lead < 0:
            return (1 - one.probability) * abs(one.swing)
        return one.probability * abs(one.swing)

    found.sort(key=lambda one: (-worth(one), one.query, one.document))
    bounds = tuple(
        (fsum(now[1] for now, _ in views) / queries, fsum(now[2] for now, _ in views) / queries)
        for _, views in outlooks
    )
    facts = overlap.queries_of_inputs(table, by_name, threads)
    return Advice(str(measure), tuple(by_name), bounds, found[:top], considered, verdict, facts)


def _candidates(qrels: Qrels, runs: list[Run], depth: int) -> dict[str, list[str]]:
    """The unjudged documents at the top of the runs, for every query of the qrels."""
    candidates = {}
    for query in qrels.queries():
        judged = {document for document, grade in qrels[query].items() if grade >= 0}
        candidates[query] = sorted({document for run in runs for document in ranked(run, query)[:depth]} - judged)
    return candidates


def _shares(qrels: Qrels, grades: list[float]) -> list[float]:
    """The frequency of each grade above 0 among grades above 0."""
    counts = dict.fromkeys(grades[:-1], 0)
    for query in qrels.queries():
        for grade in qrels[query].values():
            if grade > 0:
                counts[grade] += 1
    total = sum(counts.values())
    return [count / total for count in counts.values()]


def _prior(grades: Iterable[float]) -> float:
    judged = [grade for grade in grades if grade >= 0]
    return (sum(grade > 0 for grade in judged) + 0.5) / (len(judged) + 1)


def rows(advice: Advice) -> Iterator[dict[str, object]]:
    """The candidates as rows of a table, with one column for the rank in each run."""
    for one in advice.candidates:
        row: dict[str, object] = {"query": one.query, "document": one.document}
        row |= {f"rank in {name}": rank for name, rank in zip(advice.runs, one.ranks, strict=True)}
        yield row | {"probability": one.probability, "narrowing": one.narrowing, "swing": one.swing}
