"""``untied gate``: check a run against limits."""

from __future__ import annotations

import sys

from untied.cli import complain, output, paint
from untied.cli.command import Command
from untied.cli.notes import add
from untied.cli.options import (
    QRELS,
    RUNS,
    STRATA,
    Arguments,
    UsageError,
    chosen,
    count,
    grouping,
    inputs_of,
    load_plugins,
)
from untied.cli.reading import files_of, judgments_of_both, read_qrels, reading_settings
from untied.cli.rules import Excludes, Needs
from untied.errors import either
from untied.gate import gate
from untied.gate.evidence import NAMED, Limit
from untied.measures import as_measure
from untied.results.writing import drop_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from untied.gate import Check

EXAMPLES = """\
  untied gate qrels.txt new.run --min nDCG@10=0.42
  untied gate qrels.txt new.run --baseline old.run --max-drop nDCG@10=2%
  untied gate qrels.txt a.run --baseline b.run --max-drop AP=0 --significant .95
  untied gate qrels.txt new.run --min AP=.2 --query-table queries.tsv --by market
  untied gate qrels.txt new.run --baseline old.run --max-med nDCG@20=0.2
  untied gate qrels.txt new.run --baseline old.run --min-overturn nDCG@10=20
  untied gate human.txt a.run --baseline b.run --max-drop AP=0 --machine llm.txt

The exit code is 0 if the run keeps all limits, and 1 if it fails one or untied
cannot decide. It is 2 if an input or an option was refused.
"""


#: What -o writes, by suffix: text or JSON, and a report besides.
STYLES, JUNIT = {".txt": "text", ".json": "json"}, {".xml": "junit"}

