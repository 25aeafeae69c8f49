"""A mean from human values of a stratified sample of queries, and a machine's values of all queries."""

from __future__ import annotations

from math import fsum

from untied.errors import UntiedError, check_count, check_one_of
from untied.statistics.intervals import check_level
from untied.statistics.judges import TARGETS, Estimate, Sample, estimate_samples
from untied.statistics.values import plain_values, standard_deviation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from typing import Any

    from untied.results.value import Value
    from untied.statistics.judges import Target

#: From fewer queries of a stratum, nobody can say how much its values vary.
LEAST_OF_STRATUM = 2


def allocate(machine: Mapping[Any, float | Value], strata: Mapping[Any, Hashable], judged: int) -> dict[Hashable, int]:
    """Plan how many queries of each stratum people should judge.

    Use it before people judge, with a machine's values of all queries. Half of the queries for people are shared among
    the strata by size, and the other half goes where the machine's values vary most, as Neyman's allocation has it.
    Then draw as many queries of each stratum at random, let people judge them, and call `estimate_strata`.

    The plan helps if the machine makes larger errors where its values vary more. If you don't know that, let all values
    be equal: each stratum then gets its share by size. The estimate is unbiased with any plan.

    Parameters
    ----------
    machine : {query: value}
        The machine's value of each query, such as the difference of two runs.
    strata : {query: stratum}
        The stratum of each query, such as its language or its source.
    judged : int
        How many queries people can judge.

    Returns
    -------
    dict
        ``{stratum: number of queries}``. Each stratum of two or more queries gets at least two.

    Raises
    ------
    UntiedError
        A query has no stratum; a value is not a finite number; or `judged` is too small for the strata, or larger than
        the number of queries.

    Examples
    --------
    The machine's values are 0 or 1 for short queries, and vary little for long ones:

    >>> machine = {f"q{i}": i % 2 if i < 40 else i % 7 / 70 for i in range(100)}
    >>> strata = {f"q{i}": "short" if i < 40 else "long" for i in range(100)}
    >>> allocate(machine, strata, 30)
    {'short': 21, 'long': 9}
    """
    check_count("judged", judged)
    keys, values = plain_values("machine", machine)
    members: dict[Hashable, list[float]] = {}
    for query, value in zip(_named("machine", keys), values, strict=True):
        members.setdefault(_stratum(strata, query), []).append(value)
    numbers = {stratum: min(LEAST_OF_STRATUM, len(inside)) for stratum, inside in members.items()}
    least = sum(numbers.values())
    if not least <= judged <= len(values):
        raise UntiedError(f"judged must be from {least:,} (two of each stratum) to {len(values):,}, not {judged:,}")
    spreads = {stratum: standard_deviation(inside) if len(inside) > 1 else 0.0 for stratum, inside in members.items()}
    if not any(spreads.values()):
        spreads = dict.fromkeys(members, 1.0)

    def gain(stratum: Hashable) -> float:
        """By how much the variance falls with one more query of the stratum."""
        weight, number = len(members[stratum]) * spreads[stratum], numbers[stratum]
        return weight * weight / (number * (number + 1))

    def rank(stratum: Hashable) -> tuple[bool, float]:
        """Whether the stratum has less than half of its share by size, and the gain."""
        # By Neyman's allocation alone, strata with like values would have too few queries to see the machine's errors.
        return (numbers[stratum] + 1) * 2 * len(values) <= judged * len(members[stratum]), gain(stratum)

    for _ in range(judged - least):
        numbers[max((one for one in members if numbers[one] < len(members[one])), key=rank)] += 1
    return numbers


def estimate_strata(
    human: Mapping[Any, float | Value], machine: Mapping[Any, float | Value], strata: Mapping[Any, Hashable], *,
    target: Target = "all", level: float = 0.95,
) -> Estimate:  # fmt: skip
    """Estimate a mean from human values of a stratified sample and a machine's values of all queries.

    Use it if people judged a random sample of each stratum, such as `allocate` plans. Each stratum is estimated as by
    `estimate_mean`, and counts by its number of queries. However bad the machine is, the estimate is unbiased.

    Parameters
    ----------
    human : {query: value}
        Values from human judgments.
    machine : {query: value}
        Values from the machine's judgments of the same queries and all others.
    strata : {query: stratum}
        The stratum of each query. It must be known before people judge.
    target : str
        What the interval is about. ``"all"``: the mean over all queries that users could ask; these queries are a
        random sample of them. ``"these"``: the mean over these queries, if people had judged all of them.
    level : float
        The confidence of the interval, between 0 and 1. For instance, 0.95 gives a 95 % interval.

    Returns
    -------
    Estimate
        Its ``human``, ``bias``, ``slope`` and ``correlation`` are means over strata, weighted by the number of queries.
        If a stratum has no correlation, there is none. ``width`` compares with the same sample without the machine, and
        ``equivalent`` with a simple random sample without it.

    Raises
    ------
    UntiedError
        The machine lacks a query; a query has no stratum; people judged no query of a stratum, or only one of several;
        a value is not a finite number; an option is invalid; or SciPy is not installed.

    Examples
    --------
    >>> machine = {f"q{i}": i % 2 if i < 40 else i % 7 / 70 for i in range(100)}
    >>> strata = {f"q{i}": "short" if i < 40 else "long" for i in range(100)}
    >>> human = {f"q{i}": i // 3 % 2 for i in range(26)} | {f"q{i}": i % 7 / 90 for i in range(50, 58)}
    >>> estimate_strata(human, machine, strata)
    0.2046 [0.1111, 0.2981] from 34 of 100 queries, 1.00 as wide as without the machine
    """
    check_one_of("target", target, TARGETS)
    check_level(level)
    keys, values = plain_values("human", human)
    every, machine_values = plain_values("machine", machine)
    keys, every = _named("human", keys), _named("machine", every)
    by_query = dict(zip(every, machine_values, strict=True))
    members: dict[Hashable, list[float]] = {}
    for query, value in by_query.items():
        members.setdefault(_stratum(strata, query), []).append(value)
    pairs: dict[Hashable, list[tuple[Any, float, float]]] = {stratum: [] for stratum in members}
    for query, value in zip(keys, values, strict=True):
        if query not in by_query:
            raise UntiedError(f"machine lacks query {query!r}, which human has")
        pairs[_stratum(strata, query)].append((query, value, by_query[query]))
    for stratum, inside in members.items():
        if len(pairs[stratum]) < min(LEAST_OF_STRATUM, len(inside)):
            raise UntiedError(
                f"people judged {len(pairs[stratum])} of {len(inside):,} queries of stratum {stratum!r}: two are needed"
            )
    samples = [
        Sample(
            [query for query, _, _ in judged], [y for _, y, _ in judged], [f for _, _, f in judged],
            fsum(members[stratum]), len(members[stratum]),
        )
        for stratum, judged in pairs.items()
    ]  # fmt: skip
    return estimate_samples(samples, target, level)


def _named(name: str, keys: list[Any] | None) -> list[Any]:
    if keys is None:
        raise UntiedError(f"{name} must be a dict, from queries to values")
    return keys


def _stratum(strata: Mapping[Any, Hashable], query: Any) -> Hashable:
    if not hasattr(strata, "keys"):
        raise TypeError(f"strata must be a dict from queries to strata, not {strata!r:.60}")
    if query not in strata:
        raise UntiedError(f"query {query!r} has no stratum")
    return strata[query]
