"""Estimates of runs from human judgments of a sample of each query's documents, and a machine's of all documents.

The value of a query is estimated from its sample in the way of Horvitz and Thompson: a document that was drawn with
probability p counts 1/p times. The same estimate from the machine's labels of the same documents has a known error,
because the machine judged the others as well. A share of this error, the slope, is subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise
from math import fsum, inf, nan, sqrt
from statistics import NormalDist

from untied import _core
from untied._core import show_id
from untied.errors import UntiedError, check_one_of
from untied.evaluation.runs import evaluate
from untied.inputs import mismatch
from untied.inputs.convert import as_labels, as_qrels, loaded_runs
from untied.inputs.files import refuse_probabilities
from untied.inputs.mismatch import Silence, listed
from untied.measures import as_measures, parse_measure
from untied.results.table import tidy
from untied.statistics.intervals import check_level
from untied.statistics.judged_runs import (
    NUMBERS,
    SAMPLED,
    RunEstimates,
    name_of,
    notes_on_pairs,
    notes_on_queries,
    row_of,
    subjects_of,
)
from untied.statistics.judges import FEW, LEAST, TARGETS, Estimate, Sample
from untied.statistics.values import mean_of, t_quantile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from untied._core import Measure, Qrels, Run
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.results.evaluation import Results
    from untied.statistics.judges import Target

    Grades: TypeAlias = Mapping[str, float]
    #: For each document, what it adds to an estimate, times its probability p of being drawn.
    Parts: TypeAlias = dict[str, float]

#: Measures that are sums of weights of ranks times gains of grades; nDCG divides such a sum.
_LINEAR = ("P", "Hits", "DCG", "RBP", "INSQ", "SDCG")
#: A document that stands for more others than this makes estimates wild.
_WILD = 20.0
_UNUSED = "the machine is not used: its errors do not go together with the human estimates"
_ALIKE = (
    f"human and machine labels of the drawn documents give different scores in fewer than {LEAST} queries, so nothing "
    "says how far the machine is off elsewhere, and the interval is too narrow"
)


@dataclass(frozen=True, slots=True)
class DrawnQuery:
    """The documents of a query: which were drawn, with which probability, and both kinds of labels."""

    query: str
    #: The human grades of the documents that were drawn.
    human: dict[str, float]
    #: The machine's grades of all documents that could be drawn.
    machine: dict[str, float]
    #: The probability of being drawn, of those that were.
    chances: dict[str, float]
    #: For each stratum, its number of documents, and those that were drawn. Empty if each was drawn on its own.
    strata: list[tuple[int, list[str]]]
    #: How many documents could be drawn; infinity if that is not known.
    size: float

    def covariance(self, one: Parts, other: Parts) -> float:
        """Estimate the covariance of two sums of parts, each divided by the document's probability."""
        if not self.strata:
            return fsum(
                (1 - self.chances[document]) / self.chances[document] ** 2 * part * other.get(document, 0.0)
                for document, part in one.items()
            )
        total = []
        for size, drawn in self.strata:
            count = len(drawn)
            if count < size:
                a, b = ([parts.get(document, 0.0) for document in drawn] for parts in (one, other))
                a_mean, b_mean = mean_of(a), mean_of(b)
                product = fsum((x - a_mean) * (y - b_mean) for x, y in zip(a, b, strict=True)) / (count - 1)
                total.append(size * size * (1 - count / size) / count * product)
        return fsum(total)


def drawn_queries(human: Qrels, machine: Qrels) -> list[DrawnQuery]:
    """Return the documents of all queries of which people judged some.

    Raises
    ------
    UntiedError
        No document of a stratum was drawn.
    """
    found = []
    for query in human.queries():
        rows = human.drawn(query)
        labels = dict(machine[query]) if query in machine else {}
        drawn = {document: grade for document, (grade, _) in rows.items() if grade >= 0}
        strata: list[tuple[int, list[str]]] = []
        if human.format == "stratified":
            frame: Iterable[str] = rows
            size = float(len(rows))
            by_stratum: dict[float, list[str]] = {}
            for document, (_, stratum) in rows.items():
                by_stratum.setdefault(stratum, []).append(document)
            chances: dict[str, float] = {}
            for stratum, documents in sorted(by_stratum.items()):
                judged = [document for document in documents if document in drawn]
                if not judged:
                    raise UntiedError(
                        f"query {show_id(query)}, stratum {stratum:g}: no document of it was drawn, so nothing is "
                        "known about it"
                    )
                chances |= dict.fromkeys(judged, len(judged) / len(documents))
                strata.append((len(documents), judged))
        else:
            frame, size = dict.fromkeys([*rows, *labels]), inf
            chances = {document: probability for document, (_, probability) in rows.items() if document in drawn}
        known = {document: max(labels.get(document, 0.0), 0.0) for document in frame}
        found.append(DrawnQuery(query, drawn, known, chances, strata, size))
    return found


