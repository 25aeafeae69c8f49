"""Grades behind a largest difference, and distributions of differences over judgments."""

from __future__ import annotations

from untied.errors import check_share


class Assignment:
    """Judgments that put one ranking as far ahead of the other as possible, from `Comparison.assignment`.

    Attributes
    ----------
    direction : str
        ``"a-b"`` if the first ranking is ahead, ``"b-a"`` if the second ranking is ahead.
    value : float
        The difference, which is the value of ``MED``.
    grades : dict of str and float
        The grade of each unjudged document that one of the rankings has within the cutoff.
    filling : list of float
        The grades of documents that the leading ranking does not name. If a ranking is shorter than the cutoff, MED
        fills it up with such documents, and these are the grades that they get in the leading ranking, in the order of
        their ranks. If it is long enough, the list is empty. Documents that fill up the other ranking get grade 0.
    """

    __slots__ = ("direction", "filling", "grades", "value")

    def __init__(self, direction: str, value: float, grades: dict[str, float], filling: list[float]) -> None:
        self.direction = direction
        self.value = value
        self.grades = grades
        self.filling = filling

    def __repr__(self) -> str:
        return f"{self.direction}: {self.value:z.4f}, {self.grades}"


class Outcomes:
    """How probable each difference of two rankings is, over all possible judgments, from `Comparison.outcomes`.

    Attributes
    ----------
    values : list of float
        The possible differences, in ascending order.
    probabilities : list of float
        The probability of each of the `values`. In a sample, this is the share of draws that gave the value.
    error : float or None
        How far off `values` may be at most, because differences are rounded to the nearest of them. This is None if the
        differences come from a random sample.
    certainty : str
        ``"exact"`` if the error is 0, ``"interval"`` if the error is above 0, and ``"estimate"`` if the differences
        come from a random sample.
    """

    __slots__ = ("certainty", "error", "probabilities", "values")

    def __init__(self, values: list[float], probabilities: list[float], error: float | None) -> None:
        self.values = values
        self.probabilities = probabilities
        self.error = error
        self.certainty = "estimate" if error is None else "interval" if error else "exact"

    def quantile(self, share: float) -> float:
        """Return the smallest difference that is not exceeded with a given probability.

        Parameters
        ----------
        share : float
            The probability, from 0 to 1. For instance, 0.5 gives the median.

        Returns
        -------
        float
            The difference. If `error` is above 0, the exact quantile differs from it by at most this much.

        Raises
        ------
        UntiedError
            `share` is not from 0 to 1.
        """
        check_share("a quantile's probability", share)
        total = 0.0
        for value, probability in zip(self.values, self.probabilities, strict=True):
            total += probability
            if total >= share - 1e-12:  # sums are rounded
                return value
        return self.values[-1]

    def __repr__(self) -> str:
        low, middle, high = map(self.quantile, (0.05, 0.5, 0.95))
        return f"5% {low:z.4f}, 50% {middle:z.4f}, 95% {high:z.4f} ({self.certainty})"
