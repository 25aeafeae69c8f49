"""Arrays of ids: the same bits as lists of names, whatever holds the ids."""

from __future__ import annotations

import array
import ctypes
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import untied
from untied._core import measure_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied._types import MeasureInfo

OF = ["nDCG@3", "nDCG", "P@2", "AP@3", "AP", "ERR@3", "ERR", "RR", "RBP", "RBP@3", "Success@2", "Bpref", "R@3"]


def spelled(info: MeasureInfo) -> list[str]:
    """A measure that compares two rankings, of every measure that it can be of; with and without a cutoff."""
    if any(name == "of" for name, *_ in info["parameters"]):
        return [f"{info['name']}({of})" for of in OF if is_known(f"{info['name']}({of})")]
    return [info["name"]] * (info["cutoff"] != "required") + [f"{info['name']}@3"] * (info["cutoff"] != "none")


def is_known(name: str) -> bool:
    try:
        untied.compare([], [], name)
    except untied.MeasureError:
        return False
    return True


MEASURES = ["RBO(p=0.5, score='max')", "RBO(variant='w')"]
MEASURES += [name for info in measure_info(comparing=True) for name in spelled(info)]


def numbers(value: untied.Value) -> list[float]:
    return [value.mean, *(np.nan if end is None else end for end in (value.low, value.high))]


def as_lists(rows: list[list[int]], measures: list[str], others: list[list[int]]) -> Any:
    """Value, low and high of `compare` with the two lists of each row."""
    found = [untied.compare([*map(str, a)], [*map(str, b)], measures) for a, b in zip(rows, others, strict=True)]
    return np.array([[numbers(one.value(measure, "query")) for measure in measures] for one in found])


def as_array(rows: list[list[int]], width: int, dtype: Any, padding: int = -1) -> Any:
    return np.array([row + [padding] * (width - len(row)) for row in rows], dtype=dtype).reshape(len(rows), width)


def together(found: untied.ArrayComparison) -> Any:
    columns = [[getattr(found[measure], name) for name in ("value", "low", "high")] for measure in found.measures]
    return np.moveaxis(np.array(columns), 2, 0)


lists = st.lists(st.integers(0, 9), max_size=5, unique=True)
pairs = st.lists(st.tuples(lists, lists), min_size=1, max_size=4)


@given(pairs, st.integers(5, 6), st.sampled_from([np.int32, np.int64, np.int16]))
def test_the_same_bits_as_lists(rows: list[tuple[list[int], list[int]]], width: int, dtype: Any) -> None:
    a, b = (list(column) for column in zip(*rows, strict=True))
    found = untied.compare_arrays(as_array(a, 5, dtype), as_array(b, width, np.int64), MEASURES)
    assert found.measures == MEASURES
    assert {"RBO", "Overlap@3", "MED(nDCG@3)", "Delta(P@2)", "MED(RBP)"} <= set(MEASURES)
    np.testing.assert_array_equal(together(found), as_lists(a, MEASURES, b))


def test_many_rows_on_any_number_of_threads() -> None:
    """More rows than are taken at a time."""
    chance = np.random.default_rng(3)
    ids = chance.integers(0, 1 << 62, (40_000, 1)) + chance.permuted(np.tile(np.arange(8), (40_000, 1)), axis=1)
    a, b = ids, chance.permuted(ids, axis=1)
    measures = ["MED(nDCG@4)", "RBO", "Overlap@4"]
    one, many = (untied.compare_arrays(a[:, :5], b[:, :5], measures, threads=threads) for threads in (1, 3))
    np.testing.assert_array_equal(together(one), together(many))
    some = [0, 1, 32_767, 32_768, 39_999]
    expected = as_lists(a[some, :5].tolist(), measures, b[some, :5].tolist())
    np.testing.assert_array_equal(together(one)[some], expected)