COMMAND = Command(
    "gate",
    "fail a build when quality drops",
    EXAMPLES,
    listed_after="check",
    common="--baseline --min --max-drop --certain --significant --ties -o",
    rules=(
        Needs("--max-drop --max-med --certain --min-overturn", "--baseline"),
        Needs("--baseline", "--max-drop --max-med --certain --min-overturn"),
        Needs("--significant", "--max-drop"),
        Needs("--unjudged", "--min --max --max-drop"),
        Needs("--query-table", "--by --weight --macro --cluster --strata"),
        Needs("--cluster", "--significant"),
        Excludes("--by --weight --macro --cluster", "--max-med --certain --min-overturn"),
        Needs("--strata", "--machine"),
        Excludes("--machine", "--max-med", ", which needs no judgments"),
        Excludes("--machine", "--certain --min-overturn", ", which a machine's judgments only estimate"),
        Excludes("--machine", "--by --weight --macro --cluster", ": estimates count every query once"),
        Excludes("--machine", "--on-undefined=nan", ": each query that people judged needs a value"),
        Excludes("--machine", "--ties=best|worst --unjudged=best|worst", ": means of values are estimated, not bounds"),
    ),
    more=" Options that set limits can be repeated.",
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_argument("qrels", metavar="QRELS", help=QRELS)
    arguments.add_argument("run", metavar="RUN", help=RUNS.replace("runs,", "a run,"))
    arguments.add_reading()
    group = arguments.group("limits")
    group.option("--baseline", "RUN", "compare the run with RUN (needed by all limits except --min and --max)")
    limits = {
        "--min": "require that the mean of MEASURE is at least X",
        "--max": "require that the mean of MEASURE is at most X",
        "--max-drop": "require that the mean of MEASURE drops by at most X from the baseline's mean (X: a number or a "
        "percentage)",
        "--max-med": "require that the mean of MED, the largest possible difference from the baseline, is at most X",
    }
    for option, what in limits.items():
        group.add_argument(option, metavar="MEASURE=X", action="append", default=[], type=limit, help=what)
    group.option(
        "--certain",
        "MEASURE",
        "require that the run is better than the baseline by MEASURE for all grades that unjudged documents could have",
        default=[],
        action="append",
    )
    group.option(
        "--min-overturn",
        "MEASURE=N",
        "require that the run is ahead of the baseline by MEASURE, and stays ahead if fewer than N unjudged documents "
        "are relevant",
        default=[],
        type=limit,
        action="append",
    )
    group.flag("--allow-missing", "count queries that are missing from the run as empty rankings")
    group = arguments.group("significance")
    group.option(
        "--significant",
        "LEVEL",
        "let --max-drop fail only if the drop is statistically significant with a confidence of LEVEL, such as 0.95",
        type=float,
    )
    arguments.add_machine("judge --min, --max and --max-drop by estimates from both")
    arguments.add_query_table()
    arguments.add_query_column("--strata", STRATA, with_table=False)
    arguments.add_docs()
    arguments.add_plugin()
    arguments.add_policies("one-value", "ties", "unjudged", "score_dtype", "on_undefined")
    group = arguments.group("output")
    group.option(
        "--top", "N", f"name the N worst queries for each failed limit (default: {NAMED})", type=count, default=NAMED
    )
    group.option("--format", "FORMAT", "write text (default) or json", choices=("text", "json"), default="text")
    arguments.add_output(STYLES, JUNIT, "a report in JUnit's format")
    arguments.add_threads()


def limit(text: str) -> tuple[str, str]:
    """Read ``MEASURE=X``; a measure's own parameters hold equals signs too, so the last one counts."""
    import argparse

    measure, sign, value = text.rpartition("=")
    if not sign or not measure or not value or value.endswith(")"):
        raise argparse.ArgumentTypeError(f"must be MEASURE=NUMBER, such as nDCG@10=0.42, not {text!r}")
    return measure, value


@COMMAND.run
def main(options: argparse.Namespace) -> int:
    """Run the command."""
    inputs = inputs_of(options.qrels, options.machine, options.run, options.baseline, options.docs, options.query_table)
    style = options.format
    if options.output is not None and "format" not in options.typed:
        style = output.by_suffix(options.output, STYLES, "text", beside=JUNIT)
    output.check_targets(inputs, [options.output, *options.beside])
    plugins = load_plugins(options.plugin)
    limits = chosen(options, "min", "max", "max_drop", "max_med", "certain", "min_overturn")
    if not any(limits.values()):
        raise UsageError(f"give a limit: {either(f'--{option}'.replace('_', '-') for option in limits)}")
    for option in ("max_drop", "max_med"):
        for measure, given in getattr(options, option):
            allowed = Limit(option.replace("_", "-"), as_measure(measure), given)
            if allowed.allows_all:
                share = f"; did you mean {given}%?" if allowed.kind == "max-drop" and not allowed.is_share else ""
                raise UsageError(f"--{allowed.kind} {measure}={given} allows all values of {measure}{share}")
    settings = chosen(options, "ties", "unjudged", "score_dtype", "qrels_format")
    settings["significant"] = options.significant is not None
    if options.significant is not None:
        settings["level"] = options.significant
    settings |= chosen(options, "allow_missing", "on_undefined") | grouping(options)
    if options.strata is not None:
        settings["strata"] = options.strata
    run, *baseline = files_of(options, [options.run, *([] if options.baseline is None else [options.baseline])])
    more = chosen(options, "top", "docs", "threads")
    if options.machine is None:
        qrels = read_qrels(options)
    else:
        qrels, more["machine"] = judgments_of_both(options, options.qrels, options.machine)
    verdict = gate(qrels, run, baseline=baseline[0] if baseline else None, **limits, **settings, **more)
    add(verdict.notes)
    if style == "json":
        text = output.json(
            settings | reading_settings(options),
            inputs,
            **output.plugins(plugins),
            run=options.run,
            baseline=options.baseline,
            machine=options.machine,
            passed=verdict.passed,
            checks=[check.to_dict() for check in verdict.checks],
        )
    else:
        text = "".join(f"{line}\n" for check in verdict.checks for line in _lines(check, options.output is None))
    if options.output is not None:
        for check in verdict.checks:
            if not check.passed:
                complain("\n".join(_lines(check, on_screen=False)))
    for path in options.beside:
        _write(verdict.to_junit(f"untied gate {options.run}"), path)
    _write(text, options.output)
    return 0 if verdict.passed else 1


def _write(text: str, path: str | None) -> None:
    """Write a result; the verdict stands even if nobody reads it."""
    try:
        output.write(text, path)
    except BrokenPipeError as error:
        drop_out(error)


def _lines(check: Check, on_screen: bool) -> list[str]:
    queries = [f"          {query}" for query in check.worst]
    verdict = ("passed", "green") if check.passed else ("FAILED", "red")
    return [f"{paint(*verdict, sys.stdout) if on_screen else verdict[0]}    {check.sentence}", *queries]
