"""``untied stats``: test which differences between runs are significant."""

from __future__ import annotations

from math import isnan

from untied._core import show_id
from untied.cli import notes, output, width
from untied.cli.command import Command
from untied.cli.options import (
    PAPER_FORMATS,
    RUNS,
    Arguments,
    chosen,
    count,
    grouping,
    inputs_of,
    listing,
    load_plugins,
)
from untied.cli.query_changes import QueryChanges, span
from untied.cli.reading import baseline_of, read_qrels, reading_settings, with_readable
from untied.cli.rules import CORRECTED, Excludes, Needs
from untied.cli.sorting import order_of
from untied.cli.verdicts import COLUMNS as OF_VERDICTS
from untied.cli.verdicts import add_certify, certified
from untied.evaluation.runs import Evaluator
from untied.inputs.convert import loaded_runs
from untied.inputs.mismatch import Silence
from untied.measures import as_measure, as_measures
from untied.results.notes import of_adjusted, of_queries, of_undefined
from untied.results.text import aligned, cell, spoken
from untied.statistics.notes import on_bounds, on_dropped, shown_p, test_name
from untied.statistics.planning import required_queries
from untied.statistics.runs import Significance, discriminative_power, significance
from untied.statistics.tests import SAMPLES
from untied.statistics.values import scale_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from untied._core import Measure
    from untied.results.evaluation import Results

EXAMPLES = """\
  untied stats qrels.txt bm25.run dense.run hybrid.run
  untied stats qrels.txt *.run --baseline bm25 -m nDCG@10 -m AP
  untied stats qrels.txt *.run -m nDCG@10 --sort-by nDCG@10 --rows 10
  untied stats qrels.txt bm25.run dense.run -m nDCG@10 --ties range
  untied stats qrels.txt bm25.run dense.run -m nDCG@10 --unjudged range
  untied stats qrels.txt bm25.run dense.run -m nDCG@10 --certify
  untied stats qrels.txt new.run old.run -m nDCG@10 --top 10
  untied stats qrels.txt *.run --test tukey --show power
  untied stats qrels.txt new.run old.run --show queries --difference 0.02
  untied stats qrels.txt new.run old.run --query-table queries.tsv --by market
  untied stats qrels.txt *.run --baseline bm25 -m nDCG@10 -m AP -o table.tex

A star marks significant differences. In the table, a - b is the mean of run a
minus that of run b, d is Cohen's d (this difference in standard deviations of
the differences of queries), and p is corrected for the number of comparisons.
Intervals are not corrected.

With --ties range or --unjudged range, "a - b can be" shows the lowest and the
highest possible difference of the means. A difference survives if it keeps its
sign and stays significant for every order of tied documents, or for all grades
that unjudged documents could have.

In tsv, csv and json, a - b is called difference, d is effect, and p is not
corrected; p_adjusted is. What a difference can be is in least and most, and
p_most is the highest possible p_adjusted.

--show power tells how many pairs of runs a measure can tell apart. Its p-values
are not corrected, as in Sakai (2006), so it may count more pairs than have a
star. Give --correction to count those.

--show queries plans a test. With as many queries as you have, a paired t-test
finds differences from detectable on, with the probability --power; required is
the number of queries that find --difference. Both are estimates from your
queries, so they have intervals.

With --by, the tests of all segments are corrected together, and the test of all
queries is corrected as without --by. Intervals for all queries draw queries
within segments.

--shuffle adds P(a > b), the probability that run a is ahead of run b if tied
documents are shuffled. --certify adds the run that is better for all grades
that unjudged documents could have; untied certify --help explains its columns.
"""


#: Columns that a narrow terminal does without, in this order.
DISPENSABLE = (("better/equal/worse",), ("d",), ("mean a", "mean b", "sum a", "sum b"), ("interval",))

#: Comparisons by a measure that a table shows if `--rows` does not say how many.
ROWS = 30

#: What marks differences that could have the other sign.
REVERSIBLE = "~"


