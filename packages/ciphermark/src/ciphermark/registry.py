"""Finds engines, protections, workloads and reports by name, through entry points.

The built-in ones are found in the same way as those that other distributions bring: adding one is
a file and a line in `pyproject.toml`. An entry point names a `Plugin`, a light description; the
heavy module behind it is imported when it is used.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import warnings
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any

from ciphermark.errors import MissingDependency, UnsupportedCapability

__all__ = ["GROUPS", "Plugin", "find", "import_object", "plugins", "refresh"]

GROUPS = ("engine", "protection", "workload", "report")


@dataclass(frozen=True, slots=True)
class Plugin:
    """What is known of a plug-in without importing it.

    `factory` and `options` are "module:attribute" paths: the factory makes the object that the
    group's protocol describes (see `base.py` of the group), `options` is the pydantic model of its
    table in a plan file. `requires` lists the modules that must be importable and `extra` the extra
    that brings them.
    """

    name: str
    description: str
    factory: str
    options: str = ""
    extra: str = ""
    requires: tuple[str, ...] = ()
    flags: frozenset[str] = field(default_factory=frozenset)

    @property
    def missing(self) -> tuple[str, ...]:
        """The required modules that cannot be imported here."""
        return tuple(name for name in self.requires if not _importable(name))

    def load(self) -> Any:
        """The factory; raises `MissingDependency`, which says what to install."""
        if self.missing:
            wanted = f"'ciphermark[{self.extra}]'" if self.extra else " ".join(self.missing)
            raise MissingDependency(
                f"{self.name} needs {', '.join(self.missing)}, which is not installed",
                install=f"pip install {wanted}",
            )
        return import_object(self.factory)

    def load_options(self) -> Any:
        """The pydantic model of this plug-in's options."""
        return import_object(self.options)


def _importable(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def import_object(path: str) -> Any:
    """The object at "module:attribute"."""
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


@functools.cache
def plugins(group: str) -> dict[str, Plugin]:
    """The plug-ins of a group by name; a broken one is a warning, not an error."""
    found: dict[str, Plugin] = {}
    for entry in entry_points(group=f"ciphermark.{group}"):
        try:
            plugin = entry.load()
        except Exception as error:  # a foreign plug-in may raise anything
            warnings.warn(f"plug-in {entry.value} cannot be loaded: {error}", stacklevel=2)
            continue
        if isinstance(plugin, Plugin):
            found[plugin.name] = plugin
        else:
            warnings.warn(f"plug-in {entry.value} is not a Plugin", stacklevel=2)
    return dict(sorted(found.items()))


def find(group: str, name: str) -> Plugin:
    """The plug-in of that name; raises `UnsupportedCapability` with the nearest known name."""
    known = plugins(group)
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Known: {', '.join(known)}"
    raise UnsupportedCapability(f"there is no {group} named {name!r}", remedy=hint)


def refresh() -> None:
    """Forgets what was found, so that plug-ins installed since are seen."""
    plugins.cache_clear()
