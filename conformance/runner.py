"""Asks evaluators for the answers to cases, each in a child process that may crash or hang, and judges them."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from conformance import judging, worker
from conformance.judging import Outcome

#: Seconds until an answer has hung, and until an evaluator's import has.
LIMIT, START = 30, 180
Record = dict[str, Any]


@dataclass
class Child:
    """A process that answers cases."""

    process: subprocess.Popen[str]
    lines: Queue[str | None]

    @classmethod
    def start(cls, command: list[str]) -> Child:
        """Start a worker, or any program that answers lines with lines."""
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        lines: Queue[str | None] = Queue()

        def read() -> None:
            assert process.stdout is not None
            for line in process.stdout:
                lines.put(line)
            lines.put(None)

        threading.Thread(target=read, daemon=True).start()
        return cls(process, lines)

    def next(self, limit: float) -> dict[str, Any]:
        """The next line, or how the process failed to give one."""
        try:
            line = self.lines.get(timeout=limit)
        except Empty:
            self.stop()
            return {"hangs": f"no answer within {limit:g} s"}
        if line is None:
            code = self.process.wait()
            return {"crashes": f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"}
        return dict(json.loads(line))

    def ask(self, case: Mapping[str, Any], limit: float) -> dict[str, Any]:
        """The answer to a case."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(case) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return self.next(1)
        return self.next(limit)

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


def in_child(command: list[str], cases: Iterable[Mapping[str, Any]], limit: float) -> tuple[str, dict[str, Any]]:
    """The version of an evaluator, and its answer to each case; it is started again where it ended."""
    answers: dict[str, Any] = {}
    child = Child.start(command)
    ready = child.next(START)
    if "ready" not in ready:
        raise RuntimeError(f"{command[-1]} does not start: {ready}")
    for case in cases:
        answers[case["case"]] = answer = child.ask(case, limit)
        if child.process.poll() is not None or "hangs" in answer:
            child = Child.start(command)
            child.next(START)
    child.stop()
    return str(ready["ready"]), answers


def in_process(adapter: Any, cases: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The answers of an evaluator that is trusted not to crash or hang."""
    return {case["case"]: worker.answer(adapter, dict(case)) for case in cases}


def outcomes(
    cases: Iterable[Mapping[str, Any]], answers: Mapping[str, Mapping[str, Any]], tolerance: float
) -> dict[str, Outcome]:
    """The outcome of each case."""
    found = {}
    for case in cases:
        [(kind, said)] = answers[case["case"]].items()
        if kind == "value":
            found[case["case"]] = judging.judge(case, said, tolerance)
        elif kind == "refuses" and case.get("refuse"):
            found[case["case"]] = Outcome("exact", said=said)
        else:
            found[case["case"]] = Outcome(kind, said=said)
    return judging.settle(found)


def run(name: str, python: str, cases: list[dict[str, Any]]) -> Record:
    """The record of one evaluator: its version, how it was asked, and the outcome of each case."""
    adapter = importlib.import_module(f"conformance.adapters.{name}") if not name.startswith("untied") else None
    command = [python, str(Path(worker.__file__)), name]
    version, answers = in_child(command, cases, getattr(adapter, "LIMIT", LIMIT))
    tolerance = about(name)["tolerance"]
    found = outcomes(cases, answers, tolerance)
    return {
        "evaluator": name, "package": about(name)["package"], "version": version, "how": about(name)["how"],
        "outcomes": {case: one.to_dict() for case, one in found.items() if one.kind != "not offered"},
    }  # fmt: skip


def about(name: str) -> dict[str, Any]:
    """What an adapter says of itself, read without importing what it needs."""
    import ast

    source = Path(__file__).parent / "adapters" / f"{name}.py"
    stated: dict[str, Any] = {}
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id in ("PACKAGE", "HOW", "TOLERANCE", "LIMIT"):
            try:
                stated[target.id.lower()] = ast.literal_eval(node.value)  # type: ignore[attr-defined]
            except ValueError:  # the tolerance of another adapter
                stated[target.id.lower()] = about(ast.unparse(node.value).split(".")[0])[target.id.lower()]  # type: ignore[attr-defined]
    return {"tolerance": 1e-9, "limit": LIMIT, **stated}


if __name__ == "__main__":
    sys.exit("run python -m conformance")
