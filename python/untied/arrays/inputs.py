"""Make contiguous arrays for the native code from arrays of any library, and copy them only if necessary."""

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
#: Types of whole numbers.
WHOLE = NATIVE - {"float32", "float64"}


def as_numbers(name: str, array: Any) -> Numbers:
    """Numbers of any type, not rounded."""
    numbers, dtype = _read(name, array)
    if dtype == "bool":
        numbers, dtype = numbers.view(numpy.uint8), "uint8"
    elif dtype in HALVES and numbers.dtype != numpy.uint16:
        numbers = native(numbers).view(numpy.uint16)
    elif dtype.startswith("float") and "_e" in dtype:  # those of ml_dtypes with 8 bits or less
        numbers, dtype = numbers.astype(numpy.float32), "float32"  # which holds all their numbers
    elif dtype in NIBBLES:
        numbers, dtype = numbers.astype(numpy.int8), "int8"
    elif dtype not in NATIVE and dtype not in HALVES:
        expected = "floating-point numbers of at most 64 bits, integers or booleans"
        raise TypeError(f"{name} must hold {expected}, not {dtype}")
    return numpy.require(native(numbers), requirements=["C", "A"]), dtype


def as_flags(name: str, array: Any, shape: tuple[int, ...]) -> Any:
    """Truth values, one for each label, as bytes."""
    if array is None:
        return None
    flags, dtype = _read(name, array)
    if dtype != "bool" and flags.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold booleans or integers, not {dtype}")
    if flags.shape != shape:
        raise UntiedError(f"{name} has shape {flags.shape}, expected the shape of labels, {shape}")
    return numpy.ascontiguousarray(flags if dtype == "bool" else flags != 0).reshape(-1).view(numpy.uint8)


def as_counts(name: str, array: Any, expected: int, of: str) -> Any:
    """Non-negative integers, `expected` of them; a single number applies to every item."""
    counts, dtype = _read(name, array)
    if counts.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, not {dtype}")
    if counts.ndim == 0 and expected >= 0:
        counts = numpy.broadcast_to(counts, (expected,))
    if counts.ndim != 1:
        raise UntiedError(f"{name} must have one dimension, not {counts.ndim}")
    if expected >= 0 and len(counts) != expected:
        raise UntiedError(f"{name} has {len(counts)} numbers for {expected} {of}")
    if len(counts) and counts.min() < 0:
        place = int(numpy.argmax(counts < 0))
        raise UntiedError(f"{name}[{place}] is {counts[place]}, expected at least 0")
    return numpy.ascontiguousarray(counts, dtype=numpy.uint64)


def as_ids(name: str, array: Any) -> Any:
    """Ids of queries, one for each document."""
    ids = as_array(name, array) if isinstance(array, (list, tuple)) else _read(name, array)[0]
    if ids.ndim != 1:
        raise UntiedError(f"{name} must have one dimension, not {ids.ndim}")
    return ids


def native(array: Any) -> Any:
    """The same array in this machine's byte order.

    An array over memory of ctypes or multiprocessing names its byte order even if it is the machine's.
    """
    order = array.dtype.newbyteorder("=")
    return array.view(order) if array.dtype.isnative else array.astype(order)


def _read(name: str, array: Any) -> Numbers:
    """Any array as a numpy array, with the name of its type; types that numpy lacks are given as bits."""
    refuse_masks(name, array)
    array = detached(array)
    if hasattr(array, "tocsr"):
        raise TypeError(f"{name} must be an array, not a sparse {type(array).__name__}: pass {name}.toarray()")
    if not isinstance(array, numpy.ndarray) and hasattr(array, "__dlpack__"):
        from untied.arrays.dlpack import from_dlpack

        tensor = from_dlpack(name, array)
        if tensor is not None:
            return tensor
    values = as_array(name, array)
    return values, values.dtype.name


def grouped(
    shape: tuple[int, ...], sizes: Any, offsets: Any, query_ids: Any
) -> tuple[Any, tuple[int, int] | tuple[None, Any]]:
    """The queries, and the range of documents of each."""
    options = {"sizes": sizes, "offsets": offsets, "query_ids": query_ids}
    given = [name for name, array in options.items() if array is not None]
    if len(given) > 1:
        raise UntiedError(f"give only one of sizes, offsets and query_ids, not {' and '.join(given)}")
    if len(shape) == 2:
        if given:
            raise UntiedError(f"{given[0]} is for flat labels, but labels have shape {shape}, queries x documents")
        return numpy.arange(shape[0]), (shape[1], shape[0])
    if len(shape) != 1:
        raise UntiedError(f"labels must have one or two dimensions, not {len(shape)}")
    if not given:
        raise UntiedError(
            "flat labels need sizes, offsets or query_ids: sizes=[n] for one query of n documents; a metric that "
            "XGBRanker calls gets no groups, so give it the group sizes of the evaluation set as sizes="
        )
    documents = shape[0]
    if sizes is not None:
        counts = as_counts("sizes", sizes, -1, "queries")
        # Sums beyond 64 bits are not worth a message of their own: some size then is too large by itself.
        if (len(counts) and counts.max() > documents) or counts.sum() != documents:
            raise UntiedError(f"sizes add up to {sum(counts.tolist())}, but labels have {documents} documents")
        return numpy.arange(len(counts)), (None, numpy.cumsum(counts, dtype=numpy.uint64))
    if offsets is not None:
        bounds = as_counts("offsets", offsets, -1, "queries")
        if not len(bounds) or bounds[0] != 0 or bounds[-1] != documents:
            span = f"{bounds[0]} to {bounds[-1]}" if len(bounds) else "none"
            raise UntiedError(f"offsets must go from 0 to {documents}, the number of documents, found {span}")
        falls = numpy.flatnonzero(bounds[1:] < bounds[:-1])
        if len(falls):
            place = int(falls[0]) + 1
            raise UntiedError(f"offsets[{place}] is {bounds[place]}, less than the one before, {bounds[place - 1]}")
        return numpy.arange(len(bounds) - 1), (None, bounds[1:].copy())
    ids = as_ids("query_ids", query_ids)
    if len(ids) != documents:
        raise UntiedError(f"query_ids has {len(ids)} ids, but labels have {documents} documents")
    starts = numpy.concatenate([[0], numpy.flatnonzero(ids[1:] != ids[:-1]) + 1])[: documents and None]
    queries = ids[starts]
    _, firsts = numpy.unique(queries, return_index=True)
    if len(firsts) < len(queries):
        again = int(numpy.setdiff1d(numpy.arange(len(queries)), firsts)[0])
        place, query = int(starts[again]), queries[again]
        raise UntiedError(
            f"query_ids[{place}] is {query!s} again, after other queries: documents of a query must be next to "
            "each other; sort them by numpy.argsort(query_ids, kind='stable')"
        )
    return queries, (None, numpy.append(starts[1:], documents).astype(numpy.uint64))


