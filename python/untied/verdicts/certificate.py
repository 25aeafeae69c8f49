"""Certificates: verdicts about runs, with everything that `verify` needs to check them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, inf

from untied._core import __version__, show_id
from untied.errors import InputError, MeasureError, UntiedError
from untied.results import writing
from untied.verdicts import verify
from untied.verdicts.proofs import prove
from untied.verdicts.verify import ADDITIVE, MARGIN, NEAR, ONE, SEARCHED, Measure, Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

#: The format's version.
FORMAT = 1
#: Units of claims in 1: ten decimals.
UNITS = 10**10
#: What a claim of AP or ERR is wider where that makes a proof shorter: within what counts as exact, then beyond.
WIDENED = (0.0, 5e-7, 1e-5, 1e-3, 1e-1)
#: The most unknown documents of a query, within the cutoff, of which a proof for AP is sought.
SOUGHT = 300
#: Orders of ties, and scores, that the checker knows.
KNOWN = {"ties": ("expected", "docid", "trec", "given"), "score_dtype": ("float64", "float32")}


@dataclass(frozen=True)
class Verdicts:
    """The part of the results of `untied.certify` that is needed here."""

    runs: list[str]
    pairs: list[tuple[str, str]]
    measures: list[str]
    options: dict[str, Any]
    #: Of two runs and a measure, the documents behind the verdict.
    explain: Callable[[str, str, str], Any]


def certificate(found: Verdicts, qrels: str, runs: Sequence[str]) -> bytes:
    """The certificate of verdicts about the runs in these files, in the same order, as JSON."""
    import json

    options = found.options
    for option, values in KNOWN.items():
        if options[option] not in values:
            raise UntiedError(
                f"certificates need {option} {', '.join(values[:-1])} or {values[-1]}, not {options[option]!r}"
            )
    if options["most"] is not None and any(name.startswith("ERR") for name in found.measures):
        raise UntiedError("certificates of ERR need any number of relevant documents, not at most some")
    if len(runs) != len(found.runs):
        raise UntiedError(f"the verdicts are about {len(found.runs)} runs, not {len(runs)}")
    policies = {
        "ties": options["ties"],
        "score_dtype": options["score_dtype"],
        "unjudged": "pooled" if options["pool_only"] else "retrieved",
        "unretrieved": "pooled" if options["unretrieved"] else "none",
        "most": options["most"],
    }
    of_qrels, judged = _read(qrels, 4, 3, Fraction)
    files = {name: _read(path, 6, 4, float) for name, path in zip(found.runs, runs, strict=True)}
    inputs = _Inputs(judged, {name: content for name, (_, content) in files.items()}, policies)
    told = {
        "certificate": FORMAT,
        "untied": __version__,
        "qrels": of_qrels,
        "runs": {name: digest for name, (digest, _) in files.items()},
        "policies": policies,
        "claims": [inputs.claim(found, pair, name) for pair in found.pairs for name in found.measures],
    }
    return (json.dumps(told, separators=(",", ":"), ensure_ascii=False) + "\n").encode()


def write(found: Verdicts, path: str, qrels: str, runs: Sequence[str]) -> None:
    """Write a certificate, compressed if the file's name ends with ``.gz``."""
    writing.check_target(path, [qrels, *runs])
    data = certificate(found, qrels, runs)
    if path.endswith(".gz"):
        import gzip

        data = gzip.compress(data, mtime=0)
    writing.write_file(data, path)


def _read(path: str, columns: int, number: int, convert: Any) -> tuple[str, Any]:
    """What the checker reads."""
    try:
        found: tuple[str, Any] = verify.read(path, columns, number, convert)
        return found
    except (ValueError, EOFError) as error:
        shape = "TREC's format, plain or packed by gzip"
        raise InputError(
            f"{show_id(path)}: a certificate is about files in {shape}: {error}", path, None, shape, str(error)
        ) from None


def _decimal(units: int) -> str:
    """A number of units as a decimal, which JSON's numbers need not keep."""
    return f"{'-' * (units < 0)}{abs(units) // UNITS}.{abs(units) % UNITS:010d}"


