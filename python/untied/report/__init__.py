"""One self-contained page about an evaluation, as `untied report` writes it."""

from __future__ import annotations

from untied._core import Policies
from untied.comparison.measures import as_comparing_measures
from untied.errors import UntiedError, check_count, check_flag
from untied.inputs.convert import as_both, as_qrels, loaded_runs
from untied.inputs.files import refuse_probabilities
from untied.inputs.provenance import named_inputs
from untied.measures import as_measures
from untied.progress import Parts, begin_part
from untied.report.comparison import collect_comparison
from untied.report.data import FURTHER_PARTS, collect
from untied.report.judges import collect_judges
from untied.report.live import check, check_graded, embedded
from untied.report.page import page
from untied.report.rankings import check_texts
from untied.report.values import evaluated
from untied.statistics.runs import check_options
from untied.statistics.tests import SAMPLES, TEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from untied._literals import Correction, Interval, QrelsFormat, ScoreDtype, TestName
    from untied.comparison.comparison import Comparison
    from untied.inputs.convert import QrelsLike, Runs
    from untied.inputs.queries import QueryTableLike
    from untied.inputs.texts import TextsLike
    from untied.measures import MeasureLike


#: What runs are compared by where nothing is asked for.
DISTANCES = ("RBO", "MED(nDCG@10)")


# described by untied.evaluation.runs.evaluate: qrels, runs, measures, score_dtype, qrels_format, threads
# described by untied.statistics.runs.significance: level, test, correction, samples, seed
def report(
    qrels: QrelsLike,
    runs: Runs,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    baseline: str | None = None,
    title: str = "",
    depth: int = 20,
    level: float = 0.95,
    test: TestName = TEST,
    correction: Correction = "holm",
    interval: Interval = "bca",
    distances: Sequence[str] = DISTANCES,
    samples: int = SAMPLES,
    seed: int = 0,
    machine: QrelsLike | None = None,
    query_table: QueryTableLike | None = None,
    by: str | None = None,
    strata: str | None = None,
    score_dtype: ScoreDtype = "float64",
    qrels_format: QrelsFormat = "auto",
    queries_text: TextsLike | None = None,
    docs_text: TextsLike | None = None,
    live: bool = False,
    inputs: Sequence[str] = (),
    threads: int | None = None,
) -> str:
    """Return an interactive page about one or several runs, as HTML.

    The page needs no network and no server. Each value is the mean over all orders of tied documents, with the lowest
    and the highest value.

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
        The measures to compute, as objects or names, such as ``[nDCG @ 10, "AP(rel=2)"]``. Measures of ir_measures work
        too. The default is AP, nDCG@10, RR, P@10 and R@100.
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
    baseline : str, optional
        The run that all others are tested against. By default, every two runs are tested.
    title : str
        The title of the page. By default, it names the runs.
    depth : int
        How many documents of each ranking to show.
    level : float
        The confidence of the intervals, between 0 and 1. A difference is significant if its adjusted p is at most 1 -
        `level`.
    test : str
        Which test to use. ``"randomization"``: the paired `randomization_test`. ``"tukey"``: randomised Tukey HSD,
        which tests all runs by a measure at once (Carterette 2012). ``"t"``: `t_test`. ``"wilcoxon"``: `wilcoxon_test`.
    correction : str
        How to correct the p-values of a measure for the number of comparisons: ``"holm"``, ``"bonferroni"``, ``"bh"``
        or ``"none"``. `adjust` explains them. Tukey's test needs no correction.
    samples : int
        How many random exchanges to draw. In each of them, the two values of a query change places with probability
        1/2. If there are few queries, all possible exchanges are tried instead.

        Bootstrap intervals always use 9,999 samples.
    seed : int
        The seed of the random exchanges. The same seed gives the same p on any machine.
    interval : str
        Which confidence interval to compute for each mean: ``"bca"`` or ``"t"``, as for
        `untied.statistics.mean_interval`, or ``"none"``.
    distances : list of measures
        Measures that compare the runs without judgments, as for `untied.compare_all`, such as ``["RBO",
        "Overlap@10"]``.
    machine : Qrels, path, frame, or {query: {document: grade}}, optional
        A machine's judgments of all queries, if `qrels` has people's judgments of a random sample of them. The page
        then also shows the estimates of `untied.statistics.estimate_runs`, which use both, and how far the two agree.
    query_table : path, frame, or {query: {column: value}}, optional
        A table with a row for each query, as for `Results.grouped`.
    by : str, optional
        The column of `query_table` with each query's segment, such as ``"market"``, or ``"re:PATTERN"``. The page then
        has a table of the means of each segment and, with a baseline, tests of each segment, which are corrected over
        all segments.
    strata : str, optional
        The column of `query_table` that has the stratum of each query, if people judged a random sample of each
        stratum. It needs `machine`.
    queries_text, docs_text : path or mapping, optional
        Texts to show beside the ids of queries and documents: a mapping, or a file. Each line of a file is an id, a tab
        and a text, or, if its name ends in .jsonl, an object with an id and a title or text.
    live : bool
        Whether readers can change measures, policies and the baseline, and the page recalculates everything. Such a
        page is larger, because it holds the runs, the judgments (at most 128 MiB), and untied itself, compiled for
        browsers.
    inputs : list of paths
        Files whose names and hashes the page records.

    Returns
    -------
    str
        The page. Write it to a file that ends in .html.

    Raises
    ------
    UntiedError
        As for `untied.evaluate`, `Results.grouped` and `untied.statistics.significance`; or an option needs NumPy or
        SciPy, which is not installed. With ``live=True``, also if the inputs are too large, the qrels are preferences,
        a measure is defined in Python, or untied was installed without its part for browsers.
    InputError
        A file does not match its format.
    OSError
        A file cannot be read.
    """
    check_count("depth", depth)
    check_flag("live", live)
    if query_table is not None and by is None and strata is None:
        raise UntiedError("query_table has no effect without by or strata")
    if live and by is not None:
        raise UntiedError("live pages recalculate means of all queries only; leave out live or by")
    check_options(test, correction, interval, level, samples, seed)
    as_comparing_measures(distances)
    check_texts(queries_text, docs_text)
    policies = {"score_dtype": Policies("runs", score_dtype=score_dtype)["score_dtype"], "threads": threads}
    asked = as_measures(measures)
    if live:
        if machine is not None:
            raise UntiedError("a live report cannot estimate from a machine's judgments; make it without live")
        check(asked)
    if machine is None and strata is not None:
        raise UntiedError("strata has no effect without machine")
    if machine is None:
        judged, labels = as_qrels(qrels, threads, qrels_format), None
    else:
        judged, labels = as_both(qrels, machine, threads, qrels_format)
    judged = refuse_probabilities(judged, "a report")
    if live:
        check_graded(judged)
    loaded = loaded_runs(runs, threads, qrels)
    if baseline is not None and baseline not in loaded:
        raise UntiedError(f"no run {baseline!r}; the runs are {', '.join(loaded)}")
    if baseline is not None and len(loaded) == 1:
        raise UntiedError("a baseline needs another run, which is compared with it")
    chance = {"level": level, "test": test, "correction": correction, "samples": samples, "seed": seed}
    texts = queries_text, docs_text
    with Parts("report", 2 * len(asked) + FURTHER_PARTS + (labels is not None)):
        judges = None
        if labels is not None:
            begin_part()
            judges = collect_judges(
                judged, labels, loaded, asked, baseline, level, None if strata is None else query_table, strata,
                policies,
            )  # fmt: skip
        segments = None if by is None else {"query_table": query_table, "by": by}
        tested = evaluated(judged, loaded, asked, baseline, chance, interval, policies, segments)
        data = collect(judged, loaded, asked, tested, baseline, depth, distances, texts, qrels_format, policies)
    data["judges"] = judges
    if judges is not None:
        data["notes"].append(
            "only the queries that people judged count here; estimates for all queries are below, under Human and "
            "machine judgments"
        )
    data["settings"]["interval"] = interval
    data["settings"] |= {} if strata is None else {"strata": strata}
    data["settings"]["seed"] = str(seed)  # as text: numbers of a page are exact to 2^53 only
    data["inputs"] = named_inputs(inputs)
    held = data.pop("held")
    more = embedded(data, held, asked, judged, loaded) if live else None
    return page(data, title or _title(data["runs"], data["baseline"]), more)


