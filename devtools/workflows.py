"""Lints of the workflows in ``.github``, by actionlint."""

from __future__ import annotations

import shutil

from devtools.environment import BIN, ROOT, run, variables

#: Where there is Go but no actionlint, it is compiled into ``.venv``: PyPI's package downloads a program.
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"


def lint() -> None:
    """Check the workflows, where there is actionlint or Go."""
    path = variables()["PATH"]
    found = shutil.which("actionlint", path=path)
    if found is None and (go := shutil.which("go", path=path)):
        run(go, "install", ACTIONLINT, GOBIN=str(BIN))
        found = str(BIN / "actionlint")
    if found is None:
        print("workflows are not linted: there is neither actionlint nor Go")
        return
    # The same on all machines, whatever else they have.
    run(found, "-shellcheck=", "-pyflakes=", *sorted(map(str, (ROOT / ".github" / "workflows").glob("*.yml"))))