class _Inputs:
    """Judgments, runs and policies as the checker takes them."""

    def __init__(self, judged: Any, runs: Mapping[str, Any], policies: dict[str, Any]) -> None:
        self._judged = judged
        self._runs = runs
        self._policies = policies

    def claim(self, found: Verdicts, pair: tuple[str, str], name: str) -> dict[str, Any]:
        """What is claimed of two runs in a measure."""
        told = found.explain(*pair, name)
        verdict = told.verdict
        a, b = (self._runs[run] for run in pair)
        try:
            m: Any = Measure(name, self._judged, a, b)
        except (verify.Refused, LookupError, AttributeError, TypeError, ValueError) as error:
            raise MeasureError(f"{name}: certificates do not know this measure, or these parameters of it") from error
        ends: dict[str, Any] = {}
        upto: tuple[list[list[int]], list[list[int]]] = ([], [])
        is_exact = verdict.is_exact
        for query in told.queries:
            order = (self._policies["ties"], self._policies["score_dtype"])
            rankings = [verify.ranked(run.get(query.query, {}), *order) for run in (a, b)]
            units: list[int] = [0, 0]
            proofs: list[Any] = [{}, {}]
            reached = (query.lowest.difference, query.highest.difference)
            for end, (sign, bound) in enumerate(((-1, query.low), (1, query.high))):
                least = ceil((Fraction(sign * bound) + m.scale / UNITS) * UNITS)
                if m.name in SEARCHED or (m.name not in ADDITIVE and self._policies["ties"] == "expected"):
                    first, second = rankings[::sign]
                    q = Question(m, self._judged[query.query], first, second, self._policies)
                    least, proofs[end] = _proved(q, least)
                    is_exact &= not q.is_tied or m.name in ADDITIVE
                    upto[end].append(q.lowered(q.ceilings(), least * ONE // UNITS))
                is_exact &= abs(least / UNITS - sign * reached[end]) < NEAR.get(m.name, MARGIN) * m.scale * 0.9
                units[end] = sign * least
            ends[query.query] = {
                "bounds": list(map(_decimal, units)),
                "witnesses": [_witness(query.lowest), _witness(query.highest)],
                "proofs": proofs,
            }
        sums = [sum(Fraction(one["bounds"][end]) for one in ends.values()) * UNITS / len(ends) for end in (0, 1)]
        low, high = floor(sums[0]), ceil(sums[1])
        claim = {
            "a": pair[0],
            "b": pair[1],
            "measure": name,
            "low": _decimal(low),
            "high": _decimal(high),
            "exact": is_exact,
            "verdict": "A" if low > 0 else "B" if high < 0 else "open",
            "overturn": "never" if verdict.overturn == inf else verdict.overturn,
            "overturn_exact": verdict.overturn_is_exact,
            "largest_m": "any" if verdict.largest_m == inf else verdict.largest_m,
            "queries": ends,
        }
        return claim | (_standing(m, upto, claim) if upto[0] else {})


def _proved(q: Question, least: int) -> tuple[int, Any]:
    """The smallest limit from `least` on, in units, that is proved without long work; and the proof."""
    if q.m.name == "ERR" and q.is_tied:
        raise UntiedError("certificates of ERR need one order of tied documents: ties docid, trec or given")
    values = q.ceilings()
    outer = -(-values[min(q.most, len(values) - 1)] * UNITS // ONE)
    ranked = {*q.unknown} & (q.ranks(q.a).keys() | q.ranks(q.b).keys())
    is_long = q.m.name == "AP" and (len(ranked) > SOUGHT or q.most < q.all)
    if q.m.name not in SEARCHED or q.is_tied or is_long:
        return max(least, outer), {}
    for more in WIDENED:
        limit = least + round(more * UNITS)
        if q.m.name == "AP" and limit >= outer:
            break
        proof = prove(q, limit * ONE // UNITS)
        if proof is not None:
            return limit, proof
    return (max(least, outer) if q.m.name == "AP" else UNITS), {}


def _standing(m: Measure, upto: Any, claim: dict[str, Any]) -> dict[str, Any]:
    """What the checker's ceilings say of the overturn number and largest m; they may be wider than ours."""
    behind, target, largest = verify.standing(m, upto)
    told, is_exact = claim["overturn"], claim["overturn_exact"]
    if behind is None or largest == "any":
        told, is_exact = "never" if behind else 0, True
    else:
        found = verify.least(behind, sum(map(len, behind)) if told == "never" else told, target)
        is_exact = is_exact and told != "never" and found in (told, -1)
        if found not in (None, -1):
            told = found
        elif told == "never":
            told = 1  # at least, as one run is behind
    return {"overturn": told, "overturn_exact": is_exact, "largest_m": largest}


def _witness(grades: Any) -> list[tuple[float, list[str], int]]:
    """Grades, each with the documents that have it, and how many have it that neither run retrieves."""
    found: dict[float, tuple[list[str], list[float]]] = {}
    for document, grade in grades.documents.items():
        found.setdefault(grade, ([], []))[0].append(document)
    for grade in grades.elsewhere:
        found.setdefault(grade, ([], []))[1].append(grade)
    return [(grade, documents, len(others)) for grade, (documents, others) in found.items()]
