"""Distributions of values over the orders of tied documents."""

from __future__ import annotations

from untied import _core
from untied.errors import UntiedError, check_flag, check_whole
from untied.inputs import mismatch
from untied.inputs.convert import as_qrels, named_runs
from untied.measures import as_measures
from untied.progress import each
from untied.tie_orders.results import Distributions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from untied._literals import OnUndefined, QrelsFormat, Queries, ScoreDtype, UnjudgedOfDistributions
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike

#: Numbers of values up to which distributions are exact, and of cells beyond.
STATES, CELLS = 1_000_000, 65_536
#: The most that these can be: what fits into memory.
MOST_STATES, MOST_CELLS = 100_000_000, 1 << 22


# described by untied.evaluation.runs.Evaluator: qrels, score_dtype, queries, qrels_format, on_undefined, strict
# described by untied.evaluation.runs.Evaluator: threads
# described by untied.evaluation.runs.Evaluator.evaluate: runs
def distributions(
    qrels: QrelsLike,
    runs: Runs,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    unjudged: UnjudgedOfDistributions = "nonrelevant",
    score_dtype: ScoreDtype = "float64",
    queries: Queries = "qrels",
    qrels_format: QrelsFormat = "auto",
    on_undefined: OnUndefined = "zero",
    per_query: bool = False,
    states: int = STATES,
    cells: int = CELLS,
    strict: bool = False,
    threads: int | None = None,
) -> Distributions:
    """Find how likely each value is if tied documents are shuffled: quantiles, and the chance that a run is ahead.

    `evaluate` with ``ties="range"`` says what the values *could* be; use this to see how likely they are. Every order
    of tied documents is equally likely, and orders of different queries and runs are independent.

    Parameters
    ----------
    qrels : Qrels, path, frame, {query: {document: grade}}, or {query: {subtopic: {document: grade}}}
        Relevance judgments, which say how relevant each judged document is to each query. A grade above 0 means
        *relevant*, the grade 0 means *not relevant*, and a negative grade means *pooled but not judged*. You can also
        pass a partly ordered ground truth, ``{query: [[document, ...], ...]}``. It has groups of documents, best group
        first. The last group gets grade 1, and each group before it gets a grade that is higher by 1.
    runs : run, list of runs, {name: run}, folder, or pattern
        One run or several. A run is a path, a `Run`, a frame of pandas, polars, pyarrow or DuckDB (`docs/inputs.md`
        lists the names of columns), or a dict: ``{query: {document: score}}``, a ranked list ``{query: [document,
        ...]}``, or a list of tie groups ``{query: [[document, ...], ...]}``. A folder stands for all files in it,
        except hidden files and the qrels. A pattern such as ``"runs/*.run"`` stands for all matching files.
    measures : measures or their names, optional
        Any measure but TBG, U, PRR and your own formulas. `docs/exactness.md` says which distributions are exact even
        for large tie groups. By default nDCG@10, AP and RR.
    unjudged : str
        How to treat unjudged documents. ``"nonrelevant"``: they count as not relevant. ``"remove"``: they are removed
        from the ranking first.
    score_dtype : str
        The precision at which scores are compared: ``"float64"``, ``"float32"``, ``"float16"`` or ``"bfloat16"``.
        ``"decimals=N"`` rounds scores to N decimals. Scores that are equal at this precision are tied.
    queries : str
        Which queries to evaluate. ``"qrels"``: all judged queries, with an empty ranking for each query that a run
        lacks. ``"common"``: only the judged queries that are also in the run.
    qrels_format : str
        What the qrels hold; `read_qrels` describes more formats of files:

        * ``"auto"``: grades, in the format that the suffix of the file names
        * ``"subtopics"``: grades for each subtopic, for measures of diversity
        * ``"stratified"``: grades in a sample by strata, for xinfAP and infNDCG; as a dict, ``{query: {document:
          (stratum, grade)}}``
        * ``"prels"``: grades in a sample with probabilities, for statAP; as a dict, ``{query: {document: (grade,
          probability)}}``
        * ``"groups"``, ``"mirex"``: files with a partly ordered truth
    on_undefined : str
        How to count a query for which a measure is undefined. Most measures are undefined if no document is relevant.
        ``"zero"``: the query counts as 0. ``"nan"``: the query is left out of the mean. ``"raise"``: an
        `UndefinedError` is raised.
    per_query : bool
        Whether to also keep the distribution of every query. By default, only the distributions of means are kept.
    states : int
        How much work an exact distribution may take, as a number of intermediate values. If it would take more, you get
        two distributions that enclose it. For one query, P, R, F1, Hits, RelP, Rprec, Success and RR are always exact.
    cells : int
        How precise the two enclosing distributions are: the number of steps from the lowest to the highest value. With
        more steps, they are closer together and take longer. For means of many queries, the steps leave out values that
        are all but impossible (probability below 1e-12).
    strict : bool
        Whether to raise an error instead of a warning if values would be meaningless. This is so if a run and the qrels
        have no document in common, if they look swapped, or if no document is relevant.
    threads : int, optional
        How many threads to use. By default, there is one for each processor. The number of threads never changes a
        value.

    Returns
    -------
    Distributions

    Raises
    ------
    MeasureError
        A measure is not understood, or it has no distribution.
    InputError
        A file's content is not what its format promises.
    UntiedError
        An option, a score or a grade is invalid, or a run and the qrels have no query in common; with ``strict=True``
        also instead of a warning.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        A run and the qrels have no document in common, or look swapped.

    Examples
    --------
    Of four tied documents one is relevant, so the reciprocal rank is 1, 1/2, 1/3 or 1/4:

    >>> import untied
    >>> qrels = {"q": {"a": 1}}
    >>> runs = {"tied": {"q": [["a", "b", "c", "d"]]}, "plain": {"q": ["b", "a"]}}
    >>> laws = untied.distributions(qrels, runs, "RR")
    >>> laws["tied", "RR"].quantile(0.5)
    (0.3333333333333333, 0.3333333333333333)
    >>> laws.chances("tied", "plain", "RR")
    Probabilities(greater=(0.25, 0.25), equal=(0.25, 0.25), less=(0.5, 0.5))
    """
    policies = _core.Policies(
        "distributions", unjudged=unjudged, score_dtype=score_dtype, queries=queries, on_undefined=on_undefined
    )  # fmt: skip
    for name, value, most in (("states", states, MOST_STATES), ("cells", cells, MOST_CELLS)):
        if not 1 <= check_whole(name, value) <= most:
            raise UntiedError(f"{name} must be from 1 to {most:,}, not {value:,}")
    check_flag("per_query", per_query)
    asked = as_measures(DEFAULT if measures is None else measures)
    known = as_qrels(qrels, threads, qrels_format)
    native = _core.Evaluator(known, asked, policies, variance=False, threads=threads)
    laws, facts = {}, {}
    for name, load in each(named_runs(runs, threads, qrels), "run"):
        run = load()
        laws[name] = native.laws(run, states, cells, per_query)
        facts[name] = native.evaluate(run).facts()
    reasons = {name: mismatch.of_facts(of_run) for name, of_run in facts.items()}
    mismatch.warn(reasons, strict=strict)
    if not any(reasons.values()):
        mismatch.warn_or_raise(mismatch.of_levels(asked, next(iter(facts.values()))["highest"]), strict=strict)
        mismatch.warn_or_raise(mismatch.of_scale(asked, known.grades()))
    return Distributions(asked, laws, facts, policies)


#: Measures that are asked for by nobody else.
DEFAULT = ("nDCG@10", "AP", "RR")
