"""A gate for continuous integration: check a run against limits, alone or relative to a baseline."""

from __future__ import annotations

from dataclasses import dataclass

from untied._core import Policies, look_swapped
from untied.errors import UntiedError, check_count, check_flag, either
from untied.gate.certain import certain as certain_rule
from untied.gate.check import Check
from untied.gate.estimated import LEVEL, JudgedByBoth, check_options, estimated
from untied.gate.evidence import NAMED, Evidence, Limit
from untied.gate.rules import Allowed, drop, largest_difference, own
from untied.inputs import mismatch
from untied.inputs.convert import as_both, as_lengths, as_qrels, as_run
from untied.inputs.files import refuse_probabilities
from untied.measures import as_measure, as_measures
from untied.results.design import Design
from untied.statistics.intervals import check_chance
from untied.statistics.tests import SAMPLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, TypeAlias

    from untied._core import Measure
    from untied._literals import (
        OnUndefinedOfOneValue,
        QrelsFormat,
        ScoreDtype,
        TiesOfOneValue,
        UnjudgedOfOneValue,
    )
    from untied.inputs.convert import DocsLike, OneRun, QrelsLike
    from untied.inputs.queries import QueryTableLike
    from untied.measures import MeasureLike

    Limits: TypeAlias = (
        Mapping[str, float | str]
        | Mapping[Measure, float | str]
        | Mapping[MeasureLike, float | str]
        | Iterable[tuple[MeasureLike, float | str]]
    )

__all__ = ["Check", "GateResult", "gate"]


@dataclass(eq=False, repr=False, slots=True)
class GateResult:
    """The checks of a run against limits, as `gate` returns them.

    ``bool(result)`` is true if the run keeps all limits. ``print(result)`` shows a line for each limit.

    Attributes
    ----------
    checks : list of Check
        One check for each limit, in the order in which you gave the limits.
    notes : list of str
        Warnings, such as about queries that the run lacks or that nobody judged.
    """

    checks: list[Check]
    notes: list[str]

    @property
    def passed(self) -> bool:
        """Whether the run keeps every limit. ``bool(result)`` says the same."""
        return all(check.passed for check in self.checks)

    def __bool__(self) -> bool:
        return self.passed

    def to_junit(self, name: str = "untied gate") -> str:
        """Return a report in JUnit's XML, which servers of continuous integration can show.

        Parameters
        ----------
        name : str
            The name of the test suite in the report.

        Returns
        -------
        str
            An XML document with a test case for every limit. A test case that fails names the worst queries.
        """
        from xml.etree import ElementTree

        failures = sum(not check.passed for check in self.checks)
        suite = ElementTree.Element(
            "testsuite", name=_xml(name), tests=str(len(self.checks)), failures=str(failures), errors="0", skipped="0"
        )
        for check in self.checks:
            case = ElementTree.SubElement(suite, "testcase", classname=f"untied.{check.kind}", name=_case(check))
            said = _xml(check.sentence)
            if not check.passed:
                failure = ElementTree.SubElement(case, "failure", message=said, type=check.kind)
                failure.text = "\n".join(map(_xml, check.worst))
            ElementTree.SubElement(case, "system-out").text = said
        ElementTree.indent(suite)
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.checks))


