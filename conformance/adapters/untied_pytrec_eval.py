"""untied in the place of pytrec_eval."""

from __future__ import annotations

from typing import Any

import untied
from conformance.adapters import pytrec_eval
from conformance.adapters.common import Case

PACKAGE = "untied"
HOW = "untied.compat.pytrec_eval, asked as pytrec_eval is"
REFUSALS = (untied.UntiedError,)
#: As pytrec_eval: ids break ties, in 32 bits, and queries that the run lacks are left out.
DECLARED = {
    "docid down", "32-bit scores", "left out", "0/0 is 0", "recall levels rounded as in trec_eval 9",
}  # fmt: skip


def answer(case: Case) -> Any:
    """As from pytrec_eval."""
    from untied.compat import pytrec_eval as ours

    return pytrec_eval.by(ours, case)
