"""Policies: the options that evaluations share, the meanings of their values, and the errors for wrong ones."""

from __future__ import annotations

from untied.errors import UntiedError, check_flag, either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any, Literal, TypeAlias, TypeVar

    Described = TypeVar("Described", bound=Callable[..., Any])

    Ties: TypeAlias = Literal["expected", "range", "best", "worst", "docid", "trec", "given"]
    #: Where documents have no ids.
    TiesOfArrays: TypeAlias = Literal["expected", "range", "best", "worst", "given"]
    #: Where two rankings are compared.
    TiesOfPairs: TypeAlias = Literal["expected", "docid", "trec", "given"]
    #: Where verdicts are sought.
    TiesOfVerdicts: TypeAlias = Literal["expected", "range", "docid", "trec", "given"]
    #: Where one value decides.
    TiesOfOneValue: TypeAlias = Literal["expected", "best", "worst", "docid", "trec", "given"]
    Unjudged: TypeAlias = Literal["nonrelevant", "remove", "range", "best", "worst"]
    UnjudgedOfOneValue: TypeAlias = Literal["nonrelevant", "remove", "best", "worst"]
    #: Where values are distributions.
    UnjudgedOfDistributions: TypeAlias = Literal["nonrelevant", "remove"]
    #: Where verdicts are sought.
    UnjudgedOfVerdicts: TypeAlias = Literal["retrieved", "pooled"]
    Unretrieved: TypeAlias = Literal["none", "pooled"]
    Queries: TypeAlias = Literal["qrels", "common"]
    OnUndefined: TypeAlias = Literal["zero", "nan", "raise"]
    Adjust: TypeAlias = Literal["none", "chance"]
    OnUndefinedOfGates: TypeAlias = Literal["fail", "zero", "nan"]
    #: A name of `SCORE_DTYPE`, where N is a number.
    ScoreDtype: TypeAlias = Literal["float64", "float32", "float16", "bfloat16"] | str
    QrelsFormat: TypeAlias = Literal[
        "auto", "trec", "csv", "tsv", "jsonl", "json", "parquet", "rank-eval", "subtopics", "stratified", "prels",
        "groups", "mirex",
    ]  # fmt: skip
    RunFormat: TypeAlias = Literal[
        "auto", "trec", "trec-ranks", "msmarco", "csv", "tsv", "jsonl", "json", "parquet", "rank-eval",
    ]  # fmt: skip
    #: Where qrels are rows of a frame.
    QrelsFormatOfRows: TypeAlias = Literal["auto", "trec", "subtopics", "stratified", "prels"]
    #: Tests, corrections, intervals and alternatives of `untied.statistics`.
    TestName: TypeAlias = Literal["randomization", "tukey", "t", "wilcoxon"]
    Correction: TypeAlias = Literal["holm", "bonferroni", "bh", "none"]
    Interval: TypeAlias = Literal["bca", "t", "none"]
    Alternative: TypeAlias = Literal["two-sided", "greater", "less"]

#: The most decimals that scores can be rounded to.
DECIMALS = 17


class Policy:
    """An option with a fixed set of values.

    Parameters
    ----------
    name : str
        Name of the parameter in Python; on the command line, underscores become hyphens.
    values : dict of str
        The meaning of each value, for help texts; neighbours with the same meaning share it. The first value is the
        default.
    about : str
        What the option is about, if the values do not say it.
    others : dict of str
        Reasons why values that the option has elsewhere are refused here.
    """

    __slots__ = ("about", "name", "others", "values")

    def __init__(
        self, name: str, values: dict[str, str], about: str = "", others: dict[str, str] | None = None
    ) -> None:
        self.name = name
        self.values = values
        self.about = about
        self.others = others or {}

    @property
    def default(self) -> str:
        """The default value."""
        return next(iter(self.values))

    def only(self, *values: str, because: str) -> Policy:
        """Make the same option with fewer values, and the reasons why the others are refused."""
        others = self.others | {value: because for value in self.values if value not in values}
        return Policy(self.name, {value: self.values[value] for value in values}, self.about, others)

    def why_not(self, value: str) -> str | None:
        """The error for a wrong value; None for a right one."""
        if isinstance(value, str) and (value in self.values or ("decimals=N" in self.values and _is_decimals(value))):
            return None
        because = self.others.get(value) if isinstance(value, str) else None
        return f"must be {either(self.values)}, not {value!r}" + (f": {because}" if because else "")

    def check(self, value: str) -> None:
        """Refuse a wrong value."""
        why = self.why_not(value)
        if why is not None:
            raise UntiedError(f"{self.name} {why}")

    def read(self, text: str) -> str:
        """Read an argument of the command line."""
        why = self.why_not(text)
        if why is not None:
            from argparse import ArgumentTypeError

            raise ArgumentTypeError(why)
        return text

    def help(self, default: str) -> str:
        """The help text: what the option does, and a line for each meaning of its values."""
        groups: dict[str, list[str]] = {}
        for value, meaning in self.values.items():
            groups.setdefault(meaning, []).append(value)
        if "" in groups:
            return f"{self.about} {either(value + ' (default)' * (value == default) for value in self.values)}"
        listed = [
            f"\n{', '.join(values)}  {meaning}{' (default)' * (default in values)}"
            for meaning, values in groups.items()
        ]
        return self.about + "".join(listed)


