"""pytrec_eval, trec_eval's code for Python."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case
from conformance.adapters.trec_names import names

PACKAGE = "pytrec_eval-terrier"
HOW = "RelevanceEvaluator(qrels, {measure}).evaluate(run), averaged by compute_aggregated_measure"


def answer(case: Case) -> Any:
    """The mean over the queries that are evaluated."""
    import pytrec_eval

    return by(pytrec_eval, case)


def by(pytrec_eval: Any, case: Case) -> Any:
    """The same with any package that has the interface of pytrec_eval."""
    asked, printed = names(case)
    qrels, run = case.dicts()
    per_query = pytrec_eval.RelevanceEvaluator(qrels, {asked}).evaluate(run)
    return pytrec_eval.compute_aggregated_measure(printed, [values[printed] for values in per_query.values()])
