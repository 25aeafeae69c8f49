"""untied in the place of ir_measures."""

from __future__ import annotations

from typing import Any

import untied
from conformance.adapters import ir_measures
from conformance.adapters.common import Case

PACKAGE = "untied"
HOW = "ir_measures, with untied.compat.ir_measures.install()"
REFUSALS = (untied.UntiedError,)
#: As its default providers: pytrec_eval's order, ascending ids for RR@k and Judged@k, the order given for Accuracy.
DECLARED = {
    "docid down", "docid up", "as given", "32-bit scores", "0/0 is 0", "the last copy counts",
    "later copies take a rank and gain nothing",
}  # fmt: skip


def answer(case: Case) -> Any:
    """As from ir_measures, of which untied is the provider."""
    import ir_measures as package

    from untied.compat import ir_measures as ours

    ours.install()
    try:
        return ir_measures.by(package, case)
    finally:
        ours.uninstall()
