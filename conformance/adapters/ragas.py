"""Ragas' metrics of context ids."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, ranked_list, relevant

PACKAGE = "ragas"
HOW = "IDBasedContextPrecision and IDBasedContextRecall; lists are cut at k by the caller"

NAMES = {"P@k": "IDBasedContextPrecision", "R@k": "IDBasedContextRecall", "SetP": "IDBasedContextPrecision",
         "SetR": "IDBasedContextRecall"}  # fmt: skip


def answer(case: Case) -> Any:
    """The score of the only query, or the mean of several."""
    from ragas import SingleTurnSample, metrics

    metric = getattr(metrics, case.look_up(NAMES))()

    def of_query(truth: dict[str, Any], ranked: list[tuple[str, float]]) -> float:
        docs = [doc for doc, _ in ranked] if case.cutoff is None else ranked_list(ranked)[: case.cutoff]
        sample = SingleTurnSample(retrieved_context_ids=docs, reference_context_ids=relevant(truth))
        return float(metric.single_turn_score(sample))

    return case.means(of_query)
