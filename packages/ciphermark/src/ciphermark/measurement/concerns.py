"""What about this machine makes figures worse than they could be, in words.

Each function looks at the facts for one thing and returns None when there is nothing to say. The
results' environment lists what its fields do not tell, and the doctor shows all with the remedy.
"""

from __future__ import annotations

from dataclasses import dataclass

from ciphermark.measurement.host import HostFacts

__all__ = [
    "UNTOLD",
    "Concern",
    "clock_source",
    "cpu_limit",
    "frequency",
    "load",
    "missing_aes",
    "storage",
    "virtual_machine",
]

FAST_CLOCK_SOURCES = frozenset(
    {"tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page"}
)


@dataclass(frozen=True, slots=True)
class Concern:
    """What is the matter, and what to do about it; both are sentences without a full stop."""

    what: str
    remedy: str


def missing_aes(facts: HostFacts) -> Concern | None:
    """No AES instructions: AES runs in software, many times slower than on the machines in use."""
    if "aes" in facts.aes_instructions:
        return None
    return Concern(
        "the CPU shows no AES instructions, so AES ciphers run in software",
        "Measure on the kind of machine that the database will run on",
    )


def load(facts: HostFacts) -> Concern | None:
    """Something else is busy on this machine."""
    if facts.load_average <= max(0.5, 0.25 * facts.cores_usable):
        return None
    return Concern(
        f"the machine is busy: its load average is {facts.load_average:.1f} "
        f"on {facts.cores_usable} usable cores",
        "Stop other work, or expect wide intervals",
    )


def frequency(facts: HostFacts) -> Concern | None:
    """The clock rate of the CPU changes with the load."""
    if facts.governor and facts.governor != "performance":
        return Concern(
            f"the CPU frequency governor is {facts.governor}",
            "Set it to performance with: cpupower frequency-set -g performance",
        )
    if facts.turbo == "on":
        return Concern(
            "turbo is on: the clock rate follows temperature and neighbouring cores",
            "Fine interleaving evens this out; switch turbo off for comparisons between runs",
        )
    return None


def cpu_limit(facts: HostFacts) -> Concern | None:
    """A control group takes the CPU away in the middle of a transaction."""
    if facts.cpu_quota is None or facts.cpu_quota >= facts.cores_usable:
        return None
    return Concern(
        f"this process may use {facts.cpu_quota:g} of {facts.cores_usable} cores: "
        "a control group stops it when its share is spent",
        "Give it whole cores (a CPU set) and no quota",
    )


def clock_source(facts: HostFacts) -> Concern | None:
    """Reading the clock is slow, or is a system call."""
    if not facts.clock_source or facts.clock_source in FAST_CLOCK_SOURCES:
        return None
    return Concern(
        f"the clock source is {facts.clock_source}: reading the time is slow",
        "Choose tsc if the machine offers it, in "
        "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    )


def storage(facts: HostFacts) -> Concern | None:
    """The data would not lie on a local disk."""
    if facts.storage.in_memory:
        return Concern(
            f"the folder is on {facts.storage.kind}, in memory: flushing costs nothing there",
            "Choose a folder on a disk",
        )
    if facts.storage.remote:
        return Concern(
            f"the folder is on {facts.storage.kind}, on another machine",
            "Choose a folder on a local disk",
        )
    return None


def virtual_machine(facts: HostFacts) -> Concern | None:
    """Cores and disks are shared with neighbours that nobody sees."""
    if "virtual machine" not in facts.virtualization:
        return None
    return Concern(
        "this is a virtual machine: neighbours on the same host add noise",
        "Read the noise floor of the report before the overheads",
    )


UNTOLD = (frequency, cpu_limit, clock_source, storage)
"""The concerns that the environment has no field for. Load, AES instructions and virtualization
have one, and whoever judges a result looks there."""
