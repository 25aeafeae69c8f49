"""Which functions state a measure, and what tests must know of it beside its definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

Of = TypeVar("Of", bound=Callable[..., Fraction | None])

#: Gains by grade, and discounts: values of parameters that several measures have.
TABLES: list[Any] = [
    {0: 0, 1: 1, 2: 3, 3: 7},
    {0: 0, 1: 0.25, 2: 0.5, 3: 4},
    {0: 0, 1: 3, 2: 2, 3: 1},
    {0: -1, 1: 1, 2: -0.5, 3: 2},
    {0: 0.5, 1: 1, 2: 3, 3: 7},
]
#: Those under which some document gains something.
GAINS: list[Any] = [None, "linear", "exp2", *TABLES[:3], TABLES[4]]
DISCOUNTS: list[Any] = [None, "log2", "log(2)", "log(10)", "log(2.5)", "inverse"]
DISCOUNTS += [[1, 0.5, 0.25], [1.0] * 12, [0.5, 1, 0, 0.75], [1, -0.5, 0.25]]
#: Lowest relevant grades, where grades gain what they are.
LEVELS: list[Any] = [None, None, 1, 2, 0.5, 1.25]


@dataclass(frozen=True)
class Stated:
    """A measure's definition for one order, and what tests must know."""

    definition: Callable[..., Fraction | None]
    #: Its aggregate is a sum.
    is_count: bool = False
    lower_is_better: bool = False
    #: Format of the judgements, where they are no grades.
    form: str | None = None
    #: It has no value where nothing is relevant.
    of_relevant: bool = False
    #: Whether it has a value of its own, where that depends on more.
    is_defined: Callable[..., bool] | None = None
    #: Differences that are nothing: logarithms of both signs may add up to 0.
    floor: float = 1e-20
    #: Mean and mean square of what is random even for one order.
    moments: Callable[..., tuple[Fraction, Fraction]] | None = None
    #: Values of parameters to try, where they are not those of all parameters of this name. None: not given.
    tried: dict[str, list[Any]] = field(default_factory=dict)
    #: Values that go together.
    together: list[dict[str, Any]] = field(default_factory=lambda: [{}])


STATED: dict[str, Stated] = {}


def measure(name: str, **known: Any) -> Callable[[Of], Of]:
    """Register the definition of a measure, with what of `Stated` is particular."""

    def register(definition: Of) -> Of:
        STATED[name] = Stated(definition, **known)
        return definition

    return register