class RankGains:
    """A measure as weights of ranks times gains of grades, and for nDCG the ideal sum of these."""

    def __init__(self, measure: Measure, grades: Iterable[float], depth: int) -> None:
        self.is_normalised = measure.name == "nDCG"
        if measure.name not in (*_LINEAR, "nDCG") or "judged_only" in str(measure) or measure.is_geometric:
            raise UntiedError(
                f"{measure} cannot be estimated from samples of documents; P, Hits, DCG, RBP, INSQ, SDCG and nDCG can"
            )
        if "recall_base" in str(measure):
            raise UntiedError(f"{measure} cannot be estimated from samples of documents with recall_base")
        summed = parse_measure(str(measure).removeprefix("n")) if self.is_normalised else measure
        depth = min(depth, measure.cutoff or depth)
        # Each value is that of a single document: of each grade at the first rank, and of the best grade at each rank.
        positive = sorted(grade for grade in set(grades) if grade > 0) or [1.0]
        ids = [f"d{rank}" for rank in range(depth)]
        with Silence():
            self._probe(summed, positive, ids)

    def _probe(self, summed: Measure, positive: list[float], ids: list[str]) -> None:
        """Find the gain of each grade, and the weight of each rank."""
        gained = evaluate(
            {f"g{number}": {"d0": grade} for number, grade in enumerate(positive)},
            {f"g{number}": ["d0"] for number in range(len(positive))},
            summed,
        )
        self.gains = {grade: self._of(gained, f"g{number}") for number, grade in enumerate(positive)}
        best = max(positive, key=self.gains.__getitem__)
        if not self.gains[best]:
            self.weights = [0.0] * len(ids)
        else:
            ranked = evaluate(
                {f"r{rank}": {document: best} for rank, document in enumerate(ids)},
                {f"r{rank}": ids[: rank + 1] for rank in range(len(ids))},
                summed,
            )
            self.weights = [self._of(ranked, f"r{rank}") / self.gains[best] for rank in range(len(ids))]
        #: The sums of the first weights.
        self.sums = [0.0]
        for weight in self.weights:
            self.sums.append(self.sums[-1] + weight)
        #: Gains above 0, ascending, each with the grades that gain at least this.
        self.levels = sorted({gain for gain in self.gains.values() if gain > 0})

    @staticmethod
    def _of(results: Results, query: str) -> float:
        return float(results.value(results.measures[0], query=query))

    def of_documents(self, run: Run, query: str) -> dict[str, float]:
        """Return the weight of each document of a ranking: the mean over the ranks of its tie group."""
        if query not in run:
            return {}
        ranked = sorted(run[query], key=lambda row: -row[1])
        weights: dict[str, float] = {}
        start = 0
        for _, tied in groupby(ranked, key=lambda row: row[1]):
            documents = [document for document, _ in tied]
            within = self.weights[start : start + len(documents)]
            if not within:
                break
            weights |= dict.fromkeys(documents, fsum(within) / len(documents))
            start += len(documents)
        return weights

    def gain(self, grade: float) -> float:
        """Return the gain of a grade."""
        return self.gains.get(grade, 0.0)

    def value(
        self, weights: Mapping[str, float], grades: Grades, chances: Mapping[str, float] | None, size: float
    ) -> tuple[float, Parts]:
        """Return the estimate of a query's value, and what each document adds to its error.

        Without `chances`, all documents have grades, and the value is no estimate.
        """
        parts = {document: weights.get(document, 0.0) * self.gain(grade) for document, grade in grades.items()}

        def expanded(document: str) -> float:
            return 1.0 if chances is None else 1 / chances[document]

        total = fsum(part * expanded(document) for document, part in parts.items())
        if not self.is_normalised:
            return total, {document: part for document, part in parts.items() if part}
        ideal, slopes = 0.0, dict.fromkeys(grades, 0.0)
        for lower, gain in pairwise([0.0, *self.levels]):
            better = [document for document, grade in grades.items() if self.gain(grade) >= gain]
            count = fsum(map(expanded, better))
            # No fewer than were found, and no more than were not ruled out; for some document must be relevant.
            count = min(max(count, float(len(better))), size - (len(grades) - len(better)))
            if not lower:
                count = max(count, 1.0) if chances is not None else count
            ideal += (gain - lower) * self.sum_to(count)
            slope = (gain - lower) * (self.weights[int(count)] if count < len(self.weights) else 0.0)
            for document in better:
                slopes[document] += slope
        if not ideal:
            return 0.0, {}
        value = total / ideal
        linear = {document: (part - value * slopes[document]) / ideal for document, part in parts.items()}
        return value, {document: part for document, part in linear.items() if part}

    def sum_to(self, count: float) -> float:
        """Return the sum of the first weights; of a number that is not whole, a share of the next one."""
        whole = min(int(count), len(self.weights))
        rest = self.weights[whole] * (count - whole) if whole < len(self.weights) else 0.0
        return self.sums[whole] + rest


