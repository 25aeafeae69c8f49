"""Options that commands share, once each: what they are called, take and say, and how they are refused."""

from __future__ import annotations

import argparse

from untied import cli
from untied.errors import UntiedError
from untied.policies import EVALUATING, why_not_together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NoReturn

    from untied.policies import Policy

#: What ``--format`` takes.
FORMATS = ("auto", "table", "tsv", "csv", "json", "md")
#: The same where runs and measures make a table for a paper.
PAPER_FORMATS = (*FORMATS, "latex")

MEASURES = "a measure, repeatable (default: AP, nDCG@10, RR, P@10, R@100)"
QRELS_FORMAT = (
    "auto (default): by suffix .csv, .tsv, .jsonl, .json or .parquet, else trec; each of these; rank-eval: a request "
    "of Elasticsearch; subtopics: query subtopic document grade, as measures of diversity need it; stratified: query 0 "
    "document stratum grade, for xinfAP and infNDCG; prels: query document grade method probability, for statAP; "
    "groups: ordered groups, one query a line, query document document | document; mirex: source query document group"
)
RUN_FORMAT = (
    "auto (default): by suffix .csv, .tsv, .jsonl, .json or .parquet, else trec; each of these; msmarco: query "
    "document rank; rank-eval: a response of Elasticsearch"
)
COLUMN = "a column's name where it is not a usual one: {}=NAME, and so on; repeatable"


class _RefusedError(Exception):
    """Arguments that cannot be read in one pass."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors can be written to any stream: arguments may hold bytes that are no text."""

    #: Whether arguments that are refused are read once more.
    _tries = False

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and exit."""
        if self._tries:
            raise _RefusedError
        super().error(message.encode("utf-8", "backslashreplace").decode("utf-8"))

    def parse_intermixed_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read arguments, options between files too: these take argparse two passes and the text of the usage."""
        self._tries = True
        try:
            return self.parse_args(args)
        except _RefusedError:
            self._tries = False
            return super().parse_intermixed_args(args, namespace)
        finally:
            self._tries = False


def parser(name: str, description: str, examples: str) -> argparse.ArgumentParser:
    """Make the parser of a subcommand's arguments."""

    def formatter(prog: str) -> argparse.HelpFormatter:
        # Without a width argparse would import shutil, and with it all archive formats, at every start.
        return argparse.RawDescriptionHelpFormatter(prog, width=min(cli.width(), 120))

    return Parser(
        prog=f"untied {name}",
        description=description,
        epilog=f"examples:\n{examples}",
        formatter_class=formatter,
    )


def parse(made: argparse.ArgumentParser, arguments: Sequence[str], *, intermixed: bool = True) -> argparse.Namespace:
    """Read arguments; policies that contradict each other are wrong usage."""
    options = made.parse_intermixed_args(arguments) if intermixed else made.parse_args(arguments)
    why = why_not_together({name: getattr(options, name) for name in EVALUATING if hasattr(options, name)})
    if why is not None:
        made.error(why)
    return options


def add_policies(
    made: argparse.ArgumentParser, *names: str, known: Mapping[str, Policy] = EVALUATING, **defaults: str
) -> None:
    """Add policies by their names in Python; those that have another default here are given with it."""
    for name in (*names, *defaults):
        policy = known[name]
        default = defaults.get(name, policy.default)
        made.add_argument(
            f"--{name.replace('_', '-')}",
            metavar="DTYPE" if name == "score_dtype" else "POLICY",
            default=default,
            type=policy.read,
            help=policy.help(default),
        )


def add_measures(made: argparse.ArgumentParser, about: str = MEASURES) -> None:
    """Add ``-m``."""
    made.add_argument("-m", "--measure", metavar="MEASURE", action="append", help=about)


def add_chance(made: argparse.ArgumentParser, interval: str) -> None:
    """Add what tests differences of runs, and intervals of what `interval` says."""
    from untied.statistics.intervals import INTERVALS
    from untied.statistics.tests import CORRECTIONS, SAMPLES, TEST, TESTS

    add = made.add_argument
    add(
        "--test",
        choices=TESTS,
        default=TEST,
        help="randomization: paired, exact where there are few queries (default); tukey: randomised Tukey HSD, all "
        "runs at once; t: Student's, paired; wilcoxon: signed ranks",
    )
    add(
        "--correction",
        choices=CORRECTIONS,
        default="holm",
        help="of p-values for the number of comparisons by a measure: holm (default), bonferroni, bh (Benjamini and "
        "Hochberg), none; tukey needs none",
    )
    add("--interval", choices=INTERVALS, default="bca", help=f"of {interval}: bca, a bootstrap (default); t; none")
    add("--level", metavar="L", type=float, default=0.95, help="confidence (default: 0.95)")
    add("--samples", metavar="N", type=int, default=SAMPLES, help=f"permutations that are drawn (default: {SAMPLES})")
    add("--seed", metavar="N", type=int, default=0, help="of permutations and bootstrap samples (default: 0)")


