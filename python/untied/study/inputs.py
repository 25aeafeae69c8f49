"""Judgments and runs of a study, read once, with their origins."""

from __future__ import annotations

import os
import pickle

from untied.inputs.convert import as_qrels, as_run, named_sources
from untied.inputs.files import refuse_probabilities
from untied.inputs.provenance import provenance
from untied.progress import each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied._core import Qrels, Run
    from untied._literals import QrelsFormat
    from untied.inputs.convert import OneRun, QrelsLike, Runs


class Inputs:
    """The judgments and the runs of a study, each read once.

    `origins` describes every input: what it is (``"qrels"`` or a run's name), its path, its SHA-256, and its
    command-line option, if any.
    """

    def __init__(
        self, qrels: QrelsLike, runs: Runs, *, qrels_format: QrelsFormat = "auto", threads: int | None = None
    ) -> None:
        self.threads = threads
        self.qrels_format = qrels_format
        self.origins: list[dict[str, str | None]] = []
        self.qrels = self.read_qrels("qrels", qrels, qrels_format)
        self.runs = {name: self.read_run(name, source) for name, source in each(named_sources(runs, qrels), "run")}

    def read_qrels(self, name: str, source: QrelsLike, format: str = "auto", *, option: str | None = None) -> Qrels:
        """Read judgments, and record their origin."""
        qrels = refuse_probabilities(as_qrels(source, self.threads, format), "a study")
        self.origins.append(origin(name, source, qrels, option))
        return qrels

    def read_run(self, name: str, source: OneRun) -> Run:
        """Read a run, and record its origin."""
        run = as_run(source, self.threads)
        self.origins.append(origin(name, source, run))
        return run

    def remember(self, name: str, source: object, held: object, *, option: str) -> None:
        """Record the origin of another input, from which `held` was read."""
        self.origins.append(origin(name, source, held, option))

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Return what the inputs hold, and how they were read. Paths do not count."""
        return {"qrels_format": self.qrels_format, "inputs": [[one["name"], one["sha256"]] for one in self.origins]}

    @property
    def paths(self) -> list[str]:
        """Return the files among the inputs."""
        return [path for origin in self.origins if (path := origin["path"]) is not None]


def origin(name: str, source: object, held: object, option: str | None = None) -> dict[str, str | None]:
    """Return the origin of an input: its name, path, SHA-256 and option."""
    if isinstance(source, (str, os.PathLike)):
        facts = provenance([source])[0]
        if facts["sha256"] is not None:
            return {"name": name, **facts, "option": option}
    import hashlib

    digest = hashlib.sha256(pickle.dumps(held, protocol=4)).hexdigest()
    return {"name": name, "path": None, "sha256": digest, "option": option}
