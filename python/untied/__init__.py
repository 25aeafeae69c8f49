"""Search evaluation that handles tied scores and missing judgments.

If documents have equal scores, a measure's value is the exact mean over all orders of these documents.
Start with these five functions, in this order:

`untied.evaluate(qrels, runs, measures)`
    Evaluate one or several runs; ``ties="range"`` and ``unjudged="range"`` add bounds.
`untied.statistics.significance(results)`
    Test which differences between runs are significant.
`untied.compare(run_a, run_b)`
    Compare two runs without judgments.
`untied.report.report(qrels, runs)`
    Make an interactive page about an evaluation.
`untied.read_run(path)`
    Read a run once, to evaluate it several times; `untied.read_qrels` reads judgments.

Runs and judgments are paths, data frames or dicts.
Measures are objects, such as ``nDCG @ 10`` or ``AP(rel=2)``, or names; ``help(untied.nDCG)`` describes one.

>>> import untied
>>> qrels = {"q1": {"d1": 1, "d2": 0}}
>>> run = {"q1": {"d1": 7.5, "d2": 7.5}}
>>> untied.evaluate(qrels, run, ["RR"], ties="range")["RR"]
0.7500 [0.5000, 1.0000]
"""

from untied._core import Measure, Qrels, Run, __version__
from untied.compare import Assignment, Comparison, Comparisons, Outcomes, compare, compare_all
from untied.errors import InputError, MeasureError, UndefinedError, UntiedError, UntiedWarning
from untied.evaluate import Evaluator, evaluate
from untied.features import FeatureResults, features
from untied.inputs import read_qrels, read_run
from untied.measures import named as _named
from untied.measures import parse_measure
from untied.measures.named import *  # noqa: F403
from untied.results.evaluation import Results
from untied.results.table import Table
from untied.results.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied import arrays as arrays
    from untied import batches as batches
    from untied import compat as compat
    from untied import correlation as correlation
    from untied import curves as curves
    from untied import distances as distances
    from untied import estimates as estimates
    from untied import gate as gate
    from untied import judging as judging
    from untied import own as own
    from untied import paper as paper
    from untied import passages as passages
    from untied import report as report
    from untied import sample as sample
    from untied import spark as spark
    from untied import statistics as statistics
    from untied import study as study
    from untied import table as table
    from untied import tie_orders as tie_orders
    from untied import truth as truth
    from untied import verdicts as verdicts
    from untied.arrays import (
        ArrayComparison,
        ArrayEvaluator,
        ArrayQueries,
        ArrayResults,
        ArrayValues,
        compare_arrays,
        evaluate_arrays,
    )
    from untied.compare.passages import PassageComparison, compare_passages
    from untied.measures.own import additive_measure, measure
    from untied.tie_orders import Distribution, Distributions, distributions
    from untied.verdicts import Verdict, Verdicts, certify
else:
    # What is imported where it is first named, as start-up counts: modules, and names of modules.
    _MODULES = {
        "arrays",
        "batches",
        "compat",
        "correlation",
        "curves",
        "distances",
        "estimates",
        "gate",
        "judging",
        "own",
        "paper",
        "passages",
        "report",
        "sample",
        "spark",
        "statistics",
        "study",
        "table",
        "tie_orders",
        "truth",
        "verdicts",
    }
    _NAMES = {
        **dict.fromkeys(("ArrayComparison", "ArrayEvaluator", "ArrayQueries", "ArrayResults", "ArrayValues"), "arrays"),
        **dict.fromkeys(("compare_arrays", "evaluate_arrays"), "arrays"),
        **dict.fromkeys(("PassageComparison", "compare_passages"), "compare.passages"),
        **dict.fromkeys(("additive_measure", "measure"), "measures.own"),
        **dict.fromkeys(("Distribution", "Distributions", "distributions"), "tie_orders"),
        **dict.fromkeys(("Verdict", "Verdicts", "certify"), "verdicts"),
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES and name not in _NAMES:
            raise AttributeError(f"module 'untied' has no attribute {name!r}")
        from importlib import import_module

        found = import_module(f"untied.{_NAMES.get(name, name)}")
        if name in _NAMES:
            found = globals()[name] = getattr(found, name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES, *_NAMES})


__all__ = [
    "ArrayComparison",
    "ArrayEvaluator",
    "ArrayQueries",
    "ArrayResults",
    "ArrayValues",
    "Assignment",
    "Comparison",
    "Comparisons",
    "Distribution",
    "Distributions",
    "Evaluator",
    "FeatureResults",
    "InputError",
    "Measure",
    "MeasureError",
    "Outcomes",
    "PassageComparison",
    "Qrels",
    "Results",
    "Run",
    "Table",
    "UndefinedError",
    "UntiedError",
    "UntiedWarning",
    "Value",
    "Verdict",
    "Verdicts",
    "__version__",
    "additive_measure",
    "certify",
    "compare",
    "compare_all",
    "compare_arrays",
    "compare_passages",
    "distributions",
    "evaluate",
    "evaluate_arrays",
    "features",
    "measure",
    "parse_measure",
    "read_qrels",
    "read_run",
]
__all__ += _named.__all__
