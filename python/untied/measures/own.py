"""Your own measures: a function of one ranking, or gains and discounts; and plugins, modules that define measures."""

from __future__ import annotations

from untied._core import Measure, define_additive, define_formula, formula_inputs, register
from untied.errors import MeasureError, UntiedError

__all__ = ["additive_measure", "load_plugin", "measure"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any, Literal, overload

    from untied._types import AboutMeasure

    CutoffUse = Literal["optional", "required", "none"]
else:

    def overload(function):
        return function


#: Columns of tables that also have a column for each measure.
TEXTS = ("run", "query", "run_a", "run_b", "column", "feature", "direction")
COLUMNS = (*TEXTS, "rank", "distinct", "tied", "missing", "absent", "varied")


@overload
def measure(function: Callable[..., Any], /) -> Measure: ...


@overload
def measure(
    *,
    name: str | None = None,
    cutoff: CutoffUse = "optional",
    best_by_grade: bool = False,
    grows_with_grade: bool = False,
    lower_is_better: bool = False,
    numpy: bool = False,
) -> Callable[[Callable[..., Any]], Measure]: ...


def measure(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    cutoff: CutoffUse = "optional",
    best_by_grade: bool = False,
    grows_with_grade: bool = False,
    lower_is_better: bool = False,
    numpy: bool = False,
) -> Measure | Callable[[Callable[..., Any]], Measure]:
    """Make a measure from a function that computes its value for one ranking.

    Use it as a decorator. The measure then works like any other, as an object or by name, with every policy.

    If documents are tied, you get the mean over all orders: exactly if their grades can be arranged in at most 5,000
    ways, and otherwise as an estimate from a fixed sample of at most 10,000 orders, with a standard error. If your
    measure adds up gains times discounts, use `additive_measure`, which is exact and much faster.

    Parameters
    ----------
    function : callable
        A function that is called for each query, and returns a number, or NaN if the value is undefined. It gets the
        inputs that its arguments name:

        * ``grades``, a tuple of float: the grades of the documents down to the cutoff, best first. Unjudged documents
          have 0.
        * ``judged``, a tuple of bool: whether each of these documents is judged
        * ``pooled``, a tuple of bool: whether each is in the qrels, judged or with a negative grade
        * ``ideal``, a tuple of float: the grades of all judged documents of the query, highest first
        * ``retrieved``, an int: the number of documents in the ranking, including those below the cutoff
        * ``cutoff``, an int, or None if there is none
        * ``groups``, a tuple of (int, int): the start and the end of each tie group. Ask for it if your function
          averages over orders itself. The order within ``grades[start:end]`` then means nothing, and the last group may
          extend beyond the cutoff. Unjudged documents that are not tied with a judged one form groups of their own.

        Arguments with a default are the measure's parameters: numbers, texts, flags, lists and tables of numbers. Whole
        numbers are passed as int, unless the default is a float.

        The function may be called several times for a query, and for queries in any order.
    name : str, optional
        The name of the measure. By default, it is the name of the function. It must not be that of another measure, or
        of a column such as ``run``.
    cutoff : {'optional', 'required', 'none'}
        Whether the measure takes a cutoff, as in ``mine @ 10``.
    best_by_grade : bool
        Promise that tied documents give the highest value if their grades descend, and the lowest if they ascend. (With
        `lower_is_better`, it is the other way round.) Then ``low`` and ``high`` are exact.

        Without this promise, they are the lowest and the highest value of the orders that were tried. If these are not
        all orders, the certainty is ``estimate``. untied does not check the promise.
    grows_with_grade : bool
        Promise that a higher grade of a document never makes the value worse or undefined. Note that ``ideal`` changes
        with the grade, too. Only with this promise does ``unjudged="range"`` give bounds. untied does not check it.
    lower_is_better : bool
        Whether low values are good.
    numpy : bool
        Whether the function wants read-only numpy arrays instead of tuples.

    Returns
    -------
    Measure

    Raises
    ------
    MeasureError
        A name already has another meaning, or an argument is none of the above.

    Examples
    --------
    Three documents are tied, and two of them are relevant. Both are first in a third of the orders:

    >>> import untied
    >>> @untied.measure(best_by_grade=True)
    ... def FirstTwo(grades, rel=1.0):
    ...     "Whether both of the first two documents are relevant."
    ...     return len(grades) > 1 and min(grades[:2]) >= rel
    >>> untied.evaluate({"q": {"a": 1, "b": 1}}, {"q": [["a", "b", "c"]]}, [FirstTwo], ties="range")["FirstTwo"]
    0.3333 [0.0000, 1.0000]
    """

    def define(function: Callable[..., Any]) -> Measure:
        called, about = _read(function, name)
        inputs, about["parameters"] = _arguments(function, called, formula_inputs())
        about |= {"cutoff": cutoff, "lower_is_better": lower_is_better}
        frombuffer = None
        if numpy:
            from importlib import import_module

            frombuffer = import_module("numpy").frombuffer
        return define_formula(
            function,
            about,
            inputs=inputs,
            best_by_grade=best_by_grade,
            grows_with_grade=grows_with_grade,
            frombuffer=frombuffer,
        )

    return define if function is None else define(function)


@overload
def additive_measure(function: Callable[..., Any], /) -> Measure: ...


@overload
def additive_measure(
    *, name: str | None = None, cutoff: CutoffUse = "optional", ideal: bool = False, lower_is_better: bool = False
) -> Callable[[Callable[..., Any]], Measure]: ...


def additive_measure(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    cutoff: CutoffUse = "optional",
    ideal: bool = False,
    lower_is_better: bool = False,
) -> Measure | Callable[[Callable[..., Any]], Measure]:
    """Make a measure that adds up gains times discounts, like DCG or RBP.

    Use it as a decorator. The measure is as fast as DCG. If documents are tied, its mean, its variance, and its lowest
    and highest value over all orders are exact. For measures of another form, use `measure`.

    Parameters
    ----------
    function : callable
        A function that returns ``(gain, discount)``:

        * the gain is a function of a grade (a float), or a table ``{grade: gain}``. Unjudged documents gain 0.
        * the discount is a function of a rank (an int, from 1), or a list of discounts. After its end, all discounts
          are 0.

        The function's arguments are the parameters of the measure. Each needs a default.
    name : str, optional
        The name of the measure. By default, it is the name of the function. It must not be that of another measure, or
        of a column such as ``run``.
    cutoff : {'optional', 'required', 'none'}
        Whether the measure takes a cutoff, as in ``mine @ 10``.
    ideal : bool
        Whether to divide by the value of the ideal ranking, as nDCG does. That ranking has all judged documents of the
        query in the best order, down to the cutoff.
    lower_is_better : bool
        Whether low values are good.

    Returns
    -------
    Measure

    Raises
    ------
    MeasureError
        A name already has another meaning, or an argument has no default.

    Examples
    --------
    A relevant document at rank i counts 1 / i. Of two tied documents, one is relevant:

    >>> import untied
    >>> @untied.additive_measure
    ... def Zipf(rel=1.0):
    ...     "Relevant documents, each worth the reciprocal of its rank."
    ...     return lambda grade: grade >= rel, lambda rank: 1 / rank
    >>> untied.evaluate({"q": {"a": 1}}, {"q": [["a", "b"]]}, [Zipf @ 10], ties="range")["Zipf@10"]
    0.7500 [0.5000, 1.0000]
    """

    def define(function: Callable[..., Any]) -> Measure:
        called, about = _read(function, name)
        _, about["parameters"] = _arguments(function, called, [])
        about |= {"cutoff": cutoff, "lower_is_better": lower_is_better}
        return define_additive(function, about, ideal=ideal)

    return define if function is None else define(function)


def _read(function: Callable[..., Any], name: str | None) -> tuple[str, AboutMeasure]:
    """The name and the description of a function's measure."""
    import inspect

    if not callable(function):
        raise TypeError(f"a measure must be a function, not {type(function).__name__}")
    own: str = getattr(function, "__qualname__", "")
    called = name or own.rpartition(".")[2]
    if called in COLUMNS:
        raise MeasureError(f"a measure must not be called {called}, as a column of tables is; give it another name")
    title, _, text = (inspect.getdoc(function) or "").partition("\n")
    return called, {
        "name": called,
        "place": getattr(function, "__module__", None) or "__main__",
        "by": own,
        "title": title,
        "text": text.strip("\n"),
        "cutoff": "optional",
        "parameters": [],
        "lower_is_better": False,
    }


def _arguments(
    function: Callable[..., Any], called: str, known: list[str]
) -> tuple[list[str], list[tuple[str, object]]]:
    """The inputs that a function takes for a query, and its parameters."""
    import inspect

    inputs: list[str] = []
    parameters: list[tuple[str, object]] = []
    for argument in inspect.signature(function).parameters.values():
        name, has_default = argument.name, argument.default is not argument.empty
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            raise MeasureError(f"{called}: every argument needs its own name, found {argument}")
        if has_default == (name in known) or (not has_default and argument.kind is argument.KEYWORD_ONLY):
            what = f"{', '.join(known)} must come first, without a default; " if known else ""
            raise MeasureError(f"{called}: {what}parameters need a default; found {argument}")
        if has_default and argument.kind is argument.POSITIONAL_ONLY:
            raise MeasureError(
                f"{called}: parameter {name} must not be positional-only: untied gives parameters by name"
            )
        if has_default:
            parameters.append((name, argument.default))
        else:
            inputs.append(name)
    return inputs, parameters


def load_plugin(plugin: str) -> ModuleType:
    """Load a module that defines measures, so that you can use them by name.

    Parameters
    ----------
    plugin : str
        The name of a module to import, or the path of a file that ends in ``.py``.

    Returns
    -------
    module

    Raises
    ------
    UntiedError
        There is no such module.
    OSError
        There is no such file.
    """
    import importlib
    import os
    import sys

    try:
        if plugin.endswith(".py"):
            # The path is the module's name: it shadows no other, and tells where measures come from.
            path = os.path.abspath(plugin)
            return sys.modules[path] if path in sys.modules else _run(path, plugin)
        if all(part.isidentifier() for part in plugin.split(".")):
            return importlib.import_module(plugin)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{plugin}.".startswith(f"{error.name}."):
            error.add_note(f"while loading plugin {plugin}")
            raise
    except Exception as error:
        error.add_note(f"while loading plugin {plugin}")
        raise
    raise UntiedError(f"there is no module {plugin!r}; to load a file, give its path, ending in .py")


def _run(path: str, plugin: str) -> ModuleType:
    import errno
    import os
    import sys
    from importlib.util import module_from_spec, spec_from_file_location

    if not os.path.isfile(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), plugin)
    spec = spec_from_file_location(path, path)
    if spec is None or spec.loader is None:
        raise UntiedError(f"{plugin} cannot be loaded as Python code")
    module = module_from_spec(spec)
    sys.modules[path] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path]
        raise
    return module


def pickled(place: str, by: str, text: str) -> tuple[Callable[[str, str], Measure], tuple[str, str]]:
    """Tell pickle how to restore your own measure: load the module that defines it, then parse its name."""
    if "<locals>" in by:
        from pickle import PicklingError

        function = by.partition(".<locals>")[0]
        raise PicklingError(f"{text} is defined within a function, {function} in {place}, and cannot be imported")
    return restored, (place, text)


def restored(place: str, text: str) -> Measure:
    """Return a measure that was pickled."""
    if place not in ("__main__", "__mp_main__"):
        load_plugin(place)
    return Measure(text)


register("pickled", pickled)
