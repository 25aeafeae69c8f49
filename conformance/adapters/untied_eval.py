"""untied's command on files."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

from conformance.adapters import trec_eval
from conformance.adapters.common import Case, NotOffered
from conformance.adapters.untied_trec_eval import command

PACKAGE = "untied"
HOW = "untied eval QRELS RUN -m MEASURE --ties range --format json"
REFUSALS = (trec_eval.Refused,)
DECLARED = {"0/0 is 0"}


def answer(case: Case) -> Any:
    """The row of all queries."""
    case.asks("value")
    measure = "ESL" if case.name == "Rank" else case.measure
    if not any(case.run.values()):
        raise NotOffered("reads runs that hold a line")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        files = trec_eval.write(case, Path(folder))
        found = json.loads(command(["eval", *files, "-m", measure, "--ties", "range", "--format", "json"]))
    [row] = found["results"]
    more = case.name == "Rank"
    return {"mean": row["value"] + more, "lowest": row["low"] + more, "highest": row["high"] + more}
