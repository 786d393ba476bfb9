"""How long one core takes to load a million sysbench rows, the secondary index included.

Generating the rows is part of it. Bar: under 20 s for the plain arm. The encrypted arm and a clone
of each stand beside it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ciphermark.engine.base import Copy, Engine
from ciphermark.protection.base import Protection
from ciphermark.registry import find
from ciphermark.workload.base import Workload

ROWS = 1_000_000
BAR_S = 20.0


def made(group: str, name: str, **options: Any) -> Any:
    """The object of a plug-in with the given options."""
    plugin = find(group, name)
    return plugin.load()(plugin.load_options()(**options))


def main() -> None:
    """Prints the times, and the plain arm's as a fraction of the bar."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    arms = {"plain": made("protection", "none"), "chacha20": made("protection", "tde")}
    load_s = {name: measure(name, protection) for name, protection in arms.items()}
    ratio = load_s["plain"] / BAR_S
    verdict = "within" if ratio < 1 else "FALLS SHORT of"
    print(f"loading the plain arm takes {ratio:.0%} of the bar of {BAR_S:.0f} s; {verdict} the bar")


def measure(name: str, protection: Protection) -> float:
    """Seconds of the load; prints them and those of a clone."""
    engine: Engine = made("engine", "sqlite")
    workload: Workload = made("workload", "oltp_read_write", table_size=ROWS)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        encryption = protection.prepare(engine, name, place / "keys")
        copy = Copy(name, 0, engine.locate(name, 0, place), encryption)
        second = replace(copy, index=1, location=engine.locate(name, 1, place))
        engine.create(copy)
        load_s = seconds(lambda: load(engine, workload, copy))
        clone_s = seconds(lambda: engine.clone(copy, second))
    print(f"{name}: {ROWS} rows loaded in {load_s:.1f} s, cloned in {clone_s:.1f} s")
    return load_s


def load(engine: Engine, workload: Workload, copy: Copy) -> None:
    """Loads all tables of the workload."""
    for table in workload.data(engine.dialect, 1, 1).tables:
        engine.load(copy, table, lambda rows: None)


def seconds(action: Callable[[], object]) -> float:
    """Time that the action takes."""
    start_ns = time.perf_counter_ns()
    action()
    return (time.perf_counter_ns() - start_ns) / 1e9


if __name__ == "__main__":
    main()
