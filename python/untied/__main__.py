"""``python -m untied``."""

import sys

if not sys.flags.safe_path:
    # Python puts the folder there that one happens to be in: a json.py in it would be loaded instead of Python's own.
    del sys.path[0]

from untied.cli import console

raise SystemExit(console())
