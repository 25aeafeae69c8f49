"""The data of a page about a comparison of two runs."""

from __future__ import annotations

from math import isnan

from untied import _core
from untied._core import show_id
from untied.comparison.changes import changed_at_the_top
from untied.report.measures import explained, meaning
from untied.report.rankings import check_texts, rankings, titles
from untied.report.values import MOST, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied._core import Policies
    from untied.comparison.comparison import Comparison
    from untied.inputs.texts import TextsLike


def collect_comparison(
    comparison: Comparison, depth: int, queries_text: TextsLike | None, docs_text: TextsLike | None, threads: int | None
) -> dict[str, Any]:
    """Values of queries, their distribution, and both rankings of each query to a depth."""
    check_texts(queries_text, docs_text)
    count = len(comparison._native)
    queries = comparison.queries if count <= MOST else comparison.most_changed(MOST)
    names = [show_id(name) for name in comparison.runs]
    qrels, loaded = comparison._known["qrels"], dict(zip("ab", comparison._inputs, strict=True))
    options = comparison._options
    policies: Policies = options["policies"]
    values = []
    for measure in comparison.measures:
        of_queries = [comparison.value(measure, query) for query in queries]
        values.append([[number(one.mean), number(one.low), number(one.high)] for one in of_queries])
    return {
        "kind": "comparison",
        "version": _core.__version__,
        "settings": policies.chosen() | {name: options[name] for name in ("variance", "depth") if options[name]},
        "measures": [_measure(measure) for measure in comparison._measures],
        "runs": names,
        "has_preferences": qrels is not None and qrels.format == "preferences",
        "baseline": None,
        "headline": _headline(comparison),
        "notes": [],
        "defined": [count - missing for missing in comparison.undefined.values()],
        "queries": [show_id(query) for query in queries],
        "titles": titles(queries, queries_text),
        "of": count,
        "values": values,
        "distribution": [
            {name: number(cell) if isinstance(cell, float) else cell for name, cell in row.items()}
            for row in comparison.distribution.to_dicts()
        ],
        "alone": list(comparison.alone),
        "filled": [[measure, *counts] for measure, counts in comparison.filled.items()],
        "rankings": rankings(queries, qrels, loaded, depth, policies["score_dtype"], texts=docs_text, both_ranks=True),
        "ties": [_core.tie_counts(run, threads, policies["score_dtype"]) for run in loaded.values()],
    }


def _measure(measure: _core.Measure) -> dict[str, Any]:
    """The tooltip of a measure, and whether its lowest or highest values are the most interesting."""
    _, distance, symmetry = _core.comparing_info(measure)
    signs = {
        "name": str(measure), "lower": distance, "signed": symmetry == "opposite", "meaning": meaning(measure),
    }  # fmt: skip
    return signs | explained(measure, comparing=True)


def _headline(comparison: Comparison) -> list[list[str]]:
    """The headline: how many of the first ten documents changed, and the value of each measure."""
    top = comparison._top
    changes = comparison.top_changes(top)
    queries, changed, moved, left = changes.queries, changes.changed, changes.reordered, changes.left
    still = queries - changed - moved
    average = left / queries
    shown = f"{average:.1f}" if average >= 0.05 else f"{average:.1g}"
    rest = [f"On average, {shown} documents left the first {top}."] if left else []
    rest += [f"In {_queries(moved, bool(changed))}, the same documents have other ranks."] if moved else []
    rest += [f"In {_queries(still, still < queries)}, the first {top} documents did not move."] if still else []
    said = []
    for measure in comparison._measures:
        total = comparison.value(measure)
        show = _signed if _core.comparing_info(measure)[2] == "opposite" else "{:.4f}".format
        said.append(
            [
                changed_at_the_top(changes, top),
                *rest,
                f"{measure} is {'undefined' if isnan(total.mean) else show(total.mean)} on average. {meaning(measure)}",
                *_most_changed(comparison, measure),
            ]
        )
    return said


def _most_changed(comparison: Comparison, measure: _core.Measure) -> list[str]:
    """Which query changed most; of a single one, and where none is known, there is nothing to say."""
    found = comparison._most_changed(measure)
    if found is None or len(comparison._native) == 1:
        return []
    query, more, is_every = found
    if is_every:
        return [f"No query changed more than another by {measure}."]
    if more:
        return [f"The queries that changed most by {measure} are {show_id(query)} and {more:,} more, all equally."]
    return [f"The query that changed most by {measure} is {show_id(query)}."]


def _queries(count: int, are_others: bool) -> str:
    return f"{count:,} {'other ' if are_others else ''}{'query' if count == 1 else 'queries'}"


def _signed(value: float) -> str:
    """A difference with its sign, as the page writes it."""
    text = f"{abs(value):.4f}"
    return text if not float(text) else ("+" if value > 0 else "−") + text
