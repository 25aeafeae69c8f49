"""Values as arrays."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ArrayValues:
    """Values of one measure as arrays: by row, by query, or by column.

    numpy uses it as the array of the values: ``numpy.mean(found["AP"])``.

    Attributes
    ----------
    value : numpy.ndarray
        The values.
    low, high : numpy.ndarray
        Lowest and highest values, as in `Value`; NaN if there are none.
    variance : numpy.ndarray or None
        Variances over orders of tied documents, if computed; NaN if they are unknown.
    """

    __slots__ = ("high", "low", "value", "variance")

    def __init__(self, value: Any, low: Any, high: Any, variance: Any = None) -> None:
        self.value = value
        self.low = low
        self.high = high
        self.variance = variance

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy

        return numpy.array(self.value, dtype) if copy else numpy.asarray(self.value, dtype)

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.value.shape))
        return f"<untied.ArrayValues: {shape} {'rows' if self.value.ndim == 1 else 'values'}>"
