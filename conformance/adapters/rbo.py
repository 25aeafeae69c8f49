"""rbo, rank-biased overlap of two lists."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, ranked_list

PACKAGE = "rbo"
HOW = "RankingSimilarity(S, T).rbo_ext(p), and rbo(p) for the truncated sum"


def answer(case: Case) -> Any:
    """Extrapolated, or truncated at the shorter list."""
    import rbo

    if case.question != "similarity" or case.name != "RBO":
        raise NotOffered("has rank-biased overlap alone")
    lists = [ranked_list([tuple(pair) for pair in side]) for side in (case.run_a, case.run_b)]
    pair = rbo.RankingSimilarity(*lists)
    p, score = case.parameters["p"], case.parameters["score"]
    if score not in ("ext", "truncated"):
        raise NotOffered(f"has no RBO {score}")
    return pair.rbo_ext(p=p) if score == "ext" else pair.rbo(p=p)
