"""Do the data still keep the conditions that the workload guarantees?"""

from __future__ import annotations

import contextlib
from typing import Literal

from ciphermark.engine.base import Copy, Engine
from ciphermark.results.document import ConsistencyResult
from ciphermark.workload.base import Workload

__all__ = ["Moment", "check_consistency"]

Moment = Literal["after load", "after run", "after replay"]


def check_consistency(
    engine: Engine, copy: Copy, workload: Workload, moment: Moment
) -> tuple[ConsistencyResult, ...]:
    """One result for each condition of the workload; no result holds a value of the data."""
    conditions = workload.conditions(engine.dialect)
    if not conditions:
        return ()
    results = []
    with contextlib.closing(engine.connect(copy)) as session:
        for condition in conditions:
            rows = session.execute(condition.query, ())
            assert isinstance(rows, list), "a condition is a query"
            broken = f"{len(rows)} rows break it: {condition.description}" if rows else ""
            results.append(
                ConsistencyResult(
                    arm=copy.arm,
                    copy_index=copy.index,
                    check=condition.name,
                    moment=moment,
                    passed=not rows,
                    expected_to_fail=condition.expected_to_fail,
                    details=broken,
                )
            )
    return tuple(results)
