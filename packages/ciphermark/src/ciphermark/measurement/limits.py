"""What a container, or any control group, allows of the machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["cpu_quota", "memory_limit_bytes"]

UNLIMITED_BYTES = 1 << 60
"""Version 1 writes "no limit" as the largest multiple of a page that fits into 64 bits."""


def cpu_quota(root: Path = Path("/")) -> float | None:
    """How many cores' worth of time the tightest control group allows; None: no limit."""
    quotas = []
    for folder in _folders(root, "cpu"):
        quota, _, period = _read(folder / "cpu.max").partition(" ")
        if not quota:
            quota, period = _read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")
        if quota.isdigit() and period.isdigit() and int(period):
            quotas.append(int(quota) / int(period))
    return min(quotas, default=None)


def memory_limit_bytes(root: Path = Path("/")) -> int | None:
    """How much memory the tightest control group allows; None: no limit."""
    limits = []
    for folder in _folders(root, "memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            text = _read(folder / name)
            if text.isdigit() and int(text) < UNLIMITED_BYTES:
                limits.append(int(text))
    return min(limits, default=None)


def _folders(root: Path, controller: str) -> Iterator[Path]:
    """The control group of this process and all groups above it, in both versions."""
    mounted = root / "sys/fs/cgroup"
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if not controllers:
            tops = [mounted, mounted / "unified"]
        elif controller in controllers.split(","):
            tops = [mounted / controllers, mounted / controller]
        else:
            continue
        for top in tops:
            folder = top / group.lstrip("/")
            yield from (folder, *(up for up in folder.parents if up.is_relative_to(top)))


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