def test_ids_of_any_kind() -> None:
    rows = [[7, 3, 1], [2, 9, 4]], [[3, 7, 5], [9, 2, 8]]
    expected = together(untied.compare_arrays(*rows, ["RBO", untied.MED(untied.nDCG @ 3)]))
    for dtype in (np.uint8, np.int16, np.uint32, np.uint64, np.int64, ">i8"):
        arrays = [np.array(one, dtype=dtype) for one in rows]
        found = untied.compare_arrays(*arrays, ["RBO", "MED(nDCG@3)"])
        np.testing.assert_array_equal(together(found), expected)
        # Not in one piece, and by columns.
        spread = [np.asfortranarray(np.repeat(one, 2, axis=1))[:, ::2] for one in arrays]
        np.testing.assert_array_equal(together(untied.compare_arrays(*spread, ["RBO", "MED(nDCG@3)"])), expected)
    of_c = [np.ctypeslib.as_array((ctypes.c_int64 * 6)(*one[0], *one[1])).reshape(2, 3) for one in rows]
    np.testing.assert_array_equal(together(untied.compare_arrays(*of_c, ["RBO", "MED(nDCG@3)"])), expected)
    buffers = [memoryview(array.array("q", one[0] + one[1])).cast("B").cast("q", (2, 3)) for one in rows]
    np.testing.assert_array_equal(together(untied.compare_arrays(*buffers, ["RBO", "MED(nDCG@3)"])), expected)

    class Interface:
        """What numpy can read without being one of its arrays."""

        def __init__(self, held: Any) -> None:
            self.held = held
            self.__array_interface__ = held.__array_interface__

    wrapped = [Interface(np.array(one, dtype=np.int32)) for one in rows]
    np.testing.assert_array_equal(together(untied.compare_arrays(*wrapped, ["RBO", "MED(nDCG@3)"])), expected)


def test_padding() -> None:
    largest = 2**64 - 1
    a, b = np.array([[1, 2, largest]], dtype=np.uint64), np.array([[2, 1, 3]], dtype=np.uint64)
    assert untied.compare_arrays(a, b, "Overlap@3", padding=largest)["Overlap@3"].value == pytest.approx(2 / 3)
    assert untied.compare_arrays([[1, 2, 0]], [[0, 0, 0]], "Overlap@2", padding=0)["Overlap@2"].value.tolist() == [0]
    assert untied.compare_arrays([[1, 2, -5]], [[1, 2, -1]], "Overlap@2", padding=-1)["Overlap@2"].value == 1
    assert len(untied.compare_arrays(np.empty((0, 4), int), np.empty((0, 3), int), "RBO")) == 0
    assert untied.compare_arrays(np.empty((2, 0), int), np.empty((2, 0), int), "RBO")["RBO"].value.tolist() == [1, 1]


def test_refused() -> None:
    good = np.array([[1, 2], [3, 4]])
    with pytest.raises(untied.UntiedError, match="row 1 of b: id 5 occurs twice"):
        untied.compare_arrays(good, [[1, 2], [5, 5]], "RBO")
    with pytest.raises(untied.UntiedError, match="row 0 of a: id 2 follows padding"):
        untied.compare_arrays([[-1, 2], [3, 4]], good, "RBO")
    with pytest.raises(untied.UntiedError, match="a has 1 rows and b has 2"):
        untied.compare_arrays([[1, 2]], good, "RBO")
    with pytest.raises(TypeError, match="a must hold integers, not float64"):
        untied.compare_arrays(good * 1.0, good, "RBO")
    with pytest.raises(TypeError, match="b must have two dimensions, queries and ranks, not 1"):
        untied.compare_arrays(good, [1, 2], "RBO")
    with pytest.raises(untied.MeasureError, match="reads one ranking"):
        untied.compare_arrays(good, good, "AP")
    with pytest.raises(KeyError, match="Overlap@2 was not computed; RBO were"):
        untied.compare_arrays(good, good, "RBO")["Overlap@2"]
    with pytest.raises(untied.UntiedError, match="row 32768 of a: id 1 occurs twice"):
        untied.compare_arrays(np.ones((40_000, 2), int).cumsum(1) - (np.arange(40_000) == 32_768)[:, None] * [[0, 1]],
                              np.ones((40_000, 1), int), "RBO")  # fmt: skip
