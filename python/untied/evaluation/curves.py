"""Curves of one query: measures at every rank, each with its mean and bounds over all orders of tied documents."""

from __future__ import annotations

from untied._core import Policies, Run
from untied.errors import UntiedError, check_count
from untied.evaluation.runs import evaluate
from untied.inputs import mismatch
from untied.inputs.convert import as_qrels, named_runs
from untied.inputs.files import refuse_probabilities
from untied.measures import DCG, Hits, P, R
from untied.results.table import tidy

__all__ = ["NAMES", "curves"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied._core import Measure
    from untied._literals import QrelsFormat, ScoreDtype, Ties
    from untied.inputs.convert import QrelsLike, Runs
    from untied.results.table import Table

#: Names of curves: what has been found of what may have been expected so far, the number of relevant documents,
#: precision, recall and cumulated gain.
NAMES = ("dynamic_recall", "found", "precision", "recall", "DCG")


# described by untied.evaluation.runs.evaluate: qrels, runs, score_dtype, qrels_format, threads, ties*
def curves(
    qrels: QrelsLike,
    runs: Runs,
    query: str,
    *,
    depth: int | None = None,
    rel: float = 1,
    gain: str = "linear",
    ties: Ties = "range",
    score_dtype: ScoreDtype = "float64",
    qrels_format: QrelsFormat = "auto",
    threads: int | None = None,
) -> Table:
    """Follow the measures of one query from rank to rank.

    Use it to see where in the ranking a query is won or lost. You get curves of precision, recall, DCG and the number
    of relevant documents so far, and one that is for partly ordered ground truth, the dynamic recall (Typke, Veltkamp &
    Wiering 2006).

    At rank i, the dynamic recall is the share of the run's first i documents that could also be among the first i in
    the truth, because their group begins there at rank i or above it. If the truth has n documents, ADR is the mean of
    this curve over ranks 1 to n. At later ranks, every document of the truth counts.

    Parameters
    ----------
    qrels : Qrels, path, frame, {query: {document: grade}}, or {query: {subtopic: {document: grade}}}
        The relevance judgments. A grade above 0 means *relevant*, and 0 means *not relevant*. A negative grade means
        *pooled but not judged*.

        If you know only groups of documents, best group first, pass ``{query: [[document, ...], ...]}``. Documents of
        the last group then get grade 1, those of the group before it grade 2, and so on.
    runs : run, list of runs, {name: run}, folder, or pattern
        One run or several. Each is one of these:

        * a path
        * a dict: ``{query: {document: score}}``, ranked lists ``{query: [document, ...]}``, or tie groups ``{query:
          [[document, ...], ...]}``
        * a frame of pandas, polars, pyarrow or DuckDB; `docs/inputs.md` lists the names of its columns
        * a `Run`

        A folder stands for all files in it, except hidden files and the qrels. A pattern such as ``"runs/*.run"``
        stands for all matching files.
    score_dtype : str
        The precision at which scores are compared: ``"float64"``, ``"float32"``, ``"float16"``, ``"bfloat16"``, or
        ``"decimals=N"`` for N decimals. Scores that are equal after rounding are tied.
    qrels_format : str
        What the qrels hold; `read_qrels` describes more formats of files:

        * ``"auto"``: grades, in the format that the suffix of the file names
        * ``"subtopics"``: grades for each subtopic, for measures of diversity
        * ``"stratified"``: grades of a stratified sample, for xinfAP and infNDCG; as a dict, ``{query: {document:
          (stratum, grade)}}``
        * ``"prels"``: grades of a sample with the probability of each document, for statAP; as a dict, ``{query:
          {document: (grade, probability)}}``
        * ``"groups"``, ``"mirex"``: files with groups of documents instead of grades
        * ``"preferences"``: which documents are preferred to which, for ADR and PairConcordance; as a dict, ``{query:
          [(better, worse), ...]}``
        * ``"probabilities"``: how probable each grade is, for expected values; as a dict, ``{query: {document: {grade:
          probability}}}``, or ``{query: {document: probability}}`` of being relevant
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.
    ties : str
        How to score documents with equal scores:

        * ``"expected"``: take the exact mean over all orders of tied documents (McSherry & Najork 2008)
        * ``"range"``: take this mean, and also give the lowest and the highest value over all orders
        * ``"best"``, ``"worst"``: take the value of the best or of the worst order
        * ``"docid"``: put tied documents in descending order of their ids, as trec_eval 10 does
        * ``"trec"``: like ``"docid"``, but round scores to 32 bits first, as trec_eval 9 and pytrec_eval do
        * ``"given"``: take tied documents in the order of the input

        The default of `ties` is ``"range"``.
    query : str
        The query's id.
    depth : int, optional
        The last rank. By default 100, or less if the ground truth and the rankings end earlier.
    rel : float
        The lowest relevant grade.
    gain : str
        What a document of grade g is worth in DCG: with ``"linear"`` g, and with ``"exp2"`` 2^g - 1.

    Returns
    -------
    Table
        A row for each run, curve and rank. Its columns are ``run``, ``query``, ``curve``, ``rank`` and ``value``, and
        with ``ties="range"`` also ``low`` and ``high``. The curves are ``dynamic_recall``, ``found`` (the number of
        relevant documents so far), ``precision``, ``recall`` and ``DCG``.

    Raises
    ------
    UntiedError
        The query has no relevant document, or an option is invalid.

    Examples
    --------
    >>> table = curves({"q": [["a", "b"], ["c"]]}, {"q": ["c", "a", "b"]}, "q")
    >>> table["value"][:3]
    [0.0, 0.5, 1.0]
    """
    policies = Policies("runs", ties=ties, score_dtype=score_dtype)
    judged = refuse_probabilities(as_qrels(qrels, threads, qrels_format), "a curve")
    if query not in judged:
        raise UntiedError(f"query {query!r} is not in the qrels")
    grades = judged[query]
    truth = sorted((grade for grade in grades.values() if grade >= rel), reverse=True)
    if not truth:
        raise UntiedError(f"nothing is relevant to query {query!r}")
    rankings = {}
    for name, load in named_runs(runs, threads, qrels):
        run = load()
        rankings[name] = Run({query: dict(run[query])} if query in run else {})
        if query not in run and mismatch.of_inputs(judged, run, threads) == mismatch.QUERIES:
            mismatch.demand({name: mismatch.QUERIES})
    if depth is None:
        depth = min(100, max(len(truth), *(len(run[query]) if query in run else 0 for run in rankings.values())))
    check_count("depth", depth)
    measures: dict[str, list[Measure]] = {
        # The groups that hold the truth's first i documents are those from the grade of its i-th one up.
        "dynamic_recall": [P(rel=truth[min(k, len(truth)) - 1]) @ k for k in range(1, depth + 1)],
        "found": [Hits(rel=rel) @ k for k in range(1, depth + 1)],
        "precision": [P(rel=rel) @ k for k in range(1, depth + 1)],
        "recall": [R(rel=rel) @ k for k in range(1, depth + 1)],
        "DCG": [DCG(gain=gain) @ k for k in range(1, depth + 1)],
    }
    asked = [measure for of_curve in measures.values() for measure in of_curve]
    results = evaluate({query: grades}, rankings, asked, **policies.chosen(), threads=threads)
    rows = []
    for name in rankings:
        for curve, of_curve in measures.items():
            for rank, measure in enumerate(of_curve, 1):
                value = results.value(measure, query=query, run=name)
                bounds = (value.low, value.high) if ties == "range" else ()
                rows.append((name, query, curve, rank, value.mean, *bounds))
    return tidy("run query curve", "rank value" + " low high" * (ties == "range"), rows)
