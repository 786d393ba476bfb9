"""What a run does when."""

from __future__ import annotations

from ciphermark.compat.sysbench.command_line import parse
from ciphermark.compat.sysbench.plan import run_plan
from ciphermark.compat.sysbench.schedule import Schedule

S = 1_000_000_000


def schedule(text: str) -> Schedule:
    made = Schedule(run_plan(parse(f"oltp_read_only {text} run".split()).settings))
    made.begin(0)
    return made


def test_lines_and_checkpoints_in_their_order() -> None:
    made = schedule("--report-interval=2 --report-checkpoints=4,3")
    assert made.next_ns == 2 * S
    assert made.due(2 * S - 1) == []
    assert made.due(2 * S) == ["interval"]
    assert made.next_ns == 3 * S
    assert made.due(4 * S) == ["checkpoint", "checkpoint", "interval"]
    assert made.next_ns == 6 * S


def test_a_missed_interval_is_not_made_up_for() -> None:
    made = schedule("--report-interval=1")
    assert made.due(5 * S + 1) == ["interval"]
    assert made.next_ns == 6 * S


def test_everything_is_counted_from_the_end_of_the_warm_up() -> None:
    made = schedule(
        "--warmup-time=10 --time=20 --report-interval=5 --report-checkpoints=7 --forced-shutdown=3"
    )
    assert made.due(10 * S) == ["warm-up"]
    assert made.next_ns == 15 * S
    assert made.due(17 * S) == ["interval", "checkpoint"]
    assert "shutdown" not in made.due(33 * S - 1)
    assert made.due(33 * S) == ["shutdown"]


def test_nothing_is_due_unless_asked_for() -> None:
    assert schedule("").due(10**6 * S) == []
