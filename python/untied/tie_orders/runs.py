"""Distributions of values over the orders of tied documents."""

from __future__ import annotations

from untied import _core
from untied.errors import UntiedError, check_flag, check_whole
from untied.inputs import mismatch
from untied.inputs.convert import as_lengths, as_qrels, named_runs
from untied.measures import as_measures
from untied.progress import each
from untied.tie_orders.results import Distributions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from untied._literals import OnUndefined, QrelsFormat, Queries, ScoreDtype, UnjudgedOfDistributions
    from untied.inputs.convert import DocsLike, QrelsLike, Runs
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
    docs: DocsLike | None = None,
    strict: bool = False,
    threads: int | None = None,
) -> Distributions:
    """Find how likely each value is if tied documents are shuffled.

    ``evaluate(..., ties="range")`` gives the lowest and the highest possible value. Use this function to see how likely
    they are: you get quantiles of each mean, and the probability that one run is ahead of another, if every order of
    tied documents is equally likely.

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
    measures : measures or their names, optional
        Any measures except PRR and functions of your own; by default nDCG@10, AP and RR. `docs/exactness.md`
        says which distributions are exact even for large tie groups.
    unjudged : str
        How to treat unjudged documents. ``"nonrelevant"``: count them as not relevant. ``"remove"``: remove them from
        the ranking first.
    score_dtype : str
        The precision at which scores are compared: ``"float64"``, ``"float32"``, ``"float16"``, ``"bfloat16"``, or
        ``"decimals=N"`` for N decimals. Scores that are equal after rounding are tied.
    queries : str
        Which queries to evaluate. ``"qrels"``: all judged queries; if the run lacks one, its ranking counts as empty.
        ``"common"``: only the judged queries that are also in the run.
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
    on_undefined : str
        How to count a query for which a measure has no value. Usually this is a query without relevant documents.
        ``"zero"``: count it as 0. ``"nan"``: leave it out of the mean. ``"raise"``: raise an `UndefinedError`.
    per_query : bool
        Whether to also keep the distribution of every query.
    states : int
        How many intermediate values an exact distribution may take. If it takes more, you get two distributions that
        enclose it. For a single query, P, R, F1, Hits, RelP, Rprec, Success and RR are always exact.
    cells : int
        How precise the two enclosing distributions are: the number of steps from the lowest to the highest value. More
        steps are more precise and take longer.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The length of each document, and optionally the seconds that it takes to read. Only the measures TBG and U need
        this.
    strict : bool
        Whether to raise an error where you would otherwise get a warning, because values are probably meaningless.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    Distributions

    Raises
    ------
    MeasureError
        A measure is not understood, or it has no distribution.
    InputError
        A file does not match its format.
    UntiedError
        An option, a score or a grade is invalid, or a run and the qrels have no query in common.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        A run and the qrels have no document in common, or look swapped. With ``strict=True``, this is an `UntiedError`.

    Examples
    --------
    Of four tied documents, one is relevant. So the reciprocal rank is 1, 1/2, 1/3 or 1/4, each with probability 1/4:

    >>> import untied
    >>> qrels = {"q": {"a": 1}}
    >>> runs = {"tied": {"q": [["a", "b", "c", "d"]]}, "plain": {"q": ["b", "a"]}}
    >>> laws = untied.distributions(qrels, runs, "RR")
    >>> laws["tied", "RR"].quantile(0.5)
    (0.3333333333333333, 0.3333333333333333)

    The other run has the reciprocal rank 1/2:

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
    lengths = as_lengths(docs, threads)
    native = _core.Evaluator(known, asked, policies, variance=False, docs=lengths, threads=threads)
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
