"""The command run: threads under load, lines of progress, and the report at the end."""

from __future__ import annotations

import threading
import time

import numpy as np

from ciphermark.compat.sysbench.database import Database
from ciphermark.compat.sysbench.event_queue import EventQueue
from ciphermark.compat.sysbench.ledger import Ledger
from ciphermark.compat.sysbench.log import Log
from ciphermark.compat.sysbench.plan import RunPlan
from ciphermark.compat.sysbench.schedule import Schedule
from ciphermark.compat.sysbench.terminals import Limits, Terminal
from ciphermark.workload.base import Workload

__all__ = ["CUT_OFF", "FAILED", "run"]

FAILED = 1
CUT_OFF = 2
INITIALIZATION_PATIENCE_S = 30.0
_COLLECT_S = 1.0
"""How often latencies are taken from the threads when no line is due."""
_NS_PER_S = 1_000_000_000
_QUEUE_STREAM = 2**32
"""Keeps the random gaps of the open loop apart from the values of the threads."""


def run(plan: RunPlan, workload: Workload, database: Database, log: Log) -> int:
    """Runs the workload and prints what sysbench prints; returns the exit code."""
    _print_banner(plan, log)
    return _Run(plan, workload, database, log).run()


def _print_banner(plan: RunPlan, log: Log) -> None:
    log.notice("Running the test with following options:")
    log.notice(f"Number of threads: {plan.threads}")
    if plan.rate_per_s:
        log.notice(f"Target transaction rate: {plan.rate_per_s}/sec")
    if plan.warm_up_s:
        log.notice(f"Warmup time: {plan.warm_up_s}s")
    if plan.report_interval_s:
        log.notice(f"Report intermediate results every {plan.report_interval_s} second(s)")
    if plan.checkpoints_s:
        seconds = ", ".join(str(second) for second in plan.checkpoints_s)
        log.notice(f"Report checkpoint(s) at {seconds} seconds")
    if plan.debug:
        log.notice("Debug mode enabled.\n")
    source = f"seed ({plan.seed})." if plan.seed else "current time"
    log.notice(f"Initializing random number generator from {source}")
    log.notice()
    log.notice("" if plan.shutdown_s is None else f"Forcing shutdown in {plan.shutdown_s} seconds")
    if plan.shutdown_s is not None:
        log.notice()