@dataclass(frozen=True, slots=True)
class _Value:
    """A query's estimates: from human labels, from the machine's of the same documents, and its value of all."""

    human: float
    machine: float
    full: float
    human_parts: Parts
    machine_parts: Parts

    def minus(self, other: _Value) -> _Value:
        """The same of the difference of two runs."""
        return _Value(
            self.human - other.human,
            self.machine - other.machine,
            self.full - other.full,
            _minus(self.human_parts, other.human_parts),
            _minus(self.machine_parts, other.machine_parts),
        )

    @property
    def error(self) -> float:
        """How far the estimate from the machine's labels is off."""
        return self.machine - self.full


def _minus(one: Parts, other: Parts) -> Parts:
    return {document: one.get(document, 0.0) - other.get(document, 0.0) for document in {**one, **other}}


# described by untied.statistics.judges.estimate_mean: target, level
def estimate_drawn(
    human: QrelsLike,
    machine: QrelsLike,
    runs: Runs,
    measures: MeasureLike | Iterable[MeasureLike],
    *,
    format: str = "stratified",
    baseline: str | None = None,
    target: Target = "all",
    level: float = 0.95,
    threads: int | None = None,
) -> RunEstimates:
    """Estimate means and differences of runs from human labels of some documents of each query, and a machine's of all.

    Use it if people judged a random sample of every query's documents, as `untied.judging.sample.judgments` draws it,
    and a model judged all of them. For P, DCG and RBP, the estimate is unbiased however bad the model is. For nDCG it
    has a small bias, because the ideal ranking must be estimated, too.

    Parameters
    ----------
    human : Qrels, path, or {query: {document: (stratum, grade)}}
        The human grades of the documents that were drawn. The others that could have been drawn have a negative grade.
        All relevant documents must be among the two.
    machine : Qrels, path, or {query: {document: grade}}
        The machine's grades of all documents that could be drawn. One without a grade counts as not relevant to it.
    runs : run, list of runs, {name: run}, folder, or pattern
        One run or several, as for `untied.evaluate`. Documents with equal scores have the mean of their weights.
    measures : measures or their names
        P, Hits, DCG, RBP, INSQ, SDCG or nDCG.
    format : str
        How the human file says what was drawn. ``"stratified"``: each document has a stratum, and of each stratum some
        documents were drawn at random. ``"prels"``: each document has its probability of being drawn, and was drawn
        independently of the others; as a dict, ``{query: {document: (grade, probability)}}``.
    baseline : str, optional
        The run that all others are compared with; it is ``run_b`` of every pair. By default, every two runs are
        compared.
    target : str
        What the interval is about. ``"all"``: the mean over all queries that users could ask; these queries are a
        random sample of them. ``"these"``: the mean over these queries, if people had judged all of them.
    level : float
        The confidence of the interval, between 0 and 1. For instance, 0.95 gives a 95 % interval.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    RunEstimates

    Raises
    ------
    UntiedError
        A measure is none of these; no document of a stratum was drawn, or with ``target="these"`` only one of several;
        human and machine judgments have no query in common; an option is invalid; or SciPy is not installed.

    Notes
    -----
    Let A be the estimate of a query's value from the human labels, each divided by the probability of its document, B
    the same from the machine's labels of the same documents, and f the machine's value. The estimate is the mean of
    A - s (B - f) over queries, where the slope s of a query comes from the other queries (Cassel, Särndal & Wretman
    1976). With ``target="all"``, the variance of these numbers over queries makes the interval. With
    ``target="these"``, it is the sum of the variances that the samples within queries have.

    Examples
    --------
    >>> documents = [f"d{i}" for i in range(12)]
    >>> human = {f"q{i}": {d: (0, j % 2 if (i + j) % 3 else -1) for j, d in enumerate(documents)} for i in range(8)}
    >>> machine = {f"q{i}": {d: int(j % 2 or j > 9) for j, d in enumerate(documents)} for i in range(8)}
    >>> estimate_drawn(human, machine, {f"q{i}": documents for i in range(8)}, "P@10").table.to_dicts()[0]["estimate"]
    0.5
    """
    check_one_of("format", format, SAMPLED)
    check_one_of("target", target, TARGETS)
    check_level(level)
    judged = as_qrels(human, threads, format)
    labels = refuse_probabilities(as_labels(machine, threads), "an estimate from samples of documents")
    return estimate_from_qrels(
        judged, labels, loaded_runs(runs, threads), as_measures(measures), baseline=baseline, target=target, level=level
    )


