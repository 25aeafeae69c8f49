"""``untied certify``: which runs are certainly better despite missing judgments."""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from math import inf

from untied._core import show_id, why_not
from untied.cli import notes, output
from untied.cli.command import Command
from untied.cli.options import (
    PAPER_FORMATS,
    RUNS,
    Arguments,
    UsageError,
    chosen,
    inputs_of,
    listing,
    load_plugins,
    whole,
)
from untied.cli.reading import read_qrels, reading_settings, with_readable
from untied.cli.rules import Excludes, Needs
from untied.results.plotting import need_matplotlib
from untied.results.text import cell, markdown_text, spoken
from untied.verdicts.results import Verdicts
from untied.verdicts.runs import DEFAULT, certify
from untied.verdicts.sampled import DEFAULT as OF_SAMPLES
from untied.verdicts.sampled import from_sample

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from typing import Any

    from untied.results.table import Table
    from untied.verdicts.verdict import Grades, Verdict

EXAMPLES = """\
  untied certify qrels.txt old.run new.run
  untied certify qrels.txt runs/ -m nDCG@10 -m AP@100 > verdicts.tsv
  untied certify qrels.txt old.run new.run -m R@100 --most 3
  untied certify qrels.txt runs/ -m P@10 --show ranks -o certain.svg
  untied certify qrels.txt old.run new.run -m P@10 --explain old new
  untied certify sampled.qrels runs/ -m P@10 --from-sample

A verdict names the run, A or B, that is better whatever grades the unjudged
documents have. All others are open: either run could be better, they could be
equal, or the bounds are too wide to tell. The columns low and high are the
lowest and the highest possible difference between the means, A minus B.

If no unjudged document is relevant, the run with the higher mean has the lead.
The column overturn says how many of these documents would have to be relevant
to end it, at the least. The column largest_m says how many each query may have
while the lead stays certain.

--explain prints the unjudged documents that decide a verdict. The column bound
names the case: low (the difference is lowest), high (it is highest) or overturn
(the lead ends). The column grade is what the document has in this case.
"""

#: What verdicts from a sample have, and where nothing else is asked for.
SAMPLED: Sequence[str] = ("run_a", "run_b", "measure", "low", "high", "verdict")
SAMPLING: dict[str, Any] = {"level": 0.95, "correction": "bonferroni"}

#: Bounds that are no farther apart are the same: more than a certificate rounds them, and takes for exact.
CLOSE = 1e-6
COLUMNS = ("run_a", "run_b", "measure", "low", "high", "verdict", "overturn", "largest_m")


#: Columns of an explanation that are the same for several documents.
OF_CASE = ("measure", "query", "bound", "difference")


