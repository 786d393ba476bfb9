"""Facts about this machine that can change a figure, read from /proc, /sys and the kernel."""

from __future__ import annotations

import os
import platform
import resource
from dataclasses import dataclass
from pathlib import Path

from ciphermark.measurement.limits import cpu_quota, memory_limit_bytes
from ciphermark.measurement.storage import Storage, read_storage

__all__ = ["CIPHER_FLAGS", "HostFacts", "aes_instructions", "cpu_model", "read_host"]

CIPHER_FLAGS = (
    *("aes", "vaes", "pclmulqdq", "vpclmulqdq", "sha_ni", "gfni"),
    *("ssse3", "avx2", "avx512f", "avx512bw", "avx512vl"),
    *("pmull", "sha1", "sha2", "sha3", "sha512", "sm3", "sm4", "asimd", "sve", "sve2"),
)
"""CPU flags that implementations of ciphers make use of; x86 first, then aarch64."""

CPU_NAME_FIELDS = ("model name", "Model", "Hardware", "cpu model", "Processor", "cpu")

CLOCK_SOURCE = "sys/devices/system/clocksource/clocksource0/current_clocksource"


@dataclass(frozen=True, slots=True)
class HostFacts:
    """The machine as it is now. Empty texts and None stand for what cannot be known here."""

    cpu_model: str
    cores: int
    cores_usable: int
    cpu_quota: float | None
    memory_bytes: int
    memory_available_bytes: int
    memory_limit_bytes: int | None
    aes_instructions: tuple[str, ...]
    machine: str
    kernel: str
    operating_system: str
    virtualization: str
    load_average: float
    governor: str
    turbo: str
    clock_source: str
    open_files_max: int
    storage: Storage


def read_host(folder: Path, root: Path = Path("/")) -> HostFacts:
    """Reads the facts; `folder` is where results and data will lie, `root` is `/` but in tests."""
    cpuinfo = _read(root / "proc/cpuinfo")
    memory = _memory(_read(root / "proc/meminfo"))
    return HostFacts(
        cpu_model=cpu_model(cpuinfo) or platform.processor() or "unknown",
        cores=os.cpu_count() or 1,
        cores_usable=len(os.sched_getaffinity(0)),
        cpu_quota=cpu_quota(root),
        memory_bytes=memory.get("MemTotal", 0),
        memory_available_bytes=memory.get("MemAvailable", 0),
        memory_limit_bytes=memory_limit_bytes(root),
        aes_instructions=aes_instructions(cpuinfo),
        machine=platform.machine(),
        kernel=f"{platform.system()} {platform.release()}",
        operating_system=_operating_system(_read(root / "etc/os-release")),
        virtualization=_virtualization(cpuinfo, root),
        load_average=os.getloadavg()[0],
        governor=_governor(root),
        turbo=_turbo(root),
        clock_source=_read(root / CLOCK_SOURCE),
        open_files_max=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        storage=read_storage(folder, root),
    )


def cpu_model(cpuinfo: str) -> str:
    """The name of the CPU in the text of /proc/cpuinfo; empty when it gives none."""
    fields = _fields(cpuinfo)
    for name in CPU_NAME_FIELDS:
        if fields.get(name):
            return " ".join(fields[name].split())
    implementer, part = fields.get("CPU implementer", ""), fields.get("CPU part", "")
    return f"implementer {implementer}, part {part}" if implementer else ""


def aes_instructions(cpuinfo: str) -> tuple[str, ...]:
    """The flags of `CIPHER_FLAGS` that the text of /proc/cpuinfo lists."""
    fields = _fields(cpuinfo)
    flags = set((fields.get("flags") or fields.get("Features") or "").split())
    return tuple(flag for flag in CIPHER_FLAGS if flag in flags)


def _fields(cpuinfo: str) -> dict[str, str]:
    """The first value of every field."""
    fields: dict[str, str] = {}
    for line in cpuinfo.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            fields.setdefault(name.strip(), value.strip())
    return fields


def _memory(meminfo: str) -> dict[str, int]:
    """Sizes in bytes; /proc/meminfo gives them in KiB."""
    sizes = {}
    for line in meminfo.splitlines():
        name, _, value = line.partition(":")
        number = value.split()[:1]
        if number and number[0].isdigit():
            sizes[name] = int(number[0]) * 1024
    return sizes


def _operating_system(os_release: str) -> str:
    for line in os_release.splitlines():
        name, _, value = line.partition("=")
        if name == "PRETTY_NAME":
            return value.strip().strip('"')
    return platform.system()


def _virtualization(cpuinfo: str, root: Path) -> str:
    found = []
    if (root / ".dockerenv").exists() or (root / "run/.containerenv").exists():
        found.append("container")
    if "hypervisor" in _fields(cpuinfo).get("flags", "").split():
        product = _read(root / "sys/class/dmi/id/product_name")
        kind = _read(root / "sys/hypervisor/type") or product
        found.append(f"virtual machine ({kind})" if kind else "virtual machine")
    return ", ".join(found)


def _governor(root: Path) -> str:
    """The frequency governors of all CPUs, each once; empty when there are none."""
    pattern = "sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
    return ", ".join(sorted({_read(path) for path in root.glob(pattern)} - {""}))


def _turbo(root: Path) -> str:
    """ "on", "off", or empty when it cannot be known."""
    cpu = root / "sys/devices/system/cpu"
    no_turbo, boost = _read(cpu / "intel_pstate/no_turbo"), _read(cpu / "cpufreq/boost")
    if no_turbo:
        return "off" if no_turbo == "1" else "on"
    return {"1": "on", "0": "off"}.get(boost, "")


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
