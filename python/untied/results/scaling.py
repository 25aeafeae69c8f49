"""Positions on a map, from distances."""

from __future__ import annotations

from untied.errors import UntiedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def places(distances: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    """Classical multidimensional scaling to two dimensions (Torgerson 1952); needs NumPy.

    `distances` is a symmetric square, 0 on the diagonal.
    """
    try:
        import numpy
    except ImportError:
        raise UntiedError("a map of runs needs NumPy: pip install numpy") from None

    n = len(distances)
    centre = numpy.eye(n) - 1 / n
    values, vectors = numpy.linalg.eigh(-centre @ (numpy.array(distances, dtype=float) ** 2) @ centre / 2)
    coordinates = numpy.zeros((n, 2))
    for axis, place in enumerate(numpy.argsort(values)[::-1][:2]):
        # An eigenvector's sign is arbitrary: make its largest part positive.
        vector = vectors[:, place] * numpy.sign(vectors[numpy.abs(vectors[:, place]).argmax(), place] or 1.0)
        coordinates[:, axis] = vector * max(values[place], 0.0) ** 0.5
    return [(round(float(x), 4) + 0.0, round(float(y), 4) + 0.0) for x, y in coordinates]
