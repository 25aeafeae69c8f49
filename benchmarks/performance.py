#!/usr/bin/env python3
"""Write the tables of docs/performance.md and timings.md: ``python benchmarks/performance.py``, about five minutes.

Every table has the peers and, as floors, what cannot be had for less: starting Python, reading the bytes, sorting the
scores. Parts run one after the other, each in a process of its own, and their tables replace those between the pages'
comments ``<!-- table: NAME -->`` and ``<!-- end -->``; what the pages say around them stays. Shapes that
``generate.py`` has not written yet are written first. What needs TREC-8 is run with ``--trec``, and trec_eval is
measured where ``--trec-eval`` names its program; their rows are left out otherwise.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from measure import Cost, call_cost, in_turns, machine, markdown_table, median_cost, progress, run_child, time_functions

HERE = Path(__file__).resolve().parent
PAGES = [HERE.parent / "docs" / name for name in ("performance.md", "timings.md")]
SHAPES = "SMLAW"
CORNERS = ["Q", "GAP", "NCU", "O", "Pplus", "Rprec", "EP@0.5", "Bpref", "binG"]
"""Measures whose bounds or variances go through many assignments or orders."""
PACKAGES = [
    "untied", "pytrec-eval-terrier", "ir-measures", "ranx", "duckdb", "polars", "pyarrow", "scikit-learn",
    "tie-aware-retrieval-metrics", "numpy",
]  # fmt: skip
BYTES = 1 << 28
"""Bytes that floors add up and copy."""
SLOW = 2.0
"""What takes more seconds than this is run once."""

Options = argparse.Namespace


def measured(calls: Mapping[str, Callable[[], Cost]], repetitions: int) -> dict[str, Cost]:
    """Medians of calls that say what they cost, after one to warm up, which counts where it is slow."""
    first = {name: call() for name, call in calls.items()}
    slow = {name for name, cost in first.items() if cost.wall > SLOW}
    again = in_turns({name: call for name, call in calls.items() if name not in slow}, repetitions)
    return {name: again.get(name, first[name]) for name in calls}


def milliseconds(cost: Cost | None) -> str:
    """Three digits of CPU time."""
    return "" if cost is None else f"{1e3 * cost.cpu:#.3g}".rstrip(".")


def digits(value: float) -> str:
    """Seconds to the millisecond, or three digits."""
    return f"{value:.3f}" if value < 1 else f"{value:#.3g}"


def bold(name: str) -> str:
    """Ours stand out."""
    return f"**{name}**" if name.startswith("untied") else name


# Parts: each prints one table.


def about(options: Options) -> str:
    """Where and with what all of this was measured."""
    today = time.strftime("%Y-%m-%d")
    return f"Measured on {today}: {machine(PACKAGES)}."


def files(options: Options) -> str:
    """Whole processes."""
    from files import BASE, EVALUATORS, FLOORS, is_installed

    named = {
        BASE: "untied eval -q, mean over all orders of tied documents",
        "untied eval -q --threads 1": "untied eval -q, one thread",
        "pytrec_eval, script, per query": "pytrec_eval, ten-line script",
        "ir_measures -q": "ir_measures -q",
        "ranx, script (1)": "ranx script, means only, compilation excluded",
        "DuckDB, scan of three columns": "floor: DuckDB scans query, document and score",
        "polars, three columns": "floor: polars parses query, document and score",
        "pyarrow.csv, three columns": "floor: pyarrow parses query, document and score",
        "cat": "floor: `cat` of the run",
        "python -c pass": "floor: `python -c pass`",
    }
    chosen = {each.name: each for each in EVALUATORS + FLOORS if each.name in named}
    table: dict[str, list[str]] = {}
    for shape in "SML":
        progress(f"files: {shape}")
        paths = {kind: options.data / f"{shape}.{kind}" for kind in ("qrels", "run")}
        calls = {
            named[name]: partial(each.run_on, paths)
            for name, each in chosen.items()
            if each.module is None or is_installed(each.module)
        }
        if options.trec_eval:
            measures = ["-m", "map", "-m", "ndcg_cut.10", "-m", "recip_rank", "-m", "P.10", "-m", "recall.1000"]
            command = [options.trec_eval, "-q", *measures, str(paths["qrels"]), str(paths["run"])]
            calls["trec_eval -q"] = partial(run_child, command)
        for name, cost in measured(calls, 3 if shape == "L" else 5).items():
            table.setdefault(name, []).append(f"{digits(cost.cpu)} / {digits(cost.wall)} / {cost.peak_mib:.0f}")
    # What is not installed keeps the row that the page has of it.
    page = page_of("files").read_text("utf-8")
    for name in named.values():
        if name not in table and (row := re.search(rf"^\| {re.escape(name)} +\|(.*)\|$", page, re.MULTILINE)):
            table[name] = [cell.strip() for cell in row[1].split("|")]
    order = [name for name in (*named.values(), "trec_eval -q") if name in table]
    order.sort(key=lambda name: name.startswith("floor"))
    rows = [[bold(name), *table[name]] for name in order]
    return markdown_table(["CPU s / s / peak MiB", "S", "M", "L"], rows)


def memory(options: Options) -> str:
    """Dicts and prepared data."""
    from memory import SETS, from_dicts, in_a_loop, read_qrels, read_run

    costs: dict[str, list[str]] = {}
    columns = []
    for shape in "SM":
        qrels, run = read_qrels(options.data / f"{shape}.qrels"), read_run(options.data / f"{shape}.run")
        for measures, names in SETS.items():
            progress(f"memory: {shape}, {measures}")
            columns.append(f"{shape}, {measures}")
            for functions in (from_dicts(qrels, run, names), in_a_loop(qrels, run, options.data, shape, names)):
                for name, cost in time_functions(functions, 3).items():
                    costs.setdefault(name, []).append(milliseconds(cost))
    return markdown_table(["CPU ms, one call", *columns], [[bold(name), *cells] for name, cells in costs.items()])


def dropin(options: Options) -> str:
    """pytrec_eval's interface on M."""
    import pytrec_eval as peer

    from dropin import SETS, agree, functions
    from memory import read_qrels, read_run
    from untied.compat import pytrec_eval as ours

    qrels, run = read_qrels(options.data / "M.qrels"), read_run(options.data / "M.run")
    rows = []
    for name, measures in SETS.items():
        progress(f"dropin: {name}")
        theirs, mine = (functions(module, qrels, run, measures) for module in (peer, ours))
        if not agree(theirs["run"](), mine["run"]()):
            raise SystemExit(f"dropin, {name}: results differ")
        for what in theirs:
            costs = time_functions({"theirs": theirs[what], "ours": mine[what]}, 5)
            ratio = f"**{costs['theirs'].cpu / costs['ours'].cpu:.2f}**"
            rows.append([f"{name}: {what}", milliseconds(costs["theirs"]), milliseconds(costs["ours"]), ratio])
    return markdown_table(["M, CPU ms", "pytrec_eval", "untied", "times as fast"], rows)


