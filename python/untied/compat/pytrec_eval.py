"""pytrec_eval (terrier, 0.5.11): replace ``import pytrec_eval`` by ``from untied.compat import pytrec_eval``.

Names, arguments and results are the same, down to the order of keys: scores are read as 32-bit floats, equal ones are
ranked by document id, descending, and topics are those of the run that are judged. Beyond that, grades may be any
numbers, a topic whose grades are all negative has a result, wrong cutoffs and NaN are errors, and `ties` chooses how
equal scores are ordered.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict

from untied import _core
from untied._core import Policies, TrecEvaluator
from untied.errors import check_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from untied._literals import TiesOfOneValue

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

#: The release of pytrec_eval-terrier whose interface this is: ir_measures asks for it before it takes the module.
__version__ = "0.5.11"

_NAMES, _NICKNAMES = _core.trec_eval_names()
_UNSUPPORTED = re.compile("prefs_.*|.*_avgjg|yaap")

#: Measures by their first names: ``"ndcg_cut"`` stands for all its usual cutoffs, ``"ndcg_cut_10"`` for one.
supported_measures: set[str] = {name for name in _NAMES if not _UNSUPPORTED.fullmatch(name)}
#: Sets of measures that have a name of their own.
supported_nicknames: dict[str, set[str]] = {name: set(members) for name, members in _NICKNAMES.items()}


class RelevanceEvaluator:
    """Evaluate runs as pytrec_eval's own ``RelevanceEvaluator`` does. You pass judgments and measures once.

    Parameters
    ----------
    query_relevance : {query: {document: grade}}
        The judgments. Negative grades mean *pooled but not judged*. Topics without documents are left out.
    measures : iterable of str
        Names (``"map"``, ``"ndcg_cut"``), names with cutoffs or parameters (``"ndcg_cut_10"``, ``"P.5,10"``), and
        nicknames for several (``"official"``).
    relevance_level : float
        The lowest grade that counts as relevant, above 0.
    judged_docs_only_flag : bool
        Whether to remove unjudged documents from the ranking first.
    ties : str
        How to score documents with equal scores. ``"trec"``, the default, does what pytrec_eval does: it rounds scores
        to 32 bits, and puts tied documents in descending order of their ids. ``"expected"``, ``"best"``, ``"worst"``,
        ``"docid"`` and ``"given"`` are as for `untied.evaluate`, and do not round.

    Raises
    ------
    TypeError
        An id is not a str, a grade is not a number, or `relevance_level` or `judged_docs_only_flag` cannot be used.
    ValueError
        A measure is not supported, or its parameters or `ties` cannot be used.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, float]],
        measures: Iterable[str],
        relevance_level: float = 1,
        judged_docs_only_flag: bool = False,
        *,
        ties: TiesOfOneValue = "trec",
    ) -> None:
        names = _combined(measures)
        judged = {query: documents for query, documents in query_relevance.items() if len(documents) > 0}
        self._native = TrecEvaluator(
            judged,
            names,
            Policies("one-value", ties=ties),
            level=relevance_level,
            judged_only=bool(check_whole("judged_docs_only_flag", judged_docs_only_flag)),
        )

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a RelevanceEvaluator cannot be pickled or copied: make another of the same qrels")

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Evaluate a run.

        Parameters
        ----------
        scores : {query: {document: score}}
            The run: the highest score ranks first. Scores may be infinite, but not NaN.

        Returns
        -------
        dict
            ``{query: {measure: value}}`` for the judged queries of the run, in the run's order.

        Raises
        ------
        TypeError
            An id is not a str, or a score is not a number.
        ValueError
            A score is NaN.
        """
        return self._native.evaluate(scores) if scores else {}


def _combined(measures: Iterable[str]) -> list[str]:
    """Names with parameters in trec_eval's form: ``{"P_5", "P_10", "map"}`` is ``P.10,5`` and ``map``."""
    asked: dict[str, list[str]] = {}
    for measure in measures:
        for name in supported_nicknames.get(measure, (measure,)):
            root, parameters = _split(name)
            asked.setdefault(root, []).extend(parameters)
    return [".".join((root, ",".join(_ordered(root, cutoffs)))) if cutoffs else root for root, cutoffs in asked.items()]


def _split(name: str) -> tuple[str, list[str]]:
    """``ndcg_cut_5,10`` is ``ndcg_cut`` with 5 and 10."""
    if name in supported_measures:
        return name, []
    match = re.fullmatch(r"(.+?)[._]([-+=.0-9]+(?:,[-+=.0-9]+)*)", name)
    if match is None or match[1] not in supported_measures:
        raise ValueError(f"unsupported measure {name}")
    return match[1], match[2].split(",")


def _ordered(root: str, parameters: list[str]) -> list[str]:
    """Parameters are a set in pytrec_eval; but weights of utility and gains of grades have an order."""
    ordered = root == "utility" or any("=" in parameter for parameter in parameters)
    return parameters if ordered else sorted(set(parameters))


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Return the mean of the values of topics. For counts (``num_...``), return their sum.

    Parameters
    ----------
    measure : str
        The measure's name. Values of ``gm_...`` are logarithms, so you get the geometric mean of what they are
        logarithms of.
    values : sequence of float
        A value for each topic.

    Returns
    -------
    float
        The aggregate; NaN if there are no values.
    """
    try:
        total = math.fsum(values)
    except (OverflowError, ValueError):  # beyond what floats hold, or infinities of both signs
        total = sum(values, 0.0)
    if measure.startswith("num_"):
        return total
    mean = total / len(values) if len(values) > 0 else math.nan
    return math.exp(mean) if measure.startswith("gm_") else mean


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the run in a file in TREC's format. Each line has a document: ``query Q0 document rank score tag``.

    Parameters
    ----------
    f_run : iterable of str
        The lines, such as an open file.

    Returns
    -------
    dict
        ``{query: {document: score}}``. As in pytrec_eval, it is a defaultdict: if you look up a query that the run
        lacks, you get an empty dict.

    Raises
    ------
    AssertionError
        A document appears twice in a query.
    ValueError
        A line does not have six fields, or its score is not a number.
    """
    rows = (line.split() for line in f_run)
    return _table((query, document, float(score)) for query, _, document, _, score, _ in rows)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the qrels in a file in TREC's format. Each line has a document: ``query iteration document grade``.

    Parameters
    ----------
    f_qrel : iterable of str
        The lines, such as an open file.

    Returns
    -------
    dict
        ``{query: {document: grade}}``. As in pytrec_eval, it is a defaultdict: if you look up a query that the qrels
        lack, you get an empty dict. A grade is an int if it is written as one.

    Raises
    ------
    AssertionError
        A document appears twice in a query.
    ValueError
        A line does not have four fields, or its grade is not a number.
    """
    rows = (line.split() for line in f_qrel)
    return _table((query, document, _grade(grade)) for query, _, document, grade in rows)


def _grade(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _table(rows: Iterable[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = defaultdict(dict)
    for query, document, value in rows:
        if document in table[query]:
            raise AssertionError(f"document {document!r} appears twice in query {query!r}")
        table[query][document] = value
    return table
