"""Options that commands share: names, arguments, help texts and errors."""

from __future__ import annotations

from untied.cli.parser import Parser
from untied.errors import LARGEST_COUNT, UntiedError, either
from untied.policies import PolicyOption

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from untied._types import Purpose

#: What ``--format`` takes.
FORMATS = ("auto", "table", "tsv", "csv", "json", "md")
#: Their suffixes.
SUFFIXES = {".tsv": "tsv", ".csv": "csv", ".json": "json", ".md": "md", ".tex": "latex"}
#: The same where runs and measures make a table for a paper.
PAPER_FORMATS = (*FORMATS, "latex")

#: What ``--strata`` is for.
STRATA = "say that people judged a random sample of each stratum of queries"
QRELS = "judgments, one per line: query iteration document grade"
RUNS = "runs, one document per line: query Q0 document rank score tag"
MEASURES = "compute MEASURE (repeatable; default: AP, nDCG@10, RR, P@10, R@100)"


class UsageError(UntiedError):
    """Options that conflict or are not understood."""


class Arguments(Parser):
    """The arguments of a command, with the options that commands share."""

    #: What the command evaluates, and the Python names of its policies.
    purpose: Purpose = "runs"
    policies: tuple[str, ...] = ()
    #: Formats of the table that the command writes.
    formats: Sequence[str] = ()
    #: Suffixes of files that are written besides the table, and what these files are.
    beside: Mapping[str, str] | None = None
    #: The format of the output, where its suffix decides otherwise than for tables.
    style_of: Callable[[Any], str] | None = None

    def add_policies(self, purpose: Purpose, *names: str, **defaults: str) -> None:
        """Add policies of a purpose by their Python names; `defaults` has those whose default differs here."""
        self.purpose, self.policies = purpose, (*names, *defaults)
        for name in self.policies:
            policy = PolicyOption(purpose, name)
            self._add_policy(policy, defaults.get(name, policy.values[0]))

    def _add_policy(self, policy: PolicyOption, default: str) -> None:
        self.group("ties and judgments").option(
            f"--{policy.name.replace('_', '-')}",
            policy.placeholder,
            lambda: policy.help(default),
            default=default,
            type=policy.read,
        )

    def add_measures(self, about: str = MEASURES) -> None:
        """Add ``-m``."""
        self.group("measures").option("-m --measure", "MEASURE", about, action="append")

    def add_significance(self, interval: str, otherwise: str = "") -> None:
        """Add options of significance tests, and of intervals of what `interval` names.

        `otherwise` says where p-values are not corrected by default.
        """
        from untied.statistics.intervals import INTERVALS
        from untied.statistics.tests import CORRECTIONS, TEST, TESTS

        group = self.group("significance")
        about = {
            "randomization": "paired randomisation test, exact for up to 32 queries",
            "tukey": "randomised Tukey HSD test for all pairs of runs",
            "t": "Student's paired t-test",
            "wilcoxon": "Wilcoxon's signed-rank test",
        }
        group.option(
            "--test",
            "TEST",
            listing(f"choose the significance test (default: {TEST})", about),
            choices=TESTS,
            default=TEST,
        )
        group.option(
            "--correction",
            "NAME",
            "choose how to correct p-values for the number of comparisons: holm (default), bonferroni, "
            f"bh (Benjamini-Hochberg) or none{otherwise}",
            choices=CORRECTIONS,
            default="holm",
        )
        group.option(
            "--interval",
            "NAME",
            f"choose the confidence intervals of {interval}: bca (a bootstrap; default), t or none",
            choices=INTERVALS,
            default="bca",
        )
        group.option("--level", "L", "set the confidence level (default: 0.95)", type=float, default=0.95)

    def add_reading(self, *, explained: bool = False) -> None:
        """Add options about formats and columns; only ``untied eval`` has the long help text."""
        from untied.inputs.files import QRELS_COLUMNS, QRELS_FORMATS, RUN_COLUMNS, RUN_FORMATS, meanings
        from untied.inputs.tolerance import DUPLICATES, FAILED

        group = self.group("input")
        for what, formats, called in (("qrels", QRELS_FORMATS, "judgments"), ("run", RUN_FORMATS, "runs")):
            about = (
                listing(f"choose the format of {called}", meanings(what))
                if explained
                else f"read {called} in the format auto (default), {either(formats[1:])}"
            )
            group.option(f"--{what}-format", "FORMAT", about, choices=formats, default="auto")
        group.option(
            "--grade",
            "LABEL=GRADE",
            "judgments have labels, and LABEL means the grade GRADE, such as Exact=2 (repeatable, once for each label)",
            type=label,
            default=[],
            action="append",
        )
        for name, about, values in (
            ("--duplicates", "choose what to do if a query retrieves a document several times", DUPLICATES),
            ("--failed", "choose what to do if a search engine says that a query failed", FAILED),
        ):
            described = listing(about, values) if explained else f"{about}: {either(tuple(values))} (default: error)"
            group.option(name, "WHAT", described, choices=tuple(values), default="error")
        group.option(
            "--part",
            "NAME",
            "read only the run NAME in files that have several runs (formats workbench and mteb), such as default/test",
        )
        group.option(
            "--min-score",
            "X",
            "leave out retrieved documents with a score below X, as a system does that would rather say nothing",
            type=float,
        )
        group.option(
            "--collapse",
            "HOW",
            "if runs have parts of documents, find the document in a part's id: it ends at the mark HOW, such as #; or "
            "re:PATTERN has it as first group; or the file HOW has lines of a part, a tab and its document",
        )
        group.option(
            "--collapse-qrels",
            "HOW",
            "the same if judgments are of parts: a document has the highest grade of its parts",
        )
        self.add_columns(
            (*(f"qrels.{role}" for role in QRELS_COLUMNS), *(f"run.{role}" for role in RUN_COLUMNS)),
            "read WHAT from the column NAME, such as grade=points; qrels. or run. before WHAT says whose column it is, "
            "if judgments and runs have one (repeatable)",
        )

    def add_columns(self, roles: Iterable[str], about: str) -> None:
        """Add ``--column``; `roles` says what columns hold, with what has them before a dot if several inputs do."""
        known = dict.fromkeys(name for role in roles for name in (role, role.rpartition(".")[2]))

        def read(text: str) -> tuple[str, str]:
            role, sign, name = text.partition("=")
            if role in known and sign and name:
                return role, name
            from argparse import ArgumentTypeError

            plain = either(tuple(role for role in known if "." not in role))
            raise ArgumentTypeError(f"must be WHAT=NAME, where WHAT is {plain}, not {text!r}")

        self.group("input").option("--column", "WHAT=NAME", about, type=read, default=[], action="append")

    def add_judged_runs(self, about: str = RUNS, *, explained: bool = False, keep_going: bool = True) -> None:
        """Add judgments, runs, and the options that read them."""
        self.add_argument("qrels", metavar="QRELS", help=QRELS)
        self.add_runs(about)
        self.add_reading(explained=explained)
        if keep_going:
            self.add_keep_going()

    def add_runs(self, about: str = RUNS) -> None:
        """Add the arguments for runs and for their names."""
        self.add_argument("runs", metavar="RUN", nargs="+", help=about)
        self.group("input").option(
            "--names",
            "WHAT",
            "set how runs are named: file (by file name, the default) or tag (by run tag)",
            choices=("file", "tag"),
            default="file",
        )

    def add_query_column(self, name: str, what: str, *, with_table: bool = True) -> None:
        """Add an option for the column that has each query's segment or stratum, and the table of queries before it."""
        group = self.group("queries")
        if with_table:
            group.option(
                "--query-table",
                "FILE",
                "read more about each query, such as its market or its traffic, from FILE, a table with ids of queries "
                "(csv, tsv, jsonl, parquet or json, by its suffix)",
            )
        pattern = "; re:PATTERN, which must match the whole id of a query, has it as the first group instead"
        group.option(name, "COLUMN", f"{what}, whose name is in COLUMN{pattern}")

    def add_machine(self, what: str) -> None:
        """Add the judgments of a machine beside those of people; `what` happens with them."""
        self.group("human and machine judgments").option(
            "--machine",
            "FILE",
            f"QRELS has people's judgments of a random sample of queries, and FILE a machine's of all: {what}",
        )

    def add_query_table(self, *, clusters: bool = True) -> None:
        """Add the table of queries, and the options that name its columns."""
        self.add_query_column("--by", "look at each segment of queries")
        group = self.group("queries")
        group.option("--weight", "COLUMN", "weight each query by the number in COLUMN, such as its traffic")
        group.option("--macro", "COLUMN", "take the mean of the means of the segments in COLUMN, or of re:PATTERN")
        if clusters:
            group.option(
                "--cluster",
                "COLUMN",
                "let tests and intervals take queries with the same value of COLUMN, such as a session, as a whole, or "
                "those with the same re:PATTERN",
            )

    def add_keep_going(self) -> None:
        """Add ``--keep-going``."""
        self.group("input").flag("--keep-going", "skip runs that cannot be read, and count the skipped runs in a note")

    def add_texts(self) -> None:
        """Add texts of queries and documents, for pages."""
        shape = "each line: id, tab, text"
        group = self.group("output")
        group.option("--queries-text", "FILE", f"show the texts of queries from FILE in the page ({shape})")
        group.option("--docs-text", "FILE", f"show the titles or texts of documents from FILE in the page ({shape})")

    def add_plugin(self) -> None:
        """Add ``--plugin``, for commands that take measures."""
        self.group("measures").option(
            "--plugin",
            "MODULE",
            "load your own measures from a module or .py file (repeatable)",
            default=[],
            action="append",
        )

    def add_docs(self) -> None:
        """Add ``--docs``."""
        self.group("measures").option(
            "--docs",
            "FILE",
            "read document lengths from FILE, for the measures TBG and U (each line has a document and its length)",
        )

    def add_sort_by(self, queries: str = "") -> None:
        """Add ``--sort-by``; `queries` says what else is sorted by width."""
        self.group("output").option(
            "--sort-by",
            "MEASURE",
            f"sort runs by MEASURE, the best run first; --sort-by width sorts runs{queries} by the width of the first "
            "measure's range, the widest range first; 'width of MEASURE' sorts by the range of MEASURE",
        )

    def add_table(
        self,
        formats: Sequence[str] = FORMATS,
        *,
        decimals: int = 4,
        beside: Mapping[str, str] | None = None,
        about: str = "",
    ) -> None:
        """Add ``--format``, ``--digits`` and ``-o``, for commands that write a table, and `beside` it other files."""
        self.formats = formats
        listed = f"write {', '.join(formats[1:-1])} or {formats[-1]} (default: table on a terminal, else tsv)"
        self.group("output").option("--format", "FORMAT", listed, choices=formats, default="auto")
        self.add_digits(decimals)
        self.add_output([suffix for suffix, style in SUFFIXES.items() if style in formats], beside, about)

    def add_output(self, suffixes: Iterable[str], beside: Mapping[str, str] | None = None, about: str = "") -> None:
        """Add ``-o`` for a table, and for files `beside` it, which are `about` something."""
        said = f"write to FILE; the suffix of FILE sets the format: {', '.join(suffixes)}"
        if not beside:
            self.group("output").option("-o --output", "FILE", said)
            return
        self.beside = beside
        said += f"; {either(tuple(beside))}: also write {about} (repeatable)"
        self.group("output").option("-o --output", "FILE", said, action="append")

    def add_digits(self, decimals: int = 4, *, rest: str = "; json always has all decimals") -> None:
        """Add ``--digits``."""
        self.group("output").option(
            "--digits", "N", f"show N decimals (default: {decimals}{rest})", type=digits, default=decimals
        )

    def add_threads(self) -> None:
        """Add ``--threads``."""
        said = "use N threads (default: one per processor)"
        self.add_argument("--threads", metavar="N", type=threads, help=said)


