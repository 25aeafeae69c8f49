"""Data of pages that recalculate: their inputs, and the core compiled for browsers."""

from __future__ import annotations

import os
from base64 import b64encode
from gzip import compress

from untied import _core
from untied.errors import UntiedError
from untied.inputs.mismatch import DOCUMENTS, EMPTY, NOTHING_RELEVANT, QUERIES, SWAPPED, of_levels
from untied.report.data import DEPTHS, RANKS, TENTHS, curve_measures
from untied.report.measures import MEANINGS, WITH_CONSTANT
from untied.report.page import ASSETS, Live, asset
from untied.report.verdicts import LEFT_OUT, MOST_EXAMINED
from untied.statistics.notes import SAID, on_least, said_of
from untied.statistics.tests import SAMPLES, TEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from untied._core import Measure, Qrels, Run

#: The module, which is compiled when a wheel is built, or by ``python3 dev.py web``.
MODULE = os.path.join(ASSETS, "untied.wasm.gz")
LACKING = (
    "needs the core compiled for browsers, which this installation lacks: "
    "install untied from a wheel, or run python3 dev.py web in its source folder"
)
#: What measures of two rankings say.
ABOUT_PAIRS = {"meanings": MEANINGS, "with_constant": WITH_CONSTANT}
#: What may be wrong with a run as a whole.
MISMATCHES = {
    "swapped": SWAPPED, "empty": EMPTY, "queries": QUERIES, "documents": DOCUMENTS, "relevant": NOTHING_RELEVANT,
}  # fmt: skip
#: The most bytes of runs and judgments, as the core stores them, that a page holds.
MOST = 128 << 20
#: Parts of the script after the report's own, and of the worker's, in the order in which they build on each other.
SCRIPTS = (
    "work.js", "policies.js", "settings.js", "live_tests.js", "live_words.js", "live_data.js", "live_rankings.js",
    "pairs.js", "live.js",
)  # fmt: skip
WORKER = ("core.js", "worker.js")


def module() -> bytes | None:
    """The core for browsers, compressed; None if this installation lacks it."""
    try:
        with open(MODULE, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _module() -> bytes:
    core = module()
    if core is None:
        raise UntiedError(f"live=True {LACKING}")
    return core


def check(measures: Sequence[Measure]) -> None:
    """Refuse what cannot be recalculated before any work is done: without the core for browsers nothing can."""
    _module()
    defined = {info["name"] for info in _core.measure_info() if info["family"].startswith("Defined in ")}
    own = [str(measure) for measure in measures if measure.name in defined]
    if own:
        raise UntiedError(
            f"a live report cannot recalculate {', '.join(own)}: measures defined in Python are not in it"
        )


def check_graded(qrels: Qrels) -> None:
    """Refuse preferences: readers of such a page choose measures, and almost all of them need grades."""
    if qrels.format == "preferences":
        raise UntiedError(
            "a live report lets its readers choose measures, which need grades, and the qrels have only preferences "
            "between documents; make the report without live"
        )


def embedded(
    data: dict[str, Any], held: dict[str, Any], measures: Sequence[Measure], qrels: Qrels, runs: Mapping[str, Run]
) -> Live:
    """All that a page needs to recalculate; an error if the inputs are too large.

    `held` is what of an evaluation the page's data do not say, see `untied.report.data.collect`.
    """
    stored = [("qrels", "the judgments", _stored(qrels))]
    stored += [("run", name, _stored(run)) for name, run in runs.items()]
    size = sum(len(content) for _, _, content in stored)
    if size > MOST:
        raise UntiedError(
            f"a live report can hold at most {MOST >> 20} MiB of runs and judgments, found {size / (1 << 20):,.0f}; "
            "leave runs or queries out, or make the report without recalculation"
        )
    precision, ends, averages = curve_measures(qrels, data["curves"]["ranks"])
    # Which measures ask for a higher grade than there is follows from those that a reader chooses.
    levels = of_levels(measures, held["highest"])
    others = len(runs) - 1
    tested = {name: data["settings"][name] for name in ("test", "correction", "level", "samples", "seed")}
    if tested["test"] == "tukey":
        tested["correction"] = "none"
    comparisons = {"pairs": others * len(runs) // 2, "baseline": others}
    known = {
        **held,
        "tested": tested,
        "said": SAID,
        "insignificant": {name: on_least(data["of"], number, tested) for name, number in comparisons.items() if number},
        "apart": [note for note in held["apart"] if note != levels],
        "least": {str(measure): measure.least_grade for measure in measures},
        "curves": {"precision": list(map(str, precision)), "ends": ends, "averages": list(map(str, averages))},
        "files": [{"kind": kind, "name": name, "content": _packed(content)} for kind, name, content in stored],
        **ABOUT_PAIRS,
    }
    return _live(known)


def without_files(example: Mapping[str, bytes], script: str, style: str) -> Live:
    """What a page holds that begins without files: what Python decides and says about those that a reader drops.

    The page opens with the files of an example. `script` and `style` are added to those of live reports.
    """
    tested = {"test": TEST, "correction": "holm", "level": 0.95, "samples": SAMPLES, "seed": "0"}
    known = {
        "tested": tested,
        "how": {"two": said_of(tested, 2), "more": said_of(tested, 3)},
        "said": {**SAID, "mismatch": MISMATCHES, "left_out": LEFT_OUT},
        "examined": MOST_EXAMINED,
        "depths": DEPTHS,
        "ranks": RANKS,
        "recall": [tenth / 10 for tenth in TENTHS],
        "files": [],
        "example": {name: _packed(content) for name, content in example.items()},
        **ABOUT_PAIRS,
    }
    return _live(known, script, style)


def _live(known: dict[str, Any], script: str = "", style: str = "") -> Live:
    return Live(
        data=known,
        module=b64encode(_module()).decode(),
        worker="".join(map(asset, WORKER)),
        script="".join(map(asset, SCRIPTS)) + script,
        style=asset("live.css") + style,
    )


def _stored(table: Qrels | Run) -> bytes:
    """A table as it is pickled: in the core's own form, whatever it was read from."""
    reduced: Any = table.__reduce__()
    content: bytes = reduced[1][0]
    return content


def _packed(content: bytes) -> str:
    return b64encode(compress(content, 6, mtime=0)).decode()
