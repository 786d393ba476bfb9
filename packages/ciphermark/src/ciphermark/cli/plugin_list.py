"""The plug-ins as `ciphermark list` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ciphermark.errors import MissingDependency
from ciphermark.registry import GROUPS, Plugin, plugins

__all__ = ["PluginRow", "list_plugins"]


@dataclass(frozen=True, slots=True)
class PluginRow:
    """One plug-in; `install` is the command that brings what it misses, or empty."""

    group: str
    name: str
    description: str
    install: str

    def to_json(self) -> dict[str, str]:
        """The row as JSON holds it; the names are stable."""
        return asdict(self)


def list_plugins(groups: Sequence[str] | None = None) -> tuple[PluginRow, ...]:
    """The plug-ins of the groups, of all when None, by group and name."""
    return tuple(
        PluginRow(group, plugin.name, plugin.description, _install(plugin))
        for group in groups or GROUPS
        for plugin in plugins(group).values()
    )


def _install(plugin: Plugin) -> str:
    if not plugin.missing:
        return ""
    try:
        plugin.load()
    except MissingDependency as error:
        return error.install
    return ""
