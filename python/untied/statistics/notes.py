"""Notes on how tests were made, and on what they found."""

from __future__ import annotations

from math import isnan

from untied._core import show_id
from untied.inputs.mismatch import listed
from untied.results.text import in_clusters, in_queries
from untied.statistics.tests import CORRECTIONS, TESTS, adjust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from untied.results.evaluation import Results

#: What `survives` is about, by what varies.
UNDOING = {"ties": "ties", "judgments": "missing judgments"}
#: What intervals are made by.
METHODS = {"bca": "a bootstrap", "t": "Student's t"}
#: Comparisons that a note names.
NAMED = 4
#: Notes of live reports, too: on queries that only some judgments make count, on comparisons that may not survive, and
#: on tests that cannot find anything.
SAID = {
    "unsettled": "queries in which missing judgments decide whether a run has a value: {}; tests leave "
    "these queries out, but the bounds of differences, and what survives, hold with and without them",
    "unknown": "whether {} could make a significant difference insignificant is unknown for {}; "
    f"only the {TESTS['randomization']} has bounds of p",
    "least": "with {}, p{} cannot be below {}; {}",
}


def said_of(settings: dict[str, Any], runs: int) -> str:
    """A description of how differences between a number of runs were tested."""
    test = test_name(settings["test"], settings["correction"] if runs > 2 else "none")
    return f"{test}, significance level {1 - settings['level']:.4g}"


def test_name(test: str, correction: str) -> str:
    """A test with the correction of its p-values, in words."""
    return TESTS[test] if correction == "none" else f"{TESTS[test]} with {CORRECTIONS[correction]}"


def notes_on(
    results: Results, texts: dict[str, list[str]], columns: dict[str, list[Any]], unsettled: dict[str, int],
    settings: dict[str, Any], varied: Sequence[str], apart: Sequence[str], pairs: int,
) -> Iterator[str]:  # fmt: skip
    """Notes that affect the interpretation of tests."""
    yield from on_bounds(results, apart)
    if any(unsettled.values()):
        of_measures = ", ".join(f"{count} of {measure}" for measure, count in unsettled.items() if count)
        yield SAID["unsettled"].format(of_measures)
    unknown = texts.get("survives", []).count("unknown")
    if unknown:
        causes = " or ".join(UNDOING[one] for one in varied)
        yield SAID["unknown"].format(causes, f"{unknown:,} comparison{'' if unknown == 1 else 's'}")
    if "ci_low" in columns:
        yield from _disagreements(texts, columns, settings)
    yield from on_least(_independent(results), pairs, settings, _unit(results))
    segments = results.segments
    if segments:
        comparisons = pairs * len(segments)
        few = {
            show_id(name): least
            for name, part in segments.items()
            if (least := least_p(_independent(part), comparisons, settings)) > 1 - settings["level"]
        }
        if few:
            p = f"p{_corrected(comparisons, settings)} cannot be below {min(few.values()):.2g}"
            units = "queries" if _unit(results) == "query" else "clusters"
            yield f"segments with too few {units} for a significant difference ({p}): {listed(list(few), 'segment')}"


def _independent(results: Results) -> int:
    """How many signs a test may change: the number of clusters or, without them, of queries."""
    design = results._design
    if design is None:
        return max(fact["evaluated"] for fact in results.facts().values())
    return len({query if design.clusters is None else design.clusters[query] for query in results.queries})


def _corrected(comparisons: int, settings: dict[str, Any]) -> str:
    is_corrected = settings["correction"] != "none" and comparisons > 1
    return f" corrected for {comparisons:,} comparisons" if is_corrected else ""


def _unit(results: Results) -> str:
    return "query" if results._design is None or results._design.clusters is None else "cluster"