def estimate_from_qrels(
    human: Qrels, machine: Qrels, runs: Mapping[str, Run], measures: Sequence[Measure], *, baseline: str | None,
    target: Target, level: float,
) -> RunEstimates:  # fmt: skip
    """Do as `estimate_drawn` does, with inputs that are read."""
    if baseline is not None and baseline not in runs:
        raise UntiedError(f"no run {baseline!r}; the runs are {', '.join(runs)}")
    if not any(query in machine for query in human.queries()):
        raise UntiedError("human and machine judgments have no query in common")
    mismatch.demand({name: mismatch.of_inputs(human, run) for name, run in runs.items()})
    queries = drawn_queries(human, machine)
    if target == "these":
        _check_variances(queries)
    subjects = subjects_of(list(runs), baseline)
    rows = []
    notes: dict[str, list[str]] = {}
    for measure in measures:
        values = _values(queries, runs, measure)
        for subject in subjects:
            run, other = subject
            of_queries = values[run]
            if other is not None:
                of_queries = [one.minus(another) for one, another in zip(of_queries, values[other], strict=True)]
            estimate = (_over_queries if target == "all" else _of_these)(queries, of_queries, level)
            rows.append(row_of(measure, subject, estimate))
            differ = sum(bool(_core.difference(one.human, one.machine)) for one in of_queries)
            if not estimate.slope:
                notes.setdefault(_UNUSED, []).append(name_of(measure, subject))
            elif target == "these" and differ < LEAST:
                notes.setdefault(_ALIKE, []).append(name_of(measure, subject))
    said = [f"{note} ({listed(whose, 'estimate')})" for note, whose in notes.items()]
    said += [
        *_notes_on_queries(human, machine, runs),
        *_notes(queries, measures, human.format, target),
        *notes_on_pairs(subjects),
    ]
    documents = sum(len(query.human) for query in queries)
    table = tidy("measure run_a run_b", NUMBERS, rows)
    return RunEstimates(table, len(queries), len(queries), 1, target, level, said, documents)


def _check_variances(queries: Iterable[DrawnQuery]) -> None:
    """Refuse strata of which a single document was drawn: nothing says how much it varies."""
    for query in queries:
        for size, drawn in query.strata:
            if len(drawn) == 1 < size:
                raise UntiedError(
                    f"query {show_id(query.query)}: one of {size:,} documents of a stratum was drawn, "
                    f"{show_id(drawn[0])}, so its variance is not known; draw two, or use the target all"
                )


def _values(queries: Sequence[DrawnQuery], runs: Mapping[str, Run], measure: Measure) -> dict[str, list[_Value]]:
    """Return the estimates of all queries by run."""
    retrieved = [len(run[query.query]) for run in runs.values() for query in queries if query.query in run]
    depth = max([1, *retrieved, *(len(query.machine) for query in queries)])
    grades = {grade for query in queries for one in (query.human, query.machine) for grade in one.values()}
    gains = RankGains(measure, grades, depth)
    values: dict[str, list[_Value]] = {}
    for name, run in runs.items():
        values[name] = []
        for query in queries:
            weights = gains.of_documents(run, query.query)
            seen = {document: query.machine[document] for document in query.human}
            human, human_parts = gains.value(weights, query.human, query.chances, query.size)
            machine, machine_parts = gains.value(weights, seen, query.chances, query.size)
            full, _ = gains.value(weights, query.machine, None, len(query.machine))
            values[name].append(_Value(human, machine, full, human_parts, machine_parts))
    return values


