"""Numbers as readers see them: as many digits as their interval deserves, always with a unit."""

from __future__ import annotations

import math
from datetime import UTC, datetime

__all__ = [
    "NOTHING",
    "byte_size",
    "cost",
    "count",
    "duration",
    "figure",
    "interval",
    "like",
    "metric_name",
    "moment",
    "percent",
    "plural",
    "plus_minus",
]

NOTHING = "–"
METRIC_NAMES = {
    "throughput": "throughput",
    "latency_mean": "mean latency",
    "latency_p50": "p50 latency",
    "latency_p95": "p95 latency",
    "latency_p99": "p99 latency",
    "cpu_per_transaction": "CPU per transaction",
    "server_cpu_per_transaction": "server CPU per transaction",
    "client_cpu_per_transaction": "client CPU per transaction",
}
KIBI = 1024.0
MINUTE_S = 60


def figure(value: float) -> str:
    """A value of four digits or so, whatever its size: 12,345; 1,480; 61.80; 0.191."""
    if not math.isfinite(value):
        return _special(value)
    size = abs(value)
    if size == 0 or size >= 1000:
        return f"{value:,.0f}"
    if size < 1:
        return f"{value:#.3g}"
    return f"{value:.{3 - int(math.log10(size))}f}"


def like(reach: float, value: float) -> str:
    """Half the width of an interval, with as many decimals as `figure` gives the value."""
    if not math.isfinite(reach) or not math.isfinite(value):
        return _special(reach)
    decimals = len(figure(value).partition(".")[2])
    return f"{reach:,.{decimals}f}" if "e" not in figure(value) else f"{reach:.1g}"


def percent(share: float, *, decimals: int = 1, signed: bool = False) -> str:
    """A fraction as per cent: 0.021 is "2.1 %"."""
    return f"{_hundredths(share, decimals, signed)} %"


def interval(low: float, high: float) -> str:
    """The two ends in per cent, without the sign: "1.62 to 2.71"."""
    decimals = decimals_for(low, high)
    return f"{_hundredths(low, decimals)} to {_hundredths(high, decimals)}"


def cost(overhead: float, low: float, high: float, *, signed: bool = False) -> str:
    """An overhead with its interval: "2.14 % (1.62 to 2.71)"."""
    figure = percent(overhead, decimals=decimals_for(low, high), signed=signed)
    return f"{figure} ({interval(low, high)})"


def decimals_for(low: float, high: float) -> int:
    """Decimals of per cent that show two digits of half the interval, as verdicts do."""
    half_percent = (high - low) / 2 * 100
    if not math.isfinite(half_percent) or half_percent <= 0:
        return 1
    return min(max(1 - math.floor(math.log10(half_percent)), 0), 3)


def plus_minus(half_width: float) -> str:
    """Half the width of an interval around zero: "±0.52 %"."""
    return f"±{percent(half_width, decimals=decimals_for(-half_width, half_width))}"


def count(number: int) -> str:
    """A count with separators of thousands."""
    return f"{number:,}"


def plural(number: int, noun: str) -> str:
    """Such as "1 copy" or "6 copies"."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{number:,} {noun[:-1]}ies"
    return f"{number:,} {noun}{'es' if noun.endswith(('ch', 'sh')) else 's'}"


def metric_name(metric: str) -> str:
    """What readers call a metric."""
    return METRIC_NAMES.get(metric, metric.replace("_", " "))


def byte_size(size_bytes: float) -> str:
    """Such as "5.9 MiB"."""
    if size_bytes < KIBI:
        return f"{size_bytes:.0f} bytes"
    for unit in ("KiB", "MiB", "GiB"):
        size_bytes /= KIBI
        if size_bytes < KIBI:
            return f"{size_bytes:.1f} {unit}"
    return f"{size_bytes / KIBI:,.1f} TiB"


def duration(seconds: float) -> str:
    """Such as "8 ms", "2 s", "1 min 31 s"."""
    if not math.isfinite(seconds):
        return _special(seconds)
    if 0 < seconds < 1:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 2 * MINUTE_S:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), MINUTE_S)
    return f"{minutes} min {rest} s"


def moment(iso: str) -> str:
    """A time stamp without what nobody reads: "2026-11-30 20:15 UTC"; any other text as it is."""
    try:
        stamp = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    if stamp.tzinfo is not None:
        stamp = stamp.astimezone(UTC)
    return stamp.strftime("%Y-%m-%d %H:%M UTC")


def _hundredths(share: float, decimals: int, signed: bool = False) -> str:
    if not math.isfinite(share):
        return _special(share)
    rounded = round(share * 100, decimals) + 0.0  # no minus in front of a zero
    text = f"{rounded:{'+' if signed else ''},.{decimals}f}"
    return text.replace("-", "−")


def _special(value: float) -> str:
    return NOTHING if math.isnan(value) else "∞" if value > 0 else "−∞"