def _is_decimals(value: str) -> bool:
    number = value.removeprefix("decimals=")
    return number != value and number.isascii() and number.isdigit() and int(number) <= DECIMALS


TIES = Policy(
    "ties",
    {
        "expected": "give each measure's average over all orders of tied documents",
        "range": "also show each measure's lowest and highest value over all orders of tied documents",
        "best": "give each measure's best value over all orders of tied documents",
        "worst": "give each measure's worst value over all orders of tied documents",
        "docid": "sort tied documents by descending id, as trec_eval 10 does",
        "trec": "round scores to 32 bits, then sort tied documents by descending id, as trec_eval 9 does",
        "given": "keep tied documents in the order that they have in the input",
    },
    "choose what to do with tied documents",
)
UNJUDGED = Policy(
    "unjudged",
    {
        "nonrelevant": "count unjudged documents as non-relevant",
        "remove": "remove unjudged documents from the ranking",
        "range": "also show each measure's lowest and highest value over all grades that unjudged documents could have",
        "best": "give each measure's best value over all grades that unjudged documents could have",
        "worst": "give each measure's worst value over all grades that unjudged documents could have",
    },
    "choose what to do with unjudged documents",
)
UNRETRIEVED = Policy(
    "unretrieved",
    {
        "none": "count unretrieved documents as non-relevant",
        "pooled": "consider all grades that unretrieved documents in the pool could have",
    },
    "choose what to do with unjudged documents in the pool (grade -1) that a run did not retrieve",
)
SCORE_DTYPE = Policy(
    "score_dtype",
    dict.fromkeys(("float64", "float32", "float16", "bfloat16", "decimals=N"), ""),
    "round scores to a floating-point type or to N decimals:",
)
QUERIES = Policy(
    "queries",
    {
        "qrels": "count all judged queries, even if a query is missing from a run",
        "common": "count only queries that are in both the judgments and the run",
    },
    "choose which queries count in means",
)
ON_UNDEFINED = Policy(
    "on_undefined",
    {
        "zero": "count the query as 0 in the measure's mean",
        "nan": "leave the query out of the measure's mean",
        "raise": "stop with an error",
    },
    "choose what to do with a query for which a measure has no value",
)

ADJUST = Policy(
    "adjust",
    {
        "none": "do not adjust the values",
        "chance": "rescale the values so that a random order of documents gets 0, and the best order gets 1",
    },
    "choose whether to adjust the values of measures for chance",
)


def _named(*policies: Policy) -> dict[str, Policy]:
    return {policy.name: policy for policy in policies}


#: Evaluations of runs.
EVALUATING = _named(TIES, UNJUDGED, UNRETRIEVED, SCORE_DTYPE, QUERIES, ON_UNDEFINED, ADJUST)
#: Evaluations of arrays and features: documents have no ids.
OF_ARRAYS = EVALUATING | _named(
    TIES.only("expected", "range", "best", "worst", "given", because="documents have no ids here")
)
#: Comparisons of two rankings.
COMPARING = _named(
    TIES.only("expected", "docid", "trec", "given", because="a comparison of two rankings has no best or worst order"),
    SCORE_DTYPE,
)
_TIES_OF_VERDICTS = TIES.only(
    "expected", "range", "docid", "trec", "given", because="a comparison of two rankings has no best or worst order"
)
#: Verdicts about two rankings.
CERTIFYING = COMPARING | _named(
    Policy(
        "ties",
        _TIES_OF_VERDICTS.values | {"range": "give only verdicts that are true for every order of tied documents"},
        TIES.about,
        _TIES_OF_VERDICTS.others,
    ),
    Policy(
        "unjudged",
        {
            "retrieved": "all retrieved documents without a judgment",
            "pooled": "only pooled documents without a judgment (grade -1)",
        },
        "choose which unjudged documents may be relevant",
    ),
    Policy(
        "unretrieved",
        {
            "none": "only retrieved unjudged documents may be relevant",
            "pooled": "unretrieved pooled documents (grade -1) may be relevant too",
        },
        "choose whether documents that neither run retrieves may be relevant",
    ),
)
#: Distributions over all orders of ties.
DISTRIBUTING = _named(
    UNJUDGED.only("nonrelevant", "remove", because="a distribution is only over orders of tied documents"),
    SCORE_DTYPE,
    QUERIES,
    ON_UNDEFINED,
)
#: Gates: one value decides, and no value is an answer too.
GATING = EVALUATING | _named(
    TIES.only("expected", "best", "worst", "docid", "trec", "given", because="a gate needs one value"),
    UNJUDGED.only("nonrelevant", "remove", "best", "worst", because="a gate needs one value"),
    Policy(
        "on_undefined",
        {
            "fail": "the run fails the limit",
            "zero": "count the query as 0; if lower values of a measure are better (e.g. ESL), the run fails the limit",
            "nan": "leave the query out of the measure's mean",
        },
        ON_UNDEFINED.about,
    ),
)