def formats(options: Options) -> str:
    """TREC's files, frames, parquet, CSV, JSON-lines."""
    command = [sys.executable, str(HERE / "frames.py"), str(options.data), "-n", "3"]
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return text[text.index("|") :].strip()


def narrow(options: Options) -> str:
    """A million short queries as arrays, beside numpy's argsort."""
    import numpy as np

    import untied
    from arrays import SIX, as_type, is_installed, peers, share_tied

    stored = np.load(options.data / "A.npz")
    scores, labels = stored["scores"], stored["gains"]
    rows = []
    for dtype in ("float64", "float32", "bfloat16"):
        if dtype == "bfloat16" and not is_installed("ml_dtypes"):
            continue
        progress(f"narrow: {dtype}")
        typed = as_type(scores, dtype)
        # numpy does not sort bfloat16 by itself: the same order by its bits.
        sortable = typed.view(np.int16) if dtype == "bfloat16" else typed
        prepared = untied.ArrayEvaluator(labels, "nDCG@10", threads=1)
        calls: dict[str, Callable[[], object]] = {
            "sort": partial(np.argsort, sortable, axis=1),
            "all": partial(untied.evaluate_arrays, typed, labels, "nDCG@10", threads=1),
            "prepared": partial(prepared.evaluate, typed),
            "six": partial(untied.evaluate_arrays, typed, labels, SIX, threads=1),
        }
        costs = time_functions(calls, 3)
        each = [f"{1e6 * costs[name].cpu / len(scores):.3f}" for name in calls]
        ratios = [f"**{costs[name].cpu / costs['sort'].cpu:.2f}**" for name in ("all", "six")]
        rows.append([dtype, f"{100 * share_tied(typed):.0f} %", *each, *ratios])
    head = [
        "µs per query",
        "queries with ties",
        "argsort",
        "nDCG@10",
        "nDCG@10, prepared labels",
        "six measures",
        "nDCG@10 / argsort",
        "six measures / argsort",
    ]
    progress("narrow: peers")
    others = markdown_table(
        ["1,000,000 x 10", "µs per query", "difference from untied's nDCG@10"], peers(scores, labels, 1)
    )
    return f"{markdown_table(head, rows)}\n\n{others}"


