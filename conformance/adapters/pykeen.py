"""PyKEEN's rank-based metrics of link prediction."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, relevant

PACKAGE = "pykeen"
HOW = "Ranks.from_scores, then the metrics of realistic ranks, which PyKEEN reports by default"
#: Ranks are 32-bit numbers.
TOLERANCE = 1e-6


def answer(case: Case) -> Any:
    """The metric of the ranks of all triples."""
    import torch
    from pykeen.evaluation.ranks import Ranks
    from pykeen.metrics.ranking import ArithmeticMeanRank, HitsAtK, InverseHarmonicMeanRank

    metric = case.look_up(
        {
            "RR": InverseHarmonicMeanRank,
            "Rank": ArithmeticMeanRank,
            "Success@k": lambda: HitsAtK(case.cutoff),
            "Success": lambda: HitsAtK(case.cutoff),
        }
    )()
    qrels, run = case.dicts()
    if set(qrels) != set(run):
        raise NotOffered("takes scored triples")
    ranks = []
    for query, truth in qrels.items():
        true = relevant(truth)
        if len(true) != 1 or true[0] not in run[query]:
            raise NotOffered("takes one true entity among the candidates")
        scores = torch.tensor([list(run[query].values())], dtype=torch.float64)
        ranks.append(float(Ranks.from_scores(scores.new_tensor([[run[query][true[0]]]]), scores).realistic))
    import numpy

    return metric(numpy.array(ranks))
