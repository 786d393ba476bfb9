"""Replays a counted number of transactions by one terminal, so that arms can be compared after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ciphermark.engine.base import Copy, Engine, StatementMode
from ciphermark.loadgen.blocking import execute_transaction
from ciphermark.workload.base import Workload

__all__ = ["Replay", "replay"]


@dataclass(frozen=True, slots=True)
class Replay:
    """How many transactions of a replay committed, and how many rolled back as planned."""

    committed: int
    planned_rollbacks: int


def replay(
    engine: Engine,
    copy: Copy,
    workload: Workload,
    *,
    transactions: int,
    seed: int,
    mode: StatementMode = StatementMode.PREPARED,
) -> Replay:
    """Executes the first `transactions` of terminal 0, the same ones on every arm.

    What the workload buffers is sent, and what it puts back after a slice is put back. Raises the
    engine's errors; a single terminal meets no lock that it would have to wait for.
    """
    program = workload.program(engine.dialect, 0, 1)
    program.rewind(np.random.SeedSequence(seed), transactions)
    session = engine.connect(copy, mode)
    try:
        outcomes = [
            execute_transaction(session, program.next_transaction()) for _ in range(transactions)
        ]
        for rest in (program.finish(), program.restore()):
            if rest is not None:
                execute_transaction(session, rest)
    finally:
        session.close()
    rollbacks = sum(outcome < 0 for outcome in outcomes)
    return Replay(committed=transactions - rollbacks, planned_rollbacks=rollbacks)
