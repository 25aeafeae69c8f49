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
    """Compare the distances of runs by MED with their groups, with actual differences, and with other distances.

    The study compares all pairs of three or more runs.

    Parameters
    ----------
    measure : measure
        The measure S of ``MED(S)``; other distances are compared with it.
    distances : list of str, optional
        Other distances and similarities, as for `untied.compare_all`. By default MED of RBP(p=0.9), AP@100 and ERR@30,
        and RBO(p=0.9). ``{grade}`` stands for the highest grade of the qrels. A similarity becomes the distance 1 minus
        its mean; ``Delta``, which is signed, becomes its absolute mean, and is computed only with shares of the
        judgments, because without judgments it is 0 for all pairs of runs.
    rates : sequence of float
        The shares of the judgments that MED knows, from 0 to 1.
    psi : sequence of float
        Persistences of RBP and RBO.
    cutoffs : sequence of int
        Cutoffs of nDCG and ERR.
    groups : path or {run: group}, optional
        Groups of runs; a file has lines of a run's name and a group.
    prefix : int
        Without `groups`, runs whose names share their first `prefix` letters form a group.
    ties : str
        Tied documents, as for `untied.compare`. By default tied documents are ordered by id, as in the paper.
        ``"expected"`` is the mean over all orders; MED of ERR then takes up to a second per pair of runs and query.
    seed : int
        Seed of the samples of the judgments.

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
