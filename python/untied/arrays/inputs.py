"""Arrays of any library as contiguous ones that the native part can read, without a copy where none is needed."""

from __future__ import annotations

import numpy

from untied.errors import UntiedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    #: An array, and numpy's name for the type of its numbers.
    Numbers = tuple[Any, str]

#: Types that the native part reads.
NATIVE = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)} | {"float32", "float64"}
#: Types of 16 bits that buffers do not know: their bits are read as integers.
HALVES = {"float16", "bfloat16"}
#: Integers of less than 8 bits, of ml_dtypes.
NIBBLES = {"int4", "int2", "uint4", "uint2"}


def as_numbers(name: str, array: Any) -> Numbers:
    """Numbers of any type that untied compares as they are."""
    found, dtype = _read(name, array)
    if dtype == "bool":
        found, dtype = found.view(numpy.uint8), "uint8"
    elif dtype in HALVES and found.dtype != numpy.uint16:
        found = native(found).view(numpy.uint16)
    elif dtype.startswith("float") and "_e" in dtype:  # those of ml_dtypes with 8 bits or less
        found, dtype = found.astype(numpy.float32), "float32"  # which holds all their numbers
    elif dtype in NIBBLES:
        found, dtype = found.astype(numpy.int8), "int8"
    elif dtype not in NATIVE and dtype not in HALVES:
        expected = "floating-point numbers of at most 64 bits, integers or truth values"
        raise TypeError(f"{name} must hold {expected}, not {dtype}")
    return numpy.require(native(found), requirements=["C", "A"]), dtype


def as_flags(name: str, array: Any, shape: tuple[int, ...]) -> Any:
    """Truth values, one for each label, as bytes."""
    if array is None:
        return None
    found, dtype = _read(name, array)
    if dtype != "bool" and found.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold truth values or integers, not {dtype}")
    if found.shape != shape:
        raise UntiedError(f"{name} has shape {found.shape}, labels have {shape}")
    return numpy.ascontiguousarray(found if dtype == "bool" else found != 0).reshape(-1).view(numpy.uint8)


def as_counts(name: str, array: Any, expected: int, of: str) -> Any:
    """Whole numbers from 0, one for each of what is expected; one number is for all of them."""
    found, dtype = _read(name, array)
    if found.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, not {dtype}")
    if found.ndim == 0 and expected >= 0:
        found = numpy.broadcast_to(found, (expected,))
    if found.ndim != 1:
        raise UntiedError(f"{name} must have one dimension, not {found.ndim}")
    if expected >= 0 and len(found) != expected:
        raise UntiedError(f"{name} has {len(found)} numbers for {expected} {of}")
    if len(found) and found.min() < 0:
        place = int(numpy.argmax(found < 0))
        raise UntiedError(f"{name}[{place}] is {found[place]}, expected a number from 0")
    return numpy.ascontiguousarray(found, dtype=numpy.uint64)


def as_ids(name: str, array: Any) -> Any:
    """Ids of queries, one for each document."""
    found = as_array(name, array) if isinstance(array, (list, tuple)) else _read(name, array)[0]
    if found.ndim != 1:
        raise UntiedError(f"{name} must have one dimension, not {found.ndim}")
    return found


def native(array: Any) -> Any:
    """The same in this machine's order of bytes.

    An array over memory of ctypes or multiprocessing names that order, where others say it is the machine's.
    """
    order = array.dtype.newbyteorder("=")
    return array.view(order) if array.dtype.isnative else array.astype(order)


def _read(name: str, array: Any) -> Numbers:
    """Any array as one of numpy's, with the name of its type; numbers that numpy has no type for are bits."""
    refuse_masks(name, array)
    if not isinstance(array, numpy.ndarray) and hasattr(array, "__dlpack__"):
        from untied.arrays.dlpack import from_dlpack

        tensor = from_dlpack(name, array)
        if tensor is not None:
            return tensor
    found = as_array(name, array)
    return found, found.dtype.name


def as_array(name: str, array: Any) -> Any:
    """Anything that numpy reads as an array, without a loss."""
    refuse_masks(name, array)
    try:
        found = numpy.asarray(array)
    except Exception as error:  # of whatever library: torch's, of what needs a gradient
        raise TypeError(f"{name} cannot be read as an array: {error!r}") from error
    # Numpy makes floats of whole numbers among floats too.
    may_be_rounded = isinstance(array, (list, tuple)) and found.dtype.kind == "f" and (abs(found) >= 2.0**53).any()
    if may_be_rounded and not (numpy.asarray(array, dtype=object) == found).all():
        raise UntiedError(f"{name}: a whole number in it does not fit into a 64-bit float")
    return found


def refuse_masks(name: str, array: Any) -> None:
    """Refuse arrays with masks, which numpy passes over, and lists of them."""
    held = array if isinstance(array, (list, tuple)) else (array,)
    if any(isinstance(one, numpy.ma.MaskedArray) for one in held):
        raise TypeError(
            f"{name} is a masked array, whose mask says too little: use mask= (documents that there are) or judged="
        )
