"""untied in the place of trec_eval."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path
from typing import Any

from conformance.adapters import trec_eval
from conformance.adapters.common import Case
from conformance.adapters.trec_names import names

PACKAGE = "untied"
HOW = "untied trec_eval -c -m MEASURE QRELS RUN: the row of all queries"
TOLERANCE = trec_eval.TOLERANCE
REFUSALS = (trec_eval.Refused,)
#: As trec_eval 10: ids break ties of 64-bit scores.
DECLARED = {
    "docid down", "0/0 is 0", "grades cut to whole numbers", "recall levels rounded as in trec_eval 10",
}  # fmt: skip


def answer(case: Case) -> Any:
    """As from trec_eval, in this process."""
    asked, printed = names(case)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return trec_eval.value(command(["trec_eval", "-c", "-m", asked, *trec_eval.write(case, Path(folder))]), printed)


def command(arguments: list[str]) -> str:
    """What a command of untied prints; an error where it fails."""
    from untied.cli import main

    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
    if code:
        raise trec_eval.Refused(errors.getvalue().strip())
    return output.getvalue()
