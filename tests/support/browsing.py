"""A page in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Tab:
    """A page in the browser, with what it complained about and asked for."""

    #: What the page matches when it has started.
    ready = "html[data-ready=yes]"

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.trouble: list[str] = []
        self.requests: list[str] = []
        self.page = browser.new_page(**options)
        self.page.on("console", lambda message: self.trouble.append(message.text))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector(self.ready)
        self.own = path.as_uri()

    def close(self) -> None:
        """Close it; it must have complained about nothing, and have asked nobody for anything."""
        assert self.trouble == []
        assert [url for url in self.requests if not url.startswith((self.own, "blob:", "data:"))] == []
        self.page.close()
