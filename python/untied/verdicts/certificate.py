"""Certificates: verdicts about runs, with everything that `verify` needs to check them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, inf

from untied._core import __version__, show_id
from untied.errors import InputError, MeasureError, UntiedError, either
from untied.results import writing
from untied.verdicts import proofs, verify
from untied.verdicts.verify import LAST, ONE, Measure, Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    #: Two runs, a measure, the verdict, the lowest and the highest difference.
    Claim = tuple[str, str, str, str, float, float]

#: The format's version.
FORMAT = 2
#: Units of claims in 1: ten decimals.
UNITS = LAST.denominator
#: Measures whose means over orders of ties the checker bounds as closely as we do.
ADDITIVE = ("P", "Hits", "R", "F1", "RBP", "DCG", "nDCG")
#: What a claim of AP or ERR is wider where that makes a proof shorter: within what counts as exact, then beyond.
WIDENED = (0.0, 5e-7, 1e-5, 1e-3, 1e-1)
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


def certificate(verdicts: Verdicts, qrels: str, runs: Sequence[str]) -> dict[str, Any]:
    """The certificate of verdicts about the runs in these files, in the same order."""
    options = verdicts.options
    for option, values in KNOWN.items():
        if options[option] not in values:
            raise UntiedError(f"certificates need {option} {either(values)}, not {options[option]!r}")
    if options["most"] is not None and any(name.startswith("ERR") for name in verdicts.measures):
        raise UntiedError("certificates of ERR cannot be combined with --most (most=): leave it out")
    if len(runs) != len(verdicts.runs):
        raise UntiedError(f"the verdicts are about {len(verdicts.runs)} runs, not {len(runs)}")
    policies = {name: options[name] for name in ("ties", "score_dtype", "unjudged", "unretrieved", "most")}
    of_qrels, judged = _read(qrels, 4, 3, verify.number)
    files = {name: _read(path, 6, 4, verify.score) for name, path in zip(verdicts.runs, runs, strict=True)}
    inputs = _Inputs(judged, {name: content for name, (_, content) in files.items()}, policies)
    claims: dict[str, dict[str, dict[str, Any]]] = {}
    for a, b in verdicts.pairs:
        claims.setdefault(a, {})[b] = {name: inputs.claim(verdicts, (a, b), name) for name in verdicts.measures}
    return {
        "certificate": FORMAT,
        "untied": __version__,
        "qrels": of_qrels,
        "runs": {name: digest for name, (digest, _) in files.items()},
        "policies": policies,
        "claims": claims,
    }


def write(verdicts: Verdicts, path: str, qrels: str, runs: Sequence[str]) -> list[Claim]:
    """Write a certificate, compressed if the file's name ends with ``.gz``; return its claims."""
    import json

    writing.check_target(path, [qrels, *runs])
    told = certificate(verdicts, qrels, runs)
    data = (json.dumps(told, separators=(",", ":"), ensure_ascii=False) + "\n").encode()
    if path.endswith(".gz"):
        import gzip

        data = gzip.compress(data, mtime=0)
    writing.write_file(data, path)
    return [
        (a, b, measure, claim["verdict"], float(claim["low"]), float(claim["high"]))
        for a, of in told["claims"].items()
        for b, claims in of.items()
        for measure, claim in claims.items()
    ]


