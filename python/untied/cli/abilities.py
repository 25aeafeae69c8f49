"""What each measure can do under ties, missing judgments and partly ordered truth: found out by trying it."""

from __future__ import annotations

import math
import re

from untied.comparison.runs import compare
from untied.errors import UntiedError
from untied.evaluation.runs import evaluate
from untied.inputs.convert import as_qrels
from untied.judging.next import judge_next
from untied.measures import help
from untied.results.text import aligned
from untied.tie_orders.runs import distributions
from untied.verdicts.runs import certify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from untied._types import MeasureInfo
    from untied.results.value import Value

#: Headings of the columns: what is asked about tied documents, about unjudged ones, and about groups of documents.
COLUMNS = (
    "mean",
    "range",
    "variance",
    "law",
    "unjudged",
    "MED",
    "Delta",
    "verdict",
    "judge-next",
    "groups",
    "preferences",
    "probabilities",
)
ABOUT = """\
Ties: the mean over all orders of tied documents, the lowest and highest value (range), the variance, and the law, which
is the distribution over all orders. Unjudged documents: the lowest and highest value over all grades that they may have
(unjudged), MED and Delta of two runs, verdicts of certify, and what to judge next. Groups: whether a truth of ordered
groups says all that the measure reads; and preferences: whether preferences between documents that form no groups do.
Probabilities: whether its expected value is known if judgments give a probability for each grade.

exact     equal to the value of the definition, but for rounding
large     exact, but sampled, an interval or missing where a tie group is large; untied measures NAME says when
solved    by an algorithm of its own for this measure; exact, or an interval that is marked as such
searched  by a search for any measure with bounds; exact if it ends within its limit, else an interval that is marked
drawn     from a sample that is the same at every call
"""
#: Why a cell is empty, where it is not an error that says so.
NO_VARIANCE = "the variance is not computed"
NUMBERS = "the grades count as numbers, so the order of groups is not enough"
MERGED = "all relevant documents count as one group"
DETAIL = "it reads more than one grade for each document"

#: Preferences that form no ordered groups.
PREFERENCES = [("a", "d"), ("b", "c"), ("c", "d")]
#: Probabilities of the grades of documents.
PROBABILITIES = {"a": {0: 0.25, 1: 0.5, 2: 0.25}, "b": {0: 0.5, 1: 0.5}}

#: As many tied documents as make exact ways too long, if they can be.
MANY = 90


def abilities(info: MeasureInfo) -> dict[str, str]:
    """What the measure can do, by column; a sentence in brackets where it cannot."""
    small, large = Example(info), Example(info, MANY)
    med, verdict = info["has_solvers"]
    tied, many = small.values(ties="range", variance=True), large.values(ties="range", variance=True)
    is_sampled = many.certainty == "estimate"
    varies = tied.variance is not None and not math.isnan(tied.variance)
    still_varies = many.variance is not None and not math.isnan(many.variance)
    able = {
        "mean": "large" if is_sampled else "exact",
        "range": "exact" if many.certainty == "exact" else "large",
        "variance": ("large" if is_sampled or not still_varies else "exact") if varies else f"({NO_VARIANCE})",
        "law": small.tried(small.law, "exact"),
        "unjudged": small.tried(lambda: small.values(unjudged="range"), "exact"),
        "MED": small.tried(lambda: small.compared("MED"), "solved" if med else "searched"),
        "Delta": small.tried(lambda: small.compared("Delta"), "drawn"),
        "verdict": small.tried(small.certified, "solved" if verdict else "searched"),
        "judge-next": "",
        "groups": grouped(info, small),
        "preferences": small.tried(small.preferred, "exact"),
        "probabilities": small.tried(small.expected, "exact"),
    }
    # A judgment is worth how much it narrows the bounds.
    able["judge-next"] = small.tried(small.judged_next, "exact") if able["unjudged"] == "exact" else able["unjudged"]
    if able["law"] == "exact" and large.law() != "exact":
        able["law"] = "large"
    if able["Delta"] == "drawn" and small.compared("Delta").certainty == "exact":
        able["Delta"] = "exact"
    return able


