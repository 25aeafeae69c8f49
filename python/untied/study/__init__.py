"""Studies of test collections: experiments of papers, repeated on any judgments and runs by one call.

A study stores its finished parts, so it can continue after an interruption. At the end it writes a tidy table, plots
and a summary. `untied study` is the same on the command line.
"""

from __future__ import annotations

from untied.study.agreement import Agreement, agreement
from untied.study.conduct import PLOTS, Result
from untied.study.frame import Study
from untied.study.imperfect import Imperfect, imperfect
from untied.study.incomplete import Incomplete, incomplete
from untied.study.judges import Judges, judges
from untied.study.judging import Judging, judging
from untied.study.med import med
from untied.study.med_runs import Med
from untied.study.order import Order, order
from untied.study.passages import Passages, passages
from untied.study.ties import Ties, ties

#: Studies by name; the function of the same name in this module conducts one.
STUDIES: dict[str, type[Study]] = {
    study.name: study for study in (Incomplete, Imperfect, Ties, Med, Passages, Agreement, Judging, Order, Judges)
}

__all__ = [
    "PLOTS",
    "STUDIES",
    "Result",
    "Study",
    "agreement",
    "imperfect",
    "incomplete",
    "judges",
    "judging",
    "med",
    "order",
    "passages",
    "ties",
]
