"""Descriptions of measures on a page."""

from __future__ import annotations

from untied import _core
from untied.comparison.measures import measure_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied._core import Measure

#: One sentence about measures that compare two rankings.
MEANINGS = {
    "MED": "It is the largest difference in {of} that any judgments of the documents in the two rankings could show",
    "Delta": "It is the expected difference in {of}, A − B, with the smallest and the largest possible difference.",
    "RBO": "It says how similar the two rankings are: 1 if they are the same, 0 if they share no document. The first "
    "ranks count most.",
    "Overlap": "It is the share of the first documents that both rankings have.",
}


#: Measures that MED divides by a constant or as R says, and `evaluate` by what judgments determine.
WITH_CONSTANT = ("nDCG", "AP", "Bpref", "alpha_nDCG", "nERR_IA", "nNRBP", "AP_IA", "D_nDCG", "Dsharp_nDCG")


def explained(measure: Measure, *, comparing: bool) -> dict[str, str]:
    """Title, range, equation and reference of a measure."""
    info = next(info for info in _core.measure_info(comparing=comparing) if info["name"] == measure.name)
    return {
        "title": info["title"],
        "range": info["range"],
        "equation": info["equation"],
        "reference": info["reference"],
    }


def meaning(measure: Measure) -> str:
    """One sentence that explains a measure of two rankings."""
    sentence = MEANINGS.get(measure.name)
    if sentence is None:
        about = explained(measure, comparing=True)
        return f"{about['title'][0].upper()}{about['title'][1:]}; {about['range']}."
    inner = measure_inside(str(measure))
    if measure.name == "MED":
        own = str(inner).partition("(")[0].partition("@")[0] in WITH_CONSTANT
        sentence += (
            ". untied eval divides by another number than MED, so it may show a larger difference." if own else "."
        )
    return sentence.format(of=inner)
