"""The data of a report, read from its page."""

from __future__ import annotations

import json
import re
from typing import Any


def data_of(page: str) -> dict[str, Any]:
    """All data that the page holds, of both of its parts."""
    parts = re.findall(r'<script type="application/json" id="(?:data|rest)">(.*?)</script>', page, re.DOTALL)
    first, rest = map(json.loads, parts)
    assert not first.keys() & rest.keys()
    return first | rest
