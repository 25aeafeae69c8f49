"""Comparing runs without judgments, or with few."""

from __future__ import annotations

import os

from untied import _core
from untied._core import show_id
from untied.comparison.comparison import Comparison
from untied.comparison.measures import DEFAULT, as_comparing_measures
from untied.comparison.several import Comparisons
from untied.errors import check_count, check_flag, check_pairs
from untied.inputs import mismatch
from untied.inputs.convert import are_rows, as_lengths, as_qrels, as_run, two_or_more
from untied.inputs.names import check_two, names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from untied._core import Measure
    from untied._literals import ScoreDtype, TiesOfPairs
    from untied.comparison.measures import ComparingMeasures
    from untied.inputs.convert import DocsLike, OneRun, QrelsLike, Runs


def compare(
    run_a: OneRun | Iterable[object],
    run_b: OneRun | Iterable[object],
    measures: ComparingMeasures = DEFAULT,
    *,
    qrels: QrelsLike | None = None,
    probabilities: OneRun | None = None,
    docs: DocsLike | None = None,
    depth: int | None = None,
    names: tuple[str, str] | None = None,
    ties: TiesOfPairs = "expected",
    score_dtype: ScoreDtype = "float64",
    variance: bool = False,
    strict: bool = False,
    threads: int | None = None,
) -> Comparison:
    """Compare two runs, or two ranked lists, without judgments or with few.

    Use it to see how much a change reorders, before anybody judges the new results. Similarities such as ``RBO`` say
    how alike two rankings are. ``MED`` says how much their quality could differ at most, whatever the judgments will
    be. The result also says which queries and documents changed.

    Parameters
    ----------
    run_a, run_b : run, or list
        Two runs, of any kind that `evaluate` takes; or two ranked lists of document ids, best first. In a ranked list,
        a nested list is a group of tied documents.
    measures : measures or their names
        How to compare the rankings, such as ``"RBO(p=0.9)"``, ``Overlap @ 10`` or ``MED(nDCG @ 20)``. The default is
        MED(nDCG@10), RBO and Overlap@10.
    qrels : qrels, optional
        Judgments, as for `evaluate`; for two ranked lists, a dict of documents and grades. Only ``MED`` and ``Delta``
        use them. By default, nothing is judged.
    probabilities : run, optional
        For ``Delta``: the probability that an unjudged document is relevant. Pass ``{query: {document: probability}}``,
        or the path of a run whose scores are probabilities. For two ranked lists, pass a dict of documents and
        probabilities. Documents that are not in it have the probability `p` of the measure, as in ``Delta(nDCG@10,
        p=0.5)``.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The lengths of all documents that count, as for `evaluate`. Only the measures U and TBG need them.
    depth : int, optional
        The last rank to compare; by default, the last of all. If tied documents are at this rank, all of them are kept.
    names : tuple of str, optional
        What to call the two runs in tables. By default, a run has the name of its file, or the name that you gave to a
        `Run`, or else ``a`` or ``b``.
    ties : str
        How to order documents with equal scores. ``"expected"``: take the mean over all orders in both runs.
        ``"docid"``, ``"trec"``, ``"given"``: use one order, as for `evaluate`.
    score_dtype : str
        The precision at which scores are compared, as for `evaluate`.
    variance : bool
        Whether to also compute the variance over the orders of tied documents.
    strict : bool
        Whether to raise an error where you would otherwise get a warning.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    Comparison

    Raises
    ------
    MeasureError
        A measure is not understood.
    InputError
        A file does not match its format.
    UntiedError
        An option or a score is invalid, or the runs have no query in common.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        The runs have no document in common, or the qrels or the probabilities are about other documents. With
        ``strict=True``, this is an `UntiedError`.

    Examples
    --------
    The second list ties b and c. The overlap at depth 2 is 1 if b is second, and 0.5 if c is:

    >>> import untied
    >>> untied.compare(["a", "b", "c"], ["a", ["b", "c"]], "Overlap@2")["Overlap@2"]
    0.7500 [0.5000, 1.0000]
    """
    policies = _core.Policies("pairs", ties=ties, score_dtype=score_dtype)
    asked = as_comparing_measures(measures)
    if names is None:
        names = _names(run_a, run_b)
    names = check_two(names)
    ranked_lists = [isinstance(run, (list, tuple)) and not are_rows(run) for run in (run_a, run_b)]
    given: tuple[Any, Any] = (run_a, run_b)
    if any(ranked_lists):
        if not all(ranked_lists):
            raise TypeError("both inputs must be ranked lists, or both runs")
        given = ({"query": run_a}, {"query": run_b})
        qrels = None if qrels is None else {"query": qrels}
        probabilities = None if probabilities is None else {"query": probabilities}
    known = _known(qrels, probabilities, docs, threads)
    runs = (as_run(given[0], threads), as_run(given[1], threads))
    options = _options(policies, variance, depth)
    [native] = _core.compare_runs(
        runs, asked, names=[f"'{show_id(name)}'" for name in names], **known, **options, itself=False, threads=threads
    )
    _warn(dict(zip(names, runs, strict=True)), known, not any(ranked_lists), strict, threads)
    return Comparison(names, asked, native, runs, known, options)


