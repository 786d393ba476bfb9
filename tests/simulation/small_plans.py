"""Plans that take a second or two, for tests of the whole way."""

from __future__ import annotations

from typing import Any

from ciphermark.plan.files import parse_plan
from ciphermark.plan.schema import PlanFile

__all__ = ["LIGHT", "RecordingProgress", "small_plan"]

LIGHT: dict[str, Any] = {
    "kind": "oltp_read_write",
    "table_size": 300,
    "point_selects": 1,
    "range_selects": False,
    "slice_s": 0.005,
    "warm_up_s": 0.1,
}
"""A workload of short transactions: a slice holds many of them even on a busy machine."""


def small_plan(**changes: Any) -> PlanFile:
    """Plain and chacha20, two copies of 300 rows, two seconds of short transactions.

    `changes` replaces whole sections of the plan.
    """
    content: dict[str, Any] = {
        "experiment": {"name": "small", "seed": 7, "time_limit_s": 2.0, "precision": 0.00001},
        "engine": {"kind": "sqlite", "durability": "off", "cache_mib": 2},
        "data": {"copies": 2},
        "arm": [{"name": "plain"}, {"protection": {"kind": "tde", "cipher": "chacha20"}}],
        "workload": [LIGHT],
    }
    return parse_plan({**content, **changes})


class RecordingProgress:
    """Keeps what it is told; `on_phase` may raise, to interrupt a run at a chosen place."""

    def __init__(self, on_phase: Any = None, on_update: Any = None) -> None:
        self.phases: list[tuple[str, str]] = []
        self.messages: list[str] = []
        self.updates: list[tuple[float, float, str]] = []
        self._on_phase = on_phase
        self._on_update = on_update

    def phase(self, name: str, detail: str = "") -> None:
        self.phases.append((name, detail))
        if self._on_phase:
            self._on_phase(name, detail)

    def update(self, done_s: float, total_s: float, interval: str = "") -> None:
        self.updates.append((done_s, total_s, interval))
        if self._on_update:
            self._on_update(self)

    def message(self, text: str) -> None:
        self.messages.append(text)

    def close(self) -> None:
        """Nothing is open."""
