"""A plugin of pytest that runs the collected tests once for each mutant, in a forked process.

The process that collects never runs a test, so no child begins with values that a test has cached. The first children
run each test file without a mutant: they say how long its tests take, and which mutants each of them asks for. A
mutant then meets those tests of its room that ask for it, until one fails.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

PLAN = json.loads(Path(os.environ["UNTIED_MUTANTS_PLAN"]).read_text(encoding="utf-8"))
NOBODY = 2**63
MEMORY = 16 << 30


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Do without smaller examples of failures, which nobody reads here."""
    settings.register_profile("mutants", parent=settings(), phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Run the tests without a mutant, then with each."""
    files: dict[str, list[pytest.Item]] = {}
    for item in session.items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    tests: dict[str, dict[str, Any]] = {}
    for result in in_children([(file, alone(items), 3600, 3600) for file, items in files.items()]):
        if result["ended"] != 0:
            raise RuntimeError(f"{result['name']} did not run without a mutant: {result}")
        tests |= {line["test"]: line for line in result["lines"]}
    report({"tests": len(tests), "failed": [name for name, test in tests.items() if test["failed"]]})
    jobs = []
    for mutant, names in ((int(number), names) for number, names in PLAN["mutants"].items()):
        chosen = chosen_for(mutant, [files[name] for name in names], tests)
        seconds = sum(tests[item.nodeid]["seconds"] for item in chosen)
        if chosen:
            # Seconds of a processor, because others may keep this machine busy; the clock only ends what waits.
            jobs.append((str(mutant), against(mutant, chosen), int(3 * seconds + 20), 10 * seconds + 300))
        else:
            report({"mutant": mutant, "outcome": "not reached", "by": ""})
    for result in in_children(jobs):
        outcome, by = outcome_of(result)
        report({"mutant": int(result["name"]), "outcome": outcome, "by": by})
    return True


def chosen_for(mutant: int, files: list[list[pytest.Item]], tests: dict[str, dict[str, Any]]) -> list[pytest.Item]:
    """The tests that ask for a mutant, file by file, the fastest first."""

    def seconds(item: pytest.Item) -> float:
        return float(tests[item.nodeid]["seconds"])

    asking = [sorted((item for item in items if mutant in tests[item.nodeid]["asked"]), key=seconds) for items in files]
    asking.sort(key=lambda items: sum(map(seconds, items)))
    return [item for items in asking for item in items if not tests[item.nodeid]["failed"]]


def report(line: dict[str, Any]) -> None:
    """Add a line to the results."""
    with Path(PLAN["results"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def outcome_of(result: dict[str, Any]) -> tuple[str, str]:
    """What became of a mutant, and by what. One that the clock ended may just have waited for a processor."""
    failed = [line["failed"] for line in result["lines"]]
    if failed:
        return "killed", failed[0]
    if result["by_clock"]:
        return "not ended", ""
    return ("survived", "") if result["ended"] == 0 else ("killed", ended_by(result["ended"]))


def ended_by(status: int) -> str:
    """How a process ended that no test did."""
    if status == -signal.SIGXCPU or status == -signal.SIGKILL:
        return "limit of time"
    return f"signal {-status}" if status < 0 else f"exit code {status}"


Say = Callable[[dict[str, Any]], None]


class Watch:
    """Says which tests fail."""

    def __init__(self) -> None:
        self.failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure of a test, or of what it needs."""
        self.failed = self.failed or report.failed


def run_each(items: list[pytest.Item], mutant: int) -> Iterable[tuple[pytest.Item, bool]]:
    """Run tests with a mutant; whether each failed."""
    import untied_mutants

    watch = Watch()
    items[0].config.pluginmanager.register(watch)
    for item, following in zip(items, [*items[1:], None], strict=True):
        watch.failed = False
        untied_mutants.choose(mutant)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        yield item, watch.failed


def alone(items: list[pytest.Item]) -> Callable[[Say], None]:
    """Run the tests of a file without a mutant."""

    def work(say: Say) -> None:
        import untied_mutants

        used = time_used()
        for item, failed in run_each(items, NOBODY):
            now = time_used()
            asked = sorted(untied_mutants.reached(PLAN["in_core"]))
            say({"test": item.nodeid, "failed": failed, "seconds": now - used, "asked": asked})
            used = now

    return work


def against(mutant: int, items: list[pytest.Item]) -> Callable[[Say], None]:
    """Run tests with a mutant until one fails."""

    def work(say: Say) -> None:
        for item, failed in run_each(items, mutant):
            if failed:
                say({"failed": item.nodeid})
                return

    return work


def time_used() -> float:
    """Seconds of a processor that this process and those that it waited for have used."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


Job = tuple[str, Callable[[Say], None], int, float]


def in_children(jobs: list[Job]) -> Iterable[dict[str, Any]]:
    """Do each work in a forked process, a few at a time: what it said, and how it ended."""
    waiting = list(jobs)
    running: dict[int, tuple[str, Path, float]] = {}
    while waiting or running:
        while waiting and len(running) < PLAN["processes"]:
            name, work, seconds, clock = waiting.pop(0)
            folder = Path(tempfile.mkdtemp(prefix="mutant"))
            child = os.fork()
            if child == 0:
                do(work, folder, seconds)
            with contextlib.suppress(ProcessLookupError):
                os.setpgid(child, child)  # so does the child; either may come first
            running[child] = (name, folder, time.monotonic() + clock)
        time.sleep(0.02)
        for child, (name, folder, end) in list(running.items()):
            done, status = os.waitpid(child, os.WNOHANG)
            if not done and time.monotonic() < end:
                continue
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # and what it started
            if not done:
                status = os.waitpid(child, 0)[1]
            del running[child]
            said = folder / "said"
            lines = said.read_text(encoding="utf-8").splitlines() if said.exists() else []
            shutil.rmtree(folder, ignore_errors=True)
            yield {
                "name": name,
                "ended": os.waitstatus_to_exitcode(status),
                "by_clock": not done,
                "lines": [json.loads(line) for line in lines if line.endswith("}")],
            }


def do(work: Callable[[Say], None], folder: Path, seconds: int) -> None:
    """Work in this process, which was forked, and end it."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder)
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silent, stream)

    def say(line: dict[str, Any]) -> None:
        with (folder / "said").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    code = 0
    try:
        work(say)
    except BaseException:
        say({"failed": f"exception of this tool: {traceback.format_exc()}"})
        code = 70
    finally:
        os._exit(code)
