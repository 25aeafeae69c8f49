"""A gate for continuous integration: limits that a run must keep, by itself and against a baseline."""

from __future__ import annotations

from math import isfinite, isnan

from untied.compare import compare
from untied.errors import UntiedError
from untied.evaluate import Evaluator
from untied.inputs import as_qrels, as_run
from untied.measures import as_measure
from untied.statistics import randomization_test

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, TypeAlias

    from untied._core import Measure, Qrels, Run
    from untied.inputs import DocsLike, OneRun, QrelsLike
    from untied.measures import MeasureLike
    from untied.table import Results

    Limits: TypeAlias = Mapping[MeasureLike, float | str] | Iterable[tuple[MeasureLike, float | str]]

#: Queries that are named where a limit is broken.
NAMED = 5


class Check:
    """One limit, and whether it was kept.

    Attributes
    ----------
    kind : str
        ``"min"``, ``"max"``, ``"max-drop"`` or ``"max-med"``.
    measure : str
        The measure's canonical name.
    limit : float
        The limit, as a value of the measure.
    value : float
        What it is held against: the mean of the run, its drop below the baseline, or MED.
    passed : bool
        Whether the limit was kept.
    p : float or None
        Of a drop, where only significant ones count: the one-sided p-value of the paired randomisation test.
    queries : list of (str, float)
        Where the limit was broken, the queries with the lowest values (highest for ``"max"`` and ``"max-med"``), or
        that dropped most, with these values.
    """

    __slots__ = ("kind", "limit", "measure", "p", "passed", "queries", "value")

    def __init__(
        self, kind: str, measure: str, limit: float, value: float, passed: bool,
        p: float | None = None, queries: list[tuple[str, float]] | None = None,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.measure = measure
        self.limit = limit
        self.value = value
        self.passed = passed
        self.p = p
        self.queries = queries or []

    @property
    def sentence(self) -> str:
        """What was held against what, in words."""
        change = f"drops by {self.value:.4f}" if self.value > 0 else f"does not drop ({-self.value:+.4f})"
        of = {
            "min": f"{self.measure} is {self.value:.4f}, at least {self.limit:.4f} is asked for",
            "max": f"{self.measure} is {self.value:.4f}, at most {self.limit:.4f} is allowed",
            "max-drop": f"{self.measure} {change}, a drop of {self.limit:.4f} is allowed",
            "max-med": f"MED({self.measure}) is {self.value:.4f}, at most {self.limit:.4f} is allowed",
        }[self.kind]
        return of if self.p is None else f"{of} unless it is no more than chance (p {self.p:.4g})"

    def to_dict(self) -> dict[str, Any]:
        """All attributes."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __repr__(self) -> str:
        return f"{'passed' if self.passed else 'FAILED'}: {self.sentence}"


class Verdict:
    """What a gate found: all checks, in the order of the limits.

    Attributes
    ----------
    checks : list of Check
        One for each limit.
    notes : list of str
        What to know before believing it: queries that are missing, values that are undefined.
    """

    __slots__ = ("checks", "notes")

    def __init__(self, checks: list[Check], notes: list[str]) -> None:
        self.checks = checks
        self.notes = notes

    @property
    def passed(self) -> bool:
        """Whether every limit was kept."""
        return all(check.passed for check in self.checks)

    def to_junit(self, name: str = "untied gate") -> str:
        """Make a report in JUnit's XML, which servers for continuous integration show.

        Parameters
        ----------
        name : str
            Of the test suite.

        Returns
        -------
        str
            A document with a test case for every limit; queries are named where one was broken.
        """
        from xml.etree import ElementTree

        failures = sum(not check.passed for check in self.checks)
        suite = ElementTree.Element(
            "testsuite", name=_xml(name), tests=str(len(self.checks)), failures=str(failures), errors="0", skipped="0"
        )
        for check in self.checks:
            case = ElementTree.SubElement(suite, "testcase", classname=f"untied.{check.kind}", name=check.measure)
            if not check.passed:
                failure = ElementTree.SubElement(case, "failure", message=check.sentence, type=check.kind)
                failure.text = "\n".join(f"query {_xml(query)}: {value:+.4f}" for query, value in check.queries)
        ElementTree.indent(suite)
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.checks))


def gate(
    qrels: QrelsLike,
    run: OneRun,
    *,
    baseline: OneRun | None = None,
    min: Limits = (),
    max: Limits = (),
    max_drop: Limits = (),
    max_med: Limits = (),
    significant: bool = False,
    level: float = 0.95,
    samples: int = 100_000,
    seed: int = 0,
    ties: str = "expected",
    unjudged: str = "nonrelevant",
    score_dtype: str = "float64",
    qrels_format: str = "trec",
    docs: DocsLike | None = None,
    threads: int | None = None,
) -> Verdict:
    """Hold a run against limits.

    Parameters
    ----------
    qrels, run, ties, unjudged, score_dtype, qrels_format, docs, threads
        As for `untied.evaluate`. ``ties="worst"`` holds the limits against the worst order of tied documents; policies
        must give one value, so not ``"range"``.
    baseline : run, optional
        What drops and MED are measured against.
    min, max : {measure: value} or list of (measure, value)
        What the mean of a measure must at least, or may at most be.
    max_drop : {measure: value} or list of (measure, value)
        By how much the mean may be worse than the baseline's: a number, or ``"2%"`` of the baseline's mean. Of measures
        of which lower values are better, by how much it may be higher.
    max_med : {measure: value} or list of (measure, value)
        What mean ``MED`` of the measure may at most be: the largest difference that judgments could make between both
        runs, those of the qrels given.
    significant : bool
        Whether only drops count that the paired randomisation test, one-sided, finds significant at 1 - `level`.
    level, samples, seed
        Of this test, as for `untied.statistics.randomization_test`.

    Returns
    -------
    Verdict

    Raises
    ------
    UntiedError
        An option is refused, no limit is given, a limit is not a finite number, or one needs a baseline.
    InputError
        A file's content is not what its format promises.
    OSError
        A file cannot be read.

    Examples
    --------
    >>> gate({"q": {"d1": 1}}, {"q": ["d2", "d1"]}, min={"RR": 0.4}, baseline={"q": ["d1"]}, max_drop={"RR": "10%"})
    passed: RR is 0.5000, at least 0.4000 is asked for
    FAILED: RR drops by 0.5000, a drop of 0.1000 is allowed
    """
    if "range" in (ties, unjudged):
        raise UntiedError("a gate needs one value: take best, worst or another policy, not range")
    if not 0 < level < 1:
        raise UntiedError(f"level must be between 0 and 1, not {level}")
    given = {"min": min, "max": max, "max-drop": max_drop, "max-med": max_med}
    limits = [(kind, as_measure(measure), limit) for kind in given for measure, limit in _items(given[kind])]
    if not limits:
        raise UntiedError("no limit given: min, max, max_drop or max_med")
    if baseline is None and any(kind in ("max-drop", "max-med") for kind, _, _ in limits):
        raise UntiedError("max_drop and max_med need a baseline")
    judged = as_qrels(qrels, threads, qrels_format)
    runs = {"run": as_run(run, threads)} | ({} if baseline is None else {"baseline": as_run(baseline, threads)})
    measures = list(dict.fromkeys(measure for kind, measure, _ in limits if kind != "max-med"))
    policies: dict[str, Any] = {"ties": ties, "unjudged": unjudged, "score_dtype": score_dtype}
    results = Evaluator(judged, measures, **policies, docs=docs, threads=threads).evaluate(runs) if measures else None

    def largest_difference(name: str, limit: float | str) -> Check:
        most = _number("max-med", name, limit)
        order = "expected" if ties in ("best", "worst") else ties
        found = compare(
            runs["run"], runs["baseline"], f"MED({name})", qrels=judged, ties=order, score_dtype=score_dtype,
            threads=threads,
        )  # fmt: skip
        value = found.value(f"MED({name})").mean
        by_query = {query: found.value(f"MED({name})", query).mean for query in found.queries}
        return _check("max-med", name, most, value, value <= most, by_query, highest=True)

    def own(kind: str, measure: Measure, limit: float | str, results: Results) -> Check:
        edge = _number(kind, str(measure), limit)
        value = results.value(measure, run="run").mean
        by_query = {query: results.value(measure, query, "run").mean for query in results.queries}
        passed = value >= edge if kind == "min" else value <= edge
        return _check(kind, str(measure), edge, value, passed, by_query, highest=kind == "max")

    def drop(measure: Measure, limit: float | str, results: Results) -> Check:
        def lost(query: str | None) -> float:
            before, after = (results.value(measure, query, name).mean for name in ("baseline", "run"))
            return after - before if measure.lower_is_better else before - after

        allowed = _number("max-drop", str(measure), limit, of=results.value(measure, run="baseline").mean)
        value, by_query, p = lost(None), {query: lost(query) for query in results.queries}, None
        passed = value <= allowed
        if significant:
            differences = [difference for difference in by_query.values() if not isnan(difference)]
            none = [0.0] * len(differences)
            p = randomization_test(differences, none, alternative="greater", samples=samples, seed=seed).p
            passed = passed or p > 1 - level
        return _check("max-drop", str(measure), allowed, value, passed, by_query, highest=True, p=p)

    checks: list[Check] = []
    for kind, measure, limit in limits:
        if kind == "max-med" or results is None:
            checks.append(largest_difference(str(measure), limit))
        elif kind == "max-drop":
            checks.append(drop(measure, limit, results))
        else:
            checks.append(own(kind, measure, limit, results))
    return Verdict(checks, list(_notes(judged, runs, results)))


def _notes(qrels: Qrels, runs: Mapping[str, Run], results: Results | None) -> Iterator[str]:
    judged = set(qrels.queries())
    for name, run in runs.items():
        found = set(run.queries())
        if judged - found:
            yield f"judged queries that the {name} lacks: {len(judged - found)} (empty rankings; MED leaves them out)"
        if found - judged:
            yield f"queries of the {name} without judgments: {len(found - judged)} (only MED counts them)"
    undefined = 0 if results is None else sum(fact["undefined"] for fact in results.facts().values())
    if undefined:
        yield f"undefined values, which count 0: {undefined}"


def _check(
    kind: str, name: str, limit: float, value: float, passed: bool, by_query: dict[str, float], highest: bool,
    p: float | None = None,
) -> Check:  # fmt: skip
    if passed:
        return Check(kind, name, limit, value, True, p)
    sign = -1 if highest else 1
    worst = sorted(by_query.items(), key=lambda item: (sign * item[1], item[0]))[:NAMED]
    return Check(kind, name, limit, value, False, p, worst)


def _items(limits: Limits) -> Iterable[tuple[MeasureLike, float | str]]:
    return limits.items() if hasattr(limits, "items") else limits


def _number(kind: str, measure: str, limit: float | str, of: float | None = None) -> float:
    """A limit as a number; with a per cent sign a share of something."""
    text = str(limit).strip()
    share = of is not None and text.endswith("%")
    try:
        number = float(text[:-1]) / 100 * abs(of or 0.0) if share else float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        expected = "a number" if of is None else "a number or a percentage"
        raise UntiedError(f"the limit {kind} of {measure} must be {expected}, not {limit!r}")
    return number


def _xml(text: str) -> str:
    """Text without what XML has no way to write."""
    return "".join(c if c in "\t\n" or " " <= c <= "\ud7ff" or "\ue000" <= c != "\ufffe" != c != "\uffff" else "\ufffd"
                   for c in text)  # fmt: skip
