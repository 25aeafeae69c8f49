"""Search evaluation that handles tied scores and missing judgments.

If documents have equal scores, you get the exact mean of a measure over all orders of these documents. These five
functions are the ones to start with:

`untied.evaluate(qrels, runs, measures)`
    Evaluate one or several runs.
`untied.statistics.significance(results)`
    Test which differences between runs are significant.
`untied.compare(run_a, run_b)`
    Compare two runs without judgments.
`untied.report.report(qrels, runs)`
    Make an interactive page about an evaluation.
`untied.read_run(path)`
    Read a run once, to evaluate it several times. `untied.read_qrels` reads judgments.

Runs and judgments are paths, data frames or dicts. A measure is an object, such as ``nDCG @ 10`` or ``AP(rel=2)``, or
its name as text; ``help(untied.nDCG)`` describes it.

>>> import untied
>>> qrels = {"q1": {"d1": 1, "d2": 0}}
>>> run = {"q1": {"d1": 7.5, "d2": 7.5}}
>>> untied.evaluate(qrels, run, ["RR"], ties="range")["RR"]
0.7500 [0.5000, 1.0000]

The two documents are tied. RR is 1 if d1 comes first and 0.5 if it comes second, so its mean is 0.75.
"""

from untied._core import Measure, Qrels, Run, __version__
from untied._lazy import imported_when_used
from untied.comparison import Assignment, Comparison, Comparisons, Outcomes, compare, compare_all
from untied.errors import InputError, MeasureError, UndefinedError, UntiedError, UntiedWarning
from untied.evaluation import Evaluator, evaluate
from untied.inputs import read_qrels, read_run
from untied.measures import DEFAULT as _DEFAULT
from untied.measures import named as _named
from untied.measures import parse_measure
from untied.measures.named import *  # noqa: F403
from untied.results import Results, Table, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied import arrays as arrays
    from untied import batches as batches
    from untied import compat as compat
    from untied import gate as gate
    from untied import judging as judging
    from untied import paper as paper
    from untied import report as report
    from untied import spark as spark
    from untied import statistics as statistics
    from untied import study as study
    from untied import tie_orders as tie_orders
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
    from untied.comparison.passages import PassageComparison, compare_passages
    from untied.features import FeatureResults, evaluate_features
    from untied.measures.own import additive_measure, measure
    from untied.tie_orders import Distribution, Distributions, distributions
    from untied.verdicts import Verdict, Verdicts, certify
else:
    _MODULES = (
        "arrays",
        "batches",
        "compat",
        "features",
        "gate",
        "judging",
        "paper",
        "report",
        "spark",
        "statistics",
        "study",
        "tie_orders",
        "verdicts",
    )
    _NAMES = {
        **dict.fromkeys(("ArrayComparison", "ArrayEvaluator", "ArrayQueries", "ArrayResults", "ArrayValues"), "arrays"),
        **dict.fromkeys(("compare_arrays", "evaluate_arrays"), "arrays"),
        **dict.fromkeys(("PassageComparison", "compare_passages"), "comparison.passages"),
        **dict.fromkeys(("FeatureResults", "evaluate_features"), "features"),
        **dict.fromkeys(("additive_measure", "measure"), "measures.own"),
        **dict.fromkeys(("Distribution", "Distributions", "distributions"), "tie_orders"),
        **dict.fromkeys(("Verdict", "Verdicts", "certify"), "verdicts"),
    }
    __getattr__ = imported_when_used(__name__, _MODULES, _NAMES)

    def __dir__() -> list[str]:
        """What completion shows: the public names, and the modules with functions that are not among these names.

        Of the measures, which would be two thirds of it, it shows the default ones; `untied.measures` shows them all.
        """
        modules = ("comparison", "compat", "evaluation", "gate", "inputs", "judging", "measures", "paper", "report")
        shown = {*__all__} - {*_named.__all__} | {measure.name for measure in _DEFAULT}
        return sorted({*shown, *modules, "results", "spark", "statistics", "study"})


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
    "evaluate_features",
    "measure",
    "parse_measure",
    "read_qrels",
    "read_run",
]
__all__ += _named.__all__
