"""How far a machine's judgments agree with those of people, and where they err."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, inf, nan, sqrt

from untied.errors import UntiedError
from untied.inputs import mismatch
from untied.inputs.convert import as_labels, as_qrels, loaded_runs
from untied.inputs.files import refuse_probabilities
from untied.judging.sample import ranked
from untied.results.table import tidy
from untied.statistics.intervals import check_level
from untied.statistics.judges import LEAST
from untied.statistics.values import t_quantile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from untied._core import Qrels, Run
    from untied.inputs.convert import QrelsLike, Runs
    from untied.results.table import Table

#: The last ranks of groups of documents by their best rank in any run.
DEPTHS = (10, 100)
#: Half an interval of kappa that is as narrow as this is only rounding.
_NO_SPREAD = 1e-12


# described by untied.evaluation.runs.Evaluator: threads
def agreement(
    human: QrelsLike, machine: QrelsLike, runs: Runs | None = None, *, level: float = 0.95, threads: int | None = None
) -> Table:
    """Compare a machine's judgments with those of people.

    Use it to see which errors a machine makes, by grade and by rank. Only documents that both judged are compared. To
    evaluate runs with the judgments of both, use `untied.statistics.estimate_runs`.

    Parameters
    ----------
    human, machine : Qrels, path, or {query: {document: grade}}
        The judgments of people and of the machine, on the same scale of grades. Documents with a negative grade count
        as not judged.
    runs : runs, optional
        One or several runs. If you pass them, documents are also grouped by the best rank that they have in any run.
        Tied documents are put in descending order of their ids first.
    level : float
        The confidence of the intervals of kappa, between 0 and 1.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    Table
        A row for all documents, then a row for each human grade, and a row for each group of ranks. The columns are:

        * ``group``: what the row is about
        * ``documents``: how many documents people and the machine both judged
        * ``human``, ``machine``: the mean grade by people, and by the machine
        * ``bias``: the mean of machine minus human grades
        * ``equal``: the share of documents with the same grade from both
        * ``kappa``: Cohen's kappa with quadratic weights. It is 1 if all grades are equal, and 0 if they agree only as
          often as by chance. Rows of a single human grade have none.
        * ``kappa_low``, ``kappa_high``: the interval of kappa, by a jackknife over queries. It needs five queries, and
          there is none if kappa would be the same without any one of them, as when people give one grade only.

    Raises
    ------
    UntiedError
        The judgments have no document in common, or an option is invalid.

    Examples
    --------
    >>> human = {f"q{i}": {"a": 1, "b": 0, "c": 0, "d": i % 2} for i in range(8)}
    >>> machine = {f"q{i}": {"a": 1, "b": 0, "c": int(i > 5), "d": 1} for i in range(8)}
    >>> for row in agreement(human, machine).to_dicts():
    ...     print(row["group"], row["documents"], row["bias"], round(row["kappa"], 2))
    all 32 0.1875 0.64
    grade 0 20 0.3 nan
    grade 1 12 0.0 nan
    """
    check_level(level)
    by_people = as_qrels(human, threads)
    by_machine = refuse_probabilities(as_labels(machine, threads), "the agreement of labels")
    loaded = {} if runs is None else loaded_runs(runs, threads)
    mismatch.warn({name: mismatch.of_inputs(by_people, run, threads, judging=True) for name, run in loaded.items()})
    if not any(query in by_machine for query in by_people.queries()):
        raise UntiedError("human and machine judgments have no query in common")
    groups: dict[tuple[int, float, str], dict[str, _Sums]] = {}
    for query, documents in _judged_by_people(by_people, by_machine):
        ranks = _best_ranks(loaded, query)
        for document, y, f in documents:
            if f < 0:
                continue
            for group in (
                (0, 0.0, "all"),
                (1, y, f"grade {y:g}"),
                *([_of_rank(ranks.get(document))] if loaded else []),
            ):
                groups.setdefault(group, {}).setdefault(query, _Sums()).add(y, f)
    if not groups:
        raise UntiedError("human and machine judgments have no document in common")
    rows = [(name, *_row(groups[place, order, name], place != 1, level)) for place, order, name in sorted(groups)]
    return tidy("group", "documents human machine bias equal kappa kappa_low kappa_high", rows)


def unlabelled(human: Qrels, machine: Qrels) -> Iterator[str]:
    """Return notes on documents that only people judged, in queries that both judged, and on those they skipped."""
    if "preferences" in (human.format, machine.format):  # which documents are judged is not asked there
        return
    pairs = _judged_by_people(human, machine)
    missing = sum(label < 0 for _, documents in pairs for _, _, label in documents)
    if missing:
        yield f"documents that people judged and the machine did not, unjudged for the machine: {missing:,}"
    if human.format == "trec":
        skipped = sum(grade < 0 for query in human.queries() for grade in human[query].values())
        if skipped:
            yield (
                f"documents with a grade below 0 in the human judgments, which count as not relevant: {skipped:,}; if "
                "people judged a random sample of the documents, untied judges --qrels-format stratified reads it"
            )


def _judged_by_people(human: Qrels, machine: Qrels) -> Iterator[tuple[str, list[tuple[str, float, float]]]]:
    """The documents that people judged, by query, with both grades; below 0 if the machine did not judge one."""
    for query in human.queries():
        if query in machine:
            labels = machine[query]
            documents = human[query].items()
            yield query, [(document, grade, labels.get(document, -1.0)) for document, grade in documents if grade >= 0]


def _best_ranks(runs: Mapping[str, Run], query: str) -> dict[str, int]:
    """The best rank of each document in any run."""
    best: dict[str, int] = {}
    for run in runs.values():
        for rank, document in enumerate(ranked(run, query), 1):
            best[document] = min(rank, best.get(document, rank))
    return best


def _of_rank(rank: int | None) -> tuple[int, float, str]:
    """The group of a document with this best rank, with what it is sorted by."""
    if rank is None:
        return 2, inf, "in no run"
    first = 1
    for last in DEPTHS:
        if rank <= last:
            return 2, first, f"ranks {first}-{last}"
        first = last + 1
    return 2, first, f"ranks {first} on"


@dataclass(slots=True)
class _Sums:
    """Sums over documents, from which kappa can be computed."""

    documents: float = 0
    human: float = 0.0
    machine: float = 0.0
    squares: float = 0.0
    distances: float = 0.0
    equal: float = 0

    def add(self, human: float, machine: float) -> None:
        """Count a document with these grades."""
        self.documents += 1
        self.human += human
        self.machine += machine
        self.squares += human * human + machine * machine
        self.distances += (human - machine) ** 2
        self.equal += human == machine

    def less(self, other: _Sums) -> _Sums:
        """The sums without those of some of the documents."""
        return _Sums(*(getattr(self, name) - getattr(other, name) for name in self.__slots__))

    def kappa(self) -> float:
        """1 - the mean squared distance of grades, by that of all human grades from all machine grades."""
        by_chance = self.squares - 2 * self.human * self.machine / self.documents if self.documents else 0.0
        return 1 - self.distances / by_chance if by_chance > 0 else nan


def _row(by_query: Mapping[str, _Sums], with_kappa: bool, level: float) -> tuple[float, ...]:
    """The numbers of a group."""
    parts = list(by_query.values())
    every = _Sums(*(fsum(getattr(part, name) for part in parts) for name in _Sums.__slots__))
    human, machine = every.human / every.documents, every.machine / every.documents
    kappa, half = every.kappa() if with_kappa else nan, nan
    if with_kappa and len(parts) >= LEAST:
        left_out = [every.less(part).kappa() for part in parts]
        middle = fsum(left_out) / len(parts)
        squares = fsum((one - middle) ** 2 for one in left_out)
        half = t_quantile("intervals of kappa", level, len(parts) - 1)
        half *= sqrt((len(parts) - 1) / len(parts) * squares)
        half = half if half > _NO_SPREAD else nan
    equal = every.equal / every.documents
    return int(every.documents), human, machine, machine - human, equal, kappa, kappa - half, kappa + half
