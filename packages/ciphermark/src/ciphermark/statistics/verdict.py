"""The verdict: one sentence that says what was found and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10

from ciphermark.results.document import Metric, ProofStatus
from ciphermark.statistics.noise_floor import Interval

__all__ = ["Finding", "verdict"]

# What a sentence calls each metric.
NOUNS: dict[Metric, str] = {
    "throughput": "throughput",
    "latency_mean": "mean latency",
    "latency_p50": "median latency",
    "latency_p95": "95th percentile latency",
    "latency_p99": "99th percentile latency",
    "cpu_per_transaction": "CPU time per transaction",
    "server_cpu_per_transaction": "server CPU time per transaction",
    "client_cpu_per_transaction": "client CPU time per transaction",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a verdict is made from.

    `arm` is the label as a reader knows it ("TDE chacha20"), `floor` the A/A interval of the same
    metric at the same point, `copies` how many of each arm were measured, `reasons` what makes the
    comparison invalid.
    """

    arm: str
    metric: Metric
    terminals: int
    overhead: Interval
    floor: Interval | None = None
    proof: ProofStatus = "proven"
    copies: int = 2
    repeat_of_control: bool = False
    reasons: tuple[str, ...] = ()


def verdict(finding: Finding) -> str:
    """The sentence for one comparison; never a figure without its interval.

    Figures have as many decimals as show two significant digits of the half-width, at most three.

    >>> cost = Interval(0.0212, 0.0161, 0.0268)
    >>> verdict(Finding("TDE chacha20", "throughput", 64, cost, Interval(0.001, -0.004, 0.006)))
    'TDE chacha20 costs 2.12 % of throughput (1.61 to 2.68) at 64 terminals; the noise floor is \
±0.50 %.'
    """
    if finding.reasons:
        return f"No verdict: {'; '.join(finding.reasons)}."
    terminals = f"{finding.terminals} terminal{'s' if finding.terminals != 1 else ''}"
    return f"{_effect(finding)} at {terminals}{_floor(finding)}.{_remarks(finding)}"


def decimals(half_width: float) -> int:
    """Decimals of a percentage that show two significant digits of its half-width."""
    if half_width <= 0:
        return 1
    return min(max(1 - floor(log10(half_width * 100)), 0), 3)


def _effect(finding: Finding) -> str:
    overhead, noun = finding.overhead, NOUNS[finding.metric]
    if not overhead.excludes_zero:
        places = decimals(overhead.half_width)
        return (
            f"{finding.arm}: {noun} is not distinguishable from the control's; a cost above "
            f"{100 * max(overhead.high, 0):.{places}f} % is excluded"
        )
    return f"{finding.arm} {_change(finding.metric, overhead)}"


def _change(metric: Metric, overhead: Interval) -> str:
    places = decimals(overhead.half_width)
    cost = overhead.low > 0
    ends = sorted((abs(overhead.low), abs(overhead.high)))
    size = f"{100 * abs(overhead.overhead):.{places}f} %"
    ranged = f"({100 * ends[0]:.{places}f} to {100 * ends[1]:.{places}f})"
    if metric == "throughput":
        verb = f"costs {size} of throughput" if cost else f"raises throughput by {size}"
    else:
        noun = NOUNS[metric]
        verb = f"adds {size} to the {noun}" if cost else f"saves {size} of the {noun}"
    return f"{verb} {ranged}"


def _floor(finding: Finding) -> str:
    if finding.floor is None or finding.repeat_of_control:
        return ""
    width = finding.floor.half_width
    return f"; the noise floor is ±{100 * width:.{decimals(width)}f} %"


def _remarks(finding: Finding) -> str:
    remarks = []
    if finding.proof == "catalog_only":
        remarks.append("That the data are encrypted is known from the catalog only.")
    if finding.copies < 2:
        remarks.append("One copy each was measured: the interval lacks what copies differ by.")
    if finding.floor is not None and finding.floor.excludes_zero:
        remarks.append("The A/A interval excludes zero: read this figure with care.")
    return "".join(f" {remark}" for remark in remarks)
