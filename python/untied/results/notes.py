"""Notes on results, each about something that a reader of the numbers should know.

They name options as the command line does; `in_python` has the same with parameters.
"""

from __future__ import annotations

from untied._core import show_id
from untied.inputs.mismatch import NAMED, listed
from untied.results.text import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Measure
    from untied._types import Facts
    from untied.results.value import Value

#: What the mark means.
LEGEND = f"{MARK} depends on the order of tied documents; --ties range shows how far"


def in_python(note: str) -> str:
    """A note that names parameters instead of options.

    >>> in_python("counted as 0; --on-undefined nan leaves them out")
    'counted as 0; on_undefined="nan" leaves them out'
    """
    import re

    return re.sub(r"--([a-z-]+) ([a-z]+)", lambda option: f'{option[1].replace("-", "_")}="{option[2]}"', note)


def by_run(counts: Mapping[str, int], word: str = "of") -> str:
    """The counts of all runs that have any, each with its run: a sum could be mistaken for one run's count.

    Of runs that are not named, it says how many there are, and between what their counts lie.
    """
    some = {name: count for name, count in counts.items() if count}
    shown = ", ".join(f"{count:,} {word} {show_id(name)}" for name, count in list(some.items())[:NAMED])
    rest = list(some.values())[NAMED:]
    if not rest:
        return shown
    low, high = min(rest), max(rest)
    count = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    runs = f"{word} 1 more run" if len(rest) == 1 else f"each {word} {len(rest)} more runs"
    return f"{shown} and {count} {runs}"


def values_by_run(counts: Mapping[str, int]) -> str:
    """The same, but the count alone for a single run."""
    return f"{sum(counts.values()):,}" if len(counts) == 1 else by_run(counts)


def differ(facts: Iterable[Mapping[str, Any]]) -> str:
    """How tied documents differ, by the facts about runs: the qrels have no highest grade if they are preferences."""
    return "differ by the preferences" if any(fact["highest"] is None for fact in facts) else "have different grades"


def of_ties(how: str, where: str, ties: str) -> str:
    """A note that ties affect values; `how` is from `differ`."""
    if ties == "expected":
        what = "the mean over all orders"
    elif ties in ("best", "worst"):
        what = f"from the {ties} order"
    else:
        what = f"from one order ({ties})"
    more = "--ties range shows how far ties could move it"
    return f"tied documents {how} in {where}: each value is {what}; {more}"


def leaves_ties_open(measures: Iterable[Measure], ties: str) -> bool:
    """Whether values depend on tied documents that differ in grade, by an amount that is not shown."""
    return ties != "range" and not all(measure.is_count for measure in measures)


def of_absent(facts: Mapping[str, Any], queries: str | None = None) -> Iterator[str]:
    """A note on judged queries that runs lack; `queries` is the policy of commands that have it."""
    absent = {name: fact["absent"] for name, fact in facts.items()}
    if any(absent.values()):
        effect = "left out" if queries == "common" else "counted as empty rankings"
        effect += "; --queries common leaves them out" if queries == "qrels" else ""
        yield f"judged queries missing from a run: {by_run(absent, 'from')} ({effect})"


def of_queries(facts: Mapping[str, Any], queries: str | None = None) -> Iterator[str]:
    """The same, and a note on queries that only a run has."""
    yield from of_absent(facts, queries)
    unknown = {name: fact["unknown"] for name, fact in facts.items()}
    if any(unknown.values()):
        near = ", and ids that nearly match" if any(fact["absent"] for fact in facts.values()) else ""
        hint = f"; untied check lists them{near}"
        yield f"queries without judgments, left out: {by_run(unknown)}{hint}"


#: Why a value that is adjusted for chance can be undefined.
WORTHLESS = "nothing is relevant or the best order is no better than a random order"
#: What "adjusted" in a heading means.
ADJUSTED = "adjusted for chance: 0 is a random order of the retrieved documents, 1 their best order"


def of_adjusted(facts: Mapping[str, Any], adjust: str, *, can_leave_out: bool) -> Iterator[str]:
    """Notes on values that are adjusted for chance; `can_leave_out`: those without a value count as 0, by choice."""
    if adjust == "none":
        return
    yield f"values are {ADJUSTED}"
    counts = {name: dict(fact)["undefined"] - dict(fact)["left_out"] for name, fact in facts.items()}
    if any(counts.values()):
        hint = " (--on-undefined nan leaves them out)" if can_leave_out else ""
        yield (f"values counted as 0, because {WORTHLESS}: {values_by_run(counts)}{hint}")


