"""The data of a page about a comparison of two runs."""

from __future__ import annotations

from math import inf, isnan

from untied import _core
from untied._core import show_id
from untied.report.measures import explained, meaning
from untied.report.rankings import check_texts, rankings, titles
from untied.report.values import MOST, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied.compare.comparison import Comparison
    from untied.inputs.texts import TextsLike

#: Ranks whose documents the headline counts changes of.
TOP = 10


def collect_comparison(
    found: Comparison, depth: int, queries_text: TextsLike | None, docs_text: TextsLike | None, threads: int | None
) -> dict[str, Any]:
    """Values of queries, their distribution, and both rankings of each query to a depth."""
    check_texts(queries_text, docs_text)
    count = len(found._native)
    queries = found.queries if count <= MOST else found.most_changed(MOST)
    names = [show_id(name) for name in found.runs]
    qrels, loaded = found._known["qrels"], dict(zip("ab", found._inputs, strict=True))
    precision = "float32" if found._options["ties"] == "trec" else found._options["score_dtype"]
    values = []
    for measure in found.measures:
        of_queries = [found.value(measure, query) for query in queries]
        values.append([[number(one.mean), number(one.low), number(one.high)] for one in of_queries])
    return {
        "kind": "comparison",
        "version": _core.__version__,
        "settings": {name: value for name, value in found._options.items() if value is not None and value is not False},
        "measures": [_measure(measure) for measure in found._measures],
        "runs": names,
        "baseline": None,
        "headline": _headline(found),
        "notes": [],
        "defined": [count - missing for missing in found.undefined.values()],
        "queries": [show_id(query) for query in queries],
        "titles": titles(queries, queries_text),
        "of": count,
        "values": values,
        "distribution": [
            {name: number(cell) if isinstance(cell, float) else cell for name, cell in row.items()}
            for row in found.distribution.to_dicts()
        ],
        "alone": list(found.alone),
        "filled": [[measure, *counts] for measure, counts in found.filled.items()],
        "rankings": rankings(queries, qrels, loaded, depth, precision, texts=docs_text, both_ranks=True),
        "ties": [_core.tie_counts(run, threads, precision) for run in loaded.values()],
    }


def _measure(measure: _core.Measure) -> dict[str, Any]:
    """The tooltip of a measure, and whether its lowest or highest values are the most interesting."""
    _, distance, symmetry = _core.comparing_info(measure)
    signs = {
        "name": str(measure), "lower": distance, "signed": symmetry == "opposite", "meaning": meaning(measure),
    }  # fmt: skip
    return signs | explained(measure, comparing=True)


def _headline(found: Comparison) -> list[list[str]]:
    """The headline: how many of the first ten documents changed, and the value of each measure."""
    changed, moved, left, queries = changes(found, TOP)
    first = (
        f"The first {TOP} documents changed in {_percent(changed, queries)} of queries: in {changed:,} of {queries:,} "
        f"{'query' if queries == 1 else 'queries'}, a document entered or left."
    )
    still = queries - changed - moved
    rest = [f"On average, {left / queries:.1f} documents left the first {TOP}."] if left else []
    rest += [f"In {_queries(moved)}, the same documents have other ranks."] if moved else []
    rest += [f"In {_queries(still)}, the first {TOP} documents did not move."] if still else []
    said = []
    for measure in found._measures:
        total = found.value(measure)
        show = _signed if _core.comparing_info(measure)[2] == "opposite" else "{:.4f}".format
        [most] = found.most_changed(1, measure)
        said.append(
            [
                first,
                *rest,
                f"{measure} is {'undefined' if isnan(total.mean) else show(total.mean)} on average. {meaning(measure)}",
                f"The query that changed most by {measure} is {show_id(most)}.",
            ]
        )
    return said


def _queries(count: int) -> str:
    return f"{count:,} other {'query' if count == 1 else 'queries'}"


def changes(found: Comparison, depth: int) -> tuple[int, int, int, int]:
    """In how many queries documents entered or left the first ranks, and in how many others some moved.

    Then how many documents left the first ranks, summed over queries, and the number of queries. A tied document counts
    at the first of its ranks, so a run has no changes against itself.
    """
    reading = {name: found._options[name] for name in ("ties", "score_dtype")}
    changed = moved = left = 0
    queries = found.queries
    for query in queries:
        rows = _core.moved_documents(*found._inputs, query, qrels=None, depth=depth, **reading)
        ranks = [(a and a[0], b and b[0]) for _, a, b, _ in rows]
        left += sum((a or inf) <= depth < (b or inf) for a, b in ranks)
        if any((a or inf) > depth or (b or inf) > depth for a, b in ranks):
            changed += 1
        elif any(a != b for a, b in ranks):
            moved += 1
    return changed, moved, left, len(queries)


def _percent(count: int, of: int) -> str:
    """A share in whole percent, or with decimals if it would round to 0 or 100."""
    share = 100 * count / of if of else 0.0
    return f"{share:.0f} %" if 1 <= share <= 99 or share in (0, 100) else f"{share:.2f} %"


def _signed(value: float) -> str:
    """A difference with its sign, as the page writes it."""
    text = f"{abs(value):.4f}"
    return text if not float(text) else ("+" if value > 0 else "−") + text
