"""``python -m untied``."""

from untied.cli import console

raise SystemExit(console())
