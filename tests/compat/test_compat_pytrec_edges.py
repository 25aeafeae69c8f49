"""Odd inputs of pytrec_eval: what it takes or refuses, so do we, but for what the page of this drop-in lists."""

from __future__ import annotations

import collections
import copy
import decimal
import enum
import fractions
import math
import types
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from strategies import close
from untied.compat import pytrec_eval as ours

theirs = pytest.importorskip("pytrec_eval")

PAGE = Path(__file__).parents[2] / "docs" / "coming_from" / "pytrec_eval.md"
QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2, "d4": 0}, "q2": {"d1": 2, "d5": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 2.0, "d6": 0.5, "d3": 0.25}, "q2": {"d5": 1.5, "d7": 1.5, "d1": 1.0}}
MEASURES = {
    "map", "ndcg", "P_5", "bpref", "recip_rank", "num_rel", "num_ret", "iprec_at_recall_0.50", "gm_map", "infAP",
    "set_F", "11pt_avg", "utility", "G", "binG", "Rndcg", "ndcg_rel", "success_1",
}  # fmt: skip


class Index:
    """What stands for a whole number."""

    def __index__(self) -> int:
        return 2


class Real:
    """What stands for a number."""

    def __float__(self) -> float:
        return 1.5


class Level(enum.IntEnum):
    """A grade that has a name."""

    TWO = 2


class Named(str, enum.Enum):  # noqa: UP042
    """An id whose text is not what it holds."""

    DOCUMENT = "d1"
    QUERY = "q1"


class Reversed(dict[str, Any]):
    """A dict that lists its items from the last to the first."""

    def items(self) -> Any:
        """All pairs."""
        return list(super().items())[::-1]


#: Odd values of each argument that both take, with the same results, or refuse, with the same type of exception.
ALIKE: dict[str, list[Any]] = {
    "score": [
        0, 7, -1, True, None, "1", b"1", -0.0, 1e300, 1e-320, 1e39, math.inf, -math.inf, 2**53 + 1, 2**63, 1j,
        np.float64(1.5), [1], (1,), {}, Level.TWO,
        np.array([1.0, 2.0]),
    ],
    "grade": [-1, -2, 0, 3, 5, 100, True, None, "1", b"1", 1j, [1], (1,), {}, Level.TWO, np.array([1, 2])],
    "document": [
        "", " ", "d 1", "d\n", "é", "e\u0301", "x" * 5000, "\U0001f600", np.str_("d8"), 1, 1.0, None, b"d1", True,
        ("d1",), "d01", "D1", "\ufeffd1", Named.DOCUMENT,
    ],
    "query": ["", " ", "q 1", "é", "\U0001f600", np.str_("q1"), 1, None, b"q1", ("q1",), "Q1", Named.QUERY],
    "measures": [
        {"nap"}, {"MAP"}, {" map"}, {"map_"}, {"P_"}, {"P."}, {"P_1000000"}, {"P_5,10"}, {"P_5", "P.5"}, {"P_5", "P"},
        {"ndcg_cut"}, {"ndcg_cut_3", "ndcg"}, {"ndcg_cut_inf"}, {"set_F_2"}, {"set_F_0"}, {"utility"},
        {"iprec_at_recall_0.500"}, {"iprec_at_recall_2"}, {"11pt_avg_0.1"}, {"Rprec_mult_0.2"}, {"gm_map"}, {"num_q"},
        {"success.1,5,10"}, {"relative_P_3"}, {"map_cut_2"}, {"recall"}, {"official"}, {"official", "P_3"}, {"set"},
        {"prefs"}, {"prefs_simp"}, {"yaap"}, {"map_avgjg"}, set(), [], "map", "P", "mapx", None, 5, {b"map"}, {5},
        ["map", "map"], {"map": 1}, frozenset({"map"}), np.array(["map", "P"]), {""}, [["map"]], {"map\0"},
    ],
    "relevance_level": [
        0, 1, 2, 3, True, False, None, "1", np.int64(2), Level.TWO, Index(), [1], 10**400, math.nan, math.inf,
    ],
    "judged_docs_only_flag": [True, False, 0, 1, 2, None, "", "no", [], [1], 0.0, 0.5, Index(), np.True_],
    "qrels": [
        collections.OrderedDict, types.MappingProxyType, collections.Counter, collections.UserDict, list, tuple, set,
        lambda _: None, lambda _: {}, lambda _: "abc", lambda _: 5, lambda qrels: {"q9": qrels["q1"]},
        lambda qrels: qrels | {"q1": {}},
    ],
    "run": [
        collections.OrderedDict, collections.Counter, list, tuple, set, lambda _: None, lambda _: {}, lambda _: "abc",
        lambda _: 5, lambda run: {"q9": run["q1"]}, lambda run: run | {"q9": {"d1": 1.0}},
        lambda run: {query: {f"x{doc}": score for doc, score in run[query].items()} for query in run},
    ],
    "ranking": [collections.OrderedDict, collections.Counter, list, set, tuple, lambda _: None, lambda _: "abc"],
    "lines of a run": [
        "q Q0 d 1 1.5 t", "", "\n", "# note", "q\tQ0\td\t1\t1.5\tt\r\n", "\ufeffq Q0 d 1 1 t", "q Q0 d 1 nan t",
        "q Q0 d 1 -inf t", "q Q0 d 1 1_0 t", "q Q0 d 1 0x1 t", "q Q0 d x 1 t", "q Q0 d 1 1", "q Q0 d 1 1 t u",
        "q Q0 d\u3000e 1 1 t", b"q Q0 d 1 1 t", 5, None, ["q"],
    ],
    "lines of qrels": [
        "q 0 d 1", "", "q\t0\td\t1\r\n", "q 0 d -1", "q 0 d +1", "q 0 d 1_0", "q 0 d 01", "q 0 d 0x1", "q 0 d 1 2",
        "q 0 d x", "q 0 d 99999999999999999999", b"q 0 d 1", 5, None, ["q"],
    ],
    "values": [[], (), [True, False], [math.nan, 1.0], [math.inf, -math.inf], [1e308] * 3, [None], None, "ab", ["a"],
               np.array([0.5, 0.25]), [-1000.0, -2000.0], range(3)],
}  # fmt: skip