# described by untied.evaluation.runs.evaluate: score_dtype, qrels_format, docs, threads
def gate(
    qrels: QrelsLike,
    run: OneRun,
    *,
    baseline: OneRun | None = None,
    min: Limits = (),
    max: Limits = (),
    max_drop: Limits = (),
    max_med: Limits = (),
    certain: MeasureLike | Iterable[MeasureLike] = (),
    min_overturn: Limits = (),
    top: int = NAMED,
    significant: bool = False,
    level: float = 0.95,
    samples: int = SAMPLES,
    seed: int = 0,
    machine: QrelsLike | None = None,
    strata: str | None = None,
    allow_missing: bool = False,
    on_undefined: OnUndefinedOfOneValue = "fail",
    ties: TiesOfOneValue = "expected",
    unjudged: UnjudgedOfOneValue = "nonrelevant",
    score_dtype: ScoreDtype = "float64",
    qrels_format: QrelsFormat = "auto",
    docs: DocsLike | None = None,
    query_table: QueryTableLike | None = None,
    by: str | None = None,
    weight: str | None = None,
    macro: str | None = None,
    cluster: str | None = None,
    threads: int | None = None,
) -> GateResult:
    """Check a run against limits, alone or compared with a baseline.

    Use it in a test suite or a pipeline, to stop a change that makes retrieval worse. In an ``if`` or ``assert``, the
    result is true if the run keeps all limits. When printed, it shows a line for each limit.

    Parameters
    ----------
    qrels : Qrels, path, frame, or {query: {document: grade}}
        Relevance judgments, as for `untied.evaluate`.
    run : run
        The run to check, as for `untied.evaluate`.
    baseline : run, optional
        The run to compare with, such as that of the released version. Only `max_drop`, `max_med`, `certain` and
        `min_overturn` need it.
    min, max : {measure: value} or list of (measure, value)
        The smallest and the largest mean that each measure may have. ``min={"nDCG@10": 0.4}`` fails a run whose nDCG@10
        is lower. For measures that count, these limit the sum over queries.
    max_drop : {measure: value} or list of (measure, value)
        By how much each mean may be worse than the baseline's: a number, or a share of the baseline's mean, such as
        ``"2%"``. Both means are taken over the queries of the baseline.
    max_med : {measure: value} or list of (measure, value)
        How large the mean ``MED`` of each measure may be. ``MED`` is the largest difference between the run and the
        baseline that judgments could show. It divides nDCG, AP and Bpref by a constant, as the page on MED explains.
    certain : measure or list of measures
        Measures by which the run must be better than the baseline for all grades of unjudged documents, as
        `untied.certify` decides.
    min_overturn : {measure: number} or list of (measure, number)
        Measures by which the run must be better than the baseline, each with a number of documents. The run fails if
        fewer unjudged documents than this could end its lead by turning out relevant.
    top : int
        How many of the worst queries to name if a limit is exceeded.
    significant : bool
        Whether `max_drop` fails only if the drop is significant, by a one-sided paired randomisation test. If there are
        too few queries for any drop to be significant, a drop beyond the limit always fails.
    level, samples, seed
        The confidence of the significance test (a drop is significant if p is at most 1 - `level`), and the number and
        the seed of its random exchanges.
    machine : Qrels, path, frame, or {query: {document: grade}}, optional
        A machine's judgments of all queries, if `qrels` has people's judgments of a random sample of them. `min`, `max`
        and `max_drop` then look at the estimates of `untied.statistics.estimate_runs`, which use both. With
        `significant`, a drop fails only if its interval excludes 0. The other limits do not take this.
    strata : str, optional
        The column of `query_table` that has the stratum of each query, if people judged a random sample of each
        stratum. It needs `machine`.
    allow_missing : bool
        Whether judged queries that the run lacks count as empty rankings. By default, they make checks fail; for
        `max_drop` and `max_med`, only if the baseline has them.
    on_undefined : str
        What to do with a query for which the measure has no value. ``"fail"``: fail the check. ``"nan"``: leave the
        query out. ``"zero"``: count it as 0, but fail if lower is better. If the baseline has no value for it either,
        `max_drop` does not fail.
    ties, unjudged : str
        Policies of `untied.evaluate`, except ``"range"``. With ``ties="worst"``, limits must hold in the worst order of
        tied documents. `max_med`, `certain` and `min_overturn` take neither ``"best"`` nor ``"worst"``, and ignore
        `unjudged`.
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
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The length of each document, and optionally the seconds that it takes to read. Only the measures TBG and U need
        this.
    query_table, by, weight, macro, cluster
        A table of queries and its columns, as for `Results.grouped`. With `by`, every segment has to keep the limits.
        `weight` and `macro` change the means, and `cluster` the significance test.

        With `significant` and several segments, 1 - `level` is divided by their number (Bonferroni). Only `min`, `max`
        and `max_drop` take these columns.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    GateResult

    Raises
    ------
    UntiedError
        An option is invalid; there is no limit; a limit is not a finite number, or needs a baseline; or a measure has
        no bounds over unjudged documents that an option needs.
    InputError
        A file does not match its format.
    OSError
        A file cannot be read.

    Examples
    --------
    The relevant document fell from rank 1 to rank 2:

    >>> gate({"q": {"d1": 1}}, {"q": ["d2", "d1"]}, min={"RR": 0.4}, baseline={"q": ["d1"]}, max_drop={"RR": "10%"})
    passed: RR is 0.5000 (mean of 1 query), at least 0.4000 is required
    FAILED: RR drops by 0.5000 (from 1.0000 to 0.5000, mean of 1 query), 0.1000 is allowed
    """
    policies = Policies(
        "one-value", ties=ties, unjudged=unjudged, score_dtype=score_dtype, on_undefined=on_undefined
    )  # fmt: skip
    check_chance(level, samples, seed)
    check_count("top", top)
    check_flag("significant", significant)
    if significant and level < 0.5:
        # A gate that takes every drop for chance would pass, and nobody would notice.
        raise UntiedError(f"level is a confidence: pass {1 - level:g} to test at a significance level of {level:g}")
    check_flag("allow_missing", allow_missing)
    allowed = Allowed(allow_missing, on_undefined, top)
    given = {"min": min, "max": max, "max-drop": max_drop, "max-med": max_med}
    given |= {
        "certain": [(measure, 0) for measure in (as_measures(certain) if certain else ())],
        "min-overturn": min_overturn,
    }
    limits = [
        Limit(kind, as_measure(measure), limit) for kind, of_kind in given.items() for measure, limit in _items(of_kind)
    ]
    if not limits:
        raise UntiedError(f"give a limit: {either(kind.replace('-', '_') for kind in given)}")
    for limit in limits:
        if limit.kind == "min-overturn" and not (limit.number >= 1 and limit.number.is_integer()):
            raise UntiedError(f"the limit of --min-overturn for {limit.measure} must be a whole number of at least 1")
        if baseline is None and limit.kind not in ("min", "max"):
            raise UntiedError(f"{limit.kind.replace('-', '_')} needs a baseline")
    kinds = {limit.kind for limit in limits}
    if baseline is not None and kinds <= {"min", "max"}:
        raise UntiedError("a baseline has no effect without max_drop, max_med, certain or min_overturn")
    if significant and "max-drop" not in kinds:
        raise UntiedError("significant has no effect without max_drop")
    if not significant:
        unused = {"level": (level, 0.95), "samples": (samples, SAMPLES), "seed": (seed, 0)}
        for name, (value, default) in unused.items():
            if value != default:
                raise UntiedError(f"{name} has no effect without significant")
    if not kinds & {"min", "max", "max-drop"} and unjudged != "nonrelevant":
        raise UntiedError("unjudged has no effect without min, max or max_drop")
    columns = {"by": by, "weight": weight, "macro": macro, "cluster": cluster}
    of_interval = LEVEL
    if machine is not None:
        if significant and (samples, seed) != (SAMPLES, 0):
            raise UntiedError("samples and seed have no effect with machine, whose intervals need no permutations")
        how = {"ties": ties, "unjudged": unjudged, "on_undefined": on_undefined}
        of_interval = check_options(kinds, columns, how, level if significant else None)
    elif strata is not None:
        raise UntiedError("strata has no effect without machine")
    is_grouped = machine is None and (query_table is not None or any(column is not None for column in columns.values()))
    if is_grouped and kinds - {"min", "max", "max-drop"}:
        others = ", ".join(kind.replace("-", "_") for kind in sorted(kinds - {"min", "max", "max-drop"}))
        raise UntiedError(f"{others} counts every query once; only min, max and max_drop take segments and weights")
    if cluster is not None and not significant:
        raise UntiedError("cluster has no effect without significant")
    if machine is None:
        judged, labels = as_qrels(qrels, threads, qrels_format), None
    else:
        judged, labels = as_both(qrels, machine, threads, qrels_format)
    judged = refuse_probabilities(judged, "a gate")
    if on_undefined == "nan" and unjudged in ("nonrelevant", "remove"):
        judged, unanswered = mismatch.without_unanswered(judged, threads)
        mismatch.warn_or_raise(unanswered)
    runs = {"run": as_run(run, threads)} | ({} if baseline is None else {"baseline": as_run(baseline, threads)})
    mismatch.demand({name: mismatch.SWAPPED if look_swapped(judged, one) else None for name, one in runs.items()})
    measures = list(dict.fromkeys(limit.measure for limit in limits if limit.kind in ("min", "max", "max-drop")))
    asked = [limit.measure for limit in limits]
    mismatch.warn_or_raise(mismatch.of_levels(asked, next(iter(sorted(judged.grades(), reverse=True)), 0)), strict=True)
    mismatch.warn_or_raise(mismatch.of_scale(asked, judged.grades()))
    design = Design(query_table, judged.queries(), **columns) if is_grouped else None
    if design is not None and not design.is_plain:
        for measure in measures:
            design.check(measure)
    with mismatch.Silence():
        evidence = Evidence(judged, runs, measures, policies, as_lengths(docs, threads), threads, design)
        parts = list(evidence.segments())
    if labels is not None:
        both = JudgedByBoth(evidence, labels, measures, query_table, strata, of_interval, significant)
        allowed = Allowed(allow_missing, on_undefined, top, can_leave_out=False)
        return GateResult([estimated(both, limit, allowed) for limit in limits], list(both.notes()))
    # Each of several segments could fail by chance.
    level = 1 - (1 - level) / len(parts)
    chance = {"level": level, "samples": samples, "seed": seed, "segments": len(parts)} if significant else None

    def check(limit: Limit, evidence: Evidence) -> Check:
        if limit.kind == "max-med":
            return largest_difference(evidence, limit, allowed)
        if limit.kind in ("certain", "min-overturn"):
            return certain_rule(evidence, limit, allowed)
        if limit.kind == "max-drop":
            return drop(evidence, limit, allowed, chance)
        return own(evidence, limit, allowed)

    with mismatch.Silence():  # the rules say what is wrong with runs that have nothing in common with the qrels
        checks = [check(limit, part) for part in parts for limit in limits]
    return GateResult(checks, list(_notes(evidence)))


