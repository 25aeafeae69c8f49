"""The rules about what unjudged documents could change: ``certain`` and ``min-overturn``."""

from __future__ import annotations

from math import inf, nan

from untied.errors import UntiedError
from untied.gate.check import Check
from untied.results.difference_bounds import DifferenceBounds
from untied.results.text import in_queries
from untied.results.worst import worst_of
from untied.verdicts.runs import certify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from untied._core import Qrels
    from untied.gate.evidence import Evidence, Limit
    from untied.gate.rules import Allowed
    from untied.verdicts.results import Verdicts

#: The two runs of a verdict; the first is the one that is tested.
PAIR = ("run", "baseline")


def certain(evidence: Evidence, limit: Limit, allowed: Allowed) -> Check:
    """``certain``: the run is better than the baseline for all grades of unjudged documents.

    ``min-overturn``: it is better, and stays so with fewer further relevant documents than the limit.
    """
    if evidence.ties in ("best", "worst"):
        raise UntiedError(f"--{limit.kind} does not support --ties {evidence.ties}: use expected, docid, trec or given")
    missing, new = evidence.missing("run"), evidence.missing("baseline")
    reasons = [f"the {name}: {why}" for name in PAIR if (why := evidence.apart[name])]
    vanished = evidence.queries(sorted(missing - new))
    reasons += allowed.why_missing(vanished, f"the run lacks {in_queries(len(vanished))} of the baseline")
    # For a query that the baseline lacks, every run would seem better.
    qrels = evidence.qrels.without(new, evidence.threads) if new else evidence.qrels
    if not len(qrels):
        return Check(limit.kind, str(limit.measure), limit.number, nan, "no query can be compared", False,
                     limit_given=limit.given, reasons=reasons)  # fmt: skip
    about = str(limit.measure)
    options: dict[str, Any] = {
        "ties": evidence.ties, "score_dtype": evidence.score_dtype, "docs": evidence.docs, "threads": evidence.threads,
    }  # fmt: skip
    verdicts = certify(qrels, evidence.runs, limit.measure, **options)
    verdict = verdicts[PAIR][about]
    said = [f"mean of {in_queries(len(qrels.queries()))}"]
    said += (
        [f"counted as empty rankings: {len(missing - new)} missing from the run"]
        if missing - new and allowed.missing
        else []
    )
    said += [f"left out: {len(new)} that the baseline lacks"] if new else []
    if limit.kind == "certain":
        said += [] if verdict.is_exact else ["a lower bound that may not be reached"]
        kept = verdict.verdict == "A"
        value = verdict.low
    else:
        # What overturns an order counts only for the run that is ahead without further relevant documents.
        is_ahead = certify(qrels, evidence.runs, limit.measure, most=0, **options)[PAIR][about].verdict == "A"
        said += [] if verdict.overturn_is_exact else ["a lower bound, which may be larger"]
        value = float(verdict.overturn) if is_ahead else 0.0
        kept = value >= limit.number
    is_named = not kept and (value or limit.kind == "certain")
    worst, more = _worst(evidence, qrels, verdicts, limit, allowed.top) if is_named else ([], 0)
    return Check(
        limit.kind, about, limit.number, value, "; ".join(said), kept and not reasons, limit_given=limit.given,
        reasons=reasons, queries=worst, more=more,
    )  # fmt: skip


def _worst(
    evidence: Evidence, qrels: Qrels, verdicts: Verdicts, limit: Limit, top: int
) -> tuple[list[dict[str, Any]], int]:
    """Queries with the lowest differences; for an overturn number those with most of its documents.

    And how many more queries are as bad as the last one.
    """
    if limit.kind == "certain":
        of_both = DifferenceBounds(qrels, evidence.runs, evidence.policies, evidence.docs, evidence.threads)
        bounds = of_both.bounds(limit.measure, [PAIR])
        assert bounds is not None  # the measure has verdicts
        [(lows, _)] = bounds
        places, more = worst_of(lows, top, lowest=True)
        values: Sequence[float] = lows
    elif verdicts[PAIR][str(limit.measure)].overturn == inf:
        return [], 0
    else:
        values = verdicts._overturning(*PAIR, limit.measure)
        places, more = worst_of(values, top, above=0.0)
    queries = qrels.queries()
    return [{"query": queries[place], "value": float(values[place])} for place in places], more