#: Queries and documents of each, whose labels are drawn.
LABELLED = [(500_000, 10), (100_000, 50)]
#: Shares of the grades 0, 1, ...: the last are those of MSLR-WEB, a data set for learning to rank.
SHARES = {
    "one relevant document": [],
    "10 % relevant": [0.9, 0.1],
    "50 % relevant": [0.5, 0.5],
    "grades 0 to 3, evenly": [0.25] * 4,
    "grades as in MSLR-WEB": [0.52, 0.32, 0.134, 0.018, 0.008],
}


def labelled(options: Options) -> str:
    """nDCG@10 where few or many documents are relevant, beside numpy's argsort of the same scores."""
    import numpy as np

    import untied

    rng = np.random.default_rng(7)
    rows = []
    for queries, documents in LABELLED:
        scores = rng.normal(size=(queries, documents))
        for name, shares in SHARES.items():
            progress(f"labelled: {documents} documents, {name}")
            if shares:
                labels = rng.choice(len(shares), p=shares, size=scores.shape).astype(np.int8)
            else:
                labels = (rng.integers(documents, size=(queries, 1)) == np.arange(documents)).astype(np.int8)
            cells = []
            for typed in (scores, scores.astype(np.float32), scores.round(1)):
                calls = {
                    "sort": partial(np.argsort, typed, axis=1),
                    "all": partial(untied.evaluate_arrays, typed, labels, "nDCG@10", threads=1),
                }
                costs = time_functions(calls, 3)
                each = 1e9 * costs["all"].cpu / scores.size
                cells.append(f"{each:.1f} ({costs['all'].cpu / costs['sort'].cpu:.1f})")
            rows.append([f"{documents}", name, *cells])
    head = ["documents", "labels", "float64", "float32", "float64, one decimal"]
    return markdown_table(head, rows)


def wide(options: Options) -> str:
    """Thousands of candidates, beside numpy's argpartition."""
    from arrays import wide as rows

    return markdown_table(["2,000 x 10,000 float32", "ns per candidate"], rows(3))


def ties(options: Options) -> str:
    """What the mean over orders costs beside one order."""
    import untied
    from ties import PAPER, POLICIES

    qrels, run = (read(options.data / f"W.{kind}") for read, kind in
                  ((untied.read_qrels, "qrels"), (untied.read_run, "run")))  # fmt: skip
    rows = []
    for measure, paper in PAPER.items():
        progress(f"ties: {measure}")
        calls = {policy: untied.Evaluator(qrels, [measure], ties=policy, threads=1) for policy in POLICIES}
        costs = time_functions({policy: partial(each.means, run) for policy, each in calls.items()}, 3)
        change = 100 * (costs["expected"].cpu / costs["given"].cpu - 1)
        cells = [milliseconds(costs[policy]) for policy in POLICIES]
        rows.append([measure, *cells, f"{change:+.0f} %", paper.replace("–", "")])
    head = [
        "CPU ms",
        "order as given",
        "order by id",
        "mean over all orders",
        "overhead of the mean",
        "overhead in the paper",
    ]
    return markdown_table(head, rows)


def growing(options: Options) -> str:
    """Ten and a hundred times as much; threads."""
    from growth import growth, threads

    return f"{growth(options.data, 3)}\n\n{threads(options.data, 3)}"


def pairs(options: Options) -> str:
    """Comparison of TREC-8's runs: what a cutoff and means over ties cost."""
    from compare import ratios

    head = ["measure", "cheaper option", "CPU s", "CPU s, cheaper option", "ratio", "exact values"]
    return markdown_table(head, ratios(options.trec, 6, 1))


