"""From files to numbers: whole processes, side by side.

Every contender reads the same qrels and run and computes AP, nDCG@10, RR, P@10 and R@1000.  `untied` computes their
exact means over all orders of tied documents; the others evaluate one order.  The floors, from `python -c pass` on,
only start or only read.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from measure import (
    NOT_INSTALLED,
    Cost,
    argument_parser,
    check_data,
    in_turns,
    is_installed,
    machine,
    markdown_table,
    own_peak_mib,
    progress,
    run_child,
    times,
    write_json,
)

MEASURES = ["AP", "nDCG@10", "RR", "P@10", "R@1000"]
PROGRAMS = Path(__file__).parent / "programs"
PYTHON = sys.executable
BASE = "untied eval -q"
"""The others are given as multiples of this one."""


@dataclass(frozen=True)
class Contender:
    """A command line and what it needs; {qrels} and {run} stand for the files."""

    name: str
    command: Sequence[str]
    module: str | None = None
    """Python module without which it is not installed."""

    def run_on(self, files: Mapping[str, Path]) -> Cost:
        """Run once."""
        return run_child([part.format(**files) for part in self.command])


def untied(name: str, *options: str) -> Contender:
    """`untied eval` with some options."""
    measures = [part for measure in MEASURES for part in ("-m", measure)]
    command = [PYTHON, "-m", "untied", "eval", "{qrels}", "{run}", *measures, "--format", "tsv", *options]
    return Contender(name, command, "untied")


def program(name: str, file: str, *files: str, module: str | None = None) -> Contender:
    """One of the small programs beside this file."""
    return Contender(name, [PYTHON, str(PROGRAMS / file), *files], module)


def ir_measures(name: str, *options: str) -> Contender:
    """The command line tool of ir_measures."""
    return Contender(name, [PYTHON, "-m", "ir_measures", "{qrels}", "{run}", *MEASURES, *options], "ir_measures")


EVALUATORS = [
    untied(BASE, "-q"),
    untied("untied eval -q --threads 1", "-q", "--threads", "1"),
    untied("untied eval"),
    untied("untied eval --ties docid", "--ties", "docid"),
    program("pytrec_eval, script, per query", "pytrec_eval_five.py", "{qrels}", "{run}", module="pytrec_eval"),
    ir_measures("ir_measures -q", "-q"),
    ir_measures("ir_measures"),
    program("ranx, script (1)", "ranx_five.py", "{qrels}", "{run}", module="ranx"),
]
FLOORS = [
    Contender("python -c pass", [PYTHON, "-c", "pass"]),
    Contender("untied --version", [PYTHON, "-m", "untied", "--version"], "untied"),
    Contender("cat", ["cat", "{run}"]),
    Contender("wc -l", ["wc", "-l", "{run}"]),
    program("DuckDB, scan of three columns", "parse_duckdb.py", "{run}", module="duckdb"),
    program("polars, three columns", "parse_polars.py", "{run}", module="polars"),
    program("pyarrow.csv, three columns", "parse_pyarrow.py", "{run}", module="pyarrow"),
    program("Python, split of every line", "parse_lines.py", "{run}"),
]
NOTES = """\
CPU: user and system, all threads. Peak: resident memory, of which {own:.0f} MiB and less cannot be seen.
Ratios are to `{base}`. All five measures, medians of {n} runs taken in turns, after one to warm up.
(1) ranx prints means only, breaks ties by the order its sort leaves them in, and compiles for 40 s on first use."""


def compare(folder: Path, shape: str, repetitions: int) -> dict[str, Cost]:
    """Costs by name on one shape, of whatever is installed."""
    files = {"qrels": folder / f"{shape}.qrels", "run": folder / f"{shape}.run"}
    here = [each for each in EVALUATORS + FLOORS if each.module is None or is_installed(each.module)]
    for contender in here:
        progress(f"{shape}: warming {contender.name}")
        contender.run_on(files)
    progress(f"{shape}: {len(here)} commands, {repetitions} times")
    return in_turns({each.name: partial(each.run_on, files) for each in here}, repetitions)


def table(shape: str, costs: Mapping[str, Cost], own_mib: float) -> str:
    """One row a contender, the floors last."""
    rows = []
    base = costs.get(BASE)
    for contender in EVALUATORS + FLOORS:
        cost = costs.get(contender.name)
        if cost is None:
            rows.append([contender.name, NOT_INSTALLED, "", "", "", "", ""])
            continue
        peak = f"{cost.peak_mib:.0f}" if cost.peak_mib > own_mib + 1 else f"≤ {own_mib:.0f}"
        row = [contender.name]
        for text, figure in ((f"{cost.cpu:.3f}", "cpu"), (f"{cost.wall:.3f}", "wall"), (peak, "peak_mib")):
            row += [text, times(getattr(cost, figure) / getattr(base, figure)) if base else ""]
        rows.append(row)
    return markdown_table([shape, "CPU s", "ratio", "wall s", "ratio", "peak MiB", "ratio"], rows)


def main() -> None:
    """Compare and print."""
    parser = argument_parser(__doc__, repetitions=5)
    parser.add_argument("--shapes", default="SML", help="default: %(default)s")
    options = parser.parse_args()
    check_data(parser, options.data, options.shapes)

    costs = {shape: compare(options.data, shape, options.repetitions) for shape in options.shapes}
    own_mib = own_peak_mib()
    packages = ["untied", "pytrec-eval-terrier", "ir-measures", "ranx", "duckdb", "polars", "pyarrow"]
    print(machine(packages), end="\n\n")
    for shape, of_shape in costs.items():
        print(table(shape, of_shape, own_mib), end="\n\n")
    print(NOTES.format(own=own_mib, base=BASE, n=options.repetitions))
    write_json(options.json, {"machine": machine(packages), "files": costs})


if __name__ == "__main__":
    main()