COMMAND = Command(
    "stats",
    "test if runs differ significantly, and list queries that got worse",
    EXAMPLES,
    listed_after="compare",
    common="-m --test --correction --ties --certify --sort-by --format -o",
    rules=(
        CORRECTED,
        Needs("--samples", "--test=randomization|tukey"),
        Needs("--seed", "--test=randomization|tukey --interval=bca", ", which draw random numbers"),
        Excludes("--show=power", "--baseline --interval --sort-by --rows --top --certify --shuffle --format=latex"),
        Excludes(
            "--show=queries",
            "--test --correction --samples --seed --interval --sort-by --rows --top --certify --shuffle --format=latex",
        ),
        Needs("--difference --power", "--show=queries"),
        Excludes("--show=runs --format=latex", "--interval --rows --top --certify --shuffle"),
        Excludes("--show=runs", "--format=json"),
        Needs("--rows", "--format=table|md"),
        Needs("--certify", "--unjudged=nonrelevant|range"),
        Needs("--shuffle", "--ties=expected|range"),
        Needs("--shuffle", "--unjudged=nonrelevant|remove"),
        Excludes("--certify --shuffle", "--adjust=chance", ", because it uses values that are not adjusted"),
        Needs("--query-table", "--by --weight --macro --cluster"),
        Excludes("--by", "--show --format=latex --top --certify --shuffle", ", because it looks at segments"),
        Excludes(
            "--weight --macro --cluster",
            "--certify --shuffle --show=queries --test=tukey|wilcoxon",
            ", where all queries count alike",
        ),
    ),
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_judged_runs(f"two or more {RUNS}")
    arguments.add_measures()
    arguments.add_docs()
    arguments.add_plugin()
    arguments.add_query_table()
    group = arguments.group("significance")
    group.option(
        "--baseline",
        "RUN",
        "compare all other runs with RUN, one of the given runs (default: compare all pairs of runs)",
    )
    arguments.add_significance("differences", " (default with --show power)")
    drawn = f"draw N random permutations (default: {SAMPLES})"
    group.option("--samples", "N", drawn, type=int, default=SAMPLES)
    seeded = "set the seed of random permutations and bootstrap samples (default: 0)"
    group.option("--seed", "N", seeded, type=int, default=0)
    group.option(
        "--difference", "D", "with --show queries, how many queries find a difference of means of D", type=float
    )
    found = "with --show queries, find differences with the probability P (default: 0.8)"
    group.option("--power", "P", found, type=float, default=0.8)
    arguments.add_policies("runs", "ties", "unjudged", "score_dtype", "adjust")
    add_certify(arguments)
    arguments.group("ties and judgments").flag(
        "--shuffle", "show the probability that run a is ahead of run b if tied documents are shuffled"
    )
    group = arguments.group("output")
    group.option(
        "--top",
        "N",
        "list the N queries in which run a loses most against run b, then the N queries in which run a gains most",
        type=count,
    )
    about = {
        "runs": "a table for a paper, with one line per run",
        "power": "the share of pairs of runs that differ significantly",
        "queries": "how many queries it takes to find a difference",
    }
    group.option("--show", "WHAT", listing("instead of tests of pairs of runs, print", about), choices=tuple(about))
    arguments.add_sort_by()
    group.option(
        "--rows",
        "N",
        f"show N comparisons per measure in tables and md (default: {ROWS} in tables, else all)",
        type=count,
    )
    arguments.add_table(PAPER_FORMATS)
    arguments.add_threads()


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    style = options.style
    by_run = options.show == "runs" or style == "latex"
    if options.show == "power" and "correction" not in options.typed:
        options.correction = "none"
    inputs = inputs_of(options.qrels, *options.runs, options.docs, options.query_table)
    output.check_target(options.output, inputs)
    plugins = load_plugins(options.plugin)
    settings = chosen(options, "ties", "unjudged", "score_dtype", "qrels_format", "adjust")
    more_settings = {name: True for name in ("certify", "shuffle") if getattr(options, name)} | grouping(options)
    only_queries = bool(options.top) and style in ("tsv", "csv")
    if by_run or only_queries:
        options.interval = "none"  # is not printed
    results, tests, skipped = _found(options, settings)
    said = [
        *skipped,
        *_notes(results, tests, with_tests=not only_queries),
        *of_adjusted(results.facts(), options.adjust, can_leave_out=False),
        *of_undefined(results.facts(), adjust=options.adjust, can_leave_out=False),
    ]
    columns: Sequence[str]
    if isinstance(tests, Significance):
        rows, columns, settings = tests.table.to_dicts(), tests.table.columns, settings | tests.settings | more_settings
    elif options.show == "queries":
        rows, columns = tests.to_dicts(), tests.columns
        settings |= chosen(options, "baseline", "level", "power", "difference")
    else:
        rows, columns = tests.to_dicts(), tests.columns
        if options.correction == "none" and options.test != "tukey":
            comparisons = f"{rows[0]['pairs']:,.0f} comparisons"
            said.append(f"p-values are not corrected for {comparisons}; --correction holm corrects them")
        settings |= chosen(options, "test", "correction", "level", "samples", "seed")
    changed = QueryChanges(*results._query_differences(options.baseline, options.top)) if options.top else None
    said += changed.notes() if changed is not None and style not in ("table", "md") else []
    notes.add(said)
    if by_run:
        from untied.cli.tables import for_paper

        text = for_paper(results, tests, options, style)
    elif style == "json":
        more = {} if changed is None else {"queries": changed.table.to_dicts()}
        text = output.json(
            settings | reading_settings(options), inputs, **output.plugins(plugins),
            results=rows, **more,
        )  # fmt: skip
    elif only_queries and changed is not None:
        lines = ([cell(one, "value", options.digits) for one in row] for row in changed.table.rows())
        text = output.lines(changed.table.columns, lines, style, 5)
    elif style in ("tsv", "csv") or not isinstance(tests, Significance):
        texts = sum(isinstance(cell, str) for cell in rows[0].values())
        lines = ([cell(one, name, options.digits) for name, one in row.items()] for row in rows)
        text = output.lines(columns, lines, style, texts)
    else:
        text = "\n".join(_tables(tests, results, changed, options, style))
    output.write(text, options.output)


def _found(options: argparse.Namespace, settings: dict[str, Any]) -> tuple[Results, Any, list[str]]:
    qrels = read_qrels(options)
    notes.add(notes.of_probabilities(qrels))
    measures = as_measures(options.measure)
    order = None if options.sort_by is None else order_of(options, measures)[0]
    chance = chosen(options, "test", "correction", "level", "samples", "seed", "threads")

    grouped = grouping(options)

    def evaluate(runs: Any, asked: list[Measure]) -> Results:
        results = Evaluator(qrels, asked, **settings, docs=options.docs, threads=options.threads).evaluate(runs)
        return results.grouped(**grouped) if grouped else results

    # A measure that runs are only sorted by is neither tested nor shown.
    sorting = [order.measure] if order is not None and order.measure not in measures else []

    def in_order(runs: Any) -> Results:
        results = evaluate(runs, measures)
        if order is None or not sorting:
            return results if order is None else order.runs(results)
        with Silence():  # there has been a warning
            return order.runs(results, by=evaluate(runs, sorting))

    def make(runs: Any) -> tuple[Results, list[Any]]:
        options.baseline = baseline_of(options, runs)
        if not (options.certify or options.shuffle or sorting):
            return in_order(runs), []
        loaded = loaded_runs(runs, options.threads)
        more: list[Any] = [certified(options, qrels, loaded, list(measures))] if options.certify else []
        if options.shuffle:
            from untied.tie_orders.runs import distributions

            policies = chosen(options, "unjudged", "score_dtype", "qrels_format", "threads")
            more.append(distributions(qrels, loaded, measures, **policies))
        return in_order(loaded), more

    (results, beside), skipped = with_readable(options, make, least=2)
    if options.show == "power":
        return results, discriminative_power(results, **chance), skipped
    if options.show == "queries":
        plan = chosen(options, "baseline", "level", "power", "difference")
        return results, required_queries(results, **plan), skipped
    tests = significance(results, **chosen(options, "baseline", "interval"), **chance)
    for one in beside:
        tests.table = one.beside(tests.table)
    return results, tests, skipped + (list(beside[0]._not_exact(OF_VERDICTS)) if options.certify else [])


def _tables(
    tests: Significance, results: Results, changed: QueryChanges | None, options: argparse.Namespace, style: str
) -> Iterator[str]:
    """A table for each measure, with a line about the test above it; then the queries that changed most."""
    settings, digits, on_screen = tests.settings, options.digits, options.output is None
    how = test_name(settings["test"], tests.correction)
    if tests.correction != "none" and tests.segments:
        how += f" over {len(tests.segments)} segments"
    plain = " (intervals uncorrected)" if tests.correction != "none" and settings["interval"] != "none" else ""
    rows = tests.table.to_dicts()
    most = options.rows or (ROWS if style == "table" else len(rows))
    for measure in results.measures:
        mine = [row for row in rows if row["measure"] == measure]
        scale = scale_of(as_measure(measure))
        tested = " of logarithms, as the mean is geometric" if scale == "log" else ""
        named = f"{measure} (adjusted)" if options.adjust != "none" else measure
        title = f"{named}: {how}{tested}{plain}; * significant at {1 - settings['level']:.4g}"
        lines = [_line(row, digits, scale) for row in mine[:most]]
        if "equal_low" in mine[0] and not any(_may_be_equal(row, digits) for row in mine):
            for line in lines:
                line.pop("P(a = b)", None)
        below = _left_out(len(mine) - most, options) + _reversed(mine, options, is_apart=measure in tests.apart)
        if style == "table":
            from textwrap import fill

            columns = width() if on_screen else 10**9
            title = fill(title.replace("* ", "*\xa0"), columns, subsequent_indent="  ").replace("\xa0", " ")
            table = _fitting(lines, columns) + below
            yield f"{output.bold(title, on_screen)}\n{table}"
        else:
            table = output.lines(list(lines[0]), [list(line.values()) for line in lines], style, texts=_texts(lines[0]))
            yield f"{title}\n\n{table}" + (f"\n{below}" if below else "")
        if changed is not None:
            for row in mine[:most]:
                yield from changed.tables((measure, row["run_a"], row["run_b"]), style, digits, on_screen)


def _left_out(count: int, options: argparse.Namespace) -> str:
    """A line on comparisons that a table leaves out."""
    if count <= 0:
        return ""
    begin = "" if options.sort_by else "; --sort-by MEASURE begins with the best runs"
    plural = "comparison" if count == 1 else "comparisons"
    return f"... and {count:,} more {plural}: --rows N shows N, and --format tsv all{begin}\n"


def _reversed(rows: list[dict[str, Any]], options: argparse.Namespace, *, is_apart: bool) -> str:
    """A line on how many differences ties or judgments could reverse."""
    if "least" not in rows[0]:
        return ""
    causes = ["ties"] * (options.ties == "range")
    judgments = "judgments of what each run retrieved" if is_apart else "judgments"
    causes += [judgments] * (options.unjudged == "range")
    reversible, pairs = sum(map(_is_reversible, rows)), f"{len(rows):,} pair{'s' * (len(rows) > 1)}"
    if not reversible:
        return f"{' or '.join(causes)} could not reverse any difference\n"
    # Bounds over judgments may be wider than what is reached (docs/exactness.md).
    could = "could" if causes == ["ties"] else "might"
    return f"{REVERSIBLE} {' or '.join(causes)} {could} reverse {reversible:,} of {pairs}\n"


def _is_reversible(row: dict[str, Any]) -> bool:
    return bool(row["least"] < 0 < row["most"])


def _fitting(lines: list[dict[str, str]], columns: int) -> str:
    """A table that fits the terminal, followed by the means and the names of other columns that it hides."""
    hidden: list[str] = []
    for names in ((), *DISPENSABLE):
        hidden += [name for name in names if name in lines[0]]
        kept = [name for name in lines[0] if name not in hidden]
        shown = aligned([kept, *([line[name] for name in kept] for line in lines)], texts=_texts(lines[0]))
        if max(map(len, shown)) <= columns:
            break
    for aggregate in ("mean", "sum"):
        means = [
            (line[run], line[f"{aggregate} {run}"]) for line in lines for run in "ab" if f"{aggregate} a" in hidden
        ]
        if means and len(dict(means)) == len(set(means)):  # the same queries of a run count in all comparisons
            said = ", ".join(f"{run} {mean}" for run, mean in dict(means).items())
            shown.append(notes.filled(f"{aggregate}s: {said}", columns))
            hidden = [name for name in hidden if not name.startswith(aggregate)]
    if hidden:
        shown.append(notes.filled(f"{', '.join(hidden)} hidden: widen the terminal or use --format tsv", columns))
    return "".join(f"{line}\n" for line in shown)


def _line(row: dict[str, Any], digits: int, scale: str) -> dict[str, str]:
    """The cells of a comparison."""
    aggregate = "sum" if scale == "sum" else "mean"
    difference = "ln a - ln b" if scale == "log" else "a - b"
    line = {"segment": show_id(row["segment"])} if "segment" in row else {}
    line |= {
        "a": show_id(row["run_a"]),
        "b": show_id(row["run_b"]),
        f"{aggregate} a": f"{row['mean_a']:.{digits}f}",
        f"{aggregate} b": f"{row['mean_b']:.{digits}f}",
        difference: f"{row['difference']:+z.{digits}f}",
    }
    if "ci_low" in row:
        line["interval"] = span(row, "ci_low", "ci_high", digits)
    line |= {
        "d": "-" if isnan(row["effect"]) else f"{row['effect']:+z.2f}",
        "better/equal/worse": f"{row['better']}/{row['equal']}/{row['worse']}",
        "p": shown_p(row["p_adjusted"]) + (" *" if row["significant"] == "yes" else "  "),
    }
    if "least" in row:
        mark = f" {REVERSIBLE}" if _is_reversible(row) else "  "
        line[f"{difference} can be"] = span(row, "least", "most", digits) + mark
    if "greater_low" in row:
        line["P(a > b)"] = _chance(row["greater_low"], row["greater_high"], digits)
        line["P(a = b)"] = _chance(row["equal_low"], row["equal_high"], digits)
    if "survives" in row:
        line["survives"] = row["survives"]
    if "verdict" in row:
        line |= {name.replace("_", " "): spoken(row[name], name, 0) for name in OF_VERDICTS}
    return line


def _texts(line: dict[str, str]) -> int:
    """The number of columns with names."""
    return sum(name in line for name in ("segment", "a", "b"))


def _chance(low: float, high: float, digits: int) -> str:
    """A probability, or the two that it lies between; 0 and 1 only where it is exactly that."""
    least, most = (_rounded(end, digits) for end in (low, high))
    if float(f"{high:.{digits}f}") == 0:
        return most  # below the least number shown, which may be 0
    return least if least == most or float(f"{low:.{digits}f}") == 1 else f"{least} to {most}"


def _may_be_equal(row: dict[str, Any], digits: int) -> bool:
    return bool(row["equal_low"] > 0 or float(f"{row['equal_high']:.{digits}f}"))


def _rounded(chance: float, digits: int) -> str:
    step = 10.0**-digits
    text = f"{chance:.{digits}f}"
    if chance < 1 and float(text) == 1:
        return f">{1 - step:.{digits}f}"
    return f"<{step:.{digits}f}" if chance > 0 and float(text) == 0 else text


def _notes(results: Results, tests: Any, *, with_tests: bool) -> Iterable[str]:
    """Notes on unusual inputs, and on the tests if these are printed."""
    yield from of_queries(results.facts())
    yield from results._design_notes()
    if isinstance(tests, Significance):
        yield from tests.notes if with_tests else on_bounds(results, tests.apart)
        yield from on_dropped(tests.dropped, tests.pairs)
