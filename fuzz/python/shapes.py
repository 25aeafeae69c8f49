"""JSON of a shape from bytes, which a fuzzer would seldom write letter by letter; some of it a little wrong.

A shape is an object with such members (the name None: any), a list of such items, one of several shapes, or a table of
texts.
"""

from __future__ import annotations

import itertools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Shape: TypeAlias = "dict[str | None, Shape] | list[Shape] | tuple[Shape, ...] | str"

#: Tables of texts, which bytes choose from.
NUMBERS = "0 1 2 3 -1 0.5 1e-3 -2.5 1 true -0.0 1e999 9007199254740993 NaN null {}"
IDS = '"a" "b" "c" "d" "e" "a" "b" 7 "7" "\\u00e9" "\\ud83d\\ude00" "" "x\\ty" true null "\\ud800"'
NAMES = '"a" "b" "c" "d" "e" "q" "r" "7" "\\u00e9" "é" "\\ud83d\\ude00" "" "x\\ty" "\\u0020" "\\u202e" "\\udc80"'
ODD = 'null true 0 1.5 "" "ratings" [] {} [null] [[[]]] {"hits":[]} {"hit":{}} [0,1] 5 "\\u001b" -1'

RANKED: Shape = [(IDS, [IDS])]
RUN: Shape = {None: ({None: NUMBERS}, {None: NUMBERS}, RANKED)}
BY_SUBTOPIC: Shape = {None: {None: {None: NUMBERS}}}
QRELS: Shape = (RUN, BY_SUBTOPIC)
PAIRS: Shape = {None: {None: ([NUMBERS], "[0,1] [1,1] [2,0.5] [1,-1] [0,0.25] [3,1] [1,0.125] [4294967296,1]")}}
REQUEST: Shape = {"requests": [{"id": NAMES, "ratings": [{"_id": NAMES, "rating": NUMBERS}]}]}
RESPONSE: Shape = {
    "details": {None: {"hits": [{"hit": {"_id": NAMES, "_score": NUMBERS}}]}},
    "failures": ("{}", "null", "{}", ODD),
}


def text(shape: Shape, data: bytes) -> bytes:
    """JSON of this shape, as bytes choose."""
    return _grown(shape, itertools.chain(data, itertools.repeat(0))).encode()


def _grown(shape: Shape, choices: Iterator[int]) -> str:
    choice = next(choices)
    if choice > 252:
        shape = ODD
    if isinstance(shape, str):
        texts = shape.split(" ")
        return texts[choice % len(texts)]
    if isinstance(shape, tuple):
        return _grown(shape[choice % len(shape)], choices)
    if isinstance(shape, list):
        return "[" + ",".join(_grown(shape[0], choices) for _ in range(choice % 5)) + "]"
    names: list[tuple[str, Shape]] = []
    for name, held in shape.items():
        if name is None:
            names += [(_grown(NAMES, choices), held) for _ in range(choice % 4)]
        elif choice != 252:
            names.append((f'"{name}"', held))
    return "{" + ",\n".join(f"{name}: {_grown(held, choices)}" for name, held in names) + "}"
