"""The index of the site's search: the API after the guides.

Zensical's search puts short entries that consist of the words asked for first. A function that is called
``significance``, or an attribute with the text "Names of the two runs", would come before the guide. So names of the
API are written in full, as ``untied.statistics.significance``, and attributes are found with their class.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


def guides_first(site: Path) -> None:
    """Rewrite the built site's index; it has two, one of them for pages opened from a disk."""
    index = json.loads((site / "search.json").read_text(encoding="utf-8"))
    index["items"] = named_in_full(index["items"])
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (site / "search.json").write_text(text, encoding="utf-8")
    (site / "search.js").write_text(f"var __index = {text}", encoding="utf-8")


def named_in_full(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries, with modules before names of the API, and attributes in the entry of their class."""
    kept: list[dict[str, Any]] = []
    owner: dict[str, Any] = {}
    for item in items:
        kept.append(item)
        if not item["location"].startswith("api/") or item["level"] == 1:
            continue
        if item["level"] == 2:
            owner = item
            item["title"] = f"{item['path'][-1]}.{item['title']}"
        elif item["text"].startswith("<pre>"):  # a method, with its signature
            item["title"] = f"{owner['title']}.{item['title']}"
        else:
            owner["text"] += f"<p>{item['title']}</p>{item['text']}"
            kept.pop()
        item["path"] = item["path"][:-1]  # the title has the module
    return kept
