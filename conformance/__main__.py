"""``python -m conformance install|run|page``: install evaluators, ask them, and write what they do.

install FOLDER [ENVIRONMENT ...]  make a virtual environment for each table of evaluators.toml
run FOLDER [EVALUATOR ...]        ask evaluators for all cases; write conformance/results/EVALUATOR.json
program NAME COMMAND ...          ask a program that reads a case a line and answers a line
page                              write docs/who-does-what.md, its picture and the reports from the results
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conformance import reading, runner

HERE = Path(__file__).parent
RESULTS = HERE / "results"
ENVIRONMENTS: dict[str, dict[str, list[str]]] = tomllib.loads((HERE / "evaluators.toml").read_text(encoding="utf-8"))


def install(folder: Path, names: list[str]) -> None:
    """Make environments with the packages that the evaluators are in."""
    for name in names or ENVIRONMENTS:
        subprocess.run([sys.executable, "-m", "venv", str(folder / name)], check=True)
        pip = folder / name / "bin" / "pip"
        subprocess.run([str(pip), "install", "--quiet", *ENVIRONMENTS[name]["packages"]], check=True)


def run(folder: Path, names: list[str]) -> None:
    """Ask the evaluators, or all that are installed, and write a record for each; programs need no environment."""
    cases = reading.read()
    known = {adapter: name for name, table in ENVIRONMENTS.items() for adapter in table["adapters"]}
    for name in names or known:
        python = folder / known[name] / "bin" / "python" if name in known else Path(sys.executable)
        if python.exists():
            write(runner.run(name, str(python), cases))
        else:
            print(f"{name}: not installed in {folder / known[name]}")


def program(name: str, command: list[str]) -> None:
    """Ask a program that is no adapter."""
    cases = reading.read()
    version, answers = runner.in_child(command, cases, runner.LIMIT)
    found = runner.outcomes(cases, answers, 1e-9)
    write({
        "evaluator": name, "package": name, "version": version, "how": " ".join(command),
        "outcomes": {case: one.to_dict() for case, one in found.items() if one.kind != "not offered"},
    })  # fmt: skip


def write(record: dict[str, Any]) -> None:
    """Keep a record, and say in a line what it holds."""
    counts: dict[str, int] = {}
    for one in record["outcomes"].values():
        counts[one["kind"]] = counts.get(one["kind"], 0) + 1
    record = {"date": datetime.now(UTC).date().isoformat(), **record}
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{record['evaluator']}.json"
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{record['evaluator']} {record['version']}: " + ", ".join(f"{n} {kind}" for kind, n in counts.items()))


def main(arguments: list[str]) -> int:
    """Run one of the commands."""
    match arguments:
        case ["install", folder, *names]:
            install(Path(folder), names)
        case ["run", folder, *names]:
            run(Path(folder), names)
        case ["program", name, *command] if command:
            program(name, command)
        case ["page"]:
            from conformance import page

            page.write()
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