def why_not_together(chosen: Mapping[str, str], typed: Collection[str] = ()) -> str | None:
    """The error for conflicting values; None if there are none.

    `typed` names the policies that were typed. The others conflict only by values that are not their defaults.
    """

    def is_set(name: str, default: str) -> bool:
        return name in typed or chosen.get(name, default) != default

    ties, has_dtype = chosen.get("ties"), is_set("score_dtype", "float64")
    if ties == "trec" and has_dtype and chosen["score_dtype"] != "float32":
        return "ties 'trec' reads scores as float32; it cannot be combined with another score_dtype"
    if is_set("unretrieved", "none") and chosen.get("unjudged") in ("nonrelevant", "remove"):
        return f"unretrieved {chosen['unretrieved']!r} has no effect unless unjudged is range, best or worst"
    return None


class Policies:
    """The policies of one evaluation, checked before anything is read.

    Parameters
    ----------
    known : dict of Policy
        The available policies: `EVALUATING`, `OF_ARRAYS`, `COMPARING` or `GATING`.
    variance : bool, optional
        Whether to compute variances.
    **chosen : str
        Values by the names of policies.

    Attributes
    ----------
    options : dict
        All options by name, for native calls.

    Raises
    ------
    UntiedError
        A value is unknown, or two values conflict.
    """

    __slots__ = ("options",)

    def __init__(self, known: Mapping[str, Policy], /, *, variance: bool | None = None, **chosen: str) -> None:
        for name, value in chosen.items():
            known[name].check(value)
        why = why_not_together(chosen)
        if why is not None:
            raise UntiedError(why)
        self.options: dict[str, Any] = chosen
        if variance is not None:
            self.options = {**chosen, "variance": check_flag("variance", variance)}

    def __getitem__(self, name: str) -> Any:
        return self.options[name]

    @property
    def varied(self) -> tuple[str, ...]:
        """What varies between the lowest and the highest values: ``"ties"``, ``"judgments"``."""
        return varied(self.options)


def varied(options: Mapping[str, Any]) -> tuple[str, ...]:
    """What varies between the lowest and the highest values under these policies: ``"ties"``, ``"judgments"``."""
    causes = {"ties": "ties", "unjudged": "judgments"}
    return tuple(cause for name, cause in causes.items() if options.get(name) == "range")


def described_by(*sources: object) -> Callable[[Described], Described]:
    """Copy descriptions of parameters into docstrings that say ``As for `...`.``, from the first source that has them.

    Words after the reference are kept. Editors that do not run the code show the reference.
    """

    def describe(target: Described) -> Described:
        if target.__doc__ is None:  # python -OO
            return target
        known: dict[str, list[str]] = {}
        for source in reversed(sources):
            for names, (head, *body) in _parameters(source.__doc__ or "")[2]:
                known |= {name: [name + head.removeprefix(", ".join(names)), *body] for name in names}
        before, after, entries = _parameters(target.__doc__)
        lines = []
        for names, (head, *body) in entries:
            referred, end, more = body[0].strip().partition("`.")
            if end and referred.startswith("As for `"):
                lines += [line for name in names for line in known[name]]
                lines += [f"   {more}"] * bool(more) + body[1:]
            else:
                lines += [head, *body]
        margin = " " * (len(before[-1]) - len(before[-1].lstrip()))
        target.__doc__ = "\n".join([*before, *(margin + line for line in lines), *after])
        return target

    return describe


def _parameters(doc: str) -> tuple[list[str], list[str], list[tuple[list[str], list[str]]]]:
    """A docstring's lines before and after its parameters, and the description of each parameter, unindented."""
    lines = doc.split("\n")
    first = next(number for number, line in enumerate(lines) if line.strip() == "Parameters") + 2
    margin = len(lines[first]) - len(lines[first].lstrip())
    rules = (number for number in range(first, len(lines)) if set(lines[number].strip()) == {"-"})
    last = next(rules, len(lines) + 1) - 1
    while not lines[last - 1].strip():
        last -= 1
    entries: list[tuple[list[str], list[str]]] = []
    for line in lines[first:last]:
        plain = line[margin:]
        if plain.startswith(" ") or not plain:
            entries[-1][1].append(plain)
        else:
            entries.append((plain.partition(" : ")[0].split(", "), [plain]))
    return lines[:first], lines[last:], entries
