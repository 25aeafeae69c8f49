"""Answers cases with one evaluator: one case a line on standard input, one answer a line on standard output.

The runner starts this file with the Python that has the evaluator, which needs nothing else. An evaluator in another
language is a program that reads and writes the same lines.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any


def answer(adapter: Any, case: dict[str, Any]) -> dict[str, Any]:
    """What the evaluator says: a value, that it does not offer this, that it refuses, or that it breaks."""
    from conformance.adapters.common import Case, NotOffered

    try:
        return {"value": plain(adapter.answer(Case(case)))}
    except NotOffered as reason:
        return {"not offered": str(reason)}
    except (ValueError, TypeError, AssertionError, NotImplementedError, *getattr(adapter, "REFUSALS", ())) as error:
        return {"refuses": f"{type(error).__name__}: {first_line(error)}"}
    except Exception as error:
        return {"crashes": f"{type(error).__name__}: {first_line(error)}"}


def first_line(error: BaseException) -> str:
    """The first line of a message, cut where it is long."""
    return (str(error).strip().splitlines() or [""])[0][:160]


def plain(value: Any) -> Any:
    """A value without the types of arrays."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value if value is None or isinstance(value, (str, bool, int)) else float(value)


def main() -> None:
    """Answer every line, until there are no more."""
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")  # what evaluators print goes elsewhere
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    adapter = importlib.import_module(f"conformance.adapters.{sys.argv[1]}")
    print(json.dumps({"ready": version(adapter)}), file=lines, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(adapter, json.loads(line))), file=lines, flush=True)


def version(adapter: Any) -> str:
    """The version of the evaluator's package."""
    from importlib.metadata import version

    return adapter.VERSION if hasattr(adapter, "VERSION") else version(adapter.PACKAGE)


if __name__ == "__main__":
    main()
