"""Means by names that trackers of experiments accept."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from untied.results.base import ByMeasure


def for_trackers(results: ByMeasure | Mapping[Any, Any]) -> dict[str, float]:
    """Return the means under names that MLflow and other experiment trackers accept.

    ``nDCG@10`` becomes ``nDCG_at_10``, and ``RBP(p=0.5)`` becomes ``RBP_p_0.5``. If there are several runs, the name of
    the run comes first: ``bm25/nDCG_at_10``. Apart from this slash, names have only letters, digits, ``_``, ``-`` and
    ``.``.

    Parameters
    ----------
    results : Results, ArrayResults of one column, or dict
        What `untied.evaluate` or `untied.evaluate_arrays` returned, or the dict that `Evaluator.means` returned.

    Returns
    -------
    dict
        The means, as plain floats, by their new names.

    Raises
    ------
    UntiedError
        Two measures or runs would get the same name.
    TypeError
        The dict has a value that is not a number.

    Examples
    --------
    >>> import untied
    >>> from untied.results import for_trackers
    >>> for_trackers(untied.evaluate({"q1": {"d1": 1}}, {"q1": ["d1"]}, ["nDCG@10", "RBP(p=0.5)"]))
    {'nDCG_at_10': 1.0, 'RBP_p_0.5': 0.5}
    """
    from untied.errors import UntiedError

    accepted: dict[str, float] = {}
    origins: dict[str, Any] = {}
    for key, value in results.items():
        if not hasattr(value, "__float__") or hasattr(value, "__len__"):
            raise TypeError(f"for_trackers: expected a number for {key!r}, not {type(value).__name__}")
        name = "/".join(map(_accepted, key if isinstance(key, tuple) else (key,)))
        if name in accepted:
            raise UntiedError(f"{origins[name]!r} and {key!r} would both be called {name!r}; rename one of them")
        accepted[name], origins[name] = float(value), key
    return accepted


def _accepted(name: str) -> str:
    """A name without the characters that MLflow refuses, and without those that it takes for a path."""
    import re

    return re.sub(r"[^\w.-]+", "_", name.replace("@", " at ")).strip("._") or "_"
