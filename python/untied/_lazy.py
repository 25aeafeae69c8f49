"""Imports modules and names when they are first used, so that ``import untied`` takes little time."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def imported_when_used(
    package: str, modules: tuple[str, ...], names: Mapping[str, str] | None = None
) -> Callable[[str], object]:
    """Return a package's ``__getattr__`` that imports its modules, and names from the modules that define them."""
    homes = names or {}

    def getattribute(name: str) -> object:
        import sys
        from importlib import import_module

        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return getattribute
