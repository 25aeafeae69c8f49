"""MTEB's retrieval scores (2.26), computed by untied.

The two lines are ::

    import untied.compat.mteb
    untied.compat.mteb.install(ties="expected")

MTEB has no place to register another evaluator, so `install` replaces what its module of retrieval metrics calls:
pytrec_eval's evaluator (nDCG, MAP, recall, precision, hit rate) and its own function for MRR.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from types import SimpleNamespace

from untied.compat.pytrec_eval import RelevanceEvaluator
from untied.evaluate import evaluate
from untied.measures import RR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["install", "mrr", "uninstall"]

MODULE = "mteb._evaluators.retrieval_metrics"
_before: dict[str, Any] = {}


def install(*, ties: str = "trec") -> None:
    """Let MTEB compute its retrieval scores with untied, from now on in this process.

    Parameters
    ----------
    ties : str
        ``"trec"``: the numbers of MTEB, which ranks equal scores by document id, descending (over 32-bit scores; over
        the scores as they are for MRR, which stays MTEB's own). ``"expected"``: the mean over all orders of equal
        scores, for MRR too. Others as for `untied.evaluate`, but not ``"range"``.
    """
    uninstall()
    metrics = import_module(MODULE)
    replaced: dict[str, Any] = {
        "pytrec_eval": SimpleNamespace(RelevanceEvaluator=partial(RelevanceEvaluator, ties=ties))
    }
    if ties != "trec":
        replaced["mrr"] = partial(mrr, ties=ties)
    for name, ours in replaced.items():
        _before[name] = getattr(metrics, name)
        setattr(metrics, name, ours)


def uninstall() -> None:
    """Give MTEB back what it had."""
    while _before:
        setattr(import_module(MODULE), *_before.popitem())


def mrr(
    qrels: Mapping[str, Mapping[str, float]],
    results: Mapping[str, Mapping[str, float]],
    k_values: Sequence[int],
    *,
    ties: str = "docid",
) -> dict[str, list[float]]:
    """MTEB's function of this name: ``{"MRR@10": [...]}``, a value for each query of the results, in their order."""
    binary = {query: {doc: int(grade > 0) for doc, grade in qrels[query].items()} for query in results}
    found = evaluate(binary, results, [RR @ k for k in k_values], ties=ties)
    return {f"MRR@{k}": [found.value(RR @ k, query=query).mean for query in results] for k in k_values}
