"""untied in the place of scikit-learn's ranking metrics."""

from __future__ import annotations

from typing import Any

import untied
from conformance.adapters import scikit_learn
from conformance.adapters.common import Case

PACKAGE = "untied"
HOW = "untied.compat.sklearn, asked as scikit-learn is"
REFUSALS = (untied.UntiedError,)
DECLARED = {"0/0 is 0"}


def answer(case: Case) -> Any:
    """As from scikit-learn."""
    from untied.compat import sklearn as ours

    return scikit_learn.by(ours, case)