def add_reading(made: argparse.ArgumentParser, *, explained: bool = False) -> None:
    """Add options about formats and columns of both; all of the text belongs to ``untied eval``."""
    add = made.add_argument
    as_there = "as for untied eval"
    add("--qrels-format", metavar="FORMAT", default="auto", help=QRELS_FORMAT if explained else as_there)
    add("--run-format", metavar="FORMAT", default="auto", help=RUN_FORMAT if explained else as_there)
    for what, first in (("qrels", "grade"), ("run", "score")):
        add(
            f"--{what}-column",
            metavar="WHAT=NAME",
            action="append",
            type=_column,
            default=[],
            help=COLUMN.format(f"query=NAME, document=NAME, {first}") if explained else as_there,
        )


def _column(text: str) -> tuple[str, str]:
    """Read ``WHAT=NAME``."""
    what, sign, name = text.partition("=")
    if not what or not sign or not name:
        raise argparse.ArgumentTypeError(f"must be WHAT=NAME, such as query=topic, not {text!r}")
    return what, name


def columns(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """The columns that were named, each once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(what for what in found if sum(what == other for other, _ in pairs) > 1)
        raise UntiedError(f"the column of the {twice} is named twice")
    return found


def inputs_of(*paths: str | None) -> list[str]:
    """The inputs that were given; one of them may be standard input."""
    inputs = [path for path in paths if path]
    if inputs.count("-") > 1:
        raise UntiedError("only one input can be standard input")
    return inputs


def add_texts(made: argparse.ArgumentParser) -> None:
    """Add texts of queries and documents, for pages."""
    shape = "id, tab, text; or .jsonl with an id and a title or text"
    made.add_argument("--queries-text", metavar="FILE", help=f"texts of queries to show ({shape})")
    made.add_argument("--docs-text", metavar="FILE", help="titles or texts of documents to show (same formats)")


def add_plugin(made: argparse.ArgumentParser) -> None:
    """Add ``--plugin``, for commands that take measures."""
    made.add_argument(
        "--plugin",
        metavar="MODULE",
        action="append",
        default=[],
        help="load measures of your own: a module's name, or the path of a .py file; repeatable",
    )


def load_plugins(plugins: Sequence[str]) -> list[str]:
    """Load what ``--plugin`` names; the files that were loaded."""
    from untied.measures.own import load_plugin

    modules = [load_plugin(plugin) for plugin in plugins]
    return [getattr(module, "__file__", None) or module.__name__ for module in modules]


def add_docs(made: argparse.ArgumentParser) -> None:
    """Add ``--docs``."""
    made.add_argument(
        "--docs",
        metavar="FILE",
        help="lengths of documents, for TBG and U: document length, or document length seconds",
    )


def add_format(made: argparse.ArgumentParser, formats: Sequence[str] = FORMATS, *, about: str = "") -> None:
    """Add ``--format``; `about` says what is particular."""
    said = "auto (default): a table on a terminal, tsv elsewhere" + (f"; {about}" if about else "")
    made.add_argument("--format", choices=formats, default="auto", help=said)


def add_digits(made: argparse.ArgumentParser, default: int = 4, *, rest: str = "; json has all") -> None:
    """Add ``--digits``."""
    made.add_argument(
        "--digits", metavar="N", type=digits, default=default, help=f"decimals (default: {default}){rest}"
    )


def add_output(made: argparse.ArgumentParser, suffixes: str = ".tsv, .csv, .json, .md") -> None:
    """Add ``-o`` for a file."""
    said = f"write there; format by suffix ({suffixes}) unless --format is given"
    made.add_argument("-o", "--output", metavar="FILE", help=said)


def add_threads(made: argparse.ArgumentParser) -> None:
    """Add ``--threads``."""
    said = "number of threads (default: all processors)"
    made.add_argument("--threads", metavar="N", type=threads, help=said)


def threads(text: str) -> int:
    """Read the argument of ``--threads``."""
    return min(count(text), 256)


def whole(least: int, most: float = float("inf")) -> Callable[[str], int]:
    """What reads a whole number of a range."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            span = f"from {least}" + (f" to {most:g}" if most < float("inf") else "")
            raise argparse.ArgumentTypeError(f"must be a whole number {span}")
        return int(text)

    return read


#: Numbers of things, and of decimals.
count, digits = whole(1), whole(0, 17)
