"""``untied gate``: a run, qrels and limits in, an exit code out."""

from __future__ import annotations

import sys

from untied._core import show_id
from untied.cli.notes import show
from untied.cli.options import (
    add_docs,
    add_plugin,
    add_policies,
    add_reading,
    add_threads,
    inputs_of,
    load_plugins,
    parse,
    parser,
)
from untied.cli.reading import columns_named, read_qrels, run_files
from untied.errors import UntiedError
from untied.gate import gate
from untied.policies import GATING
from untied.results.writing import drop_out
from untied.statistics.tests import SAMPLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from untied.gate import Check

EXAMPLES = """\
  untied gate qrels.txt new.run --min nDCG@10=0.42
  untied gate qrels.txt new.run --baseline old.run --max-drop AP=0.01 --max-drop nDCG@10=2%
  untied gate qrels.txt new.run --baseline old.run --max-drop nDCG@10=0 --significant
  untied gate qrels.txt new.run --baseline old.run --max-med nDCG@20=0.2 --junit gate.xml

Exit code: 0 all limits are kept; 1 one is not, or cannot be decided: queries are missing or undefined, or too few
for --significant; 2 an input or an option cannot be used.
"""


def arguments_parser() -> argparse.ArgumentParser:
    """Make the parser of the command's arguments."""
    made = parser("gate", "Hold a run against limits, by itself and against a baseline.", EXAMPLES)
    add = made.add_argument
    add("qrels", metavar="QRELS", help="judgments, as for untied eval")
    add("run", metavar="RUN", help="the run, as for untied eval")
    add("--baseline", metavar="RUN", help="the run that --max-drop and --max-med compare with")
    limits = {
        "--min": "minimum allowed mean",
        "--max": "maximum allowed mean",
        "--max-drop": "how much worse than the baseline's the mean may be: a number, or 2%% of it",
        "--max-med": "the largest difference to the baseline that judgments could make (MED), on average over queries",
    }
    for option, what in limits.items():
        add(option, metavar="MEASURE=X", action="append", default=[], type=limit, help=f"{what}; repeatable")
    add(
        "--significant", action="store_true", help="only drops count that a paired randomisation test finds significant"
    )
    add("--level", metavar="L", type=float, default=0.95, help="confidence of this test (default: 0.95)")
    add("--samples", metavar="N", type=int, default=SAMPLES, help=f"permutations it draws (default: {SAMPLES})")
    add("--seed", metavar="N", type=int, default=0, help="of these (default: 0)")
    add(
        "--allow-missing",
        action="store_true",
        help="count judged queries for which the run has no documents as empty rankings, instead of failing",
    )
    add_policies(made, "on_undefined", "ties", "unjudged", "score_dtype", known=GATING)
    add_reading(made)
    add_docs(made)
    add_plugin(made)
    add("--format", choices=("text", "json"), default="text", help="what to print (default: text)")
    add("--junit", metavar="FILE", help="write a report in JUnit's XML there")
    add("-o", "--output", metavar="FILE", help="write there instead of printing: .txt, or .json for JSON")
    add_threads(made)
    return made


def limit(text: str) -> tuple[str, str]:
    """Read ``MEASURE=X``; a measure's own parameters hold equals signs too, so the last one counts."""
    import argparse

    measure, sign, value = text.rpartition("=")
    if not sign or not measure or not value or value.endswith(")"):
        raise argparse.ArgumentTypeError(f"must be MEASURE=NUMBER, such as nDCG@10=0.42, not {text!r}")
    return measure, value


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    options = parse(arguments_parser(), arguments, intermixed=False)
    try:
        return _main(options)
    except (UntiedError, OSError) as error:
        from untied.cli import message

        drop_out(error)
        print(f"untied: {message(error)}", file=sys.stderr)
        return 2


def _main(options: argparse.Namespace) -> int:
    from untied.cli import output

    inputs = inputs_of(options.qrels, options.run, options.baseline, options.docs)
    if options.output is not None and options.output == options.junit:
        raise UntiedError("--output and --junit name the same file")
    style = options.format
    if options.output is not None and style == "text":
        style = output.by_suffix(options.output, {".txt": "text", ".json": "json"}, "text")
    output.check_target(options.output, inputs)
    output.check_target(options.junit, inputs)
    plugins = load_plugins(options.plugin)
    settings = {
        "ties": options.ties,
        "unjudged": options.unjudged,
        "score_dtype": options.score_dtype,
        "qrels_format": options.qrels_format,
        "significant": options.significant,
        "level": options.level,
        "samples": options.samples,
        "seed": options.seed,
        "allow_missing": options.allow_missing,
        "on_undefined": options.on_undefined,
    }
    run, *baseline = run_files(options, options.run, *([] if options.baseline is None else [options.baseline]))
    verdict = gate(
        read_qrels(options),
        run,
        baseline=baseline[0] if baseline else None,
        min=options.min,
        max=options.max,
        max_drop=options.max_drop,
        max_med=options.max_med,
        docs=options.docs,
        threads=options.threads,
        **settings,
    )
    if style == "json":
        text = output.json(
            settings | columns_named(options),
            inputs,
            **output.plugins(plugins),
            passed=verdict.passed,
            notes=verdict.notes,
            checks=[check.to_dict() for check in verdict.checks],
        )
    else:
        text = "".join(f"{line}\n" for check in verdict.checks for line in _lines(check))
    if options.junit is not None:
        output.write(verdict.to_junit(f"untied gate {options.run}"), options.junit)
    try:
        output.write(text, options.output)
    except BrokenPipeError as error:
        drop_out(error)  # the verdict stands, whoever reads it
    show(verdict.notes)
    return 0 if verdict.passed else 1


def _lines(check: Check) -> list[str]:
    queries = [f"          query {show_id(query)}: {value:+.4f}" for query, value in check.queries]
    return [f"{'passed' if check.passed else 'FAILED'}    {check.sentence}", *queries]
