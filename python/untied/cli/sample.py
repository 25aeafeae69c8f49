"""``untied sample``: incomplete judgments, pools, parts of collections, and queries to judge."""

from __future__ import annotations

import os

from untied._core import show_id
from untied.cli import output
from untied.cli.command import Command
from untied.cli.options import QRELS, RUNS, SUFFIXES, Arguments, UsageError, inputs_of
from untied.cli.rules import Excludes, Needs
from untied.errors import UntiedError
from untied.inputs import files
from untied.inputs.convert import as_qrels, named_runs
from untied.inputs.lines import lines, refused
from untied.judging import sample
from untied.results.design import Design

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from untied.judging.sample import Judgments

EXAMPLES = """\
  untied sample qrels.txt --rate 0.1 --seed 7 > sampled.qrels
  untied sample machine.qrels --draw-queries 50 > to_judge.txt
  untied sample qrels.txt --rate 0.3 --once > for_verdicts.qrels
  untied sample qrels.txt --depth 10 *.run > depth10.qrels
  untied sample qrels.txt --strata strata.txt --rate top=1,rest=0.2
  untied sample qrels.txt *.run --documents 0.5 -o half
  untied sample sampled.qrels *.run --subcollection --seed 7 -o drawn

Judged documents that are not in the sample get grade -1, which means pooled but
not judged; infAP and subAP need to know them. The same seed gives the same
sample.

If a query has relevant documents but its sample has none, the sample is drawn
again. This makes relevant documents more likely than others, so untied certify
--from-sample needs a sample that is drawn with --once.
"""
#: Suffixes of what is not written here.
OTHERS = {
    *SUFFIXES, *files.SUFFIXES, *files.ARCHIVES, ".html", ".htm", ".xml", ".pdf", ".svg", ".png", ".bz2", ".zip",
}  # fmt: skip


