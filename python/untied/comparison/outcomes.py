"""Grades behind a largest difference, and distributions of differences over judgments."""

from __future__ import annotations

from untied.errors import check_share


class Assignment:
    """Grades of unjudged documents that put one ranking as far ahead of the other as possible.

    Attributes
    ----------
    direction : str
        ``"a-b"`` if the first ranking is ahead, ``"b-a"`` if the second is.
    value : float
        The difference, which is the value of ``MED``.
    grades : dict of str and float
        The grade of each unjudged document that either ranking has within the cutoff.
    filling : list of float
        Grades of the unknown documents that fill up the leading ranking to the cutoff, in the order of ranks. The
        unknown documents of the other ranking have grade 0.
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
    """The distribution of a difference over all possible judgments.

    Attributes
    ----------
    values : list of float
        Differences in ascending order.
    probabilities : list of float
        The probability of each value; for a sample, its share.
    error : float or None
        Largest difference between an outcome and the value to which it was rounded. None for a sample.
    certainty : str
        ``"exact"`` if the error is 0, ``"interval"`` if it is not, ``"estimate"`` for a sample.
    """

    __slots__ = ("certainty", "error", "probabilities", "values")

    def __init__(self, values: list[float], probabilities: list[float], error: float | None) -> None:
        self.values = values
        self.probabilities = probabilities
        self.error = error
        self.certainty = "estimate" if error is None else "interval" if error else "exact"

    def quantile(self, share: float) -> float:
        """The smallest value that outcomes do not exceed with this probability.

        Parameters
        ----------
        share : float
            The probability, from 0 to 1.

        Returns
        -------
        float
            Its error is at most `error`.

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
