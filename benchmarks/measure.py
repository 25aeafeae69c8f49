"""Measuring children and functions, and printing what came out: shared by the benchmarks.

Every comparison takes its samples in turns (one of each, then again, the order rotating), so that a disturbance of
the machine meets all contenders alike, and reports medians.

What is big is imported only after the children have run: a child's peak memory counts from its parent's (`run_child`).
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

NOT_INSTALLED = "not installed"


@dataclass(frozen=True)
class Cost:
    """What one run took; with several runs, the median of each figure."""

    cpu: float
    """Seconds of CPU, user and system, of all threads."""
    wall: float
    """Seconds by the clock."""
    peak_mib: float = 0.0
    """Peak resident memory of a child; 0 for a function."""


def median(values: Iterable[float]) -> float:
    """The middle value, or the mean of the two."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def median_cost(costs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(
        median(cost.cpu for cost in costs),
        median(cost.wall for cost in costs),
        median(cost.peak_mib for cost in costs),
    )


def run_child(command: Sequence[str], accepted: Collection[int] = (0,)) -> Cost:
    """Run a command to its end, its output thrown away; raise where it ends with another exit code than those accepted.

    Linux counts the memory of the process a child was forked from into the child's peak, so nothing below the size
    of this process can be seen: `own_peak_mib`.
    """
    start = time.perf_counter()
    # The child is reaped here and not by subprocess: wait4 alone gives the usage of this child.
    # Compiled modules are kept, as in any installation, whatever this environment says.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    assert child.stderr is not None
    message = child.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.stderr.close()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in accepted:
        raise RuntimeError(f"{' '.join(command)}\nended with {child.returncode}:\n{message[-2000:]}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def own_peak_mib() -> float:
    """Peak memory of this process: the least `run_child` can report."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def call_cost(function: Callable[[], object], calls: int) -> Cost:
    """Cost of one call, averaged over some; garbage of before is collected first."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(calls):
        function()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Cost(cpu / calls, wall / calls)


def calls_for(function: Callable[[], object], at_least: float) -> int:
    """Number of calls that together take `at_least` seconds; warms the function up, too."""
    function()
    took = call_cost(function, 1).wall
    return max(1, round(at_least / max(took, 1e-7)))


def in_turns(samplers: Mapping[str, Callable[[], Cost]], repetitions: int) -> dict[str, Cost]:
    """Medians by name; in every repetition another contender goes first."""
    names = list(samplers)
    samples: dict[str, list[Cost]] = {name: [] for name in names}
    for repetition in range(repetitions):
        first = repetition % max(len(names), 1)
        for name in names[first:] + names[:first]:
            samples[name].append(samplers[name]())
    return {name: median_cost(costs) for name, costs in samples.items()}


def time_functions(
    functions: Mapping[str, Callable[[], object]], repetitions: int, at_least: float = 0.05
) -> dict[str, Cost]:
    """Median cost of a call by name, the samples taken in turns, each of at least `at_least` seconds."""

    def sampler(function: Callable[[], object]) -> Callable[[], Cost]:
        calls = calls_for(function, at_least)
        return lambda: call_cost(function, calls)

    return in_turns({name: sampler(function) for name, function in functions.items()}, repetitions)


def is_installed(module: str) -> bool:
    """Whether this interpreter finds the module; a mere folder of that name is none."""
    spec = importlib.util.find_spec(module)
    return spec is not None and spec.origin is not None


def seconds(value: float) -> str:
    """Three digits, in the unit that suits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size or unit == "µs":
            return f"{value / size:#.3g} {unit}".replace(". ", " ")
    raise AssertionError


def times(value: float) -> str:
    """A ratio."""
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def percent(value: float) -> str:
    """A signed share."""
    return f"{100 * value:+.0f} %".replace("-", "−")


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table in even columns: the first to the left, the others to the right."""
    cells = [list(header), *[list(row) for row in rows]]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(header))]

    def line(row: Sequence[str]) -> str:
        first, *others = (
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return f"| {' | '.join([first, *others])} |"

    rule = [("-" * width) if column == 0 else ("-" * (width - 1) + ":") for column, width in enumerate(widths)]
    return "\n".join([line(cells[0]), f"|{'|'.join(f' {part} ' for part in rule)}|", *map(line, cells[1:])])


def machine(packages: Sequence[str]) -> str:
    """One line: processor, its number of cores, Python, versions of the packages."""
    import importlib.metadata
    import platform

    processor = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        models = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model n")]
        processor = models[0] if models else processor
    versions = []
    for package in packages:
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            # A source tree on PYTHONPATH has no metadata.
            found = is_installed(package)
            version = getattr(importlib.import_module(package), "__version__", "?") if found else NOT_INSTALLED
        versions.append(f"{package} {version}")
    python = f"Python {platform.python_version()}"
    return f"{processor}, {os.cpu_count()} cores; {python}; {', '.join(versions)}"


def argument_parser(description: str | None, repetitions: int) -> argparse.ArgumentParser:
    """The options every benchmark has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    default_folder = Path(__file__).parent / "data"
    parser.add_argument("data", nargs="?", type=Path, default=default_folder, help="default: benchmarks/data")
    parser.add_argument("-n", "--repetitions", type=int, default=repetitions, help="default: %(default)s")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE, too")
    return parser


def check_data(parser: argparse.ArgumentParser, folder: Path, shapes: str) -> None:
    """End with a hint where a shape's files are missing."""
    if missing := [shape for shape in shapes if not (folder / f"{shape}.run").exists()]:
        parser.error(f"no {missing[0]}.run in {folder}; write it with generate.py")


def write_json(path: Path | None, figures: Mapping[str, object]) -> None:
    """Write costs (seconds, MiB) and other figures where a file was asked for."""
    if path is not None:
        import json

        def plain(value: object) -> object:
            if isinstance(value, Cost):
                return asdict(value)
            raise TypeError(type(value))

        path.write_text(json.dumps(figures, indent=2, default=plain) + "\n")


def progress(text: str) -> None:
    """Say on the terminal what is going on; the tables alone go to the output."""
    print(text, file=sys.stderr, flush=True)