COMMAND = Command(
    "sample",
    "sample judgments, documents or queries, or make a shallow pool",
    EXAMPLES,
    listed_after="judge-next",
    common="--rate --seed -o",
    rules=(
        Excludes("--subcollection", "--by-query --once --strata --depth --rel --documents --judgments-too"),
        Excludes("--documents", "--rate --by-query --once --strata --depth --rel"),
        Excludes("--draw-queries", "RUN --rate --by-query --once --strata --depth --rel --documents --subcollection"),
        Excludes("--rel", "--once"),
        Needs("--depth --subcollection --documents", "RUN"),
        Needs("RUN", "--depth --subcollection --documents"),
        Needs("--subcollection --documents", "--output"),
        Needs("--judgments-too", "--documents"),
        Needs("--by-query --once --rel", "--rate"),
        Needs("--seed", "--rate --subcollection --documents --draw-queries"),
        Needs("--by", "--draw-queries"),
        Needs("--query-table", "--by"),
    ),
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_argument("qrels", metavar="QRELS", help=QRELS)
    arguments.add_argument("runs", metavar="RUN", nargs="*", help=RUNS)
    group = arguments.group("input")
    group.option("--strata", "FILE", "read strata from FILE (each line: query document stratum)")
    group.option(
        "--depth",
        "K",
        "make a pool of the first K documents of each ranking, and keep only judgments of pooled documents",
        type=int,
    )
    group.option("--rel", "GRADE", "set the lowest grade that counts as relevant (default: 1)", type=float)
    group = arguments.group("sample")
    group.option(
        "--rate",
        "RATE",
        "keep the share RATE of the judged documents, such as 0.1 (default: 1); with --strata, RATE is a list with "
        "a share for each stratum, such as top=1,rest=0.2",
    )
    group.flag("--by-query", "for each query, keep exactly the share RATE of the judged documents")
    group.flag("--once", "draw the sample of each query only once, even if the sample has no relevant document")
    group.option(
        "--documents",
        "RATE",
        "keep only a random share RATE of the documents in the runs",
        type=float,
    )
    group.flag("--judgments-too", "with --documents, also remove the judgments of the removed documents")
    group.flag(
        "--subcollection",
        "for each run, draw one random part of the collection (the measure subAP is an average over all random parts)",
    )
    group.option("--draw-queries", "N", "print N random queries, for people to judge beside a machine", type=int)
    arguments.add_query_column("--by", "draw its share of --draw-queries from each segment of queries")
    group.option("--seed", "N", "set the seed of the random sample (default: 0)", type=int, default=0)
    arguments.group("output").option(
        "-o --output", "PATH", "write to the file PATH; with --documents or --subcollection, write to the folder PATH"
    )


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    if options.subcollection:
        _subcollection(options)
        return
    if options.documents is not None:
        _collection(options)
        return
    if options.draw_queries is not None:
        _queries(options)
        return
    suffix = os.path.splitext(options.output or "")[1].lower()
    if suffix in OTHERS:
        raise UntiedError(
            f"-o {show_id(options.output)}: judgments are written in TREC's format; expected a suffix such as .txt or "
            f".qrels, found {suffix}"
        )
    output.check_target(options.output, inputs_of(options.qrels, *options.runs, options.strata))
    qrels: str | Judgments = options.qrels
    if options.depth is not None:
        qrels = sample.pool(options.runs, options.depth, options.qrels)
    strata = None if options.strata is None else _read_strata(options.strata)
    sampled = sample.judgments(
        qrels,
        _rate(options.rate),
        seed=options.seed,
        by_query=options.by_query,
        strata=strata,
        rel=None if options.once else 1 if options.rel is None else options.rel,
    )
    output.write(_text(sampled, strata), options.output)


def _rate(text: str | None) -> float | dict[str, float]:
    if text is None:
        return 1.0
    try:
        if "=" not in text:
            return float(text)
        return {name: float(rate) for name, rate in (part.split("=", 1) for part in text.split(","))}
    except ValueError:
        raise UntiedError(f"--rate: expected a number, or stratum=number,stratum=number, found {text!r}") from None


def _read_strata(path: str) -> dict[str, dict[str, str]]:
    strata: dict[str, dict[str, str]] = {}
    shape = "3 columns (query document stratum)"
    for number, fields in lines(path, shape):
        if len(fields) != 3:
            raise refused(path, number, shape, f"{len(fields)}: {' '.join(fields)!r}")
        query, document, stratum = fields
        if strata.setdefault(query, {}).setdefault(document, stratum) != stratum:
            raise refused(path, number, "one stratum for every document of a query", f"another for {document!r}")
    return strata


def _text(judgments: Judgments, strata: dict[str, dict[str, str]] | None = None) -> str:
    def stratum(query: str, document: str) -> str:
        return "" if strata is None else f"{strata[query][document]} "

    return "".join(
        f"{query} 0 {document} {stratum(query, document)}{grade:.17g}\n"
        for query, judged in judgments.items()
        for document, grade in judged.items()
    )


def _runs(options: argparse.Namespace) -> dict[str, str]:
    """The runs to sample, by name."""
    return dict(zip([name for name, _ in named_runs(options.runs)], options.runs, strict=True))


def _queries(options: argparse.Namespace) -> None:
    output.check_target(options.output, inputs_of(options.qrels, options.query_table))
    qrels = as_qrels(options.qrels)
    strata = None
    if options.by is not None:
        strata = Design(options.query_table, list(qrels.queries()), macro=options.by).strata
    drawn = sample.queries(qrels, options.draw_queries, strata=strata, seed=options.seed)
    output.write("".join(f"{show_id(query)}\n" for query in drawn), options.output)


def _subcollection(options: argparse.Namespace) -> None:
    from untied.judging.estimates import subcollection

    runs = _runs(options)
    rate = None if options.rate is None else _rate(options.rate)
    if isinstance(rate, dict):
        raise UsageError("--subcollection takes one --rate, not one for each stratum")
    qrels = as_qrels(options.qrels)
    drawn = {name: subcollection(qrels, run, rate=rate, seed=options.seed) for name, run in runs.items()}
    _write(options, drawn)


def _collection(options: argparse.Namespace) -> None:
    runs = _runs(options)
    qrels, sampled = sample.collection(
        options.qrels, runs, options.documents, seed=options.seed, sample_judgments=options.judgments_too
    )
    _write(options, sampled, qrels)


def _write(
    options: argparse.Namespace, sampled: dict[str, dict[str, dict[str, float]]], qrels: Judgments | None = None
) -> None:
    # A run's name may hold folders, to tell it from another, and blanks.
    tags = {name: "_".join(name.replace("/", "-").replace(os.sep, "-").split()) for name in sampled}
    if len(set(tags.values())) < len(tags):
        raise UntiedError("two runs have the same name, so their samples would have the same name; rename one run")
    targets = {name: os.path.join(options.output, f"{tag}.run") for name, tag in tags.items()}
    os.makedirs(options.output, exist_ok=True)
    judged = [] if qrels is None else [os.path.join(options.output, "qrels.txt")]
    for path in [*judged, *targets.values()]:
        output.check_target(path, [options.qrels, *options.runs])
    if qrels is not None:
        output.write(_text(qrels), *judged)
    for name, run in sampled.items():
        lines = []
        for query, documents in run.items():
            ranked = sorted(documents.items(), key=lambda row: (row[1], row[0]), reverse=True)
            lines += [
                f"{query} Q0 {doc} {rank} {score!r} {tags[name]}\n" for rank, (doc, score) in enumerate(ranked, 1)
            ]
        output.write("".join(lines), targets[name])
