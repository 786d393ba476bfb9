"""Checks of Python and of the plug-ins: what is broken, and what is not installed."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping

from ciphermark.doctor.finding import Finding, fail, ok, warn
from ciphermark.errors import MissingDependency
from ciphermark.registry import GROUPS, Plugin, plugins, refresh

__all__ = ["check_plugins", "check_python", "find_plugins", "judge_plugins"]

PYTHON_MIN = (3, 11)


def check_python(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> Finding:
    """Whether this Python is new enough."""
    text = ".".join(str(part) for part in version)
    if version < PYTHON_MIN:
        return fail("Python", text, "Install Python 3.11 or later")
    return ok("Python", text)


def check_plugins() -> tuple[Finding, ...]:
    """Findings about all plug-ins that are installed."""
    found, broken = find_plugins()
    return tuple(judge_plugins(found, broken))


def find_plugins() -> tuple[Mapping[str, Mapping[str, Plugin]], tuple[str, ...]]:
    """The plug-ins of each group, and what was said of those that cannot be loaded."""
    refresh()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = {group: plugins(group) for group in GROUPS}
    return found, tuple(str(one.message) for one in caught)


def judge_plugins(
    found: Mapping[str, Mapping[str, Plugin]], broken: tuple[str, ...]
) -> Iterator[Finding]:
    """A finding for each group, each plug-in that misses something, and each broken one."""
    for group, members in found.items():
        usable = [name for name, plugin in members.items() if not plugin.missing]
        yield ok(f"{group} plug-ins", ", ".join(usable) or "none")
        for plugin in members.values():
            if plugin.missing:
                yield _missing(plugin)
    for text in broken:
        yield warn("plug-ins", text, "Update or remove the distribution that brings it")


def _missing(plugin: Plugin) -> Finding:
    try:
        plugin.load()
    except MissingDependency as error:
        return warn(plugin.name, error.what, error.remedy)
    return ok(plugin.name, "installed meanwhile")
