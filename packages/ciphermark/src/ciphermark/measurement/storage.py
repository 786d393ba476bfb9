"""The file system and the disk that a folder lies on."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Mount", "Storage", "existing_folder", "mount_of", "parse_mounts", "read_storage"]

MEMORY_KINDS = frozenset({"tmpfs", "ramfs", "devtmpfs"})
NETWORK_KINDS = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "fuse.sshfs", "ceph"})
TOLD_OPTIONS = frozenset(
    {"ro", "rw", "sync", "relatime", "noatime", "nobarrier", "discard", "data=journal"}
    | {"data=writeback", "compress", "compress=zstd", "volatile"}
)


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of the mount table; `device_number` is "major:minor"."""

    device_number: str
    point: str
    kind: str
    device: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Storage:
    """What a folder is stored on; `disk` is empty when no block device stands behind it."""

    kind: str
    device: str
    options: tuple[str, ...]
    disk: str
    free_bytes: int

    @property
    def in_memory(self) -> bool:
        """Whether nothing is ever written to a disk."""
        return self.kind in MEMORY_KINDS

    @property
    def remote(self) -> bool:
        """Whether the files are on another machine."""
        return self.kind in NETWORK_KINDS

    @property
    def read_only(self) -> bool:
        """Whether the file system takes no writes."""
        return "ro" in self.options

    def __str__(self) -> str:
        told = ",".join(option for option in self.options if option in TOLD_OPTIONS)
        return f"{self.kind} on {self.device} ({told})" if told else f"{self.kind} on {self.device}"


def read_storage(folder: Path, root: Path = Path("/")) -> Storage:
    """What `folder`, or the nearest folder above it that exists, is stored on."""
    place = existing_folder(folder)
    mount = mount_of(place, parse_mounts(_read(root / "proc/self/mountinfo")))
    status = os.statvfs(place)
    return Storage(
        kind=mount.kind,
        device=mount.device,
        options=mount.options,
        disk=_disk(mount, root),
        free_bytes=status.f_bavail * status.f_frsize,
    )


def existing_folder(folder: Path) -> Path:
    """`folder`, or the nearest folder above it that exists."""
    place = folder.resolve()
    while not place.is_dir():
        place = place.parent
    return place


def parse_mounts(mountinfo: str) -> tuple[Mount, ...]:
    """The mounts of `/proc/self/mountinfo`, in their order."""
    mounts = []
    for line in mountinfo.splitlines():
        own, _, behind = line.partition(" - ")
        fields, source = own.split(), behind.split()
        if len(fields) < 6 or len(source) < 2:
            continue
        options = dict.fromkeys(fields[5].split(","))
        options |= dict.fromkeys(source[2].split(",") if len(source) > 2 else ())
        if "ro" in options:  # the mount or the file system behind it: either forbids writing
            options.pop("rw", None)
        mounts.append(Mount(fields[2], _unescaped(fields[4]), source[0], source[1], tuple(options)))
    return tuple(mounts)


def mount_of(path: Path, mounts: tuple[Mount, ...]) -> Mount:
    """The mount that holds `path`: the longest mount point above it, the latest of equals."""
    best = Mount("0:0", "/", "unknown", "unknown", ())
    for mount in mounts:
        if path.is_relative_to(mount.point) and len(mount.point) >= len(best.point):
            best = mount
    return best


def _disk(mount: Mount, root: Path) -> str:
    link = root / "sys/dev/block" / mount.device_number
    if not link.exists():
        return ""
    device = link.resolve()
    if (device / "partition").exists():
        device = device.parent
    below = sorted(slave.name for slave in device.glob("slaves/*"))
    if below:
        return f"{device.name} on {', '.join(below)} ({_read(device / 'dm/name') or 'mapped'})"
    return f"{device.name} ({_nature(device)})"


def _nature(device: Path) -> str:
    model = _read(device / "device/model")
    if re.match(r"(vd|xvd)[a-z]", device.name):  # these report any value as "rotational"
        return "virtual disk"
    if device.name.startswith("loop"):
        return "file as a disk"
    rotational = _read(device / "queue/rotational")
    kind = {"0": "solid state", "1": "rotating"}.get(rotational, "disk")
    return f"{model}, {kind}" if model else kind


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
