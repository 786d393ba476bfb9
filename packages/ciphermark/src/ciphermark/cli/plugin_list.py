"""Plug-ins and presets as `ciphermark list` shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from ciphermark.errors import MissingDependency
from ciphermark.plan.presets import preset_names, preset_text
from ciphermark.registry import GROUPS, Plugin, plugins

__all__ = ["PluginRow", "list_plugins"]

PRESET = "preset"


@dataclass(frozen=True, slots=True)
class PluginRow:
    """One plug-in or preset; `install` is the command that brings what it misses, or empty."""

    group: str
    name: str
    description: str
    install: str

    def to_json(self) -> dict[str, str]:
        """The row as JSON holds it; the names are stable."""
        return asdict(self)


def list_plugins(groups: Sequence[str] | None = None) -> tuple[PluginRow, ...]:
    """What there is in the groups, in all when None, by group and name."""
    return tuple(row for group in groups or (*GROUPS, PRESET) for row in _rows(group))


def _rows(group: str) -> Iterator[PluginRow]:
    if group == PRESET:
        for name in preset_names():
            first, *_ = preset_text(name).splitlines()
            yield PluginRow(group, name, first.strip("# ."), "")
    else:
        for plugin in plugins(group).values():
            yield PluginRow(group, plugin.name, plugin.description, _install(plugin))


def _install(plugin: Plugin) -> str:
    if not plugin.missing:
        return ""
    try:
        plugin.load()
    except MissingDependency as error:
        return error.install
    return ""
