"""untied's functions on arrays of scores and labels."""

from __future__ import annotations

from typing import Any

import untied
from conformance.adapters.common import Case, NotOffered, all_retrieved, labels

PACKAGE = "untied"
HOW = "untied.evaluate_arrays(scores, labels, measure, sizes=, ties='range')"
REFUSALS = (untied.UntiedError,)
DECLARED = {"0/0 is 0"}
#: Measures that tell unjudged documents from non-relevant ones.
OF_JUDGED = ("Bpref", "Judged", "infAP", "Unjudged", "subAP", "RBPResidual")


def answer(case: Case) -> Any:
    """The mean and the ends over orders of ties; all judgments must be of retrieved documents."""
    case.asks("value")
    if set(case.qrels) != set(case.run):
        raise NotOffered("takes arrays of judged queries")
    grades: list[Any] = []
    scores: list[float] = []
    sizes = []
    for query, truth in case.qrels.items():
        unjudged = any(truth.get(doc, -1) < 0 for doc, _ in case.run[query])
        if unjudged and (case.name in OF_JUDGED or "judged_only" in case.parameters):
            raise NotOffered("takes labels, which are judgments of all documents")
        all_retrieved(truth, case.run[query])
        own, values = labels(truth, case.run[query])
        grades += own
        scores += values
        sizes.append(len(own))
    measure = "ESL" if case.name == "Rank" else case.measure
    found = untied.evaluate_arrays(scores, grades, measure, sizes=sizes, ties="range")[measure]
    more = case.name == "Rank"
    return {"mean": found.mean + more, "lowest": found.low + more, "highest": found.high + more}