class Row(NamedTuple):
    """A row of the page: what each of us does, and inputs that show it."""

    #: ``value``, or a type of exception; None if it may do anything, also end the process.
    theirs: Any
    ours: Any
    cases: list[tuple[str, Any]]


DIFFERENT = {
    "the argument `ties=` of `RelevanceEvaluator`": Row(TypeError, "value", [("ties", "expected"), ("ties", "given")]),
    "grades, or a `relevance_level`, that are not whole numbers": Row(
        TypeError,
        "value",
        [
            (name, value)
            for name in ("grade", "relevance_level")
            for value in (0.5, 1.0, np.float64(1.5), Real(), decimal.Decimal(1), fractions.Fraction(1, 2))
        ],
    ),
    "a file for `parse_qrel` with grades that are not whole numbers": Row(
        ValueError, "value", [("lines of qrels", "q 0 d 0.5"), ("lines of qrels", "q 0 d 1e3")]
    ),
    "`numpy.float32` scores, `numpy.int64` grades, mappings that are not dicts": Row(
        TypeError,
        "value",
        [
            ("score", np.float32(1.5)),
            ("score", np.int64(1)),
            ("score", Index()),
            ("score", fractions.Fraction(3, 2)),
            ("grade", np.int64(2)),
            ("grade", Index()),
            ("run", types.MappingProxyType),
            ("run", collections.UserDict),
            ("ranking", types.MappingProxyType),
            ("ranking", collections.ChainMap),
        ],
    ),
    "a subclass of dict that has its own `items`": Row("value", "value", [("run", Reversed)]),
    "a topic whose grades are all negative": Row(None, "value", [("qrels", lambda _: {"q1": {"d1": -1}})]),
    "a grade of tens of thousands": Row(None, "value", [("grade", 70_000)]),
    "bpref, if `relevance_level` is 2 or more above the highest grade of a topic": Row(
        None, "value", [("relevance_level", 4), ("relevance_level", 2**31 - 1), ("relevance_level", 2**40)]
    ),
    "an empty ranking for the first topic that is evaluated": Row(None, "value", [("ranking", lambda _: {})]),
    "interpolated precision of an empty ranking": Row("value", "value", [("ranking", lambda _: {})]),
    "an id with a NUL character": Row("value", "value", [("document", "d1\0x"), ("query", "q1\0x")]),
    "an id with half of a surrogate pair": Row(None, ValueError, [("document", "\ud800"), ("query", "\ud800")]),
    "`P_0`, a cutoff given twice": Row(None, ValueError, [("measures", {"P_0"}), ("measures", {"P_5", "P_05"})]),
    "gains: `ndcg.1=3,2=9`": Row(None, "value", [("measures", {"ndcg.1=3,2=9"})]),
    "negative weights of utility: `utility_1,-1,0,0`": Row("value", "value", [("measures", {"utility_1,-1,0,0"})]),
    "utility with other than four weights: `utility_1,0`": Row("value", ValueError, [("measures", {"utility_1,0"})]),
    "a name with text after its parameters: `P_5abc`": Row(
        "value",
        ValueError,
        [("measures", {name}) for name in ("P_5abc", "P_5_10", "P.5,", "ndcg_cut_1e3")],
    ),
    "a parameter that begins with a point: `iprec_at_recall_.5`": Row(
        ValueError, "value", [("measures", {"iprec_at_recall_.5"})]
    ),
    "a score of NaN": Row("value", ValueError, [("score", math.nan), ("score", np.float64("nan"))]),
    "a grade of NaN or infinity": Row(TypeError, ValueError, [("grade", math.nan), ("grade", math.inf)]),
    "`relevance_level` below 0": Row(None, TypeError, [("relevance_level", -1), ("relevance_level", -(2**31))]),
    "`compute_aggregated_measure`": Row("value", "value", [("values", [1e16, 1.0, -1e16])]),
    "the measures `runid` and `relstring`, whose values are strings": Row(None, "value", [("measures", {"relstring"})]),
}


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Let pytrec_eval evaluate something: the first ranking of a process must not be empty, or it may crash."""
    theirs.RelevanceEvaluator({"q": {"a": 1}}, MEASURES).evaluate({"q": {"a": 1.0, "b": 0.5}})


def outcome(module: Any, argument: str, value: Any) -> Any:
    """The result with this value of one argument, or the type of the exception."""
    qrels, run = copy.deepcopy(QRELS), copy.deepcopy(RUN)
    given: dict[str, Any] = {"measures": MEASURES}
    try:
        match argument:
            case "lines of a run":
                return module.parse_run(["q Q0 e 1 2 t", value])
            case "lines of qrels":
                return module.parse_qrel(["q 0 e 2", value])
            case "values":
                return [module.compute_aggregated_measure(name, value) for name in ("map", "num_ret", "gm_map")]
            case "score":
                run["q1"]["d2"] = value
            case "grade":
                qrels["q1"]["d2"] = value
            case "document":
                run["q1"][value] = run["q1"].pop("d1")
            case "query":
                run[value] = run.pop("q1")
            case "qrels":
                qrels = value(qrels)
            case "run":
                run = value(run)
            case "ranking":
                run["q1"] = value(run["q1"])
            case _:
                given[argument] = value
        return module.RelevanceEvaluator(qrels, **given).evaluate(run)
    except Exception as error:
        return type(error)


def same(mine: Any, peer: Any) -> bool:
    """Whether two outcomes have the same keys in the same order and the same values, or are of the same type."""
    if isinstance(mine, dict) and isinstance(peer, dict):
        keys = [[(key, type(key)) for key in outcome] for outcome in (mine, peer)]
        return keys[0] == keys[1] and all(map(same, mine.values(), peer.values()))
    if isinstance(mine, list) and isinstance(peer, list):
        return len(mine) == len(peer) and all(map(same, mine, peer))
    if isinstance(mine, float) and isinstance(peer, float):
        if math.isfinite(mine) and math.isfinite(peer):
            return close(mine, peer, 1e-9, 1e-12)
        return mine == peer or (math.isnan(mine) and math.isnan(peer))
    return type(mine) is type(peer) and mine == peer


def is_as(found: Any, expected: Any) -> bool:
    """Whether an outcome is a value, or an exception of this type."""
    if isinstance(found, type):
        return expected != "value" and issubclass(found, expected)
    return bool(expected == "value")


@pytest.mark.parametrize("argument", ALIKE)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_odd_values_are_taken_or_refused_alike(argument: str) -> None:
    outcomes = [(value, outcome(ours, argument, value), outcome(theirs, argument, value)) for value in ALIKE[argument]]
    assert not [case for case in outcomes if not same(*case[1:])]


@pytest.mark.parametrize("row", DIFFERENT)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_page_lists_what_differs(row: str) -> None:
    for argument, value in DIFFERENT[row].cases:
        mine = outcome(ours, argument, value)
        assert is_as(mine, DIFFERENT[row].ours), (argument, value, mine)
        if DIFFERENT[row].theirs is not None:
            peer = outcome(theirs, argument, value)
            assert is_as(peer, DIFFERENT[row].theirs), (argument, value, peer)
            assert not same(mine, peer), (argument, value, mine)


def test_every_row_of_the_page_is_shown() -> None:
    table = PAGE.read_text("utf-8").partition("## What differs?")[2]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    assert [cells[0].removeprefix("| ") for cells in rows] == list(DIFFERENT)
    for first, _, mine in rows:
        kind = DIFFERENT[first.removeprefix("| ")].ours
        errors = {"TypeError", "ValueError"} & set(mine.replace(",", " ").split())
        assert errors == (set() if kind == "value" else {kind.__name__}), first
