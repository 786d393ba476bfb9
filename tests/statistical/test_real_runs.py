"""The method on real runs, in a short form of benchmarks/false_alarms.py and injected_cost.py.

The bounds leave room for chance: a sound method passes each test in at least 998 of 1000 runs.
"""

from __future__ import annotations

import pytest
from false_alarms import one_run as aa_run
from injected_cost import one_run as injected_run

RUNS = 10
SECONDS = 1.0


@pytest.mark.slow
def test_two_plain_arms_seldom_differ() -> None:
    """At a true rate of 5 %, four or more alarms in ten runs have a chance of 0.1 %."""
    alarms = {"throughput": 0, "CPU": 0}
    for seed in range(RUNS):
        for metric, cost in aa_run("oltp_read_only", SECONDS, seed).items():
            alarms[metric] += cost.excludes_zero
    assert max(alarms.values()) <= 3, alarms


@pytest.mark.slow
def test_a_cost_of_known_size_is_found() -> None:
    """At a true coverage of 95 %, three or fewer of six have a chance of 0.2 %."""
    covered = sum(injected_run(0.10, SECONDS) for _ in range(6))
    assert covered >= 4
