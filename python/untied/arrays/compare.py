"""Compare millions of pairs of rankings, given as arrays of ids."""

from __future__ import annotations

from operator import index

from untied import _core
from untied.arrays.values import ArrayValues
from untied.comparison.measures import as_comparing, as_comparing_measures
from untied.errors import UntiedError
from untied.results.base import ByMeasure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied._core import Measure
    from untied.comparison.measures import ComparingMeasures

#: Rows that are compared at a time, so that memory is that of the arrays and of the values.
ROWS = 1 << 15


class ArrayComparison(ByMeasure):
    """The values that `untied.compare_arrays` returns. ``comparison["RBO"].value`` has one for each pair of rows."""

    def __init__(self, measures: list[Measure], values: Any) -> None:
        self._measures = measures
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def _as_measure(self, measure: str | Measure) -> Measure:
        return as_comparing(measure)

    def __getitem__(self, measure: str | Measure) -> ArrayValues:
        return ArrayValues(*self._values[:, self._number(measure)].T)

    def __repr__(self) -> str:
        return f"<untied.ArrayComparison: {', '.join(self.measures)}; {len(self)} rows>"


def compare_arrays(
    a: Any, b: Any, measures: ComparingMeasures, *, padding: int | None = None, threads: int | None = None
) -> ArrayComparison:
    """Compare two arrays of ranked ids row by row.

    Use it for millions of rankings that are rows of ids, such as the answers of nearest-neighbour search. A row of `a`
    is compared with the same row of `b`, as by `compare`. There are no ties and no judgments.

    Parameters
    ----------
    a, b : array of int, queries x depth
        Document ids as integers, with a row for each ranking, best document first. numpy arrays, torch tensors and
        lists of lists will do. Both need the same number of rows; the numbers of columns may differ.
    measures : measures or their names
        How to compare them, such as ``"RBO(p=0.9)"``, ``Overlap @ 10`` or ``MED(nDCG @ 20)``.
    padding : int, optional
        The id that fills up rows that are too short. Negative ids always do.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    ArrayComparison

    Raises
    ------
    MeasureError
        A measure is not understood.
    UntiedError
        The arrays have different numbers of rows, or a row has a duplicate id or an id after padding.
    TypeError
        The arrays do not hold integers, or do not have two dimensions.

    Examples
    --------
    >>> import untied
    >>> comparison = untied.compare_arrays([[1, 2, 3], [4, 5, -1]], [[1, 3, 2], [6, 5, 4]], "Overlap@2")
    >>> comparison["Overlap@2"].value.tolist()
    [0.5, 0.5]
    """
    import numpy

    asked = as_comparing_measures(measures)
    ids_a, ids_b = _as_array("a", a), _as_array("b", b)
    rows = len(ids_a)
    if rows != len(ids_b):
        raise UntiedError(f"a has {rows} rows and b has {len(ids_b)}; both need one row per query")
    known = None if padding is None or index(padding) < 0 else index(padding)
    native = _core.ArrayComparer(asked, max(ids_a.shape[1], ids_b.shape[1]), known, threads)
    values = numpy.empty((rows, len(asked), 3))
    for first in range(0, rows, ROWS):
        part = slice(first, first + ROWS)
        of_part = native.compare(ids_a[part], ids_b[part], first)
        values[part] = numpy.frombuffer(of_part).reshape(-1, len(asked), 3)
    return ArrayComparison(asked, values)


def _as_array(name: str, ids: Any) -> Any:
    """The ids as an array that the native code can read."""
    from untied.arrays.inputs import as_array, native

    array = as_array(name, ids)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, not {array.dtype}")
    if array.ndim != 2:
        raise TypeError(f"{name} must have two dimensions, queries and ranks, not {array.ndim}")
    # Narrow types and foreign byte orders are rare, and small.
    return native(array.astype(f"{array.dtype.kind}{max(array.dtype.itemsize, 4)}", copy=False))
