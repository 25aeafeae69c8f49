"""A limit, the value compared with it, and the result."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import floor, inf, isfinite, isnan, log10

from untied._core import difference, show_id
from untied.measures import as_measure
from untied.results.text import for_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@dataclass(eq=False, repr=False, slots=True)
class Check:
    """Whether a run keeps one limit of a `gate`, and why.

    Attributes
    ----------
    kind : str
        The kind of the limit: ``"min"``, ``"max"``, ``"max-drop"``, ``"max-med"``, ``"certain"`` or ``"min-overturn"``.
    measure : str
        The name of the measure.
    limit : float
        The limit: a number of documents for ``"min-overturn"``, 0 for ``"certain"``, and else a value of the measure.
    value : float
        The number that is compared with the limit. If it is known only as an interval, this is the end that is worse
        for the run. If there is no value, it is NaN. By `kind`, it is:

        * ``"min"``, ``"max"``: the mean of the run
        * ``"max-drop"``: by how much the mean of the run is worse than the mean of the baseline
        * ``"max-med"``: the upper bound of MED
        * ``"certain"``: the lower bound of the difference of the two means
        * ``"min-overturn"``: how many documents could overturn the lead, or 0 if the run is not ahead
    decided_on : str
        A text that says what `value` is, and over how many queries.
    limit_given : str or None
        The limit as you wrote it, such as ``"1%"``; None for ``"certain"``.
    passed : bool
        Whether `value` is within the limit and there are no `reasons` to fail.
    reasons : list of str
        Reasons why the check fails whatever `value` is. For instance, queries are missing or undefined.
    run, baseline : float or None
        The means of the run and of the baseline over the compared queries, or their estimates. Only ``"max-drop"`` has
        the second, and ``"max-med"`` has neither.
    low, high : float or None
        The confidence interval of `value` if you passed `machine`, and `value` is an estimate; NaN if people judged
        fewer than five queries. Without `machine`, both are None.
    p : float or None
        The one-sided p-value of the paired randomisation test. It is None unless you passed ``significant=True`` and
        the limit is exceeded. With `machine`, the interval takes its place.
    queries : list of dict
        The worst queries if the limit is exceeded, worst first. Each is a dict with the id of the query as ``query``
        and a number as ``value``. By `kind`, the number is the query's value, its drop, its MED, the lower bound of its
        difference, or how many of the overturning documents it has. For ``"max-drop"``, the dict also has the values of
        both runs as ``baseline`` and ``run``.
    more : int
        How many further queries are as bad as the last one in `queries`.
    segment : str or None
        The segment of queries that the check is about, or None for all queries.
    """

    kind: str
    measure: str
    limit: float
    value: float
    decided_on: str
    passed: bool
    limit_given: str | None = None
    reasons: list[str] = field(default_factory=list)
    run: float | None = None
    baseline: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    queries: list[dict[str, Any]] = field(default_factory=list)
    more: int = 0
    segment: str | None = None

    @property
    def sentence(self) -> str:
        """The check as a sentence, with the value, the limit, and the reasons to fail."""
        numbers = {name: getattr(self, name) for name in ("value", "limit", "run", "baseline", "low", "high")}
        known = {name: number for name, number in numbers.items() if number is not None}
        shown = dict(zip(known, _shown([*known.values()]), strict=True))
        value, limit = shown["value"], shown["limit"]
        of = f"MED({self.measure})" if self.kind == "max-med" else self.measure
        if self.value == self.value and self.kind in ("certain", "min-overturn"):
            said = self._of_verdict()
        elif self.value != self.value:
            said = (
                f"{of} cannot be compared"
                if self.kind in ("max-drop", "certain", "min-overturn")
                else f"{of} has no value"
            )
            said += f" ({self.decided_on})"
        elif self.run is not None and self.baseline is not None:
            ends = f"from {shown['baseline']} to {shown['run']}, {self.decided_on}"
            if self.low is not None:
                ends = self._of_estimate(shown)
            verb = "rise" if as_measure(self.measure).lower_is_better else "drop"
            change = f"{verb}s by {value}" if self.value > 0 else f"does not {verb}"
            said = f"{of} {change} ({ends}), {limit} is allowed"
        else:
            verb = "can be" if self.kind == "max-med" else "is"
            edge = f"at least {limit} is required" if self.kind == "min" else f"at most {limit} is allowed"
            about = self.decided_on if self.low is None else self._of_estimate(shown)
            said = f"{of} {verb} {value} ({about}), {edge}"
        if self.p is not None:
            verdict = "not significant, " if self.passed else "" if self.reasons else "significant, "
            said += f"; {verdict}p is {self.p:.4g} (one-sided, over the same queries)"
        where = "" if self.segment is None else f"{show_id(self.segment)}: "
        return where + "; ".join([said, *self.reasons])

    def _of_estimate(self, shown: Mapping[str, str]) -> str:
        """What an estimate is from, with its interval and, of a drop beyond the limit, whether that includes 0."""
        assert self.low is not None
        is_drop = self.kind == "max-drop"
        about = self.decided_on
        if is_drop and self.value <= 0:  # the sentence has no number yet
            about = about.replace("estimate", f"estimate {shown['value']}", 1)
        if isnan(self.low):
            return f"{about}; no interval"
        said = f"{about} from {shown['low']} to {shown['high']}"
        if is_drop and difference(self.value, self.limit) > 0:
            said += f", which {'excludes' if self.low > 0 else 'includes'} 0"
        return said

    def _of_verdict(self) -> str:
        """The check of a rule about unjudged documents."""
        of = f"({self.decided_on})"
        if self.kind == "certain":
            [low] = _shown([self.value])
            if self.value > 0:
                return f"{self.measure} is certainly above the baseline's: by at least {low} {of}"
            return f"{self.measure} is not certainly above the baseline's: the difference can be {low} {of}"
        required = f"at least {self.limit:,.0f} {'is' if self.limit == 1 else 'are'} required"
        if not self.value:
            return f"{self.measure} is not above the baseline's {of}, so there is no lead to overturn"
        if self.value == inf:
            return f"no number of further relevant documents overturns the lead by {self.measure} {of}, {required}"
        documents = "document overturns" if self.value == 1 else "documents overturn"
        return f"{self.value:,.0f} further relevant {documents} the lead by {self.measure} {of}, {required}"

    @property
    def worst(self) -> list[str]:
        """Lines of text about the worst queries. The last line says how many more are as bad."""
        shown = {
            "min-overturn": "{value:.0f} of the documents", "max-drop": "{baseline:.4f} to {run:.4f}"
        }.get(self.kind, "{value:.4f}")  # fmt: skip
        lines = [f"query {show_id(one['query'])}: {shown.format(**one)}" for one in self.queries]
        what = "drop" if self.kind == "max-drop" else "number" if self.kind == "min-overturn" else "value"
        return [*lines, *([f"... and {self.more:,} more with the same {what}"] if self.more else [])]

    def to_dict(self) -> dict[str, Any]:
        """Return all attributes as a dict for JSON. An undefined number is None, and an infinite one is ``"inf"``."""
        return {name: for_json(getattr(self, name)) for name in sorted(self.__slots__)}

    def __repr__(self) -> str:
        return f"{'passed' if self.passed else 'FAILED'}: {self.sentence}"


def _shown(numbers: list[float]) -> list[str]:
    """Numbers with the same number of decimals: four, or more if the smallest would show fewer than three digits.

    If a value differs from its limit (the first two numbers), both get enough decimals to show the difference.
    """
    smallest = min((abs(number) for number in numbers if isfinite(number) and number), default=1.0)
    decimals = min(2 - floor(log10(smallest)), 9) if smallest < 0.001 else 4
    different = 2 if len(numbers) > 1 and difference(*numbers[:2]) else 1
    shown = _with_decimals(numbers, decimals)
    while len(set(shown[:2])) < different and decimals < 17:
        decimals += 1
        shown = _with_decimals(numbers, decimals)
    return shown


def _with_decimals(numbers: list[float], decimals: int) -> list[str]:
    return [f"{number:.{decimals}f}" if not 0 < abs(number) < 1e-6 else f"{number:.3g}" for number in numbers]
