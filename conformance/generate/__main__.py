"""Write the cases (``python -m conformance.generate``), or ``--check`` that they are what it would write."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests")]  # the oracle is there

from conformance.generate import judgments, rankings, retrieval  # noqa: E402

CASES = ROOT / "conformance" / "cases"


def files() -> Iterator[tuple[Path, str]]:
    """Each file of cases with its text: one case a line."""
    for folder, groups in (
        (CASES, {**retrieval.GROUPS, **rankings.GROUPS}),
        (CASES / "judgments", judgments.GROUPS),
    ):
        for group, cases in groups.items():
            lines = [json.dumps(case, ensure_ascii=False) for case in cases()]
            yield folder / f"{group.replace(' ', '_')}.jsonl", "\n".join(lines) + "\n"


def main() -> int:
    """Write all files, or say which differ."""
    differ = []
    for path, text in files():
        if "--check" in sys.argv[1:]:
            if not path.exists() or path.read_text() != text:
                differ.append(path.name)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if differ:
        print(f"not what the oracle gives: {', '.join(differ)}; run python -m conformance.generate")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
