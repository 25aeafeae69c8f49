"""The study of MED."""

from __future__ import annotations

import os

from untied._core import Policies
from untied.errors import check_share
from untied.measures import as_measure
from untied.study.conduct import conduct
from untied.study.frame import documented
from untied.study.inputs import Inputs
from untied.study.med_names import PREFIX, grouped
from untied.study.med_runs import CUTOFFS, DISTANCES, MEASURE, PSI, RATES, TIES, Med
from untied.study.rows import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from untied._literals import QrelsFormat, TiesOfPairs
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.study.conduct import Plots, Result


@documented
def med(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    measure: MeasureLike = MEASURE,
    distances: Iterable[str] | None = None,
    rates: Sequence[float] = RATES,
    psi: Sequence[float] = PSI,
    cutoffs: Sequence[int] = CUTOFFS,
    groups: str | os.PathLike[str] | Mapping[str, str] | None = None,
    prefix: int = PREFIX,
    ties: TiesOfPairs = TIES,
    seed: int = 0,
    qrels_format: QrelsFormat = "auto",
    plots: Plots = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Show what MED tells about your runs, and how it relates to other distances.

    MED is the largest difference that two runs could have in a measure, whatever the judgments say. The study computes
    it for all pairs of runs, and asks three questions. Is MED small for two runs of the same group, such as the runs of
    one team? Does it predict how much the scores of two runs really differ, by the qrels? And does it order pairs as
    other distances do? You need three runs or more.

    Parameters
    ----------
    measure : measure
        The measure M of ``MED(M)``, such as ``"nDCG@20"``. All other distances are compared with this MED.
    distances : list of str, optional
        The distances and similarities to compare MED with, by the names that `untied.compare_all` takes. The default is
        MED of RBP(p=0.9), AP@100 and ERR@30, and RBO(p=0.9). ``{grade}`` in a name stands for the highest grade of the
        qrels.

        A similarity becomes a distance: 1 minus its mean. The mean of ``Delta`` may be negative, so the study takes its
        absolute value. Without judgments, ``Delta`` is left out, because it is 0 for all pairs.
    rates : sequence of float
        Which shares of the judgments MED knows, such as ``(0, 0.5, 1)``. The study computes MED once for each.
    psi : sequence of float
        The values of the persistence p of RBP and RBO to try, such as ``(0.8, 0.9)``. The study compares RBO and MED of
        RBP at each of them.
    cutoffs : sequence of int
        The cutoffs of nDCG and ERR to try, such as ``(10, 20)``. The study computes MED at each of them.
    groups : path or {run: group}, optional
        The group of each run, such as the team that submitted it: a dict, or a file in which each line has the name of
        a run and its group. By default, `prefix` makes the groups.
    prefix : int
        If you pass no `groups`, runs whose names begin with the same letters form a group. This is how many letters
        have to be the same.
    ties : str
        How to order tied documents, as for `untied.compare`. By default, they are ordered by id, as in the paper. With
        ``"expected"``, the study takes the mean over all orders of tied documents. MED of ERR then needs up to a second
        for each pair of runs and query.
    seed : int
        Seed of the random choice of judgments, if `rates` has shares between 0 and 1. The same seed gives the same
        choice.

    Returns
    -------
    Result
        ``rows`` has a row for every pair of runs, distance and share of the judgments.

    References
    ----------
    Tan & Clarke 2015, A Family of Rank Similarity Measures Based on Maximized Effectiveness Difference, TKDE 27.
    """
    policies = Policies("pairs", ties=ties)
    for rate in rates:
        check_share("rates", rate)
    settings = {
        "measure": str(as_measure(measure)),
        "distances": list(DISTANCES if distances is None else distances),
        "rates": sorted({float(rate) for rate in rates}),
        "psi": sorted({float(one) for one in psi}),
        "cutoffs": sorted({whole("cutoffs", one, 1) for one in cutoffs}),
        "prefix": whole("prefix", prefix),
        "ties": policies["ties"],
        "seed": whole("seed", seed),
    }
    inputs = Inputs(qrels, runs, qrels_format=qrels_format, threads=threads)
    return conduct(Med(inputs, settings, grouped(inputs, groups, prefix)), directory, plots=plots, restart=restart)
