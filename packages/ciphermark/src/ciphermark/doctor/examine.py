"""All checks, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ciphermark.doctor.engine import check_engine_plugin
from ciphermark.doctor.finding import Finding, Level
from ciphermark.doctor.host import check_host
from ciphermark.doctor.software import check_plugins, check_python
from ciphermark.doctor.timing import check_clocks, check_flush
from ciphermark.measurement.host import read_host
from ciphermark.registry import find, plugins

__all__ = ["examine", "worst"]


def examine(folder: Path, engines: Iterable[str] = ()) -> Iterator[Finding]:
    """Checks this machine for measurements in `folder`, then the engines named, or all.

    Only engines that need no server are opened unasked. Raises `UnsupportedCapability` for an
    engine that does not exist.
    """
    chosen = [find("engine", name) for name in engines] or [
        plugin
        for plugin in plugins("engine").values()
        if "embedded" in plugin.flags and not plugin.missing
    ]
    yield from check_host(read_host(folder))
    yield check_flush(folder)
    yield check_clocks()
    yield check_python()
    yield from check_plugins()
    for plugin in chosen:
        yield from check_engine_plugin(plugin, folder)


def worst(findings: Iterable[Finding]) -> Level:
    """The level of the worst finding; `Level.OK` when there is none."""
    levels = {finding.level for finding in findings}
    return next((level for level in reversed(Level) if level in levels), Level.OK)
