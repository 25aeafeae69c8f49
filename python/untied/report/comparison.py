"""All that a page about a comparison of two runs shows."""

from __future__ import annotations

from untied import _core
from untied._core import show_id
from untied.report.data import explained, rankings
from untied.report.values import MOST, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied.compare.comparison import Comparison


def collect_comparison(found: Comparison, depth: int, threads: int | None) -> dict[str, Any]:
    """Values of queries, how they spread, and both rankings of each query to a depth."""
    count = len(found._native)
    queries = found.queries if count <= MOST else found.most_changed(MOST)
    names = [show_id(name) for name in found.runs]
    run_a, run_b, qrels = found._inputs
    loaded = {"a": run_a, "b": run_b}
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
        "queries": [show_id(query) for query in queries],
        "of": count,
        "values": values,
        "distribution": [
            {name: number(cell) if isinstance(cell, float) else cell for name, cell in row.items()}
            for row in found.distribution.to_dicts()
        ],
        "alone": list(found.alone),
        "filled": [[measure, *counts] for measure, counts in found.filled.items()],
        "rankings": rankings(queries, qrels, loaded, depth),
        "ties": [_core.tie_counts(run, threads, precision) for run in loaded.values()],
    }


def _measure(measure: _core.Measure) -> dict[str, Any]:
    """What a tooltip says, and where to look first: at the lowest or the highest values."""
    _, distance, symmetry = _core.comparing_info(measure)
    signs = {"name": str(measure), "lower": distance, "signed": symmetry == "opposite"}
    return signs | explained(measure, comparing=True)
