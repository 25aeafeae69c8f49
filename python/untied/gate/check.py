"""One limit, the value it was compared with, and the verdict."""

from __future__ import annotations

from math import isfinite

from untied.measures import as_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Check:
    """One limit, and whether it was kept.

    Attributes
    ----------
    kind : str
        ``"min"``, ``"max"``, ``"max-drop"`` or ``"max-med"``.
    measure : str
        The measure's canonical name.
    limit : float
        The limit, as a value of the measure.
    value : float
        The value that decides: the mean of the run, its drop from the baseline's, or the upper bound of MED. If it is
        estimated or bounded, the worse end for the run. NaN if there is none.
    decided_on : str
        Description of this value, with the number of queries.
    passed : bool
        Whether the value is within the limit and there are no `reasons` to fail.
    reasons : list of str
        Reasons to fail regardless of the value: missing or undefined queries, or too few queries.
    run, baseline : float or None
        Means of the runs over the compared queries; `baseline` only for ``"max-drop"``, neither for ``"max-med"``.
    p : float or None
        The one-sided p-value of the paired randomisation test, if only significant drops count and the limit is
        exceeded.
    queries : list of (str, float)
        If the limit is exceeded, the queries with the lowest values (highest for ``"max"`` and ``"max-med"``) or the
        largest drops, and these values.
    """

    __slots__ = (
        "baseline", "decided_on", "kind", "limit", "measure", "p", "passed", "queries", "reasons", "run", "value"
    )  # fmt: skip

    def __init__(
        self, kind: str, measure: str, limit: float, value: float, decided_on: str, passed: bool, *,
        reasons: list[str] | None = None, run: float | None = None, baseline: float | None = None,
        p: float | None = None, queries: list[tuple[str, float]] | None = None,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.measure = measure
        self.limit = limit
        self.value = value
        self.decided_on = decided_on
        self.passed = passed
        self.reasons = reasons or []
        self.run = run
        self.baseline = baseline
        self.p = p
        self.queries = queries or []

    @property
    def sentence(self) -> str:
        """The check as a sentence: value, limit and reasons."""
        value, limit = _shown(self.value), _shown(self.limit)
        of = f"MED({self.measure})" if self.kind == "max-med" else self.measure
        if self.value != self.value:
            said = f"{of} cannot be compared" if self.kind == "max-drop" else f"{of} has no value"
            said += f" ({self.decided_on})"
        elif self.run is not None and self.baseline is not None:
            ends = f"from {_shown(self.baseline)} to {_shown(self.run)}, {self.decided_on}"
            verb = "rise" if as_measure(self.measure).lower_is_better else "drop"
            change = f"{verb}s by {value}" if self.value > 0 else f"does not {verb}"
            said = f"{of} {change} ({ends}), {limit} is allowed"
        else:
            verb = "can be" if self.kind == "max-med" else "is"
            edge = f"at least {limit} is required" if self.kind == "min" else f"at most {limit} is allowed"
            said = f"{of} {verb} {value} ({self.decided_on}), {edge}"
        if self.p is not None:
            verdict = "not significant, " if self.passed else "" if self.reasons else "significant, "
            said += f"; {verdict}p is {self.p:.4g}"
        return "; ".join([said, *self.reasons])

    def to_dict(self) -> dict[str, Any]:
        """All attributes; None for a number that is not finite."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: None if isinstance(value, float) and not isfinite(value) else value
                for name, value in values.items()}  # fmt: skip

    def __repr__(self) -> str:
        return f"{'passed' if self.passed else 'FAILED'}: {self.sentence}"


def _shown(number: float) -> str:
    """Four decimals; three significant digits of a value below 0.001."""
    return f"{number:.4f}" if number == 0 or abs(number) >= 0.001 else f"{number:.3g}"