def _read(path: str, columns: int, number: int, convert: Any) -> tuple[str, Any]:
    """The data that the checker reads."""
    try:
        content: tuple[str, Any] = verify.read(path, columns, number, convert)
        return content
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

    def claim(self, verdicts: Verdicts, pair: tuple[str, str], name: str) -> dict[str, Any]:
        """The claim about two runs by a measure."""
        a, b = (self._runs[run] for run in pair)
        try:
            m: Any = Measure(name, self._judged, a, b)
        except (verify.CheckFailed, LookupError, AttributeError, TypeError, ValueError) as error:
            raise MeasureError(f"{name}: a certificate cannot cover this measure with these parameters") from error
        told = verdicts.explain(*pair, name)
        queries: dict[str, Any] = {}
        bounds: tuple[list[int], list[int]] = ([], [])
        upto: tuple[list[list[int]], list[list[int]]] = ([], [])
        is_exact = True
        for query in told.queries:
            rankings: Any = [verify.ranked(run.get(query.query, {}), self._policies) for run in (a, b)]
            of_query = queries[query.query] = {}
            asked = (("low", -1, query.low, query.lowest), ("high", 1, query.high, query.highest))
            for end, (side, sign, bound, reached) in enumerate(asked):
                first, second = rankings[::sign]
                q: Any = Question(m, self._judged[query.query], first, second, self._policies)
                least, proof = _proved(q, ceil(Fraction(sign * bound) * UNITS) - (-m.margin * UNITS // (10 * ONE)))
                limit, witness = least * ONE // UNITS, _witness(reached, q)
                is_exact = is_exact and q.reaches(limit - m.near, witness)
                of_query[side] = {"bound": _decimal(sign * least), "witness": witness, "proof": proof}
                bounds[end].append(sign * least)
                upto[end].append([value + m.margin for value in q.lowered(limit)])
        low, high = sum(bounds[0]) // len(queries), -(-sum(bounds[1]) // len(queries))
        return {
            "low": _decimal(low),
            "high": _decimal(high),
            "exact": is_exact,
            "verdict": "A" if low > 0 else "B" if high < 0 else "open",
            **_standing(m, upto, told.verdict.overturn),
            "queries": queries,
        }


def _proved(q: Question, least: int) -> tuple[int, Any]:
    """The smallest limit from `least` on, in units, that is proved without long work; and the proof."""
    if q.m.is_chain and q.proves(least * ONE // UNITS, {}):
        return least, {}
    outer = UNITS if q.m.is_chain else -(-q.ceilings[: q.most + 1][-1] * UNITS // ONE)
    is_searched = q.m.name in ("AP", "ERR") and q.most == q.all
    if q.m.name == "AP" and is_searched:
        is_searched = len({*q.unknown} & (q.ranks(q.a).keys() | q.ranks(q.b).keys())) <= verify.DOCUMENTS
    work = proofs.WORK
    for more in WIDENED:
        limit = least + round(more * UNITS)
        if not is_searched or limit >= outer:
            break
        proof, work = proofs.prove(q, limit * ONE // UNITS, work)
        if proof is not None:
            return limit, proof
    return max(least, outer), {}


def _standing(m: Measure, upto: Any, told: float) -> dict[str, Any]:
    """What the checker's ceilings say of the overturn number and largest m; they may be wider than ours."""
    if m.is_chain or m.name == "ERR":
        return {"overturn": None, "largest_m": None, "price": 0}
    overturn, largest = verify.standing(upto, None, 0)
    price = 0
    if overturn is None:
        behind = next(side for side in reversed(upto) if sum(values[0] for values in side) < 0)
        for most in (told, sum(len(values) - 1 for values in behind)):
            if overturn is None and most < inf:
                price = _price(behind, int(most))
                with suppress(verify.CheckFailed):  # a proof that takes too long is left out
                    overturn = verify.least(behind, int(most), price)
        price = 0 if overturn is None else _price(behind, overturn)
    return {"overturn": overturn, "largest_m": largest, "price": price}


def _price(behind: list[list[int]], most: int) -> int:
    """A price of a document at which queries take about `most` documents in all, so the checker has few choices."""
    low, price = 0, max([0, *(y - x for values in behind for x, y in pairwise(values))])
    for _ in range(60):
        middle = (low + price) // 2
        used = sum(max(range(len(values)), key=lambda n: (values[n] - middle * n, -n)) for values in behind)
        low, price = (middle, price) if used > most else (low, middle)
    return price


def _witness(grades: Any, q: Question) -> dict[str, list[str]]:
    """Grades with the documents that have them; any of those that neither run has, as they are alike."""
    by_grade: dict[str, list[str]] = {}
    elsewhere = zip(q.free, grades.elsewhere, strict=False)
    for document, grade in [*grades.documents.items(), *elsewhere]:
        by_grade.setdefault(str(verify.number(str(grade))), []).append(document)
    return by_grade
