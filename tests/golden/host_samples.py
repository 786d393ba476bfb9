"""A machine on which nothing is wrong; tests spoil one thing at a time."""

from __future__ import annotations

from ciphermark.measurement.host import HostFacts
from ciphermark.measurement.storage import Storage

__all__ = ["PERFECT", "STORAGE"]

STORAGE = Storage(
    kind="ext4",
    device="/dev/nvme0n1p2",
    options=("rw", "relatime"),
    disk="nvme0n1 (ACME 1, solid state)",
    free_bytes=500 << 30,
)

PERFECT = HostFacts(
    cpu_model="Example CPU",
    cores=4,
    cores_usable=4,
    cpu_quota=None,
    memory_bytes=16 << 30,
    memory_available_bytes=12 << 30,
    memory_limit_bytes=None,
    aes_instructions=("aes", "vaes"),
    machine="x86_64",
    kernel="Linux 6.1",
    operating_system="Example Linux 1",
    virtualization="",
    load_average=0.1,
    governor="performance",
    turbo="off",
    clock_source="tsc",
    open_files_max=65536,
    storage=STORAGE,
)
