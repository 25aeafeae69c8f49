"""Interfaces of other packages, computed by untied: each module replaces the package of its name."""
