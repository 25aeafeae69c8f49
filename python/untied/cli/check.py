"""``untied check``: find problems in runs and qrels."""

from __future__ import annotations

import os
import sys

from untied._core import check_run, malformed_lines, show_id
from untied.cli import notes, paint
from untied.cli.command import Command
from untied.cli.options import QRELS, RUNS, Arguments, count, inputs_of
from untied.cli.output import write
from untied.cli.reading import InputErrors, files_of, left_out, read_qrels, refusal
from untied.errors import InputError, UntiedError
from untied.inputs.files import by_suffix, read_ranked, refuse_probabilities
from untied.inputs.mismatch import SWAPPED
from untied.results.text import percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from untied._core import Qrels, Run
    from untied._types import Findings


EXAMPLES = """\
  untied check qrels.txt bm25.run dense.run.gz
  untied check qrels.txt runs/ --keep-going
  untied check qrels.txt bm25.run --list 1000

Lines that begin with an exclamation mark point to possible problems, such as
judged queries that are missing from a run.
"""


#: Ids to list for each problem.
NAMED = 5
#: Malformed lines to list of each file.
LISTED = 20


COMMAND = Command(
    "check",
    "find problems in runs and judgments",
    EXAMPLES,
    listed_after="report",
    common="--qrels-format --run-format --column --keep-going --list",
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_argument("qrels", metavar="QRELS", help=QRELS)
    arguments.add_argument("runs", metavar="RUN", nargs="+", help=RUNS)
    arguments.add_reading()
    arguments.add_keep_going()
    arguments.group("output").option(
        "--list",
        "N",
        f"list up to N queries or documents for each problem (default: {NAMED})",
        type=count,
        default=NAMED,
    )
    arguments.add_threads()


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    inputs_of(options.qrels, *options.runs)
    formats = {file.path: file.format for file in files_of(options, options.runs)}
    try:
        qrels = refuse_probabilities(read_qrels(options), "untied check")
    except InputErrors as error:
        raise InputErrors([_all_lines(one, formats, options) for one in error.errors]) from None
    refused: list[Exception] = []
    is_first = True
    for file in files_of(options, options.runs):
        try:
            run = read_ranked(file, threads=options.threads)
        except (UntiedError, OSError) as error:
            refused.append(_all_lines(error, formats, options))
            continue
        findings = check_run(qrels, run, options.threads)
        queries = qrels.queries()
        unanswered = [queries[row] for row in sorted(qrels.unanswered())]
        lines = [*_of_qrels(findings, unanswered, options.list), ""] if is_first else []
        is_first = False
        lines += [f"{show_id(file.path)}: {findings['queries'][0]:,} queries, {findings['documents']:,} documents"]
        may_be_empty = findings["depths"][0] == 0
        about = [*describe(findings, options.list), *_of_answers(run, qrels, unanswered, may_be_empty, options.list)]
        lines += [f"{_mark(suspicious)} {text}" for suspicious, text in about]
        write("\n".join(lines) + "\n", None)
    if refused and (is_first or not options.keep_going):
        raise refusal(refused, options)
    if refused:
        notes.add(left_out(refused, len(options.runs)))


def _all_lines(error: Exception, formats: dict[str, str], options: argparse.Namespace) -> Exception:
    """The error of a malformed line together with those of the file's other ones."""
    if not isinstance(error, InputError) or error.line is None or not os.path.isfile(error.file):
        return error
    is_run = error.file in formats
    named = formats[error.file] if is_run else options.qrels_format
    format = by_suffix(error.file) if named == "auto" else named
    try:
        messages, count = malformed_lines(error.file, format, is_run, LISTED, options.threads)
    except (UntiedError, OSError):  # such as a damaged archive
        return error
    if count < 2:
        return error
    errors: list[Exception] = [UntiedError(message) for message in messages]
    if count > LISTED:
        errors.append(UntiedError(f"{show_id(error.file)}: {count - LISTED:,} more malformed lines"))
    return InputErrors(errors, error.file)


def _mark(suspicious: bool) -> str:
    return paint("!", "yellow", sys.stdout) if suspicious else " "


def _of_qrels(findings: Findings, unanswered: list[str], most: int) -> list[str]:
    lines = [f"qrels: {findings['queries'][1]:,} queries"]
    if unanswered:
        lines.append(
            f"{_mark(True)} queries without judged documents, which have no answer or none is known yet: "
            f"{_counted(unanswered, most)}"
        )
    irrelevant = sorted({*findings["without_relevant"]} - {*unanswered})
    if irrelevant:
        lines.append(f"{_mark(True)} queries without a relevant document: {_counted(irrelevant, most)}")
    if findings["repeated"]:
        lines.append(f"{_mark(True)} repeated judgments: {findings['repeated']}")
    return lines


def _of_answers(
    run: Run, qrels: Qrels, unanswered: list[str], may_be_empty: bool, most: int
) -> Iterator[tuple[bool, str]]:
    """Statements about queries for which a run retrieves nothing, and about those for which it should."""
    retrieved = {*run.queries()}
    judged = {*qrels.queries()} & retrieved - {*unanswered} if may_be_empty else set()
    empty = [query for query in sorted(judged) if not run[query]]
    if empty:
        yield True, f"queries for which nothing is retrieved: {_counted(empty, most)}"
    answered = [query for query in unanswered if query in retrieved and run[query]]
    if unanswered:
        number = "none" if not answered else _counted(answered, most)
        yield bool(answered), f"queries without judged documents for which something is retrieved: {number}"


def describe(findings: Findings, most: int) -> Iterator[tuple[bool, str]]:
    """Statements about one run, each with whether it is a problem and with at most so many ids."""
    if findings["swapped"]:
        yield True, SWAPPED
    if findings["tags"]:
        yield True, f"several run tags; perhaps several runs are in one file: {_counted(findings['tags'], most)}"
    if findings["absent"]:
        yield True, f"judged queries missing from the run: {_counted(findings['absent'], most)}"
    if findings["unknown"]:
        yield True, f"queries without judgments: {_counted(findings['unknown'], most)}"
    if findings["near_queries"]:
        pairs = [f"{show_id(ours)} for {show_id(theirs)}" for ours, theirs in findings["near_queries"]]
        yield True, f"query ids that nearly match: {_counted(pairs, most)}"
    shallow, deep, at_depth = findings["depths"]
    if shallow == deep:
        yield False, f"every ranking has {deep:,} documents; the rankings were probably cut off"
    else:
        of = f"{at_depth:,} of {findings['queries'][0]:,}"
        cut = f"; {of} have {deep:,} and were probably cut off" if at_depth > 1 else ""
        yield False, f"rankings have {shallow:,} to {deep:,} documents{cut}"
    queries, documents = findings["queries"][0], findings["documents"]
    tied, all_tied = findings["tied_queries"]
    if tied:
        yield (
            findings["tied_documents"] > 0.1 * documents,
            f"{findings['tied_documents']:,} documents ({percent(findings['tied_documents'], documents, 1)}) are tied, "
            f"in {tied:,} of {queries:,} queries",
        )
    else:
        yield False, "no ties"
    if all_tied:
        yield True, f"all documents are tied in {all_tied:,} of {queries:,} queries, so their rankings have no order"
    in_32_bits, more = findings["tied_in_32_bits"]
    if in_32_bits:
        yield (
            True,
            f"documents that tie only after rounding to 32 bits, as in trec_eval 9: {more:,} "
            f"(in {in_32_bits:,} of {queries:,} queries)",
        )
    if findings["rank_contradicts"]:
        count = f"{findings['rank_contradicts']:,} (untied sorts by score; --run-format trec-ranks sorts by rank)"
        yield True, f"queries where the rank column contradicts the scores: {count}"
    if findings["rank_not_a_number"]:
        yield True, f"ranks that are not numbers: {findings['rank_not_a_number']:,}"
    top, retrieved, judged = findings["top"]
    if retrieved:
        yield judged < retrieved / 2, f"{percent(judged, retrieved, 1)} of the first {top} documents are judged"
    if findings["judged"] == 0:
        yield True, "no retrieved document is judged"
    if findings["near_document"]:
        ours, theirs = findings["near_document"]
        yield True, f"document ids nearly match: {show_id(ours)} here, {show_id(theirs)} in the qrels"


def _counted(ids: list[str], most: int) -> str:
    """Their number, and the first few."""
    shown = ", ".join(show_id(id_) for id_ in ids[:most])
    return f"{len(ids):,} ({shown}{f' and {len(ids) - most:,} more' if len(ids) > most else ''})"
