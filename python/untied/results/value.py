"""The value of a measure: a number with its bounds, variance and certainty."""

from __future__ import annotations

from untied.results.text import MARK, brackets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Value(float):
    """The value of a measure: a float with bounds, variance and certainty.

    Use a `Value` like any float: in arithmetic and comparisons, with ``sum``, ``max``, ``round``, ``json``, numpy and
    pandas. Comparisons ignore `low` and `high`, and the results of arithmetic are plain floats. An undefined value is
    NaN (``math.isnan``). Values are immutable.
    """

    __slots__ = ("_rest",)
    _rest: tuple[float | None, float | None, float | None, str, float | None, tuple[str, ...], bool]

    def __new__(
        cls,
        mean: float,
        low: float | None = None,
        high: float | None = None,
        variance: float | None = None,
        certainty: str = "exact",
        standard_error: float | None = None,
        notes: Iterable[str] = (),
        is_marked: bool = False,
    ) -> Value:
        """Make a value, as `untied.evaluate` does; a mark tells that ties could move it by an unknown amount."""
        value = super().__new__(cls, mean)
        object.__setattr__(value, "_rest", (low, high, variance, certainty, standard_error, tuple(notes), is_marked))
        return value

    def _with_notes(self, notes: Iterable[str], *, is_marked: bool = False) -> Value:
        return Value(float(self), *self._rest[:5], notes, is_marked)

    @property
    def mean(self) -> float:
        """The value as a plain float: the mean over all orders of tied documents, or the value of the chosen order."""
        return float(self)

    @property
    def low(self) -> float | None:
        """The lowest value that ties or missing judgments allow; None unless computed, as with ``ties="range"``."""
        return self._rest[0]

    @property
    def high(self) -> float | None:
        """The highest value that ties or missing judgments allow; None unless computed, as with ``ties="range"``."""
        return self._rest[1]

    @property
    def variance(self) -> float | None:
        """Variance over orders of tied documents; None without ``variance=True``, or if it is unknown."""
        return self._rest[2]

    @property
    def certainty(self) -> str:
        """How certain the numbers are.

        ``"exact"``: all numbers are exact, up to floating-point rounding. ``"interval"``: all values are between `low`
        and `high`, but may not reach them. ``"estimate"``: the mean and variance come from a sample of orders (for your
        own measures with standard error 0, only `low` and `high` do).
        """
        return self._rest[3]

    @property
    def standard_error(self) -> float | None:
        """Standard error of an estimated value, if it is known; for a mean over queries, an upper bound."""
        return self._rest[4]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the evaluation behind a mean, as printing all results shows them; empty for the value of a query."""
        return self._rest[5]

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"values cannot be changed: {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Value, (float(self), *self._rest)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __repr__(self) -> str:
        text = f"{float(self):z.4f}"
        if self.low is not None:
            text += brackets(text, f"{self.low:z.4f}", f"{self.high:z.4f}")
        if self.variance is not None:
            text += f" (variance {self.variance:.3g})"
        if self.standard_error:
            text += f" (standard error {self.standard_error:.2g})"
        if self._rest[6]:
            text += f" {MARK}"
        return text + (" (see .notes)" if self.notes else "")