class _Run:
    """One run, led by the main thread."""

    def __init__(self, plan: RunPlan, workload: Workload, database: Database, log: Log) -> None:
        self._plan = plan
        self._log = log
        self._limits = Limits(plan.events)
        self._go = threading.Event()
        root = plan.seed or time.time_ns()
        self._queue = (
            EventQueue(plan.rate_per_s, np.random.SeedSequence(root, spawn_key=(_QUEUE_STREAM,)))
            if plan.rate_per_s
            else None
        )
        self._terminals = [
            Terminal(
                number,
                database.connect,
                workload.program(database.engine.dialect, number, plan.threads),
                np.random.SeedSequence(root, spawn_key=(number,)),
                self._limits,
                self._queue,
                self._go,
            )
            for number in range(plan.threads)
        ]
        self._ledger = Ledger(self._terminals, plan.percentile, time.perf_counter_ns())
        self._schedule = Schedule(plan)

    def run(self) -> int:
        """Starts the threads, leads them to the end, prints the report."""
        self._log.notice("Initializing worker threads...")
        self._log.notice()
        if (code := self._start()) != 0:
            return code
        self._begin_clock()
        try:
            finished = self._lead()
        except BaseException:
            self._limits.cut_off = True
            raise
        finally:
            if self._queue is not None:
                self._queue.stop()
        return self._end() if finished else self._cut_off()

    def _start(self) -> int:
        for terminal in self._terminals:
            terminal.start()
            self._log.debug(f"Worker thread (#{terminal.number}) started")
        deadline_s = time.monotonic() + INITIALIZATION_PATIENCE_S
        for terminal in self._terminals:
            if not terminal.ready.wait(max(0.0, deadline_s - time.monotonic())):
                self._log.fatal(
                    "Worker threads failed to initialize within "
                    f"{INITIALIZATION_PATIENCE_S:.0f} seconds!"
                )
                return CUT_OFF
            self._log.debug(f"Worker thread (#{terminal.number}) initialized")
        if self._print_errors():
            self._log.fatal("Thread initialization failed!")
            self._limits.cut_off = True
            self._go.set()
            return FAILED
        return 0

    def _begin_clock(self) -> None:
        plan = self._plan
        now_ns = time.perf_counter_ns()
        if plan.time_s:
            self._limits.deadline_ns = now_ns + (plan.time_s + plan.warm_up_s) * _NS_PER_S
        if not plan.warm_up_s:
            self._limits.count_events()
        self._ledger.restart(now_ns)
        self._schedule.begin(now_ns)
        if self._queue is not None:
            self._queue.start()
        self._log.notice("Threads started!")
        self._log.notice()
        if plan.warm_up_s:
            self._log.notice(f"Warming up for {plan.warm_up_s} seconds...")
            self._log.notice()
        self._go.set()

    def _lead(self) -> bool:
        """Does what falls due until all threads have ended; False at a forced shutdown."""
        for terminal in self._terminals:
            while not terminal.ended.wait(self._patience_s()):
                if not self._act():
                    return False
        return self._act() or not self._running()

    def _patience_s(self) -> float:
        ahead_s = (self._schedule.next_ns - time.perf_counter_ns()) / _NS_PER_S
        return min(max(ahead_s, 0.0), _COLLECT_S)

    def _act(self) -> bool:
        """Prints what is due; False when the run must be cut off."""
        self._ledger.collect()
        now_ns = time.perf_counter_ns()
        for due in self._schedule.due(now_ns):
            if due == "shutdown" and self._running():
                return False
            if due == "warm-up":
                self._limits.count_events()
                self._ledger.restart(now_ns)
            elif due == "interval":
                self._print_interval(now_ns)
            elif due == "checkpoint":
                self._print_checkpoint(now_ns)
        if self._queue is not None and self._queue.overflowed.is_set():
            self._limits.cut_off = True
        return True

    def _running(self) -> int:
        return sum(not terminal.ended.is_set() for terminal in self._terminals)

    def _print_interval(self, now_ns: int) -> None:
        line = self._ledger.interval_line(now_ns)
        self._log.timed(str(line))
        if self._queue is not None:
            concurrency = sum(terminal.busy for terminal in self._terminals)
            self._log.timed(
                f"[ {line.elapsed_s:.0f}s ] queue length: {self._queue.length}, "
                f"concurrency: {concurrency}"
            )

    def _print_checkpoint(self, now_ns: int) -> None:
        self._log.timed(f"[ {self._ledger.elapsed_s(now_ns):.0f}s ] Checkpoint report:")
        self._print_report(now_ns)
        self._ledger.checkpoint(now_ns)

    def _end(self) -> int:
        """The end of a run whose threads have all ended; also of one that failed."""
        now_ns = time.perf_counter_ns()
        for terminal in self._terminals:
            if terminal.reason:
                self._log.info(terminal.reason)
        failed = self._print_errors()
        if self._queue is not None and self._queue.overflowed.is_set():
            failed = True
            self._log.fatal(
                "The event queue is full. The threads do not keep up with the rate of --rate"
            )
        if failed:
            self._log.warning("The run has failed; the report covers what was done until then")
        else:
            self._log.info("Done.")
            self._log.info("")
        self._print_report(now_ns)
        return FAILED if failed else 0

    def _cut_off(self) -> int:
        """The end of a run that goes on past its forced shutdown; its threads are left behind."""
        self._limits.cut_off = True
        self._log.fatal("The --max-time limit has expired, forcing shutdown...")
        self._print_report(time.perf_counter_ns(), self._running())
        return CUT_OFF

    def _print_errors(self) -> bool:
        """Prints what threads have failed with; True when any has."""
        errors = [terminal.error for terminal in self._terminals if terminal.error is not None]
        for error in errors:
            self._log.fatal(str(error))
        return bool(errors)

    def _print_report(self, now_ns: int, unfinished: int | None = None) -> None:
        report = self._ledger.report(now_ns, unfinished)
        lines = self._ledger.period.buckets.lines() if self._plan.histogram else []
        self._log.notice("\n".join([*lines, *report.lines()]))
        if self._plan.debug:
            self._print_threads()

    def _print_threads(self) -> None:
        """What debug mode adds: each thread by itself."""
        self._log.debug("Verbose per-thread statistics:\n")
        for number, times in enumerate(self._ledger.period.by_thread):
            lowest, mean, highest, total = (
                f"{value_ns / _NS_PER_S:.4f}s"
                for value_ns in (
                    times.lowest_ns,
                    times.sum_ns / max(times.events, 1),
                    times.highest_ns,
                    times.sum_ns,
                )
            )
            self._log.debug(
                f"    thread #{number:3d}: min: {lowest}  avg: {mean}  max: {highest}  "
                f"events: {times.events}"
            )
            self._log.debug(f"                 total time taken by event execution: {total}")
        self._log.notice()
