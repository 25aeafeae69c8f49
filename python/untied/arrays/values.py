"""Values as arrays."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ArrayValues:
    """Values of one measure, an array each: row by row, query by query, or column by column.

    To numpy it is the array of the values: ``numpy.mean(found["AP"])``.

    Attributes
    ----------
    value : numpy.ndarray
        The values.
    low, high : numpy.ndarray
        Bounds of what the value can be, as `Comparison.value` and `Results.value` have them; NaN where there are none.
    variance : numpy.ndarray or None
        Variances over orders of tied documents, where asked for; NaN where they are not known.
    """

    __slots__ = ("high", "low", "value", "variance")

    def __init__(self, value: Any, low: Any, high: Any, variance: Any = None) -> None:
        self.value = value
        self.low = low
        self.high = high
        self.variance = variance

    @property
    def mean(self) -> Any:
        """The values, as `Value.mean` is that of one: ``found["AP"].mean`` whether there are several columns or one."""
        return self.value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy

        return numpy.array(self.value, dtype) if copy else numpy.asarray(self.value, dtype)

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.value.shape))
        return f"<untied.ArrayValues: {shape} {'rows' if self.value.ndim == 1 else 'values'}>"
