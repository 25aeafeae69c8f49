"""Exact evaluation of ranked retrieval when scores tie and judgments are partial."""

from untied._core import Measure, Qrels, Run, __version__
from untied.errors import InputError, MeasureError, UndefinedError, UntiedError
from untied.evaluate import Evaluator, evaluate
from untied.inputs import read_qrels, read_run
from untied.measures import (
    AP,
    DCG,
    F1,
    RR,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    Success,
    nDCG,
    parse_measure,
)
from untied.table import Results, Table, Value

__all__ = [
    "AP",
    "DCG",
    "F1",
    "RR",
    "Evaluator",
    "InputError",
    "Measure",
    "MeasureError",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Qrels",
    "R",
    "Results",
    "Rprec",
    "Run",
    "Success",
    "Table",
    "UndefinedError",
    "UntiedError",
    "Value",
    "__version__",
    "evaluate",
    "nDCG",
    "parse_measure",
    "read_qrels",
    "read_run",
]
