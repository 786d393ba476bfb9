"""CPU of the servers, charged to the copies that they hold.

A server's CPU clock runs on through checkpoints and flushing, so background work is charged to the
arm that caused it, whatever the interleaving.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ciphermark.engine.base import Copy, Engine
from ciphermark.loadgen.orders import Cell
from ciphermark.measurement.cpu import CPUMeter

__all__ = ["ServerCPU"]


class ServerCPU:
    """Reads the CPU clocks of the servers at the borders of batches and blocks."""

    def __init__(self, engine: Engine, copies: Sequence[Sequence[Copy]]) -> None:
        self._meters: dict[Cell, CPUMeter] = {}
        seen: set[int] = set()
        self.apart = True
        """Whether every copy has a server of its own: only then can slices tell them apart."""
        for arm, wanted in enumerate(copies):
            for number, copy in enumerate(wanted):
                pids = engine.server_pids(copy)
                if pids:
                    self._meters[arm, number] = CPUMeter(pids)
                    self.apart = self.apart and seen.isdisjoint(pids)
                    seen.update(pids)

    def read(self, cells: Sequence[Cell] | None = None) -> dict[Cell, int]:
        """CPU time of the servers of `cells` (of all) so far, ns; empty for embedded engines."""
        wanted = self._meters if cells is None else [c for c in cells if c in self._meters]
        return {cell: self._meters[cell].read_ns() for cell in wanted}

    @staticmethod
    def between(before: Mapping[Cell, int], after: Mapping[Cell, int]) -> dict[Cell, int]:
        """What was used between two readings, ns."""
        return {cell: after[cell] - before[cell] for cell in after}
