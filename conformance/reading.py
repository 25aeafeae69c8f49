"""Reads cases, and checks each against the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"
TYPES = {"string": str, "integer": int, "object": dict, "array": list, "boolean": bool}


def read(folder: Path = CASES) -> list[dict[str, Any]]:
    """All cases of a folder and the folders in it, file by file."""
    return [case for path in sorted(folder.rglob("*.jsonl")) for case in of_file(path)]


def of_file(path: Path) -> Iterator[dict[str, Any]]:
    """The cases of a file; a ValueError names the line that is not a case."""
    schema = json.loads((CASES / "schema.json").read_text(encoding="utf-8"))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        case = json.loads(line)
        for problem in problems(case, schema):
            raise ValueError(f"{path.name}, line {number}: {problem}")
        yield case


def problems(case: Any, schema: dict[str, Any]) -> Iterator[str]:
    """What the schema does not allow."""
    if not isinstance(case, dict):
        yield "not an object"
        return
    for key in schema["required"]:
        if key not in case:
            yield f"{key!r} is missing"
    for key, value in case.items():
        allowed = schema["properties"].get(key)
        if allowed is None:
            yield f"{key!r} is not in the schema"
        elif "type" in allowed and not isinstance(value, TYPES[allowed["type"]]):
            yield f"{key!r} must be of type {allowed['type']}"
        elif "enum" in allowed and value not in allowed["enum"]:
            yield f"{key!r} must be one of {allowed['enum']}, not {value!r}"


def group_of(case: dict[str, Any]) -> str:
    """The group that a case belongs to."""
    return str(case["case"]).split("/")[0]


def groups(cases: list[dict[str, Any]]) -> list[str]:
    """The groups of cases, in order."""
    return list(dict.fromkeys(map(group_of, cases)))