def slow(options: Options) -> str:
    """Bounds over large pools, and variances of large tie groups."""
    from corners import measured, shapes

    every = shapes(22, 70)
    columns = {"open": "bounds", "coarse": "bounds", "flat": "variance"}
    found: dict[str, dict[str, str]] = {}
    for shape, policy in columns.items():
        progress(f"corners: {shape}")
        for taken, above, measure, of in measured(every[shape](), CORNERS, 10):
            if of == policy:
                found.setdefault(measure, {})[shape] = f"{'>' * above}{taken:.2f}"
    rows = [[measure, *(cells.get(shape, "") for shape in columns)] for measure, cells in found.items()]
    return markdown_table(["CPU s", "bounds, no ties", "bounds, 25 distinct scores", "variance of 7,000 queries"], rows)


def floors(options: Options) -> str:
    """What this machine needs for bytes alone."""
    import numpy as np

    data = np.ones(BYTES, dtype=np.uint8)
    path = options.data / "L.run"

    def read() -> None:
        with path.open("rb", buffering=0) as file:
            while file.readinto(data[: 1 << 20]):  # type: ignore[attr-defined]
                pass

    calls: dict[str, tuple[Callable[[], object], int]] = {
        "adding up bytes in memory": (partial(np.sum, data.view(np.int64)), BYTES),
        "copying bytes in memory": (data.copy, BYTES),
        "reading a cached file, 1 MiB at a time": (read, path.stat().st_size),
    }
    rows = []
    for name, (call, count) in calls.items():
        cost = median_cost([call_cost(call, 1) for _ in range(5)])
        rows.append([name, f"{count / cost.cpu / 1e9:.1f}"])
    return markdown_table(["floors, one thread", "GB/s"], rows)


PARTS: dict[str, Callable[[Options], str]] = {
    "about": about,
    "files": files,
    "floors": floors,
    "memory": memory,
    "dropin": dropin,
    "formats": formats,
    "narrow": narrow,
    "labelled": labelled,
    "wide": wide,
    "ties": ties,
    "corners": slow,
    "pairs": pairs,
    "growth": growing,
}


def page_of(name: str) -> Path:
    """The page on which a table stands."""
    for page in PAGES:
        if f"<!-- table: {name} -->" in page.read_text("utf-8"):
            return page
    raise SystemExit(f"no page has a place for the table {name}")


def put(page: str, name: str, table: str) -> str:
    """The page with another table in its place."""
    place = re.compile(rf"(<!-- table: {name} -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)
    return place.sub(lambda found: found[1] + table + found[2], page)


def write_shapes(data: Path) -> None:
    """Write what of the inputs is not there."""
    missing = [shape for shape in SHAPES if not (data / (f"{shape}.npz" if shape == "A" else f"{shape}.run")).exists()]
    if missing:
        subprocess.run([sys.executable, HERE / "generate.py", data, "--shapes", "".join(missing)], check=True)


def main() -> None:
    """Run the parts, then write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="inputs (default: benchmarks/data)")
    parser.add_argument("--trec", type=Path, metavar="DIR", help="TREC-8, unpacked: *.run")
    parser.add_argument("--trec-eval", metavar="FILE", help="the program trec_eval, compiled with -O3")
    parser.add_argument("--print", action="store_true", help="print the one part that is named, write nothing")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    if options.print:
        print(PARTS[options.parts[0]](options))
        return
    write_shapes(options.data)
    given = ["--data", options.data]
    given += ["--trec", options.trec] if options.trec else []
    given += ["--trec-eval", options.trec_eval] if options.trec_eval else []
    for name in options.parts or PARTS:
        if name == "pairs" and not options.trec:
            print("pairs: without --trec, what the page has of it stays", file=sys.stderr)
            continue
        start = time.monotonic()
        command = [sys.executable, __file__, name, "--print", *map(str, given)]
        table = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        page = page_of(name)
        page.write_text(put(page.read_text("utf-8"), name, table), "utf-8")
        progress(f"{name}: {time.monotonic() - start:.0f} s")
    subprocess.run([sys.executable, "-m", "docsite.figures"], check=True, cwd=HERE.parent)


if __name__ == "__main__":
    main()
