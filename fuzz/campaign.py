#!/usr/bin/env python3
"""Fuzz every target in turn, one core at a time, and keep a table of what was done.

``python3 fuzz/campaign.py FOLDER [--seconds 300] [--rounds 1] [--targets run,qrels] [--python PATH]`` keeps grown
corpora, findings and the table (``hours.tsv``) in FOLDER. Targets of the core need cargo-fuzz and a nightly toolchain,
those of Python's readers an interpreter that has atheris and untied. ``--sanitizer address`` builds the former, with
all that they use and the decoders written in C, under AddressSanitizer, which sees every read and write out of bounds.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

FUZZ = pathlib.Path(__file__).resolve().parent
#: Targets of fuzz/python.
PYTHON = ("groups", "mirex", "preferences", "json", "rank_eval", "passages")
COLUMNS = ("date", "commit", "target", "cpu_seconds", "executions", "features", "findings", "sanitizer")
TRIPLE = "x86_64-unknown-linux-gnu"


def names() -> list[str]:
    """All targets of the core (the package's own name has hyphens)."""
    return re.findall(r'^name = "(\w+)"$', (FUZZ / "Cargo.toml").read_text(), re.MULTILINE)


def used() -> float:
    """CPU seconds of all children so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def build(folder: pathlib.Path, sanitizer: str) -> pathlib.Path:
    """Build the core's targets; where they are."""
    place = folder / f"target-{sanitizer}"
    command = ["cargo", "+nightly", "fuzz", "build", "-s", sanitizer, "--target", TRIPLE, "--target-dir", str(place)]
    # Of C, where gcc and nightly's runtime speak to each other.
    flags = {} if sanitizer == "none" else {f"CFLAGS_{TRIPLE.replace('-', '_')}": f"-fsanitize={sanitizer}"}
    if subprocess.run(command, cwd=FUZZ.parent, check=False, env={**os.environ, **flags}).returncode:
        sys.exit("the targets do not compile")
    return place / TRIPLE / "release"


def fuzz(command: list[str], target: str, folder: pathlib.Path, seconds: int) -> tuple[float, int, int, int]:
    """Run a target: CPU seconds, executions, features covered, findings."""
    corpus, found, log = folder / "corpus" / target, folder / "findings" / target, folder / "log" / f"{target}.log"
    for place in (corpus, found, log.parent):
        place.mkdir(parents=True, exist_ok=True)
    before, known = used(), set(found.iterdir())
    options = [f"-max_total_time={seconds}", "-timeout=60", "-report_slow_units=60", "-rss_limit_mb=2048"]
    options += ["-print_final_stats=1", f"-artifact_prefix={found}/"]
    options += [str(corpus), str(FUZZ / "corpus" / target)]
    # In memory, where there is such a folder; what a fuzzer ends leaves its files behind.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with log.open("w") as file, tempfile.TemporaryDirectory(dir=memory) as scratch:
        environment = {**os.environ, "TMPDIR": scratch}
        subprocess.run([*command, *options], stdout=file, stderr=subprocess.STDOUT, check=False, env=environment)
    text = log.read_text(errors="replace")
    executions = re.findall(r"stat::number_of_executed_units:\s+(\d+)", text) or re.findall(r"^#(\d+)", text, re.M)
    features = re.findall(r" ft: (\d+)", text)
    last = [int(numbers[-1]) if numbers else 0 for numbers in (executions, features)]
    return used() - before, *last, len(set(found.iterdir()) - known)


def summary(table: pathlib.Path) -> str:
    """What was done in all, as a table in Markdown."""
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    lines = ["| target | CPU minutes | of them under AddressSanitizer | executions | features covered |"]
    lines.append("|---" * 5 + "|")
    for target in (*names(), *PYTHON, ""):
        own = [row for row in rows if target in ("", row[2])]
        seconds, executions = (sum(int(row[column]) for row in own) for column in (3, 4))
        watched = sum(int(row[3]) for row in own if row[7] == "address")
        # A sanitizer's own branches are features too.
        features = max((int(row[5]) for row in own if row[7] == "none"), default=0)
        name, covered = (f"`{target}`", f"{features:,}") if target else ("all", "")
        lines.append(f"| {name} | {seconds / 60:.1f} | {watched / 60:.1f} | {executions:,} | {covered} |")
    return "\n".join(lines)


def main() -> None:
    """Build, then go round the targets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--targets", default="", help="by default all that can be run")
    parser.add_argument("--python", default="", help="an interpreter with atheris and untied, for Python's readers")
    parser.add_argument("--sanitizer", choices=("none", "address"), default="none", help="of targets of the core")
    parser.add_argument("--summary", action="store_true", help="only print what was done so far, in all")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    if arguments.summary:
        print(summary(folder / "hours.tsv"))
        return
    targets = arguments.targets.split(",") if arguments.targets else [*names(), *(PYTHON if arguments.python else ())]
    if not arguments.python and set(targets) & set(PYTHON):
        parser.error(f"{', '.join(PYTHON)} need --python")
    binaries = build(folder, arguments.sanitizer) if set(targets) - set(PYTHON) else folder
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=FUZZ, capture_output=True, text=True)
    table = folder / "hours.tsv"
    if not table.exists():
        table.write_text("\t".join(COLUMNS) + "\n")
    for _, target in itertools.product(range(arguments.rounds), targets):
        if target in PYTHON:
            command = [arguments.python, str(FUZZ / "python" / "under_atheris.py"), target]
            # Room for a number of so many digits that Python does not convert it.
            command += ["-max_len=8192", f"-dict={FUZZ / 'python' / 'dictionary'}"]
            sanitizer = "none"
        else:
            command = [str(binaries / target), "-max_len=4096", f"-dict={FUZZ / 'dictionary'}"]
            sanitizer = arguments.sanitizer
        cpu, executions, features, findings = fuzz(command, target, folder, arguments.seconds)
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M")
        row = (now, commit.stdout.strip(), target, f"{cpu:.0f}", executions, features, findings, sanitizer)
        with table.open("a") as file:
            print(*row, sep="\t", file=file)
        print(*row, flush=True)


if __name__ == "__main__":
    main()
