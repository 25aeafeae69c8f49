"""Helpers for values of the same queries: plain numbers, and simple statistics of them."""

from __future__ import annotations

from array import array
from math import fsum, isfinite, nan, sqrt

from untied import _core
from untied.errors import UntiedError, check_count, check_whole
from untied.results.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from untied._core import Measure

    Values: TypeAlias = Mapping[Any, float | Value] | Iterable[float | Value]


def need_scipy(what: str) -> Any:
    """scipy.stats, or an error that names the feature that needs it."""
    try:
        from scipy import stats
    except ImportError:
        raise _no_scipy(what) from None
    return stats


def t_quantile(what: str, level: float, freedom: float) -> float:
    """Return the multiple of the standard error in Student's interval of this level; `what` names what needs it."""
    try:
        # The same function as in scipy.stats, which takes a second to import.
        from scipy.special import stdtrit
    except ImportError:
        raise _no_scipy(what) from None
    return float(stdtrit(freedom, (1 + level) / 2))


def _no_scipy(what: str) -> UntiedError:
    return UntiedError(f"{what} need SciPy: pip install scipy")


def differences_of(a: Values, b: Values) -> tuple[array[float], float]:
    """The differences of values of the same queries, and their mean; what is only rounding is 0."""
    differences, mean = _core.differences(*paired_values(a, b))
    return array("d", differences), mean


def paired_values(a: Values, b: Values) -> tuple[array[float], array[float]]:
    """Values of the same queries side by side."""
    (keys_a, one), (keys_b, other) = plain_values("a", a), plain_values("b", b)
    if (keys_a is None) != (keys_b is None):
        raise UntiedError("a and b must both be dicts or both be lists")
    if keys_a is None or keys_b is None:
        if len(one) != len(other):
            raise UntiedError(f"a has {len(one)} values and b has {len(other)}; they must belong to the same queries")
        return one, other
    if set(keys_a) != set(keys_b):
        odd = min(set(keys_a) ^ set(keys_b), key=repr)
        raise UntiedError(f"a and b must have the same queries; only {'a' if odd in keys_a else 'b'} has {odd!r}")
    by_query = dict(zip(keys_b, other, strict=True))
    return one, array("d", (by_query[query] for query in keys_a))


def plain_values(name: str, values: Values) -> tuple[list[Any] | None, array[float]]:
    """Queries, if they have names, and values."""
    keys: list[Any] | None = None
    given: Any = values
    if hasattr(given, "items"):
        items = list(given.items())  # a Series of pandas has them, too
        keys, given = [key for key, _ in items], [value for _, value in items]
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise UntiedError(f"{name} has query {twice!r} more than once")
    try:
        plain = array("d", map(float, "no number" if isinstance(given, (str, bytes)) else given))
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be numbers, or a dict from queries to numbers, not {values!r:.60}") from None
    if not plain:
        raise UntiedError(f"{name} has no values")
    for place, value in enumerate(plain):
        if not isfinite(value):
            where = f"of query {keys[place]!r}" if keys else f"number {place + 1}"
            raise UntiedError(f"value {where} in {name} must be a finite number, not {value}")
    return keys, plain


def scale_of(measure: Measure) -> str:
    """On which scale values of queries add up: ``"mean"``, ``"log"`` (geometric mean) or ``"sum"`` (counts)."""
    return "log" if measure.is_geometric else "sum" if measure.is_count else "mean"


def mean_of(values: Sequence[float]) -> float:
    """The mean, computed from an exact sum."""
    return fsum(values) / len(values)


def standard_deviation(values: Sequence[float]) -> float:
    """Standard deviation of a sample: NaN of a single value, and 0 if all are equal but for rounding."""
    if len(values) < 2:
        return nan
    if not _core.difference(max(values), min(values)):
        return 0.0
    mean = mean_of(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def check_samples(samples: int) -> int:
    """Refuse an invalid number of samples."""
    return check_count("samples", samples)


def check_seed(seed: int) -> int:
    """Refuse a seed that the generator of random numbers does not take."""
    if not 0 <= check_whole("seed", seed) < 1 << 64:
        raise UntiedError(f"seed must be from 0 to 2^64 - 1, not {seed}")
    return seed
