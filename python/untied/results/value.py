"""The value of a measure: a number that also says what else it could be."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Value(float):
    """The value of a measure: a number, with all that it could be besides.

    It is a float wherever one is expected: in arithmetic and comparisons, to ``sum``, ``max``, ``round``, ``json``,
    numpy and pandas. It equals every number of the same size, whatever its `low` and `high` are, and what is computed
    from it is a plain float. A measure without a value is NaN (``math.isnan``). It cannot be changed.
    """

    __slots__ = ("_rest",)
    _rest: tuple[float | None, float | None, float | None, str, float | None]

    def __new__(
        cls,
        mean: float,
        low: float | None = None,
        high: float | None = None,
        variance: float | None = None,
        certainty: str = "exact",
        standard_error: float | None = None,
    ) -> Value:
        """Make one; `untied.evaluate` and the like do."""
        value = super().__new__(cls, mean)
        object.__setattr__(value, "_rest", (low, high, variance, certainty, standard_error))
        return value

    @property
    def mean(self) -> float:
        """The value as a plain float: the mean over all orders of tied documents, or that of the one order chosen."""
        return float(self)

    @property
    def low(self) -> float | None:
        """The smallest value that ties or missing judgments allow; None unless asked for by a policy of ``"range"``."""
        return self._rest[0]

    @property
    def high(self) -> float | None:
        """The largest one; with several policies of ``"range"`` it is over all that is open by any of them."""
        return self._rest[1]

    @property
    def variance(self) -> float | None:
        """Variance over orders of tied documents; only with ``variance=True``, and None where it is not known."""
        return self._rest[2]

    @property
    def certainty(self) -> str:
        """How sure the numbers are.

        ``"exact"`` (up to floating-point rounding); ``"interval"``: `low` and `high` enclose all values, but need not
        be reached; ``"estimate"``: the mean and variance come from a sample of orders (or, of a measure of your own
        with standard error 0, only `low` and `high` do).
        """
        return self._rest[3]

    @property
    def standard_error(self) -> float | None:
        """Standard error of an estimated mean, where it is known: of measures of your own; of a mean at most this."""
        return self._rest[4]

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"values cannot be changed: {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Value, (float(self), *self._rest)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __repr__(self) -> str:
        text = f"{float(self):.4f}"
        if self.low is not None:
            text += f" [{self.low:.4f}, {self.high:.4f}]"
        if self.variance is not None:
            text += f" (variance {self.variance:.3g})"
        if self.standard_error:
            text += f" (standard error {self.standard_error:.2g})"
        return text