#: Places at the start of arrays that are looked at before all of them are.
FIRST = 256
#: Labels look like scores if they have more than DIFFERENT values, or if there are FEWEST labels or more and over half
#: of them differ. Grades are at most HIGHEST.
DIFFERENT, FEWEST, HIGHEST = 20, 8, 10


def as_floats(numbers: Numbers) -> Any:
    """Numbers as a numpy array of floats, decoded from their bits if necessary."""
    values, dtype = numbers
    if dtype == "bfloat16":
        return (values.astype(numpy.uint32) << 16).view(numpy.float32)
    return values.view(numpy.float16) if dtype == "float16" else values


def look_like_scores(labels: Numbers, present: Any) -> bool:
    """Whether labels look like scores: many different fractions. The first few labels usually decide."""

    def differ(count: int | None) -> bool:
        labels_seen = _first(labels, present, count)
        labels_seen = labels_seen[labels_seen == labels_seen]
        values = numpy.unique(labels_seen)
        different = len(values) > DIFFERENT or 2 * len(values) > len(labels_seen) >= FEWEST
        return bool(different and (values % 1 != 0).any())

    return labels[1] not in WHOLE and differ(FIRST) and differ(None)


def look_like_grades(scores: Numbers, present: Any, width: int | None) -> bool:
    """Whether scores look like grades: small whole numbers that are not ranks; `width` is that of a matrix."""

    def small(count: int | None) -> bool:
        scores_seen = _first(scores, present, count)
        return bool(
            len(scores_seen)
            and (scores_seen % 1 == 0).all()
            and 1 <= scores_seen.max() <= HIGHEST
            and scores_seen.min() >= -HIGHEST
        )

    if not small(FIRST) or not small(None):
        return False
    if present is not None or width is None:
        return True
    rows = numpy.sort(as_floats(scores).reshape(-1, width), axis=1)
    return bool(width < 3 or (rows[:, 1:] == rows[:, :-1]).any())


def _first(numbers: Numbers, present: Any, count: int | None) -> Any:
    """The first numbers that are not padding."""
    values = as_floats((numbers[0].reshape(-1)[:count], numbers[1]))
    return values if present is None else values[present[:count] != 0]


def as_array(name: str, array: Any) -> Any:
    """Anything that numpy reads as an array without loss."""
    refuse_masks(name, array)
    array = detached(array)
    try:
        values = numpy.asarray(array)
    except ValueError as error:
        if isinstance(array, (list, tuple)) and len({len(row) for row in array if hasattr(row, "__len__")}) > 1:
            remedy = "pass flat arrays and sizes=, or pad the rows and pass mask="
            raise TypeError(f"{name}: the rows have different lengths; {remedy}") from None
        raise TypeError(f"{name} cannot be read as an array: {error!r}") from error
    except Exception as error:  # of whatever library: torch's, of what needs a gradient
        raise TypeError(f"{name} cannot be read as an array: {error!r}") from error
    # Numpy makes floats of whole numbers among floats too, but none of 16 bits.
    is_of_floats = isinstance(array, (list, tuple)) and values.dtype.kind == "f" and values.dtype.itemsize > 2
    may_be_rounded = is_of_floats and (abs(values) >= 2.0**53).any()
    if may_be_rounded and not (numpy.asarray(array, dtype=object) == values).all():
        raise UntiedError(f"{name} has an integer that float64 cannot represent")
    return values


def detached(array: Any) -> Any:
    """The array itself, or the numbers of a PyTorch tensor that requires gradients, which PyTorch refuses to export."""
    return array.detach() if getattr(array, "requires_grad", False) is True else array


def refuse_masks(name: str, array: Any) -> None:
    """Refuse masked arrays and lists of them, because numpy ignores their masks."""
    held = array if isinstance(array, (list, tuple)) else (array,)
    if any(isinstance(one, numpy.ma.MaskedArray) for one in held):
        raise TypeError(f"{name} is a masked array: pass mask= for padding or judged= for missing judgments instead")
