"""``untied features``: evaluate each feature of learning-to-rank data as a ranker."""

from __future__ import annotations

from itertools import groupby

from untied._core import show_id
from untied.cli import notes, output, width
from untied.cli.command import Command
from untied.cli.options import Arguments, chosen, column_names, count, inputs_of, listing, load_plugins
from untied.cli.rules import Excludes
from untied.features.evaluate import evaluate_features
from untied.features.results import DIRECTIONS
from untied.measures import as_measure, as_measures
from untied.results.text import cell

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from untied._core import Measure
    from untied.features.results import FeatureResults

EXAMPLES = """\
  untied features train.txt
  untied features Fold1/*.txt.gz -m nDCG@10 -m AP --directions better --top 20
  untied features train.txt --sort-by RR --feature-names names.txt
  untied features train.parquet --ties expected -o features.tsv

Each line of DATA is: label qid:Q feature:value ... # comment. A feature that a
line does not have counts as 0, and a document whose value is NULL is left out
of the feature's ranking. Each score is the exact average over all orders of
tied documents. Beside it stands the score of a random order.
"""


#: What ``--column`` names, and the parameters for it.
COLUMNS = {"label": "labels", "query": "query_ids"}

COMMAND = Command(
    "features",
    "score each learning-to-rank feature as if it ranked the documents",
    EXAMPLES,
    listed_after="curve",
    common="-m --ties --top --format -o",
    rules=(Excludes("--wide", "--format=json"),),
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_argument("data", metavar="DATA", nargs="+", help="files in the format of SVMlight, LETOR or parquet")
    group = arguments.group("input")
    group.option("--feature-names", "FILE", "read names of features from FILE (each line: feature number and name)")
    arguments.add_columns(
        COLUMNS,
        "read labels (label=NAME) or query ids (query=NAME) of parquet files from the column NAME (default: label, "
        "relevance, ...; qid, query_id, ...; repeatable)",
    )
    arguments.add_measures()
    arguments.add_plugin()
    arguments.group("measures").option(
        "--directions",
        "WHICH",
        listing(
            "choose how to rank documents by the value of a feature",
            {
                "high": "rank documents by descending value (default)",
                "low": "rank documents by ascending value",
                "both": "rank documents by descending value, and also by ascending value",
                "better": "show the order (descending or ascending) with the better score by the first measure",
            },
        ),
        choices=tuple(DIRECTIONS),
        default="high",
    )
    arguments.add_policies("arrays", "unjudged", "on_undefined", ties="range")
    group = arguments.group("output")
    group.option(
        "--sort-by", "MEASURE", "sort features by MEASURE, the best feature first (default: the first measure)"
    )
    group.option("--top", "N", "show only the N best features (default: all)", type=count)
    group.flag("-q --per-query", "also print each measure's value for each query")
    group.flag("--wide", "write one column per measure in tsv and csv")
    arguments.add_table()
    arguments.add_threads()


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    style = options.style
    inputs = inputs_of(*options.data, options.feature_names)
    output.check_target(options.output, inputs)
    plugins = load_plugins(options.plugin)
    measures = as_measures(options.measure)
    sort_by = as_measure(options.sort_by) if options.sort_by else measures[0]
    if sort_by not in measures:
        measures = [sort_by, *measures]
    settings = chosen(options, "ties", "directions", "unjudged", "on_undefined")
    named = column_names(options.column)
    more = {option: named.get(role) for role, option in COLUMNS.items()} | chosen(options, "per_query", "threads")
    evaluated = evaluate_features(options.data, measures, names=options.feature_names, **settings, **more)
    notes.add(evaluated._notes())
    if style == "json":
        rows = evaluated.table(sort_by, top=options.top, per_query=options.per_query).to_dicts()
        about = {"queries": len(evaluated.queries), "documents": evaluated.documents, "features": len(evaluated)}
        settings["sort_by"] = str(sort_by)
        text = output.json(settings, inputs, **output.plugins(plugins), data=about, results=rows)
    elif style in ("tsv", "csv") or options.per_query:
        text = _long(evaluated, sort_by, options, style)
    else:
        columns = width() if style == "table" and options.output is None else 10**9
        text = overview(evaluated, sort_by, options, style, columns)
    output.write(text, options.output)


def _long(results: FeatureResults, sort_by: Measure, options: argparse.Namespace, style: str) -> str:
    """A line for each value."""
    table = results.table(sort_by, top=options.top, per_query=options.per_query)
    if options.wide:
        table = table.wide()
    counts = ("rank", "distinct", "missing", "absent", "varied")

    digits = {name: 0 if name in counts else options.digits for name in table.columns}
    rows = ([cell(one, name, digits[name]) for one, name in zip(row, digits, strict=True)] for row in table.rows())
    texts = sum(name in ("feature", "direction", "query", "measure") for name in table.columns)
    return output.lines(table.columns, rows, style, texts=texts)


def overview(results: FeatureResults, sort_by: Measure, options: argparse.Namespace, style: str, columns: int) -> str:
    """A line for each feature, best first, as a table of the given width or in Markdown."""
    digits = options.digits
    table = results.table(sort_by, top=options.top)
    with_range = "low" in table.columns
    measures = sorted(results.measures, key=lambda name: name != str(sort_by))  # what is sorted by stands first
    scorers = [
        {row["measure"]: row for row in rows}
        for _, rows in groupby(table.to_dicts(), key=lambda row: (row["feature"], row["direction"]))
    ]
    with_direction = len(results.directions) > 1
    head = ["rank", "feature", *(["first"] if with_direction else []), "distinct", "tied"]
    body = []
    for rows in scorers:
        row = rows[measures[0]]
        distinct = ">10,000" if row["distinct"] is None else f"{row['distinct']:,}"
        direction = [row["direction"]] if with_direction else []
        body.append([str(row["rank"]), show_id(row["feature"]), *direction, distinct, f"{row['tied']:.0%}"])

    def values(measure: str, band: bool) -> list[str]:
        names = ("value", "low", "high") if band else ("value",)
        texts = [[f"{rows[measure][name]:.{digits}f}" for name in names] for rows in scorers]
        cells = [text + (output.brackets(text, *ends) if ends else "") for text, *ends in texts]
        return cells if style == "md" else output.padded(cells)

    def shown(bands: int, most: int) -> list[list[str]]:
        columns = [values(name, i < bands) for i, name in enumerate(measures[:most])]
        return [[*head, *measures[:most]], *([*cells, *more] for cells, *more in zip(body, *columns, strict=True))]

    texts = len(head) - 2
    if style == "md":
        lines = shown(len(measures) if with_range else 0, len(measures))
        return output.lines(lines[0], lines[1:], style, texts)
    # Bands of fewer measures, then fewer measures, until the table fits.
    most = len(measures)
    choices = [(bands, most) for bands in range(most if with_range else 0, -1, -1) if bands or not with_range]
    choices += [(int(with_range), fewer) for fewer in range(most - 1, 0, -1)]
    for bands, shown_measures in choices:
        aligned = output.aligned(shown(bands, shown_measures), texts, center=bands > 0)
        if max(map(len, aligned)) <= columns:
            break
    title, *rest = aligned
    what = f"{len(results):,} features, {len(results.queries):,} queries, {results.documents:,} documents"
    legend = f"{what}; best {sort_by} first\n"
    chances = (f"{name} {results.chance(name):.{digits}f}" for name in measures)
    legend += f"a random order has {', '.join(chances)}\n"
    if with_direction:
        better = f"high or low values, whichever gives the better {sort_by}"
        legend += f"first: {better if options.directions == 'better' else 'high or low values, as two rankers'}\n"
    if with_range:
        legend += "value [lowest, highest] over all orders of tied documents, if these differ\n"
    if 0 < bands < shown_measures:
        legend += f"bounds of {_and(measures[bands:shown_measures])} hidden: widen the terminal or use --format tsv\n"
    if shown_measures < most:
        legend += f"{_and(measures[shown_measures:])} hidden: widen the terminal or use --format tsv\n"
    return legend + "".join(f"{line}\n" for line in [output.bold(title, columns < 10**9), *rest])


def _and(names: Sequence[str]) -> str:
    """Names as a sentence lists them."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