def _notes(evidence: Evidence) -> Iterator[str]:
    for name in evidence.runs:
        missing, unknown = evidence.missing(name), evidence.unknown[name]
        if missing:
            yield f"judged queries missing from the {name}: {len(missing):,}"
        if unknown:
            hint = "only --max-med counts them; untied check lists them"
            yield f"queries of the {name} without judgments: {unknown:,} ({hint})"
        if evidence.apart[name]:
            yield f"the {name}: {evidence.apart[name]}"
    if evidence.design is not None:
        yield from evidence.design.notes(evidence.qrels.queries())


def _items(limits: Any) -> Iterable[tuple[MeasureLike, float | str]]:
    pairs = limits.items() if hasattr(limits, "items") else limits
    pairs = list(pairs) if hasattr(pairs, "__iter__") else [pairs]
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise UntiedError(f"limits must be {{measure: value}} or a list of (measure, value), found {pair!r}")
    return pairs


def _case(check: Check) -> str:
    """The name of a test case."""
    return _xml(check.measure if check.segment is None else f"{check.measure} of {check.segment}")


def _xml(text: str) -> str:
    """Text without characters that XML cannot represent."""
    return "".join(c if c in "\t\n" or " " <= c <= "\ud7ff" or "\ue000" <= c != "\ufffe" != c != "\uffff" else "\ufffd"
                   for c in text)  # fmt: skip
