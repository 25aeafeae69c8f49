"""Imperfect judgments: judged documents that no longer exist (Yilmaz & Aslam 2006, section 3)."""

from __future__ import annotations

from untied._core import only_documents, retrieved_documents
from untied.judging import sample
from untied.study.conduct import conduct
from untied.study.estimates import STATISTICS, AgainstAP
from untied.study.estimates_options import add_rates, checked
from untied.study.frame import documented
from untied.study.inputs import Inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, ClassVar

    from untied._literals import QrelsFormat
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.results.table import Table
    from untied.study.conduct import Plots, Result
    from untied.study.plots import Figure
    from untied.study.rows import Row

#: Shares of the collection.
RATES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)


class Imperfect(AgainstAP):
    """The study that evaluates runs by all measures after documents were removed from the collection."""

    name = "imperfect"
    title = "How well measures on a part of the collection agree with AP on the whole collection"
    columns: ClassVar[Mapping[str, str]] = {
        "measure": "the measure",
        "run": "the run, without the documents that were removed",
        "rate": "share of the collection that is kept",
        "sample": "number of the part of the collection",
        "value": "the measure's mean over queries",
        **STATISTICS,
    }

    def __init__(self, inputs: Inputs, settings: dict[str, Any]) -> None:
        super().__init__(inputs, settings)
        self._evaluator = self.evaluator(self.qrels, 1.0)
        self._documents: list[str] = []

    @staticmethod
    def add_options(add: Callable[..., object]) -> None:
        """Add the study's options to the command line."""
        add_rates(add, RATES, "of the collection")

    def compute(self, *part: Any) -> list[Row]:
        """Return rows with the values of all measures and runs on one part of the collection."""
        rate, number = part
        runs = list(self.inputs.runs.values())
        if rate < 1:
            self._documents = self._documents or retrieved_documents(runs, self.inputs.threads)
            seed = self.seed(number)
            kept = (document for document in self._documents if sample.keeps_document(document, rate, seed))
            runs = only_documents(runs, kept, self.inputs.threads)
        return self.rows(self._evaluator, runs)

    def summary(self, tables: Mapping[str, Table]) -> Iterator[str | Figure]:
        """Return the summary: a table for each statistic, and the plot."""
        yield (
            f"Random documents were removed from the runs at {len(self.rates)} rates, with {self.samples} parts of the "
            "collection for each rate below 100 %. The judgments of removed documents were kept. The runs' means by "
            "each measure are compared with their mean AP on the whole collection.\n"
        )
        caption = "Measures on parts of the collection, compared with AP on the whole collection"
        yield self.statistics_figure(tables[self.name], caption, "collection kept, %")
        yield from self.sections(tables[self.name])


@documented
def imperfect(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    rates: Sequence[float] = RATES,
    samples: int = 10,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    rel: float = 1,
    pool_depth: int | None = None,
    seed: int = 0,
    qrels_format: QrelsFormat = "auto",
    plots: Plots = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Show how well measures still rank your runs if a part of the collection is lost.

    The study removes random documents from the runs, and keeps all judgments. Then it compares each measure with AP on
    the whole collection. You need two runs or more.

    Every call with the same seed removes the same documents, because a document's id and the seed decide (see
    `untied.judging.sample.keeps_document`).

    Parameters
    ----------
    rates : sequence of float
        Which shares of the collection to keep, such as ``(0.5, 0.1)``. The whole collection is always included.
    samples : int
        How many parts of the collection to draw at each rate below 1.
    measures : measures or their names, optional
        Which measures to compare with AP, as for `incomplete`.
    rel : float
        The lowest relevant grade for AP and the default measures, except nDCG.
    pool_depth : int, optional
        If you pass this, only judgments of documents in the first `pool_depth` ranks of some run are used, as for
        `incomplete`.
    seed : int
        Seed of the parts. The same seed gives the same parts.

    Returns
    -------
    Result
        ``rows`` has a row for every part of the collection and measure.

    References
    ----------
    Yilmaz & Aslam 2006, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM.
    """
    settings = checked(rates, samples, measures, rel, pool_depth, seed)
    study = Imperfect(Inputs(qrels, runs, qrels_format=qrels_format, threads=threads), settings)
    return conduct(study, directory, plots=plots, restart=restart)