# described by untied.comparison.runs.compare: measures, qrels, probabilities, docs, depth, ties, score_dtype, variance
# described by untied.comparison.runs.compare: strict, threads
def compare_all(
    runs: Runs,
    measures: ComparingMeasures = DEFAULT,
    *,
    qrels: QrelsLike | None = None,
    probabilities: OneRun | None = None,
    docs: DocsLike | None = None,
    depth: int | None = None,
    ties: TiesOfPairs = "expected",
    score_dtype: ScoreDtype = "float64",
    variance: bool = False,
    itself: bool = True,
    strict: bool = False,
    threads: int | None = None,
) -> Comparisons:
    """Compare all pairs of several runs.

    Use it to see which runs are alike. Each pair is compared as `compare` does it. All runs stay in memory, and so does
    a value for each pair, query and measure (56 bytes).

    Parameters
    ----------
    runs : list of runs, or {name: run}
        Two or more runs, of any kind that `evaluate` takes.
    measures : measures or their names
        How to compare the rankings, such as ``"RBO(p=0.9)"``, ``Overlap @ 10`` or ``MED(nDCG @ 20)``. The default is
        MED(nDCG@10), RBO and Overlap@10.
    qrels : qrels, optional
        Judgments, as for `evaluate`; for two ranked lists, a dict of documents and grades. Only ``MED`` and ``Delta``
        use them. By default, nothing is judged.
    probabilities : run, optional
        For ``Delta``: the probability that an unjudged document is relevant. Pass ``{query: {document: probability}}``,
        or the path of a run whose scores are probabilities. For two ranked lists, pass a dict of documents and
        probabilities. Documents that are not in it have the probability `p` of the measure, as in ``Delta(nDCG@10,
        p=0.5)``.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The lengths of all documents that count, as for `evaluate`. Only the measures U and TBG need them.
    depth : int, optional
        The last rank to compare; by default, the last of all. If tied documents are at this rank, all of them are kept.
    ties : str
        How to order documents with equal scores. ``"expected"``: take the mean over all orders in both runs.
        ``"docid"``, ``"trec"``, ``"given"``: use one order, as for `evaluate`.
    score_dtype : str
        The precision at which scores are compared, as for `evaluate`.
    variance : bool
        Whether to also compute the variance over the orders of tied documents.
    strict : bool
        Whether to raise an error where you would otherwise get a warning.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.
    itself : bool
        Whether to also compare every run with itself, for the diagonal of `Comparisons.matrix`. A run with ties may
        have a similarity below 1 with itself.

    Returns
    -------
    Comparisons

    Raises
    ------
    MeasureError
        A measure is not understood.
    InputError
        A file does not match its format.
    UntiedError
        An option or a score is invalid, there are fewer than two runs, or two runs have no query in common.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        Runs have no document in common, or the qrels or the probabilities are about other documents. With
        ``strict=True``, this is an `UntiedError`.

    Examples
    --------
    >>> import untied
    >>> runs = {"old": {"q": ["x", "y"]}, "new": {"q": ["y", "x"]}, "other": {"q": ["y", "z"]}}
    >>> untied.compare_all(runs, "Overlap@2").matrix()
    run       old     new   other
    old    1.0000  1.0000  0.5000
    new    1.0000  1.0000  0.5000
    other  0.5000  0.5000  1.0000
    """
    policies = _core.Policies("pairs", ties=ties, score_dtype=score_dtype)
    asked = as_comparing_measures(measures)
    loaded = two_or_more(runs, "a comparison", threads, qrels)
    check_pairs(len(loaded), "compare fewer runs")
    known = _known(qrels, probabilities, docs, threads)
    options = _options(policies, variance, depth)
    return compare_loaded(
        loaded, asked, known, options, itself=check_flag("itself", itself), strict=strict, threads=threads
    )


