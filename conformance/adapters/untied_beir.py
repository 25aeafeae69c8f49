"""untied in the place of BEIR's evaluation."""

from __future__ import annotations

from typing import Any

import untied
from conformance.adapters import beir
from conformance.adapters.common import Case

PACKAGE = "untied"
HOW = "untied.compat.beir.EvaluateRetrieval, asked as BEIR's is"
TOLERANCE = beir.TOLERANCE
REFUSALS = (untied.UntiedError,)
#: As BEIR: pytrec_eval's order for most measures, the order given for RR and Success.
DECLARED = {"docid down", "32-bit scores", "as given", "left out", "0/0 is 0"}


def answer(case: Case) -> Any:
    """As from BEIR."""
    from untied.compat.beir import EvaluateRetrieval

    return beir.by(EvaluateRetrieval, case)
