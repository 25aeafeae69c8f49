"""Results of arrays as results of runs, for what compares runs."""

from __future__ import annotations

from collections.abc import Mapping

from untied.arrays.evaluate import ArrayResults
from untied.errors import UntiedError
from untied.results.evaluation import Results
from untied.results.recorded import Recorded
from untied.results.table import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied._types import Facts, Parts

HOW = 'pass several by name, such as {"old": old, "new": new}'


def as_runs(results: ArrayResults | Mapping[str, ArrayResults]) -> Results:
    """The same results where every column of scores is a run.

    Parameters
    ----------
    results : ArrayResults, or dict of ArrayResults
        Columns of scores are named by their numbers. A dict has the results of one column each, by the names of runs.

    Raises
    ------
    UntiedError
        There is one column only, values of queries were not kept, or results in a dict differ in their measures,
        policies or queries.
    TypeError
        These are no results.
    """
    if isinstance(results, ArrayResults):
        if results._single:
            raise UntiedError(f"these results have one column of scores; {HOW}")
        columns = {str(column): (results, column) for column in range(len(results._totals))}
    elif isinstance(results, Mapping) and results and all(isinstance(one, ArrayResults) for one in results.values()):
        columns = {str(name): (one, 0) for name, one in results.items()}
        first = next(iter(results.values()))
        for name, one in results.items():
            if not one._single:
                raise UntiedError(f"{name}: expected results with one column of scores, found {len(one._totals)}")
            for what in ("measures", "queries", "_varied"):
                if list(getattr(one, what)) != list(getattr(first, what)):
                    kind = "policies" if what == "_varied" else what
                    raise UntiedError(f"{name}: expected the same {kind} as in the first results")
    else:
        raise TypeError(
            "expected results of untied.evaluate for two runs or more, or a dict of results of arrays by name, found "
            f"{type(results).__name__}"
        )
    some = next(iter(columns.values()))[0]
    found = {name: _evaluation(one, column) for name, (one, column) in columns.items()}
    return Results(some._measures, found, some._varied)


def _evaluation(results: ArrayResults, column: int) -> Recorded:
    """A column's answers to what is asked of a run's."""
    values = results.per_query  # an error if they were not kept
    measures = range(len(results._measures))
    native = (results._evaluations or ())[column]
    facts: Facts = results._facts[column]
    totals: list[Parts] = results._totals[column]
    fields = [name for number, name in enumerate(FIELDS[1:], 1) if any(total[number] is not None for total in totals)]
    answers: dict[str, dict[tuple[Any, ...], Any]] = {
        "queries": {(): [str(query) for query in results.queries]},
        "columns": {(): fields},
        "totals": {(): totals},
        "facts": {(): facts},
        "column": {(number, name): native.column(number, name) for number in measures for name in ("value", *fields)},
        "__len__": {(): len(values)},
    }
    return Recorded(answers)
