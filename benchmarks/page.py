#!/usr/bin/env python3
"""Run the benchmarks and put what they print into docs/figures.md.

``page.py`` runs all whose data is there, an hour on a quiet machine; ``page.py memory dropin`` runs these. A section
that is not run stays as it was, with the date, the version and the load of its own run.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
from pathlib import Path

import untied

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "figures.md"

HEAD = """\
# Benchmark output

[Performance](performance.md) explains the figures on this page. `python benchmarks/page.py` runs the benchmarks and
rewrites the page. [benchmarks/README.md](../benchmarks/README.md) says what each benchmark measures and needs. Times
depend on the machine and its load. Instruction counts hardly depend on the machine.
"""

#: Titles, and what each needs besides the generated data.
SECTIONS = {
    "instructions": "Instructions",
    "files": "From files to numbers, whole process",
    "memory": "In process, data loaded",
    "ties": "What exactness under ties costs",
    "dropin": "pytrec_eval's interface",
    "frames": "Frames, parquet, CSV, JSON-lines",
    "arrays": "Arrays",
    "incomplete": "Incomplete judgments",
    "features": "Features as scoring functions",
    "compare": "Comparing runs",
    "spark": "Spark",
}


def arguments(name: str, options: argparse.Namespace) -> list[str] | None:
    """What a benchmark is given; nothing where its data is not there."""
    if name == "instructions":
        return []
    if name == "spark":
        return [str(options.data / "spark")]
    if name == "features":
        return [str(path) for path in options.letor] or None
    if name in ("incomplete", "compare"):
        return ["--trec", str(options.trec)] if options.trec else []
    return [str(options.data)] if options.data.is_dir() else None


def section(name: str, given: list[str]) -> str:
    """Run a benchmark; what it prints, and when and where that was."""
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    print(f"{name} ...", file=sys.stderr, flush=True)
    done = subprocess.run(
        [sys.executable, HERE / f"{name}.py", *given], stdout=subprocess.PIPE, text=True, check=True, cwd=HERE.parent
    )
    # Tables stand as they are, all else as text of fixed width would.
    printed = re.sub(r"^#+ ", "**", done.stdout.strip())
    if "|" not in printed:
        printed = f"```text\n{printed}\n```"
    today = datetime.date.today().isoformat()
    version = untied.__version__
    about = (
        f"`benchmarks/{name}.py` ran on {today} with untied {version}. "
        f"Before the start, the load per processor was {load:.1f}."
    )
    return f"## {SECTIONS[name]}\n\n{about}\n\n{printed}\n"


def main() -> None:
    """Run, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)} (default: all)")
    parser.add_argument(
        "--data", type=Path, default=HERE / "data", help="what generate.py wrote (default: benchmarks/data)"
    )
    parser.add_argument("--trec", type=Path, metavar="DIR", help="TREC-8, unpacked: qrels.txt and *.run")
    parser.add_argument("--letor", type=Path, nargs="+", default=[], metavar="FILE", help="LETOR data, for features")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    old = PAGE.read_text("utf-8") if PAGE.exists() else ""
    sections = {
        name: found[0] for name, title in SECTIONS.items()
        if (found := re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", old, re.DOTALL | re.MULTILINE))
    }  # fmt: skip
    for name in options.sections or SECTIONS:
        given = arguments(name, options)
        if given is None:
            print(f"{name}: its data is not there; what the page has of it stays", file=sys.stderr)
            continue
        sections[name] = section(name, given)
        parts = [HEAD, *(sections[name].strip() + "\n" for name in SECTIONS if name in sections)]
        PAGE.write_text("\n".join(parts), "utf-8")


if __name__ == "__main__":
    main()
