"""Checks of the machine; each looks at the facts for one thing."""

from __future__ import annotations

from collections.abc import Callable

from ciphermark.doctor.finding import Finding, fail, ok, warn
from ciphermark.measurement import concerns
from ciphermark.measurement.concerns import Concern
from ciphermark.measurement.host import HostFacts

__all__ = ["HOST_CHECKS", "check_host"]

GIB = 1 << 30
MEMORY_BYTES_LOW = GIB
MEMORY_BYTES_MIN = GIB // 4
DISK_BYTES_LOW = 2 * GIB
DISK_BYTES_MIN = GIB // 10
OPEN_FILES_LOW = 1024


def check_host(facts: HostFacts) -> tuple[Finding, ...]:
    """All findings about the machine, in the order of `HOST_CHECKS`."""
    return tuple(check(facts) for check in HOST_CHECKS)


def check_cpu(facts: HostFacts) -> Finding:
    """Which AES instructions the CPU has."""
    found = ", ".join(facts.aes_instructions)
    return _unless(
        concerns.missing_aes(facts), "cipher instructions", f"{facts.cpu_model}: {found}"
    )


def check_cores(facts: HostFacts) -> Finding:
    """Whether the load and the database need not share a core."""
    if facts.cores_usable < 2:
        return warn(
            "cores",
            "this process may use one core only: load and database take turns on it",
            "Measure with two cores or more",
        )
    return ok("cores", f"{facts.cores_usable} of {facts.cores} may be used")


def check_load(facts: HostFacts) -> Finding:
    """Whether the machine is idle."""
    return _unless(concerns.load(facts), "load", f"load average {facts.load_average:.2f}")


def check_frequency(facts: HostFacts) -> Finding:
    """Whether the clock rate of the CPU is steady."""
    steady = f"governor {facts.governor}" if facts.governor else "not visible here"
    return _unless(concerns.frequency(facts), "CPU frequency", steady)


def check_cpu_limit(facts: HostFacts) -> Finding:
    """Whether a control group stops the process now and then."""
    quota = f"{facts.cpu_quota:g} cores" if facts.cpu_quota is not None else "none"
    return _unless(concerns.cpu_limit(facts), "CPU limit", quota)


def check_memory(facts: HostFacts) -> Finding:
    """Whether enough memory is free."""
    free_bytes = facts.memory_available_bytes
    told = f"{_size(free_bytes)} of {_size(facts.memory_bytes)} are free"
    if facts.memory_limit_bytes is not None:
        free_bytes = min(free_bytes, facts.memory_limit_bytes)
        told += f"; a control group allows {_size(facts.memory_limit_bytes)}"
    if free_bytes < MEMORY_BYTES_MIN:
        return fail("memory", told, f"Free memory: {_size(MEMORY_BYTES_MIN)} are the least")
    if free_bytes < MEMORY_BYTES_LOW:
        return warn("memory", told, "Free memory, or choose smaller tables and caches")
    return ok("memory", told)


def check_disk(facts: HostFacts) -> Finding:
    """Whether enough of the disk is free and can be written to."""
    free = f"{_size(facts.storage.free_bytes)} are free"
    if facts.storage.read_only:
        return fail("disk space", "the file system is read-only", "Choose another folder")
    if facts.storage.free_bytes < DISK_BYTES_MIN:
        return fail("disk space", free, "Free some space, or choose another folder")
    if facts.storage.free_bytes < DISK_BYTES_LOW:
        return warn("disk space", free, "See what a plan needs with: ciphermark plan PLAN")
    return ok("disk space", free)


def check_storage(facts: HostFacts) -> Finding:
    """What the data would lie on."""
    storage = facts.storage
    told = f"{storage}, {storage.disk}" if storage.disk else str(storage)
    return _unless(concerns.storage(facts), "disk", told)


def check_clock_source(facts: HostFacts) -> Finding:
    """Whether the time is quickly read."""
    return _unless(
        concerns.clock_source(facts), "clock source", facts.clock_source or "not visible here"
    )


def check_open_files(facts: HostFacts) -> Finding:
    """Whether many terminals can open their files and sockets."""
    told = f"a process may open {facts.open_files_max}"
    if 0 <= facts.open_files_max < OPEN_FILES_LOW:
        return warn("open files", told, "Raise the limit with: ulimit -n 65536")
    return ok("open files", told if facts.open_files_max >= 0 else "no limit")


def check_virtualization(facts: HostFacts) -> Finding:
    """Whether the machine is shared with others."""
    return _unless(
        concerns.virtual_machine(facts), "virtualization", facts.virtualization or "none seen"
    )


HOST_CHECKS: tuple[Callable[[HostFacts], Finding], ...] = (
    check_cpu,
    check_cores,
    check_load,
    check_frequency,
    check_cpu_limit,
    check_memory,
    check_disk,
    check_storage,
    check_clock_source,
    check_open_files,
    check_virtualization,
)


def _unless(concern: Concern | None, subject: str, what: str) -> Finding:
    return ok(subject, what) if concern is None else warn(subject, concern.what, concern.remedy)


def _size(count_bytes: int) -> str:
    return f"{count_bytes / GIB:.1f} GiB"