def of_undefined(
    facts: Mapping[str, Any], *, can_leave_out: bool, adjust: str = "none", kind: str = "run"
) -> Iterator[str]:
    """A note on queries with undefined values, and how these count; `of_adjusted` has those that count as 0 there.

    `kind` is what the facts are about: runs or features. `can_leave_out`: undefined values count as 0 by choice.
    """
    some = {name: fact for name, fact in facts.items() if fact["undefined"]}
    left_out = any(fact["left_out"] for fact in some.values())
    zeros = adjust == "none" and any(fact["undefined"] > fact["left_out"] for fact in some.values())
    if not zeros and not left_out:
        return
    of = "" if kind == "run" else f"{kind} "
    counts = {name: f"{fact['undefined_queries']:,} of {fact['evaluated']:,}" for name, fact in some.items()}
    if len(some) == len(facts) and len(set(counts.values())) == 1:
        where = next(iter(counts.values()))
    else:
        where = listed([f"{count} for {of}{show_id(name)}" for name, count in counts.items()], kind)
    effect = "left out of the means"
    if zeros:
        effect = "counted as 0" + (", or left out of the mean if lower values are better" if left_out else "")
        effect += "; --on-undefined nan leaves them out" if can_leave_out else ""
    why = "usually because no document is relevant" if adjust == "none" else f"because {WORTHLESS}"
    yield f"queries with undefined values, {why}: {where} ({effect})"


def of_values(count: Callable[[str], str], ties: str, errors: Sequence[float] = ()) -> Iterator[str]:
    """A note on estimated or overstated values; `count` describes how many there are, or is empty."""
    if unsettled := count("unsettled"):
        yield (
            "values that are undefined for some grades of unjudged documents, but not for all (the lowest and the "
            f"highest mean cover both cases): {unsettled}"
        )
    if (estimated := count("estimated")) and ties in ("expected", "range"):
        known = f" (standard error of a value at most {max(errors):.2g})" if errors else ""
        yield (f"values estimated from a sample of the orders of tied documents: {estimated}{known}")
    if (enclosed := count("enclosed")) and ties in ("best", "worst", "range"):
        yield f"values whose printed range may be wider than any order of tied documents can reach: {enclosed}"
    if overstated := count("overstated"):
        yield (
            "values that could fall if unjudged documents turned out relevant, because R or the ideal ranking would "
            f"grow: {overstated}"
        )


def of_evaluation(facts: Mapping[str, Any], measures: Sequence[Measure], policies: Mapping[str, Any]) -> Iterator[str]:
    """Notes on the evaluation of runs, by their facts and the chosen policies."""
    ties, adjust = policies["ties"], policies.get("adjust", "none")
    mixed = {name: fact for name, fact in facts.items() if fact["mixed"]}
    if mixed and leaves_ties_open(measures, ties):
        of_runs = [
            f"{fact['mixed']:,} of {fact['evaluated']:,} queries of {show_id(name)}" for name, fact in mixed.items()
        ]
        yield of_ties(differ(facts.values()), listed(of_runs, "run"), ties)
    yield from of_queries(facts, policies.get("queries"))

    def count(what: str) -> str:
        counts: dict[str, Any] = {name: dict(fact)[what] for name, fact in facts.items()}
        return values_by_run(counts) if any(counts.values()) else ""

    can_leave_out = policies["on_undefined"] == "zero"
    yield from of_adjusted(facts, adjust, can_leave_out=can_leave_out)
    yield from of_undefined(facts, adjust=adjust, can_leave_out=can_leave_out)
    errors = [fact["standard_error"] for fact in facts.values() if fact["standard_error"] is not None]
    yield from of_values(count, ties, errors)


def mean_with_notes(mean: Value, measure: Measure, name: str, facts: Facts, policies: Mapping[str, Any]) -> Value:
    """A mean of a run, with the notes on its evaluation and the mark that its row has in a table."""
    notes = map(in_python, of_evaluation({name: facts}, [measure], policies))
    is_marked = bool(facts["mixed"]) and leaves_ties_open([measure], policies["ties"])
    return mean._with_notes(notes, is_marked=is_marked)