def _over_queries(queries: Sequence[DrawnQuery], values: Sequence[_Value], level: float) -> Estimate:
    """The estimate for all queries there could be: the queries are a sample, and the error has the mean 0."""
    human, errors = [value.human for value in values], [value.error for value in values]
    sample = Sample([query.query for query in queries], human, errors, 0.0, len(queries))
    moved = [y - slope * error for y, slope, error in zip(human, sample.slopes, errors, strict=True)]
    return _estimate(
        values, moved, _spread(moved), _spread(human), sample.sums.slope(), sample.correlation(), "all", level
    )


def _of_these(queries: Sequence[DrawnQuery], values: Sequence[_Value], level: float) -> Estimate:
    """The estimate for these queries: only the draws within queries vary."""
    both = list(zip(queries, values, strict=True))
    human = [query.covariance(value.human_parts, value.human_parts) for query, value in both]
    machine = [query.covariance(value.machine_parts, value.machine_parts) for query, value in both]
    mixed = [query.covariance(value.human_parts, value.machine_parts) for query, value in both]
    totals = fsum(human), fsum(machine), fsum(mixed)

    def slope(without: int | None = None) -> float:
        """The best slope, or that of all other queries."""
        of_machine, of_both = totals[1], totals[2]
        if without is not None:
            of_machine, of_both = of_machine - machine[without], of_both - mixed[without]
        return min(max(of_both / of_machine, 0.0), 1.0) if of_machine > 1e-12 * totals[1] else 0.0

    slopes = [slope(place) for place in range(len(values))]
    moved = [value.human - one * value.error for value, one in zip(values, slopes, strict=True)]
    variance = fsum(
        y - 2 * one * both + one * one * f for y, f, both, one in zip(human, machine, mixed, slopes, strict=True)
    )
    norm = sqrt(totals[0]) * sqrt(totals[1])
    correlation = min(max(totals[2] / norm, -1.0), 1.0) if norm else nan
    count = len(values) ** 2
    return _estimate(values, moved, variance / count, totals[0] / count, slope(), correlation, "these", level)


def _spread(values: Sequence[float]) -> float:
    """The variance of the mean of values of a sample."""
    if len(values) < 2:
        return nan
    mean = mean_of(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)


def _estimate(
    values: Sequence[_Value], moved: Sequence[float], variance: float, alone: float, slope: float, correlation: float,
    target: Target, level: float,
) -> Estimate:  # fmt: skip
    """The estimate with its interval; `alone` is the variance without the machine."""
    count = len(values)
    if target == "all":
        quantile = t_quantile("estimates of means", level, count - 1) if count >= LEAST else nan
    else:
        quantile = NormalDist().inv_cdf((1 + level) / 2)
    mean, half = mean_of(moved), quantile * sqrt(max(variance, 0.0))
    width = sqrt(max(variance, 0.0) / alone) if alone else 1.0
    human, machine = mean_of([value.human for value in values]), mean_of([value.machine for value in values])
    return Estimate(
        mean, mean - half, mean + half, target, count, count, human, mean_of([value.full for value in values]),
        _core.difference(machine, human), correlation, slope, width, count / width**2 if width else inf, [],
    )  # fmt: skip


def _notes_on_queries(human: Qrels, machine: Qrels, runs: Mapping[str, Run]) -> Iterator[str]:
    """Notes on queries of people's samples that a run or the machine lacks, and on those that people did not judge."""
    sampled = set(human.queries())
    yield from notes_on_queries(sampled, runs)
    missing = sum(query not in machine for query in sampled)
    if missing:
        yield f"queries that the machine did not judge, in which no document counts as relevant to it: {missing:,}"
    alone = sum(query not in sampled for query in machine.queries())
    if alone:
        yield f"queries that only the machine judged, left out: {alone:,}"


def _notes(queries: Sequence[DrawnQuery], measures: Sequence[Measure], format: str, target: Target) -> Iterator[str]:
    """What to know before relying on the estimates."""
    count = len(queries)
    if target == "all" and count < LEAST:
        yield f"no interval: it needs {LEAST} queries or more"
    elif target == "all" and count < FEW:
        yield f"with only {count} queries, intervals may be too narrow; so would they be without the machine"
    if target == "these" and format == "prels":
        yield "intervals are right only if each document was drawn independently of the others"
    wild = sum(1 / min(query.chances.values(), default=1.0) > _WILD for query in queries)
    if wild:
        yield f"queries in which a document stands for over {_WILD:.0f} others, so estimates may be far off: {wild:,}"
    if any(measure.name == "nDCG" for measure in measures):
        yield (
            "the ideal DCG of nDCG is estimated as well, which biases it a little (up to .02 in a study with 29 "
            "relevant documents in a query) and is not part of the intervals for these queries"
        )