COMMAND = Command(
    "certify",
    "find which runs are certainly better despite missing judgments",
    EXAMPLES,
    listed_after="stats",
    common="-m --ties --most --show --explain --from-sample --format -o",
    rules=(
        Excludes("--explain", "--show"),
        Needs("--grades --level --correction", "--from-sample"),
        Excludes(
            "--from-sample",
            "--unjudged --unretrieved --score-dtype --show --explain -o=svg|png|pdf --most --docs --certificate",
        ),
    ),
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_judged_runs(f"two or more {RUNS}")
    arguments.add_measures(f"compare runs by MEASURE (repeatable; default: {', '.join(DEFAULT)})")
    arguments.add_docs()
    arguments.add_plugin()
    arguments.add_policies("verdicts", "ties", "unjudged", "unretrieved", "score_dtype")
    group = arguments.group("ties and judgments")
    group.option(
        "--most",
        "M",
        "assume that at most M unjudged documents of each query are relevant (default: any number)",
        type=whole(0),
    )
    group = arguments.group("verdicts from a sample")
    group.flag(
        "--from-sample",
        f"assume that judged documents are a random sample of the pool (default measure: {OF_SAMPLES[0]})",
    )
    group.option(
        "--grades",
        "G,G,...",
        "give all grades of the scale, such as 0,1,2,3, which a sample may miss (needed for DCG and RBP(max_grade=))",
        type=_grades,
    )
    group.option("--level", "L", "set the confidence level of verdicts (default: 0.95)", type=float)
    group.option(
        "--correction",
        "NAME",
        "correct the confidence level for the number of pairs of runs: bonferroni (default) or none",
        choices=("bonferroni", "none"),
    )
    group = arguments.group("output")
    about = {
        "ranks": "the best and the worst rank that each run can have among all runs",
        "levels": "three verdicts: for all orders of tied documents, for all grades of unjudged documents, and for "
        "other queries",
    }
    group.option("--show", "WHAT", listing("instead of verdicts, print", about), choices=tuple(about))
    group.option("--explain", ("A", "B"), "print the documents that decide the verdict about runs A and B", nargs=2)
    group.option("--certificate", "FILE", "also write a certificate that untied verify can check")
    plot = "a plot of the certain verdicts (needs matplotlib)"
    arguments.add_table(PAPER_FORMATS, beside=output.PICTURES, about=plot)
    arguments.add_threads()


def _grades(text: str) -> list[float]:
    """Read the grades of a scale."""
    try:
        return [float(grade) for grade in text.split(",")]
    except ValueError:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError("must be numbers with commas between them, such as 0,1,2,3") from None


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    why = why_not("samples", "ties", options.ties) if options.from_sample else None
    if why is not None:
        raise UsageError(f"with --from-sample, --ties {why}")
    style = options.style
    inputs = inputs_of(options.qrels, *options.runs, options.docs)
    output.check_targets(inputs, [options.output, *options.beside], options.certificate)
    if options.beside:
        need_matplotlib()
    _check_certified(options, inputs)
    plugins = load_plugins(options.plugin)
    qrels = read_qrels(options)
    settings = chosen(options, "ties", "unjudged", "unretrieved", "score_dtype", "most")

    def make(runs: Any) -> Verdicts:
        return certify(qrels, runs, options.measure or DEFAULT, **settings, docs=options.docs, threads=options.threads)

    is_first = False
    if options.from_sample:
        given = {name: value for name, value in chosen(options, *SAMPLING).items() if value is not None}
        confidence = SAMPLING | given
        how = chosen(options, "ties", "threads", "grades") | confidence
        sampled, skipped = with_readable(
            options, lambda runs: from_sample(qrels, runs, options.measure, **how), least=2
        )
        said = [*skipped, f"verdicts hold with a confidence of {100 * confidence['level']:g} % and are not certain"]
        columns, rows = SAMPLED, sampled.to_dicts()
        settings = {"ties": options.ties, "grades": options.grades, **confidence}
    else:
        verdicts, skipped = with_readable(options, make, least=2)
        if options.certificate:
            claims = verdicts.write_certificate(options.certificate, options.qrels, options.runs)
        columns, rows = _asked(verdicts, options)
        answers = _answers(verdicts, options.ties)
        is_first = columns is COLUMNS and style in ("table", "md")
        said = [*skipped, *verdicts._notes(columns), *([] if is_first else answers)]
        for path in options.beside:
            output.write(verdicts.plot(style=output.PICTURES[output.suffix(path)]), path)
    notes.add(said)
    if options.certificate:
        notes.add(_wider(verdicts, claims, options.digits))
    if style == "json":
        settings |= {"qrels_format": options.qrels_format, **reading_settings(options)}
        text = output.json(settings, inputs, **output.plugins(plugins), results=rows)
    else:
        text = _text(columns, rows, options, style)
        if is_first:
            shown = answers if style == "table" else (markdown_text(answer) + "\n" for answer in answers)
            text = "".join(f"{answer}\n" for answer in shown) + text
    output.write(text, options.output)
    if options.certificate:
        size = os.path.getsize(options.certificate)
        what = f"certificate of {len(claims)} claim{'s' * (len(claims) > 1)}, {size / 1000:.1f} kB"
        print(f"{show_id(options.certificate)}: {what}", file=sys.stderr)


def _text(columns: Sequence[str], rows: list[dict[str, Any]], options: argparse.Namespace, style: str) -> str:
    """The table as text."""
    shown = cell if style in ("tsv", "csv") else spoken
    lines = [[shown(row[column], column, options.digits) for column in columns] for row in rows]
    if options.explain and style not in ("tsv", "csv"):
        lines = _once(lines, [columns.index(name) for name in OF_CASE])
    texts = sum(isinstance(one, str) for one in next(iter(rows), {}).values())
    texts = texts if options.explain or options.show == "levels" else min(texts, 3)
    if style == "latex":
        from untied.results.latex import escaped, tabular

        body = ([*map(escaped, line)] for line in lines)
        return tabular([*map(escaped, columns)], body, escaped(_caption(columns, options)), texts)
    text = output.lines(columns, lines, style, texts)
    if style in ("table", "md") and options.show != "ranks":
        sign = _sign(options.explain)
        return f"{sign}\n{text}" if style == "table" else f"{markdown_text(sign)}\n\n{text}"
    return text


def _once(lines: list[list[str]], places: Sequence[int]) -> list[list[str]]:
    """The lines without what stands in all these places of the line above."""
    shown = lines[:1]
    for above, line in pairwise(lines):
        repeats = all(line[place] == above[place] for place in places)
        shown.append(["" if repeats and place in places else text for place, text in enumerate(line)])
    return shown


def _wider(verdicts: Verdicts, claims: Table, digits: int) -> Iterator[str]:
    """A note on claims of a certificate whose bounds are wider than those that were printed."""
    wider = []
    for row, claim in zip(verdicts.table.to_dicts(), claims.to_dicts(), strict=True):
        if claim["low"] < row["low"] - CLOSE or claim["high"] > row["high"] + CLOSE:
            of = f"{row['measure']} of {show_id(row['run_a'])} and {show_id(row['run_b'])}"
            undecided = ", open" if claim["verdict"] == "open" != row["verdict"] else ""
            wider.append(f"{of} ({claim['low']:z.{digits}f} to {claim['high']:z.{digits}f}{undecided})")
    if wider:
        where = f"{len(wider):,} of {len(claims):,} claim{'s' * (len(claims) > 1)}: {notes.listed(wider, 'claim')}"
        yield f"bounds in the certificate are wider than the bounds printed, in {where}"


def _check_certified(options: argparse.Namespace, inputs: list[str]) -> None:
    """Refuse a certificate that cannot be written, or about inputs that its checker does not read."""
    if options.certificate is None:
        return
    formats = {options.qrels_format, options.run_format} - {"auto", "trec"}
    if formats or "-" in inputs:
        given = f"format {min(formats)}" if formats else "standard input"
        raise UsageError(f"--certificate: expected files in TREC's format, which untied verify reads, found {given}")


def _asked(verdicts: Verdicts, options: argparse.Namespace) -> tuple[Sequence[str], list[dict[str, Any]]]:
    """The columns and rows of the table that was asked for."""
    if options.explain:
        try:
            return _explained(verdicts, *options.explain)
        except KeyError as error:
            raise UsageError(f"--explain: {error.args[0]}") from None
    if options.show == "ranks":
        return verdicts.ranks.columns, verdicts.ranks.to_dicts()
    if options.show == "levels":
        table = verdicts.levels()
        return table.columns, table.to_dicts()
    return COLUMNS, verdicts.table.to_dicts()


def _explained(verdicts: Verdicts, run_a: str, run_b: str) -> tuple[Sequence[str], list[dict[str, Any]]]:
    """Unjudged documents with the grades that make the difference lowest and highest, and that overturn the verdict."""
    rows = []
    for measure in verdicts.measures:
        for query in verdicts.explain(run_a, run_b, measure).queries:
            for role, grades in (
                ("low", query.lowest), ("high", query.highest), ("overturn", query.overturning),
            ):  # fmt: skip
                place = {"measure": measure, "query": query.query, "bound": role, "difference": grades.difference}
                rows += [{**place, "document": document, "grade": grade} for document, grade in _documents(grades)]
    return ("measure", "query", "bound", "document", "difference", "grade"), rows


def _sign(explained: Sequence[str] | None) -> str:
    """A line above the table on which run is subtracted from which."""
    if explained:
        return f"difference: {show_id(explained[0])} (A) minus {show_id(explained[1])} (B)"
    return "low, high: bounds of the difference, run_a (A) minus run_b (B)"


def _caption(columns: Sequence[str], options: argparse.Namespace) -> str:
    """The caption of a table in LaTeX: the meaning of its columns."""
    if options.show == "ranks":
        return "Best and worst rank that each run can have, depending on the grades of unjudged documents."
    when = "for all grades of unjudged documents"
    if options.show == "levels":
        when = (
            "in every order of tied documents (ties), for all grades of unjudged documents (judgments), "
            "with confidence (queries)"
        )
    elif options.from_sample:
        when = f"with a confidence of {100 * (options.level or SAMPLING['level']):g} %"
    said = [_sign(options.explain)]
    if "verdict" in columns:
        said.append(f"Verdict A or B: this run has the higher mean {when}; otherwise open")
    if "overturn" in columns:
        said.append("overturn: smallest number of unjudged documents that would end the lead if they were relevant")
        said.append("The lead is certain if at most largest_m unjudged documents of each query are relevant")
    return ". ".join(said) + "."


def _documents(grades: Grades) -> Iterator[tuple[str, float]]:
    yield from grades.documents.items()
    for grade in grades.elsewhere:
        yield "(not retrieved)", grade


def _answers(certified: Verdicts, ties: str) -> list[str]:
    """The answer in words, measure by measure: which run is certainly better, and what could end a lead."""
    when = f"for all grades of unjudged documents{' and in every order of tied documents' if ties == 'range' else ''}"
    return [
        f"{measure}: {_answer(certified, [certified[pair][measure] for pair in certified.pairs], when)}"
        for measure in certified.measures
    ]


def _answer(certified: Verdicts, verdicts: list[Verdict], when: str) -> str:
    decided = sum(one.verdict != "open" for one in verdicts)
    if len(verdicts) > 1:
        return f"in {decided:,} of {len(verdicts):,} pairs of runs, one run is better {when}"
    [verdict] = verdicts
    if decided:
        better = certified.runs["AB".index(verdict.verdict)]
        return f"yes, {show_id(better)} is better {when}"
    answer = "no, neither run is certainly better"
    if not 0 < verdict.overturn < inf:
        return answer
    least = "" if verdict.overturn_is_exact else "at least "
    documents = "document" if verdict.overturn == 1 else "documents"
    return f"{answer}: the lead could end if {least}{verdict.overturn:,.0f} unjudged {documents} were relevant"
