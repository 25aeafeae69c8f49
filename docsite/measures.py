"""Pages of measures, made from what the package says of each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def pages(written: Mapping[str, str]) -> tuple[list[object], dict[str, str]]:
    """Entries of the navigation, and pages."""
    return [], {}
