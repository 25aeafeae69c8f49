"""Verdicts as columns, for the commands that have them beside other values."""

from __future__ import annotations

from untied._core import why_not
from untied.cli.options import Arguments, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.verdicts.results import Verdicts

#: Columns that `Verdicts.beside` adds.
COLUMNS = ("verdict", "overturn", "largest_m")


def add_certify(arguments: Arguments) -> None:
    """Add ``--certify``."""
    arguments.group("ties and judgments").flag(
        "--certify", "also show which run is certainly better, as untied certify does"
    )


def certified(options: argparse.Namespace, qrels: QrelsLike, runs: Runs, measures: list[MeasureLike]) -> Verdicts:
    """Verdicts about runs under a command's policies; with ``--ties range``, about means over all orders."""
    from untied.verdicts.runs import certify

    ties: Any = "expected" if options.ties == "range" else options.ties
    why = why_not("verdicts", "ties", ties)
    if why is not None:
        raise UsageError(f"with --certify, --ties {why}")
    return certify(
        qrels, runs, measures, ties=ties, score_dtype=options.score_dtype, docs=options.docs, threads=options.threads
    )
