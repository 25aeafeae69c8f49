"""The headline: which run leads, by how much, and what ties and missing judgments could change."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from untied._core import show_id
from untied.errors import UntiedError
from untied.evaluate.runs import Evaluator
from untied.inputs import overlap
from untied.statistics.aggregates import Aggregate
from untied.statistics.paired import Column, Pair, spans_of
from untied.verdicts.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from untied._core import Measure, Qrels, Run
    from untied.report.values import Evaluated


#: Values this close differ by rounding only.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Ends:
    """The least and the most that something can be, whatever the grades of unjudged documents are.

    Those of a difference count all documents that either run retrieved, or each run's own alone.
    """

    low: float
    high: float
    of_both: bool = True


def leading(means: Sequence[dict[str, float | None]], lower: bool, baseline: int | None) -> tuple[int, int] | None:
    """The leading run and the one to compare it with: the baseline, or the next best; None unless there are two.

    `means` are those of all runs; `lower` says whether lower is better.
    """
    known = [(run, one["mean"]) for run, one in enumerate(means) if one["mean"] is not None]
    order = [run for run, _ in sorted(known, key=lambda run: (run[1] if lower else -run[1], run[0]))]
    if len(order) < 2:
        return None
    return order[0], order[1] if baseline is None or baseline == order[0] or baseline not in order else baseline


def alone(means: Sequence[dict[str, float | None]]) -> tuple[int, ...]:
    """The only run that has a value; empty if there is none."""
    return tuple(run for run, one in enumerate(means) if one["mean"] is not None)


def of_one(qrels: Qrels, run: Run, measure: Measure, policies: dict[str, Any]) -> Ends | None:
    """The lowest and the highest mean of a run, whatever the grades of unjudged documents are."""
    try:
        with overlap.Notes():  # there has been a warning
            value = Evaluator(qrels, [measure], unjudged="range", **policies).evaluate({"run": run}).value(measure)
    except UntiedError:
        return None  # the measure has no bounds
    return None if value.low is None or value.high is None else Ends(value.low, value.high)


def by_judgments(
    qrels: Qrels, runs: dict[str, Run], measure: Measure, pair: tuple[str, str], policies: dict[str, Any]
) -> Ends | None:
    """The smallest and the largest difference of two runs, whatever the grades of unjudged documents are."""
    # All that else could be wrong has been refused before.
    try:
        with overlap.Notes():  # there has been a warning
            results = Evaluator(qrels, [measure], unjudged="range", **policies).evaluate(
                {name: runs[name] for name in pair}
            )
        both = Pair(*(Column(results, name, measure) for name in pair))
    except UntiedError:
        return None  # the measure has no bounds, or no query has a value of both runs
    [spans], of_both = spans_of(results, measure, [both])
    return Ends(both.least(spans), both.most(spans), of_both)


def sentences(
    found: Evaluated, names: Sequence[str], place: int, measure: Measure, pair: tuple[int, int] | None,
    baseline: int | None, how: str, judgments: Ends | Verdict | None, unjudged: Sequence[float | None] | None,
) -> list[str]:  # fmt: skip
    """The sentences about a measure, the one at `place`, at the top of the page.

    `pair` is from `leading`, and `how` says how differences were tested. `judgments` is the verdict about the pair;
    where the measure has none, what the difference could be, of `by_judgments`; of a single run what its mean could be,
    of `of_one`. `unjudged` has the shares of unjudged documents in the first ten of the pair, or of the single run.
    """
    means = found.means[place]
    if pair is None:
        return _alone(means, names, measure, judgments, unjudged, found.apart)
    a, b = pair
    mean_a, mean_b = means[a]["mean"], means[b]["mean"]
    assert mean_a is not None  # `leading` chooses among the known
    assert mean_b is not None
    leader = show_id(names[a]) + (", the baseline," if a == baseline else "")
    rival = ("the baseline " if b == baseline else "") + show_id(names[b])
    if mean_a == mean_b:
        said = [f"{leader} and {rival} are equal by {measure}: {mean_a:.4f}."]
    else:
        way = "below" if measure.lower_is_better else "above"
        better = " (lower is better)" if measure.lower_is_better else ""
        lead = f"{mean_a:.4f}{better}, {abs(mean_a - mean_b):.4f} {way} {rival} ({mean_b:.4f})"
        said = [f"{leader} leads by {measure}: {lead}."]
    test = next((one for one in found.tests if one["measure"] == place and {one["a"], one["b"]} == {a, b}), None)
    if test is None:
        return [*said, "The two were not tested against each other; see the notes."]
    verdict = "significant" if test["significant"] else "not significant"
    if not found.can_be_significant:
        verdict += ", and none could be (see the note)"
    others = _others(found, place, measure, names, a, baseline) if found.can_be_significant else ""
    ties = (test["least"], test["most"]) if test["a"] == a else (-test["most"], -test["least"])
    return [
        *said,
        f"The difference is {verdict}: {_p(test['p'])} ({how}). {others}".rstrip(),
        _by_ties(test, ties, measure),
        _by_judgments(judgments, measure, unjudged, mean_a - mean_b),
    ]


def _alone(
    means: Sequence[dict[str, float | None]], names: Sequence[str], measure: Measure, judgments: Ends | Verdict | None,
    unjudged: Sequence[float | None] | None, apart: Sequence[str],
) -> list[str]:  # fmt: skip
    """The sentences for a single run, or for several of which at most one has a value."""
    if not alone(means):
        return [f"No run has a value of {measure}."]
    [run] = alone(means)
    one = means[run]
    said = [f"{show_id(names[run])}: {measure} {one['mean']:.4f}."]
    low, high = (one[end] or 0.0 for end in ("low", "high"))  # the run has a value, and so it has both
    if _differ(low, high):
        said.append(f"Depending on the order of tied documents it lies between {low:.4f} and {high:.4f}.")
    else:
        said.append(f"The order of tied documents {_unseen(low, high, 'it')}.")
    if apart:
        said.append(f"How far missing judgments could change it was not examined: {'; '.join(apart)}.")
    elif judgments is None:
        said.append(f"How far missing judgments could change it is unknown: {measure.name} has no bounds over them.")
    elif _differ(judgments.low, judgments.high):
        ends = f"{judgments.low:.4f} and {judgments.high:.4f}"
        between = f"Depending on the grades of unjudged documents it lies between {ends}."
        said.append(between + _shares(unjudged))
    else:
        said.append(f"Missing judgments {_unseen(judgments.low, judgments.high, 'it', are='do')}.")
    return said


def _others(
    found: Evaluated, place: int, measure: Measure, names: Sequence[str], leader: int, baseline: int | None
) -> str:  # fmt: skip
    """What the tests say about all other runs."""
    better = worse = 0
    against = leader if baseline is None else baseline
    of_run = [one for one in found.tests if one["measure"] == place and against in (one["a"], one["b"])]
    if len(of_run) < 2:
        return ""
    for one in of_run:
        difference = (one["difference"] or 0) * (1 if one["b"] == against else -1)
        if one["significant"]:
            higher = (difference > 0) != measure.lower_is_better
            better, worse = better + higher, worse + (not higher)
    if baseline is None:
        return f"{show_id(names[leader])} is significantly better than {_of(worse, len(of_run))}."
    if not better and not worse:
        return "None of the other runs is significantly better or worse than the baseline."
    are = f"{better or 'none'} {'is' if better == 1 else 'are'} significantly better than the baseline"
    return f"Of the {len(of_run):,} other runs {are}, {worse or 'none'} worse."


def _of(count: int, runs: int) -> str:
    """How many of the other runs, in words where these are plainer."""
    if count == runs:
        return "both other runs" if runs == 2 else f"all {runs:,} other runs"
    return f"{f'{count:,}' if count else 'none'} of the {runs:,} other runs"


def _by_ties(test: dict[str, Any], ends: tuple[float, float], measure: Measure) -> str:
    """What the order of tied documents could change."""
    low, high = ends
    if not _differ(low, high):
        return f"Ties cannot undo it: the order of tied documents {_unseen(low, high, 'the difference')}."
    between = _between(ends, measure)
    if low <= 0 <= high:
        return f"Ties could undo it: depending on the order of tied documents {between}."
    if not test["significant"]:
        return f"Ties cannot reverse it: in every order of tied documents {between}."
    if test["survives"] == "yes":
        return f"Ties cannot undo it: it stays significant in every order of tied documents ({between})."
    could = "could make it insignificant" if test["survives"] == "no" else "may or may not leave it significant"
    return f"Ties cannot reverse it, but {could}: depending on the order of tied documents {between}."


def _by_judgments(
    found: Ends | Verdict | None, measure: Measure, unjudged: Sequence[float | None] | None, difference: float
) -> str:
    """What judgments of unjudged documents could change."""
    unknown = "Whether missing judgments could undo it is unknown"
    if found is None:
        return f"{unknown}: {measure.name} has no bounds over them."
    if Aggregate(measure).scale == "mean" and not found.low - 1e-9 <= difference <= found.high + 1e-9:
        # Bpref.
        return f"{unknown}: {measure.name} leaves unjudged documents out, but its bounds give each of them a grade."
    verdict = found if isinstance(found, Verdict) else None
    low, high = ends = found.low, found.high
    # Bounds of each run on its own leave out what the other's documents would change (docs/statistics.md).
    of_both = isinstance(found, Verdict) or found.of_both
    if not _differ(low, high):
        whose = "" if of_both else " of what each run retrieved"
        return f"Missing judgments{whose} cannot undo it: they {_unseen(low, high, 'the difference', are='do')}."
    if verdict.verdict == "open" if verdict is not None else low <= 0 <= high:
        # That the difference can turn is certain only if grades are known that turn it.
        is_known = verdict is not None and verdict.overturn_is_exact and 0 < verdict.overturn < inf
        said = f"Missing judgments {'could' if is_known else 'might'} undo it: "
        said += _overturning(verdict) + f"depending on the grades of unjudged documents {_between(ends, measure)}."
        return said + _shares(unjudged)
    whose = "unjudged documents" if of_both else "the unjudged documents that each run retrieved"
    return f"Missing judgments cannot reverse it: whatever the grades of {whose}, {_between(ends, measure)}."


def _shares(unjudged: Sequence[float | None] | None) -> str:
    """How much of the top is unjudged, where something is."""
    shares = [100 * share for share in unjudged or () if share is not None]
    if not shares or len(shares) != len(unjudged or ()) or max(shares) == 0:
        return ""
    return f" Of the first ten documents {' and '.join(f'{share:.1f} %' for share in shares)} are unjudged."


def _differ(low: float, high: float) -> bool:
    """Whether two values look different."""
    return f"{low:.4f}" != f"{high:.4f}"


def _unseen(low: float, high: float, what: str, are: str = "does") -> str:
    """How much something changes that looks the same: not at all but for rounding, or less than the digits show."""
    if high - low <= ROUNDING:
        return f"{are} not change {what}"
    return f"change{'s' if are == 'does' else ''} {what} by less than 0.0001"


def _overturning(verdict: Verdict | None) -> str:
    """How many further relevant documents it takes."""
    if verdict is None or not 0 < verdict.overturn < inf:
        return ""
    documents = f"further relevant document{'' if verdict.overturn == 1 else 's'}"
    if verdict.overturn_is_exact:
        return f"{verdict.overturn:,.0f} {documents} can be enough; "
    return f"it takes at least {verdict.overturn:,.0f} {documents}; "


def _between(ends: tuple[float, float], measure: Measure) -> str:
    what = "the difference of logarithms" if Aggregate(measure).scale == "log" else "the difference"
    return f"{what} lies between {signed(ends[0])} and {signed(ends[1])}"


def signed(value: float) -> str:
    """A difference with its sign, as the page writes it."""
    return ("+" if value > 0 else "−" if value < 0 else "") + f"{abs(value):.4f}"


def _p(p: float | None) -> str:
    return "p unknown" if p is None else f"p {p:.4f}" if p >= 1e-4 else "p < 0.0001"
