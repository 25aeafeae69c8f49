"""The highest or the lowest of many values, and how many more are equal to the last of these."""

from __future__ import annotations

from math import inf

from untied._core import difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def worst_of(values: Sequence[float], top: int, *, lowest: bool = False, above: float = -inf) -> tuple[list[int], int]:
    """Places of the highest or lowest values, and how many more have the last of these values.

    Only values `above` a number count, and none that is NaN.
    """
    from heapq import nlargest, nsmallest  # only here: most commands start without it

    def known() -> Iterator[int]:
        return (place for place, value in enumerate(values) if value > above)

    places = (nsmallest if lowest else nlargest)(top, known(), key=values.__getitem__)
    if not places:
        return [], 0
    last = values[places[-1]]
    alike = sum(not difference(values[place], last) for place in known())
    return places, alike - sum(not difference(values[place], last) for place in places)
