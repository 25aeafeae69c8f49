"""Grades behind a largest difference, and distributions of differences over judgments."""

from __future__ import annotations

from untied.errors import check_share


class Assignment:
    """Judgments that put one ranking as far ahead of the other as possible.

    `Comparison.assignment` returns it.

    Attributes
    ----------
    direction : str
        ``"a-b"`` if the first ranking is ahead, ``"b-a"`` if the second is.
    value : float
        How far it is ahead by the measure. This is the value of ``MED``.
    grades : dict of str and float
        The grade of each unjudged document within the cutoff of one of the rankings.
    filling : list of float
        The grades of the imagined documents that fill up the leading ranking to the cutoff, in the order of their
        ranks. The list is empty if the ranking is long enough. Documents that fill up the other ranking have grade 0.
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
    """The differences that two rankings could have, with their probabilities.

    `Comparison.outcomes` returns it.

    Attributes
    ----------
    values : list of float
        The possible differences, in ascending order.
    probabilities : list of float
        The probability of each of the `values`.
    error : float or None
        The most by which a value may be off, because similar differences are merged. None if the differences were drawn
        at random.
    certainty : str
        ``"exact"`` if the error is 0, ``"interval"`` if it is above 0, and ``"estimate"`` if the differences were drawn
        at random.
    """

    __slots__ = ("certainty", "error", "probabilities", "values")

    def __init__(self, values: list[float], probabilities: list[float], error: float | None) -> None:
        self.values = values
        self.probabilities = probabilities
        self.error = error
        self.certainty = "estimate" if error is None else "interval" if error else "exact"

    def quantile(self, share: float) -> float:
        """Return a quantile of the difference; 0.5 gives the median.

        Parameters
        ----------
        share : float
            The probability, from 0 to 1, that the difference is at most the quantile.

        Returns
        -------
        float
            The quantile. If `error` is above 0, it may be off by this much.

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
