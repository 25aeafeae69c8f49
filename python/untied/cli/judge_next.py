"""``untied judge-next``: rank unjudged documents by how much a judgment would tell."""

from __future__ import annotations

from dataclasses import asdict
from math import inf

from untied._core import show_id
from untied.cli import output, width
from untied.cli.command import Command
from untied.cli.notes import add
from untied.cli.options import RUNS, Arguments, chosen, inputs_of, load_plugins
from untied.cli.reading import read_qrels, reading_settings, run_files
from untied.judging.next import COLUMNS, judge_next, rows
from untied.results.notes import of_queries
from untied.results.text import WORDS, cell

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from untied.judging.next import Advice
    from untied.verdicts.verdict import Verdict

#: Columns that a narrow terminal does without, in this order.
DISPENSABLE = ("narrowing", "probability")

EXAMPLES = """\
  untied judge-next qrels.txt dense.run
  untied judge-next qrels.txt bm25.run dense.run --measure nDCG@10 --top 50
  untied judge-next qrels.txt bm25.run dense.run -m P@10 --until-decided

The documents that are most worth judging come first. With one run, their
judgments are expected to narrow the bounds of its mean most; with two, to
change the difference between the runs most. Judge some and ask again, because
each judgment changes what is worth judging next.

The columns say what to expect from a judgment of the document:
  probability  how probable it is that the document is relevant
  narrowing    how much closer the lower and the upper bound of the mean come
               (for two runs, of both means together)
  swing        how much higher the mean is (for two runs, the difference of the
               means) if the document is relevant than if it is not
  worth        what the list is sorted by, computed from the others
"""


COMMAND = Command(
    "judge-next",
    "list the unjudged documents that are most worth judging",
    EXAMPLES,
    listed_after="features",
    common="-m --depth --until-decided --top --format -o",
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_judged_runs(RUNS.replace("runs,", "a run, or two runs to compare; files have"), keep_going=False)
    group = arguments.group("measures")
    group.option(
        "-m --measure", "MEASURE", "list documents that are worth judging for MEASURE (default: AP)", default="AP"
    )
    arguments.add_docs()
    group.option("--depth", "K", "consider the first K documents of each ranking (default: 100)", type=int, default=100)
    group.option(
        "--prior",
        "P",
        "set the probability that an unjudged document is relevant (default: estimated for each query)",
        type=float,
    )
    group.flag("--until-decided", "list the documents whose judgments help most to decide which run is better")
    arguments.add_plugin()
    arguments.group("output").option("--top", "N", "show N documents (default: 20)", type=int, default=20)
    arguments.add_table(decimals=6)
    arguments.add_threads()


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    plugins = load_plugins(options.plugin)
    style = options.style
    inputs = inputs_of(options.qrels, *options.runs, options.docs)
    output.check_target(options.output, inputs)
    how = chosen(options, "top", "depth", "prior", "until_decided", "docs", "threads")
    advice = judge_next(read_qrels(options), run_files(options), options.measure, **how)
    candidates = list(rows(advice))
    add(_notes(advice, options.depth, options.digits))
    if style == "json":
        known = {
            "measure": advice.measure,
            "runs": advice.runs,
            "bounds": advice.bounds,
            "difference": advice.difference,
            "considered": advice.considered,
            **({} if advice.verdict is None else {"verdict": asdict(advice.verdict)}),
            "candidates": candidates,
        }
        settings = chosen(options, "top", "depth", "prior", "until_decided", "qrels_format") | reading_settings(options)
        text = output.json(settings, inputs, **output.plugins(plugins), **known)
    else:
        columns = ["query", "document", *(f"rank in {name}" for name in advice.runs), *COLUMNS]
        digits = options.digits
        lines = [["-" if one is None else cell(one, name, digits) for name, one in row.items()] for row in candidates]
        text = _fitting(columns, lines, options) if style == "table" else output.lines(columns, lines, style)
    output.write(text, options.output)


def _fitting(columns: list[str], lines: list[list[str]], options: argparse.Namespace) -> str:
    """A table without columns for which the terminal has no room."""
    most = width() if options.output is None else 10**9
    hidden: list[str] = []
    rows = [columns, *lines]
    for name in DISPENSABLE:
        if max(map(len, output.aligned(rows, 2))) <= most:
            break
        place = rows[0].index(name)
        rows = [[*row[:place], *row[place + 1 :]] for row in rows]
        hidden.append(name)
    text = output.lines(rows[0], rows[1:], "table")
    return text + (f"{', '.join(hidden)} hidden: widen the terminal or use --format tsv\n" if hidden else "")


def _notes(advice: Advice, depth: int, digits: int) -> Iterator[str]:
    yield from of_queries(advice.facts)
    if advice.verdict is not None:
        yield from _on_verdict(advice, advice.verdict, digits)
        return
    if not advice.considered:
        yield f"all documents down to rank {depth} are judged; if rankings are longer, a larger --depth looks further"
    for name, (low, high) in zip(advice.runs, advice.bounds, strict=True):
        yield f"{advice.measure} of {name} is between {low:.{digits}f} and {high:.{digits}f}"
    if advice.difference is not None:
        low, high = advice.difference
        settled = "; no judgment can change which run is better" if advice.settled else ""
        apart = "" if advice.is_joint else " (computed from the bounds of each run)"
        yield f"the difference is between {low:z.{digits}f} and {high:z.{digits}f}{apart}{settled}"


def _on_verdict(advice: Advice, verdict: Verdict, digits: int) -> Iterator[str]:
    low, high = f"{verdict.low:z.{digits}f}", f"{verdict.high:z.{digits}f}"
    if verdict.verdict == "open":
        number = WORDS["overturn"] if verdict.overturn == inf else f"{verdict.overturn:,.0f}"
        yield f"{advice.measure}: open, the difference is between {low} and {high}; overturn number: {number}"
        return
    better = advice.runs["AB".index(verdict.verdict)]
    yield f"{advice.measure}: {show_id(better)} is better for all grades of unjudged documents ({low} to {high})"
