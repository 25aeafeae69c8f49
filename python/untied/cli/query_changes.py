"""The queries that gain or lose most, as ``untied stats --top`` lists them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isnan

from untied._core import show_id
from untied.cli import output
from untied.cli.notes import listed
from untied.measures import as_measure
from untied.results.text import markdown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from untied.results.differences import Change
    from untied.results.table import Table

#: What several changes are called.
PLURALS = {"loss": "losses", "gain": "gains"}


@dataclass
class QueryChanges:
    """The queries with the largest losses and gains, and how many more have the last loss or gain of each list."""

    table: Table
    more: dict[Change, int]

    def notes(self) -> list[str]:
        """A note on queries that a list leaves out although they lose or gain as much as the last one listed."""
        alike = [
            f"{count:,} {change if count == 1 else PLURALS[change]} of {show_id(a)} against {show_id(b)} by {measure}"
            for (measure, a, b, change), count in self.more.items()
        ]
        if not alike:
            return []
        left_out = f"queries left out that lose or gain as much as the last one listed: {listed(alike)}"
        return [f"{left_out}; a larger --top lists them"]

    @cached_property
    def _rows(self) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
        """The rows by measure and runs."""
        changes: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
        for row in self.table.to_dicts():
            changes.setdefault((row["measure"], row["run_a"], row["run_b"]), []).append(row)
        return changes

    def tables(self, pair: tuple[str, str, str], style: str, digits: int, on_screen: bool) -> Iterator[str]:
        """Two tables of a measure and two runs: losses and gains."""
        measure, a, b = pair
        lower = ", where lower is better" if as_measure(measure).lower_is_better else ""
        rows = self._rows.get(pair, [])
        for change, called in PLURALS.items():
            name_a, name_b = (markdown_text(show_id(run)) if style == "md" else show_id(run) for run in (a, b))
            title = f"{measure}: largest {called} of {name_a} (a) against {name_b} (b){lower}"
            head = ["query", "a", "b", "a - b", *(["a - b can be"] if "least" in (rows or [{}])[0] else [])]
            lines = [_line(row, digits) for row in rows if row["change"] == change]
            if not lines:
                yield f"{title}: none\n"
                continue
            count = self.more.get((*pair, change), 0)
            more = (
                f"... and {count:,} more with the same {change} as the last one: a larger --top lists them\n"
                if count
                else ""
            )
            if style == "table":
                yield f"{output.bold(title, on_screen)}\n{output.lines(head, lines, style, texts=1)}{more}"
            else:
                yield f"{title}\n\n{output.lines(head, lines, style, texts=1)}" + (f"\n{more}" if more else "")


def _line(row: dict[str, Any], digits: int) -> list[str]:
    ends = [span(row, "least", "most", digits)] if "least" in row else []
    values = (f"{row[name]:.{digits}f}" for name in ("value_a", "value_b"))
    return [show_id(row["query"]), *values, f"{row['difference']:+z.{digits}f}", *ends]


def span(row: dict[str, Any], low: str, high: str, digits: int) -> str:
    """Two ends of a difference; ``-`` if they are not known."""
    return "-" if isnan(row[low]) else f"[{row[low]:+z.{digits}f}, {row[high]:+z.{digits}f}]"