def on_least(independent: int, comparisons: int, settings: dict[str, Any], unit: str = "query") -> list[str]:
    """A note if a test by permutations cannot find anything significant."""
    least = least_p(independent, comparisons, settings)
    if least <= 1 - settings["level"]:
        return []
    what, remedy = f"{settings['samples']:,} permutations", "draw more samples or use the test tukey"
    if _of_all(independent, settings) > _of_sample(settings):
        what = in_queries(independent) if unit == "query" else in_clusters(independent)
        remedy = "no difference can be significant"
    return [SAID["least"].format(what, _corrected(comparisons, settings), f"{least:.2g}", remedy)]


def on_dropped(dropped: dict[str, int], pairs: int) -> Iterator[str]:
    """A note on queries that tests leave out, by measure."""
    of_measures = [f"{count} of {measure}" for measure, count in dropped.items() if count]
    if of_measures:
        over = "" if pairs == 1 else f" (over {pairs:,} pairs of runs)"
        yield f"queries for which a run has no value, left out of comparisons: {', '.join(of_measures)}{over}"


def on_bounds(results: Results, apart: Sequence[str]) -> Iterator[str]:
    """A note on bounds over judgments that are not of both runs together."""
    if apart:
        of_arrays = results._difference_bounds is None
        why = (
            "they may be too wide, because a document could get different grades in the two runs"
            if of_arrays
            else "documents that only the other run retrieved could change the difference, too, but are left out"
        )
        yield f"bounds of {', '.join(apart)} over unjudged documents are computed for each run alone: {why}"


def shown_p(p: float) -> str:
    """A p-value with four decimals, or that it is below 0.0001: 1e-04 and 0.0001 would look like different numbers."""
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _disagreements(
    texts: dict[str, list[str]], columns: dict[str, list[Any]], settings: dict[str, Any]
) -> Iterator[str]:
    """A note on differences that are significant by either the interval or p."""
    level, differing, by_correction = 1 - settings["level"], [], []
    segments = texts.get("segment", ["all"] * len(texts["measure"]))
    names = zip(texts["measure"], segments, texts["run_a"], texts["run_b"], strict=True)
    numbers = zip(*(columns[name] for name in ("ci_low", "ci_high", "p", "p_adjusted")), strict=True)
    for (measure, segment, a, b), significant, (low, high, p, adjusted) in zip(
        names, texts["significant"], numbers, strict=True
    ):
        excludes = low > 0 or high < 0
        if isnan(low) or excludes == (significant == "yes"):
            continue
        ends = f"[{low:+z.4f}, {high:+z.4f}]"
        p_is = "p < 0.0001" if adjusted < 0.0001 else f"p = {adjusted:.4f}"
        where = "" if segment == "all" else f" in {show_id(segment)}"
        differing.append(f"{measure} of {show_id(a)} and {show_id(b)}{where} ({p_is}, interval {ends})")
        by_correction.append(excludes and p <= level + 1e-12)
    if not differing:
        return
    reasons = ["p is corrected for the number of comparisons and the interval is not"] * any(by_correction)
    if not all(by_correction):
        reasons.append(f"p is from the {TESTS[settings['test']]} and the interval from {METHODS[settings['interval']]}")
    rest = len(differing) - NAMED
    more = f" and {rest:,} more (the columns p_adjusted, ci_low and ci_high have all)" if rest > 0 else ""
    about = ", ".join(differing[:NAMED]) + more
    yield f"p and the interval disagree about {about}: {'; '.join(reasons)}; p decides significance"


def least_p(queries: int, comparisons: int, settings: dict[str, Any]) -> float:
    """The smallest corrected p that a test by permutations can give; 0 for other tests."""
    if settings["test"] not in ("randomization", "tukey"):
        return 0.0
    least = max(_of_sample(settings), _of_all(queries, settings))
    return adjust([least] * comparisons, settings["correction"])[0]


def _of_sample(settings: dict[str, Any]) -> float:
    """The smallest p of a sample of permutations."""
    samples: int = settings["samples"]
    return 1 / (samples + 1)


def _of_all(queries: int, settings: dict[str, Any]) -> float:
    """The smallest p of all permutations, if the test lists them."""
    return 2.0 ** (1 - queries) if settings["test"] == "randomization" else 0.0