def compare_loaded(
    runs: dict[str, _core.Run],
    measures: list[Measure],
    known: dict[str, Any],
    options: dict[str, Any],
    *,
    itself: bool,
    only_means: bool = False,
    strict: bool = False,
    threads: int | None = None,
) -> Comparisons:
    """Compare every two runs in memory, as `compare_all` does. With `only_means`, values of queries are not kept."""
    given = {**known, **options, "itself": itself, "threads": threads, "only_means": only_means}
    quoted = [f"'{show_id(name)}'" for name in runs]
    natives = _core.compare_runs(list(runs.values()), measures, names=quoted, **given)
    _warn(runs, known, True, strict, threads)
    return Comparisons(runs, measures, natives, known, options)


def _options(policies: _core.Policies, variance: bool, depth: int | None) -> dict[str, Any]:
    """Return the options that a comparison keeps for later calls of the core."""
    counted = depth if depth is None else check_count("depth", depth)
    return {"policies": policies, "variance": check_flag("variance", variance), "depth": counted}


def _names(run_a: Any, run_b: Any) -> tuple[str, str]:
    """Return the names of two runs. A run without a name is called a or b, or a_ or b_ beside a run of that name."""
    sources = [os.fspath(run) if isinstance(run, os.PathLike) else run for run in (run_a, run_b)]
    have_names = [isinstance(run, str) or (isinstance(run, _core.Run) and run.name is not None) for run in sources]
    if all(have_names):
        first, second = names_of(sources) if sources[0] != sources[1] else ("a", "b")
        return first, second
    own_a, own_b = (names_of([run])[0] if named else None for run, named in zip(sources, have_names, strict=True))
    # A run that is called b keeps its name beside one without: nobody should take either for the other.
    return own_a or ("a_" if own_b == "a" else "a"), own_b or ("b_" if own_a == "b" else "b")


def _known(qrels: Any, probabilities: Any, docs: DocsLike | None, threads: int | None) -> dict[str, Any]:
    """Read the other inputs, and return them."""
    return {
        "qrels": None if qrels is None else as_qrels(qrels, threads),
        "probabilities": None if probabilities is None else as_run(probabilities, threads),
        "docs": as_lengths(docs, threads),
    }


def _warn(
    runs: dict[str, _core.Run], known: dict[str, Any], are_alike: bool, strict: bool, threads: int | None
) -> None:
    """Warn of runs that have nothing in common with each other, the qrels or the probabilities."""
    qrels, probabilities = known["qrels"], known["probabilities"]
    reasons: list[dict[str, str | None]] = [mismatch.of_runs(runs, threads)] if are_alike else []
    if qrels is not None:
        of_qrels = {name: mismatch.of_inputs(qrels, run, threads, judging=True) for name, run in runs.items()}
        if not all(of_qrels.values()):  # one run with judged documents is enough for judgments to count
            of_qrels = {name: reason for name, reason in of_qrels.items() if reason == mismatch.SWAPPED}
        reasons.append(of_qrels)
    if probabilities is not None:
        reasons.append(mismatch.of_probabilities(runs, probabilities, threads))
    mismatch.warn(*reasons, strict=strict)
