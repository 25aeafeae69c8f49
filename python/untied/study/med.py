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
    """See what MED tells about runs: whether it finds those of one group, and how it relates to other distances.

    The study computes the distances of all pairs of runs. It compares MED with the groups of the runs, with their
    actual differences, and with other distances. You need three runs or more.

    Parameters
    ----------
    measure : measure
        The measure of ``MED``, with which other distances are compared.
    distances : list of str, optional
        These other distances and similarities, as for `untied.compare_all`. By default MED of RBP(p=0.9), AP@100 and
        ERR@30, and RBO(p=0.9). ``{grade}`` stands for the highest grade of the qrels.

        A similarity becomes the distance 1 minus its mean. ``Delta``, which has a sign, becomes its absolute mean; it
        is computed only with a share of the judgments, because without judgments it is 0 for all pairs.
    rates : sequence of float
        Which shares of the judgments MED is to know, from 0 to 1.
    psi : sequence of float
        The persistences of RBP and RBO to compare.
    cutoffs : sequence of int
        The cutoffs of nDCG and ERR to compare.
    groups : path or {run: group}, optional
        Which group each run belongs to, such as the team that submitted it. In a file, each line has a run's name and a
        group.
    prefix : int
        Without `groups`, runs form a group if their names begin with the same letters: so many of them.
    ties : str
        How to order tied documents, as for `untied.compare`. By default by id, as the paper does. ``"expected"`` is the
        mean over all orders; MED of ERR then takes up to a second per pair of runs and query.
    seed : int
        Seed of the samples of the judgments. The same seed gives the same samples.

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
