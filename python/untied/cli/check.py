"""``untied check``: what is suspicious about runs and qrels."""

from __future__ import annotations

from untied._core import check_run, show_id
from untied.cli.options import add_reading, add_threads, inputs_of, parse, parser
from untied.cli.output import write
from untied.cli.reading import Refused, read_qrels, refuse_all, run_files
from untied.errors import UntiedError
from untied.inputs.files import read_ranked
from untied.inputs.overlap import SWAPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from untied._types import Findings


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    made = parser(
        "check",
        "Tell what is suspicious about runs and qrels: lines that begin with ! deserve a look.",
        "  untied check qrels.txt bm25.run dense.run.gz\n",
    )
    made.add_argument("qrels", metavar="QRELS", help="judgments")
    made.add_argument("runs", metavar="RUN", nargs="+", help="runs to look at")
    add_reading(made)
    add_threads(made)
    options = parse(made, arguments, intermixed=False)
    inputs_of(options.qrels, *options.runs)
    try:
        qrels = read_qrels(options)
    except (UntiedError, OSError) as error:
        refuse_all(error, options)
    refused: list[Exception] = []
    is_first = True
    for file in run_files(options, *options.runs):
        try:
            run = read_ranked(file, threads=options.threads)
        except (UntiedError, OSError) as error:
            refused.append(error)
            continue
        found = check_run(qrels, run, options.threads)
        lines = [*_of_qrels(found), ""] if is_first else []
        is_first = False
        lines += [f"{show_id(file.path)}: {found['queries'][0]:,} queries, {found['documents']:,} documents"]
        lines += [f"{'! ' if suspicious else '  '}{text}" for suspicious, text in describe(found)]
        write("\n".join(lines) + "\n", None)
    if refused:
        raise Refused(refused)


def _of_qrels(found: Findings) -> list[str]:
    lines = [f"qrels: {found['queries'][1]:,} queries"]
    if found["without_relevant"]:
        lines.append(f"! queries without a relevant document: {_counted(found['without_relevant'])}")
    if found["repeated"]:
        lines.append(f"! judgments that stand there more than once: {found['repeated']}")
    return lines


def describe(found: Findings) -> list[tuple[bool, str]]:
    """What there is to say about one run, and whether each is suspicious."""
    lines: list[tuple[bool, str]] = []
    add = lines.append
    if found["swapped"]:
        add((True, SWAPPED))
    if found["tags"]:
        add((True, f"run tags, as of several runs in one file: {_counted(found['tags'])}"))
    if found["absent"]:
        add((True, f"judged queries that are absent: {_counted(found['absent'])}"))
    if found["unknown"]:
        add((True, f"queries that are not judged: {_counted(found['unknown'])}"))
    if found["near_queries"]:
        pairs = [f"{show_id(ours)} for {show_id(theirs)}" for ours, theirs in found["near_queries"]]
        add((True, f"query ids that nearly match: {_counted(pairs)}"))
    shallow, deep, at_depth = found["depths"]
    if shallow == deep:
        add((False, f"every ranking is {deep:,} deep: probably cut off there"))
    else:
        cut = f", {at_depth:,} of them that deep: probably cut off there" if at_depth > 1 else ""
        add((False, f"rankings are {shallow:,} to {deep:,} deep{cut}"))
    queries, documents = found["queries"][0], found["documents"]
    tied, all_tied = found["tied_queries"]
    if tied:
        share = found["tied_documents"] / documents
        add(
            (
                share > 0.1,
                f"{found['tied_documents']:,} documents ({share:.1%}) are tied, in {tied:,} of {queries:,} queries",
            )
        )
    else:
        add((False, "no ties"))
    if all_tied:
        add((True, f"all documents are tied in {all_tied:,} of {queries:,} queries: nothing is ranked there"))
    in_32_bits, more = found["tied_in_32_bits"]
    if in_32_bits:
        add(
            (
                True,
                f"documents that tie only in 32 bits (trec_eval 9, pytrec_eval): {more:,}, in queries: {in_32_bits:,}",
            )
        )
    if found["rank_contradicts"]:
        count = f"{found['rank_contradicts']:,} (scores count)"
        add((True, f"queries where rank column and scores contradict each other: {count}"))
    if found["rank_not_a_number"]:
        add((True, f"ranks that are no numbers: {found['rank_not_a_number']:,}"))
    top, retrieved, judged = found["top"]
    if retrieved:
        add((judged < retrieved / 2, f"{judged / retrieved:.1%} of the first {top} documents are judged"))
    if found["judged"] == 0:
        add((True, "no retrieved document is judged"))
    if found["near_document"]:
        ours, theirs = found["near_document"]
        add((True, f"document ids nearly match: {show_id(ours)} here, {show_id(theirs)} in the qrels"))
    return lines


def _counted(ids: list[str], most: int = 5) -> str:
    """How many, and the first of them."""
    shown = ", ".join(show_id(id_) for id_ in ids[:most])
    return f"{len(ids):,} ({shown}{', ...' if len(ids) > most else ''})"
