"""Verdicts as columns, for the commands that have them beside other values."""

from __future__ import annotations

from math import inf

from untied.cli.notes import listed
from untied.cli.options import Command, WrongUsage
from untied.policies import CERTIFYING
from untied.results.text import WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterator
    from typing import Any

    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.verdicts.found import Verdicts

#: Columns that `Verdicts.beside` adds.
COLUMNS = ("verdict", "overturn", "largest_m")


def add_certify(made: Command) -> None:
    """Add ``--certify``."""
    made.group("ties and judgments").flag(
        "--certify", "also show which run is certainly better, as untied certify does"
    )


def certified(options: argparse.Namespace, qrels: QrelsLike, runs: Runs, measures: list[MeasureLike]) -> Verdicts:
    """Verdicts about runs under a command's policies; with ``--ties range``, about means over all orders."""
    from untied.verdicts.runs import certify

    ties: Any = "expected" if options.ties == "range" else options.ties
    if ties not in CERTIFYING["ties"].values:
        raise WrongUsage(f"--certify needs --ties expected, range, docid, trec or given, not {ties}")
    return certify(qrels, runs, measures, ties=ties, score_dtype=options.score_dtype, threads=options.threads)


def not_exact(found: Verdicts, columns: Collection[str]) -> Iterator[str]:
    """Notes on bounds and numbers that are not exact, as far as the printed columns depend on them."""
    verdicts = [(str(measure), one) for pair in found.pairs for measure, one in found[pair].items()]
    enclosing = _counts([measure for measure, one in verdicts if not one.is_exact])
    if enclosing:
        what = "" if "low" in columns else "ranks from " if "best" in columns else "verdicts from "
        yield f"{what}bounds of the difference that may be wider than necessary: {listed(enclosing)}"
    least = _counts([measure for measure, one in verdicts if not one.overturn_is_exact])
    if least and ("overturn" in columns or "bound" in columns):  # --explain lists the documents
        yield f"overturn numbers that may be larger than shown: {listed(least)}"
    least = _counts([measure for measure, one in verdicts if not one.largest_m_is_exact])
    if least and "largest_m" in columns:
        yield f"values of largest_m that may be larger than shown: {listed(least)}"


def _counts(measures: list[str]) -> list[str]:
    return [f"{measures.count(measure)} of {measure}" for measure in dict.fromkeys(measures)]


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row without infinite numbers, which JSON lacks."""
    return {name: WORDS[name] if name in WORDS and value == inf else value for name, value in row.items()}