class Example:
    """Two runs of a query with tied and unjudged documents, as the measure's help has them, or with many documents."""

    def __init__(self, info: MeasureInfo, many: int = 0) -> None:
        self.name = help.name_in_example(info, comparing=False)
        # Some measures are compared only to a depth.
        self.compared_name = self.name + "@3" * (info["cutoff"] == "optional")
        self.unbounded = info["unbounded"]
        self.given = help.inputs(info)
        self.runs: dict[str, dict[str, Any]] = {"a": {"q": help.RANKING}, "b": {"q": help.RANKING[::-1]}}
        if many:
            [judged] = self.given["qrels"].values()
            documents = [f"{doc}{i}" for doc in help.LENGTHS for i in range(many // len(help.LENGTHS))]
            of = {doc: [name for name in documents if name[0] == doc] or [doc] for doc in "abcdefg"}
            if info["needs"] == "subtopics":
                judged = {
                    subtopic: {name: grade for doc, grade in grades.items() for name in of[doc]}
                    for subtopic, grades in judged.items()
                }
            else:
                judged = {name: value for doc, value in judged.items() for name in of[doc]}
            self.given["qrels"] = {"q": judged}
            if "docs" in self.given:
                self.given["docs"] = {name: 100 + 7 * i for i, name in enumerate(documents)}
            self.runs = {"a": {"q": [documents]}, "b": {"q": [documents]}}

    def values(self, **options: Any) -> Value:
        """The first run's value."""
        given = dict(self.given)
        return evaluate(given.pop("qrels"), self.runs["a"], self.name, **given, **options)[self.name]

    def law(self) -> str:
        """How sure the law is."""
        given = dict(self.given)
        return distributions(given.pop("qrels"), self.runs["a"], self.name, **given)[self.name].certainty

    def _others(self) -> dict[str, Any]:
        given = {name: value for name, value in self.given.items() if name != "qrels_format"}
        qrels = given.pop("qrels")
        if "qrels_format" in self.given:
            qrels = as_qrels(qrels, None, self.given["qrels_format"])
        return {"qrels": qrels, **given}

    def compared(self, by: str) -> Value:
        """The two runs by MED or Delta."""
        name = f"{by}({self.compared_name}{', p=0.5' if by == 'Delta' else ''})"
        return compare(self.runs["a"], self.runs["b"], name, **self._others())[name]

    def preferred(self) -> object:
        """The value of the first run against preferences that form no groups."""
        judged, docs = as_qrels({"q": PREFERENCES}, format="preferences"), self.given.get("docs")
        return evaluate(judged, self.runs["a"], self.name, docs=docs, ties="range", variance=True)

    def expected(self) -> object:
        """The expected value of the first run if grades have probabilities."""
        judged, docs = as_qrels({"q": PROBABILITIES}, format="probabilities"), self.given.get("docs")
        return evaluate(judged, self.runs["a"], self.compared_name, docs=docs)

    def certified(self) -> object:
        """The verdict about the two runs."""
        name = self.compared_name if "qrels_format" in self.given else self.name
        return certify(runs=self.runs, measures=name, **self._others())

    def judged_next(self) -> object:
        """What to judge next."""
        return judge_next(runs=self.runs["a"], measure=self.name, **self._others())

    def tried(self, what: Callable[[], object], word: str) -> str:
        """The word for how something is found, or in brackets the reason why it is not."""
        try:
            what()
        except UntiedError as error:
            return f"({reason(str(error), self.name, self.unbounded)})"
        return word


def reason(message: str, name: str, unbounded: str | None) -> str:
    """What an error says, without the name of the measure that it is about."""
    if message.startswith("bounds over unjudged documents are not known"):
        return f"it has no bounds over unjudged documents ({unbounded or 'it may fall when a grade grows'})"
    said = message.partition(" is not known: ")[2] or message
    bare = re.split(r"[(@]", name)[0]
    return re.sub(rf"\b{bare}(\([^)]*\))?(@[\d.]+)?(?!\w)", "it", said.removeprefix(f"{name}: "))


def grouped(info: MeasureInfo, example: Example) -> str:
    """Whether the order of the groups of a truth is all that the measure reads."""
    if info["needs"] not in ("judgments", "documents"):
        return f"({DETAIL})"
    name = example.name.replace("max_rel=2", "max_rel=4")
    docs = {key: value for key, value in example.given.items() if key == "docs"}
    documents = list("abcefg")
    runs = {f"q{i}": documents[i:] + documents[:i] for i in range(len(documents))}

    def values(best: int, second: int, last: int) -> list[float]:
        judged = {"b": best, "e": second, "g": second, "a": last, "c": 0, "f": 0}
        results = evaluate(dict.fromkeys(runs, judged), runs, name, **docs)
        return [results.value(name, query=query).mean for query in runs]

    def are_equal(some: list[float], others: list[float]) -> bool:
        return all(math.isclose(one, other, abs_tol=1e-12) for one, other in zip(some, others, strict=True))

    try:
        graded, steeper = values(3, 2, 1), values(4, 2, 1)
    except UntiedError:
        return f"({NUMBERS})"  # these are not among the numbers that its parameters speak of
    if not are_equal(graded, steeper):
        return f"({NUMBERS})"
    return f"({MERGED})" if are_equal(graded, values(1, 1, 1)) else "exact"


def rows(infos: Iterable[MeasureInfo]) -> tuple[list[tuple[str, ...]], list[str]]:
    """A row for each measure, and the sentences that its numbers in brackets stand for."""
    reasons: list[str] = []

    def cell(text: str) -> str:
        if not text.startswith("("):
            return text
        if text not in reasons:
            reasons.append(text)
        return f"({reasons.index(text) + 1})"

    table = [(info["name"], *map(cell, abilities(info).values())) for info in infos]
    return table, [f"({number}) {text[1:-1]}" for number, text in enumerate(reasons, 1)]


def lines(infos: Iterable[MeasureInfo]) -> Iterator[str]:
    """The table as text."""
    table, reasons = rows(infos)
    yield ABOUT
    yield from aligned([("measure", *COLUMNS), *table], 1 + len(COLUMNS))
    yield ""
    yield from reasons
