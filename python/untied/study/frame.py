"""The common frame of studies: parts are computed one by one and kept; then tables, plots and a summary are made.

A study is a class in its own file. It lists its parts, computes the rows of one part, and makes tables, figures and
text from all rows. `conduct.py` does the rest. Equal inputs and settings give identical files, whatever the number of
threads and however often the work was interrupted.
"""

from __future__ import annotations

from untied.errors import UntiedError
from untied.inputs import mismatch
from untied.study.notes import of_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, ClassVar, TypeVar

    from untied.results.table import Table
    from untied.study.inputs import Inputs
    from untied.study.plots import Figure
    from untied.study.rows import Part, Row

    Conducts = TypeVar("Conducts", bound=Callable[..., Any])

#: Values that agree to this number of decimals differ only by rounding.
DIGITS = 12
#: Seeds of studies are that far apart, so that no two of them share a sample.
SEEDS = 1_000_000


class Study:
    """The base class of studies, with which you write your own. To conduct a study, call the function of its name.

    Parameters
    ----------
    inputs : Inputs
        The judgments and the runs.
    settings : dict
        All options that affect values, as JSON, with the names and the order of the command line. A list of numbers is
        a single argument with commas; a list of texts, such as ``"names"``, is an option that is given several times
        (``--name``).
    """

    #: Its name on the command line and in `untied.study`.
    name: ClassVar[str]
    #: What it does, in one line.
    title: ClassVar[str]
    #: Whether anything in it is random, and so depends on a seed.
    seeded: ClassVar[bool] = True
    #: What needs how many runs.
    needs: ClassVar[tuple[str, int]] = ("a study needs", 1)
    #: What the columns of its tables hold.
    columns: ClassVar[Mapping[str, str]]
    #: Settings that no part depends on.
    beside: ClassVar[Sequence[str]] = ()

    def __init__(self, inputs: Inputs, settings: dict[str, Any]) -> None:
        what, least = self.needs
        if len(inputs.runs) < least:
            raise UntiedError(f"{what} at least {least} runs, found {len(inputs.runs)}")
        self.inputs = inputs
        self.settings = settings

    @staticmethod
    def add_options(add: Callable[..., object]) -> None:
        """Add the study's own options to the command line. Each is also a parameter of its function."""
        raise NotImplementedError

    def apart(self) -> list[dict[str, str | None]]:
        """Return for each run why it has nothing in common with the judgments, or None if it has something."""
        qrels, threads = self.inputs.qrels, self.inputs.threads
        return [{name: mismatch.of_inputs(qrels, run, threads) for name, run in self.inputs.runs.items()}]

    def notes(self) -> list[str]:
        """Return sentences on what is unusual about the inputs, and how it counts."""
        return of_queries(self.inputs)

    def parts(self) -> Sequence[Part]:
        """Return the parts of the study. Each takes seconds, and is kept when it is finished."""
        raise NotImplementedError

    def compute(self, *part: Any) -> list[Row]:
        """Return the rows of one part. They depend only on the part, the inputs and the settings."""
        raise NotImplementedError

    def tables(self, rows_by_part: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Return the tables, made from the rows of all parts. The first table has the study's name."""
        raise NotImplementedError

    def summary(self, tables: Mapping[str, Table]) -> Iterable[str | Figure]:
        """Return the summary in pieces: Markdown, and plots where they belong."""
        raise NotImplementedError


_BEFORE = """\
Parameters
----------
qrels : Qrels, path, frame or dict
    Judgments.
runs : list of runs, or {name: run}
    Runs of any kind that `untied.evaluate` takes.
directory : path
    The folder to which the study writes its tables, plots and summary. If a study was interrupted, pass the same folder
    again, and the study continues.
"""
_FORMAT = """\
qrels_format : str
    The format of the judgments, as for `untied.read_qrels`. With ``"auto"``, the suffix of the file's name tells the
    format.
"""
_AFTER = """\
plots : str
    In which format to draw plots: ``"svg"``, ``"png"`` or ``"both"``. This needs matplotlib. With ``"none"``, no plots
    are drawn.
restart : bool
    Whether to discard the parts that are already computed, and compute everything again. By default, a study that was
    interrupted keeps the parts that are in its folder, and computes only the others.
threads : int, optional
    How many threads to use. By default, there is one for each processor. The number of threads never changes a value.

Returns
-------
"""
_RAISES = """\
Raises
------
UntiedError
    An option is refused, or the folder holds a study with other settings.
InputError
    A file does not match its format.
"""


def documented(conducts: Conducts) -> Conducts:
    """Add the common parameters and errors to the docstring of a study's function."""
    from inspect import cleandoc, signature

    if conducts.__doc__:  # not with python -OO
        own, mark, references = cleandoc(conducts.__doc__).partition("\n\nReferences\n")
        after = _FORMAT * ("qrels_format" in signature(conducts).parameters) + _AFTER
        own = own.replace("Parameters\n----------\n", _BEFORE).replace("\nReturns\n-------\n", after)
        conducts.__doc__ = f"{own}\n\n{_RAISES}{mark[1:]}{references}"
    return conducts
