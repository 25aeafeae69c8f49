"""The value of a measure: a number with its bounds, variance and certainty."""

from __future__ import annotations

from untied.results.text import MARK, brackets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Value(float):
    """The value of a measure: a float that also knows its bounds, variance and certainty.

    Use it like any float: in arithmetic and comparisons, with ``sum``, ``max``, ``round``, ``json``, numpy and pandas.
    All of these see only the number, and arithmetic returns a plain float. An undefined value is NaN (``math.isnan``).
    Values are immutable.
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
        """The value as a plain float. By default, it is the mean over the orders of tied documents."""
        return float(self)

    @property
    def low(self) -> float | None:
        """The lowest value that ties or missing judgments allow, or None if it was not computed.

        To compute it, evaluate with ``ties="range"`` or ``unjudged="range"``.
        """
        return self._rest[0]

    @property
    def high(self) -> float | None:
        """The highest value that ties or missing judgments allow, or None if it was not computed.

        To compute it, evaluate with ``ties="range"`` or ``unjudged="range"``.
        """
        return self._rest[1]

    @property
    def variance(self) -> float | None:
        """The variance over orders of tied documents, and over grades that have probabilities.

        It is None without ``variance=True``, or if it is unknown. Over grades, it is no error bar: the labels of a
        model err together, and in our study its root was 3.9 times too small.
        """
        return self._rest[2]

    @property
    def certainty(self) -> str:
        """How far you can trust these numbers: ``"exact"``, ``"interval"`` or ``"estimate"``.

        * ``"exact"``: they are right up to floating-point rounding
        * ``"interval"``: all values are between `low` and `high`, but may not reach them
        * ``"estimate"``: the mean and the variance come from a sample of the orders of tied documents

        If `standard_error` is 0, as it can be for your own measures, only `low` and `high` come from the sample.
        """
        return self._rest[3]

    @property
    def standard_error(self) -> float | None:
        """The standard error of an estimated value, or None if it is not known.

        For a mean over queries, it is an upper bound.
        """
        return self._rest[4]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the evaluation behind a mean. They are also shown if you print all results.

        The value of a single query has no notes.
        """
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