def listing(first: str, about: Mapping[str, str]) -> str:
    """A help text with a line for each value."""
    return first + "".join(f"\n{name}  {what}" for name, what in about.items())


def column_names(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The columns given by options, each at most once."""
    pairs = list(pairs)
    named = dict(pairs)
    if len(named) < len(pairs):
        twice = next(what for what in named if sum(what == other for other, _ in pairs) > 1)
        raise UsageError(f"the column of the {twice} is named twice")
    return named


#: Options of a table of queries, by the Python names of parameters.
GROUPING = ("query_table", "by", "weight", "macro", "cluster")


def grouping(options: Any) -> dict[str, str]:
    """Those of `GROUPING` that are given."""
    return {name: value for name in GROUPING if (value := getattr(options, name, None)) is not None}


def chosen(options: Any, *names: str) -> dict[str, Any]:
    """The values of options by name, as functions take them."""
    return {name: getattr(options, name) for name in names}


def inputs_of(*paths: str | None) -> list[str]:
    """The given inputs; at most one may be standard input."""
    inputs = [path for path in paths if path]
    if inputs.count("-") > 1:
        raise UsageError("only one input can be standard input (-)")
    return inputs


def load_plugins(plugins: Sequence[str]) -> list[str]:
    """Load the plugins, and return their files."""
    from untied.measures.own import load_plugin

    modules = [load_plugin(plugin) for plugin in plugins]
    return [getattr(module, "__file__", None) or module.__name__ for module in modules]


def label(text: str) -> tuple[str, float]:
    """Read the argument of ``--grade``."""
    from math import isfinite

    name, sign, grade = text.rpartition("=")
    try:
        number = float(grade)
    except ValueError:
        number = float("inf")
    if not name or not sign or not isfinite(number):
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"must be LABEL=GRADE, such as Exact=2, not {text!r}")
    return name, number


def threads(text: str) -> int:
    """Read the argument of ``--threads``."""
    return min(count(text), 256)


def whole(least: int, most: int = LARGEST_COUNT) -> Callable[[str], int]:
    """A function that reads a whole number within a range."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            too_large = text.isascii() and text.isdigit() and int(text) > most
            span = f"from {least} to {most:,}" if most < LARGEST_COUNT or too_large else f"of at least {least}"
            from argparse import ArgumentTypeError

            raise ArgumentTypeError(f"must be a whole number {span}")
        return int(text)

    return read


#: Numbers of things, and of decimals.
count, digits = whole(1), whole(0, 17)
