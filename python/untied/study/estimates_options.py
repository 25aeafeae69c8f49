"""Measures and options of studies that compare measures with AP."""

from __future__ import annotations

import math

from untied.errors import UntiedError, check_share
from untied.measures import as_measure, as_measures
from untied.study.rows import numbers, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from untied.measures import MeasureLike

#: The truth: AP with all judgments.
TRUTH = "AP"
#: What is held against it, and how `untied` calls it; ``{rel}`` is the lowest relevant grade, ``{p}`` the share of the
#: pool that is judged. bpref-10 and bpref divide by R + 10 and by R, as the paper has it, trec_eval's by min(N, ...).
MEASURES = {
    "bpref-10": "Bpref(rel={rel},variant='paper',extra=10)",
    "bpref": "Bpref(rel={rel},variant='paper')",
    "bpref-10 (trec_eval)": "Bpref(rel={rel},extra=10)",
    "bpref (trec_eval)": "Bpref(rel={rel})",
    "indAP": "AP(rel={rel},judged_only=True)",
    "subAP": "subAP(rel={rel},p={p})",
    "infAP": "infAP(rel={rel})",
    "AP": "AP(rel={rel})",
    "nDCG": "nDCG",
}


def complete(name: str, rel: float, share: float) -> str:
    """Return a measure's name, filled in with the lowest relevant grade and the judged share of the pool."""
    return str(as_measure(name.replace("{rel}", repr(rel)).replace("{p}", repr(share))))


def bare_name(template: str) -> str:
    """Return the canonical name of a measure, without parameters and cutoff."""
    return as_measure(complete(template, 1, 0.5)).name


def add_rates(add: Callable[..., object], rates: Sequence[float], what: str) -> None:
    """Add the options that studies with rates and samples share."""
    default = ",".join(f"{rate:g}" for rate in rates)
    add("--rates", metavar="R,R,...", type=numbers, default=rates,
        help=f"draw samples with these shares {what}, such as 0.1 (default: {default})")  # fmt: skip
    add(
        "--samples",
        metavar="N",
        type=int,
        default=10,
        help="draw N samples for each share below 1 (default: 10)",
    )
    add("-m", "--measure", metavar="MEASURE", action="append", dest="measures",
        help=f"compare MEASURE with AP (repeatable); {{p}} in MEASURE stands for the share of judgments kept "
        f"(default: {', '.join(MEASURES)})")  # fmt: skip
    add("--rel", metavar="GRADE", type=float, default=1.0,
        help="set the lowest grade that counts as relevant (default: 1); nDCG uses all grades")  # fmt: skip
    add("--pool-depth", metavar="K", type=int,
        help="use only judgments of the first K documents of each ranking (default: all); "
        "unjudged documents among the first K are non-relevant")  # fmt: skip


def checked(
    rates: Sequence[float],
    samples: int,
    measures: MeasureLike | Iterable[MeasureLike] | None,
    rel: float,
    pool_depth: int | None,
    seed: int,
) -> dict[str, Any]:
    """Return the settings of a study with rates and samples, after checking them."""
    for rate in rates:
        check_share("rates", rate, zero=False)
    if all(rate == 1 for rate in rates):
        raise UntiedError("rates must have a share below 1, because 1 keeps everything: 1 % is 0.01")
    if not (math.isfinite(rel) and rel > 0):
        raise UntiedError(f"rel must be a number above 0, not {rel:g}")
    # With everything kept there is the truth, which is always needed.
    return {
        "rates": sorted({1.0, *map(float, rates)}, reverse=True),
        "samples": whole("samples", samples, 1),
        "measures": labels(measures, rel),
        "rel": float(rel),
        "pool_depth": None if pool_depth is None else whole("pool_depth", pool_depth, 1),
        "seed": whole("seed", seed),
    }


def labels(measures: MeasureLike | Iterable[MeasureLike] | None, rel: float) -> list[str]:
    """Return the names of measures, always with AP. Those of `MEASURES` stay as they are, others are canonical."""
    if measures is None:
        return list(MEASURES)
    several: Any = [measures] if isinstance(measures, str) or not hasattr(measures, "__iter__") else measures
    chosen: list[str] = []
    for measure in several:
        name = measure if isinstance(measure, str) else str(as_measure(measure))
        if name in MEASURES or "{p}" in name:
            complete(MEASURES.get(name, name), rel, 0.5)
            chosen.append(name)
        else:
            chosen += [_own(str(one), rel) for one in as_measures(name)]
    return list(dict.fromkeys([*chosen, TRUTH]))


def _own(name: str, rel: float) -> str:
    """Return a name that is not in `MEASURES`. AP(rel=1) stays in full, because AP has the study's `rel` here."""
    return f"{name}(rel=1)" if rel != 1 and "{rel}" in MEASURES.get(name, "") else name