def _title(runs: Sequence[str], baseline: int | None) -> str:
    """The title of a page: its runs, if they are few."""
    if len(runs) > 2:
        return f"Evaluation of {len(runs):,} runs"
    return " and ".join(runs) if baseline is None else f"{runs[1 - baseline]} against {runs[baseline]}"


# described by untied.report.report: title, depth, queries_text, docs_text, inputs, threads
def comparison_report(
    comparison: Comparison,
    *,
    title: str = "",
    depth: int = 20,
    queries_text: TextsLike | None = None,
    docs_text: TextsLike | None = None,
    inputs: Sequence[str] = (),
    threads: int | None = None,
) -> str:
    """Return an interactive page about a comparison of two runs, as HTML.

    It shows how the values of queries spread, and both rankings of every query.

    Parameters
    ----------
    comparison : Comparison
        What `untied.compare` returned.
    title : str
        The title of the page. By default, it names the runs.
    depth : int
        How many documents of each ranking to show.
    queries_text : path or mapping, optional
        Texts to show beside the ids of queries and documents: a mapping, or a file. Each line of a file is an id, a tab
        and a text, or, if its name ends in .jsonl, an object with an id and a title or text.
    docs_text : path or mapping, optional
        Texts to show beside the ids of queries and documents: a mapping, or a file. Each line of a file is an id, a tab
        and a text, or, if its name ends in .jsonl, an object with an id and a title or text.
    inputs : list of paths
        Files whose names and hashes the page records.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    str
        The page. Write it to a file that ends in .html.

    Raises
    ------
    InputError
        A line in a file of texts is malformed.
    """
    collected = collect_comparison(comparison, depth, queries_text, docs_text, threads)
    collected["inputs"] = named_inputs(inputs)
    return page(collected, title or f"{comparison.runs[0]} and {comparison.runs[1]}")
