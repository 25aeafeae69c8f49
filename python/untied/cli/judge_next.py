"""``untied judge-next``: the unjudged documents that are most worth a judgment."""

from __future__ import annotations

from untied._core import show_id
from untied.cli import output
from untied.cli.notes import show
from untied.cli.options import (
    add_digits,
    add_format,
    add_output,
    add_plugin,
    add_reading,
    add_threads,
    inputs_of,
    load_plugins,
    parse,
    parser,
)
from untied.cli.reading import read_qrels, run_files
from untied.judging.next import judge_next, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from untied.judging.next import Advice

EXAMPLES = """\
  untied judge-next qrels.txt dense.run
  untied judge-next qrels.txt bm25.run dense.run --measure nDCG@10 --top 50

For one run documents are ranked by how much a judgment is expected to narrow the exact bounds of its mean, over all
grades that unjudged documents may have; for two runs by how much it is expected to change their difference. A judgment
is held to be above 0 with probability --prior; by default with the query's share of such judgments.
"""


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    made = parser("judge-next", "Rank unjudged documents by what a judgment would tell.", EXAMPLES)
    add = made.add_argument
    add("qrels", metavar="QRELS", help="judgments")
    add("runs", metavar="RUN", nargs="+", help="one run, or two to compare")
    add("-m", "--measure", metavar="MEASURE", default="AP", help="a measure that has bounds (default: AP)")
    add_plugin(made)
    add("--top", metavar="N", type=int, default=20, help="documents to show (default: 20)")
    add("--depth", metavar="K", type=int, default=100, help="consider the first K of each query and run (default: 100)")
    add("--prior", metavar="P", type=float, help="probability of a grade above 0 (default: query by query, as judged)")
    add_reading(made)
    add_format(made)
    add_digits(made, 6)
    add_output(made)
    add_threads(made)
    options = parse(made, arguments)
    load_plugins(options.plugin)
    style = output.choose(options.format, options.output)
    output.check_target(options.output, inputs_of(options.qrels, *options.runs))
    advice = judge_next(
        read_qrels(options),
        run_files(options, *options.runs),
        options.measure,
        top=options.top,
        depth=options.depth,
        prior=options.prior,
        threads=options.threads,
    )
    found = list(rows(advice))
    if style == "json":
        import json

        known = {
            "measure": advice.measure,
            "runs": advice.runs,
            "bounds": advice.bounds,
            "difference": advice.difference,
            "considered": advice.considered,
            "candidates": found,
        }
        text = json.dumps(known, indent=1, ensure_ascii=False) + "\n"
    else:
        columns = ["query", "document", *(f"rank in {name}" for name in advice.runs)]
        columns += ["probability", "narrowing", "swing"]
        text = output.lines(columns, [[_cell(cell, options.digits) for cell in row.values()] for row in found], style)
    output.write(text, options.output)
    show(_notes(advice, options.depth))


def _notes(advice: Advice, depth: int) -> Iterator[str]:
    if not advice.considered:
        yield f"the first {depth} documents of every query are judged; see --depth"
    for name, (low, high) in zip(advice.runs, advice.bounds, strict=True):
        yield f"{advice.measure} of {name} is between {low:.4f} and {high:.4f}"
    if advice.difference is not None:
        low, high = advice.difference
        settled = ": it is settled which run is better" if advice.settled else ""
        yield f"the difference lies within {low:.4f} and {high:.4f}, ends it need not reach{settled}"


def _cell(value: object, decimals: int) -> str:
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    return "-" if value is None else show_id(str(value))
