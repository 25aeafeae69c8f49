"""``python -m untied``."""

from untied.cli import main

raise SystemExit(main())
