"""A histogram of latencies: exact below 128 ns, bins of at most 1/64 of their value above.

Every octave is cut into 64 bins of equal width, so the middle of a bin is at most 0.8 % away from
what was recorded into it. There is no ceiling: the bins reach over all of int64. Two histograms are
merged by addition, exactly. Count, sum, smallest and largest value are kept beside and are exact.
"""

from __future__ import annotations

import base64
import binascii
import functools
import itertools
import json
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ciphermark.errors import MeasurementError, ResultFileError

__all__ = ["BINS", "SUB_BINS", "Histogram", "bin_edges", "bin_of", "bins_of", "quantile_of_counts"]

SUB_BINS = 64
SUB_BIN_BITS = 6
OCTAVES_MAX = 63
BINS = (OCTAVES_MAX - SUB_BIN_BITS + 1) * SUB_BINS

# A float64 holds the binary exponent and, right behind it, the leading bits of the value: shifted,
# they are the number of the bin but for a constant.
_FLOAT_SHIFT = 52 - SUB_BIN_BITS
_FLOAT_OFFSET = (1023 + SUB_BIN_BITS - 1) * SUB_BINS
_EXACT_MAX = 2**53
_INEXACT_BITS = np.int64(2**10 - 1)
_FEW = 24


def bin_of(value_ns: int) -> int:
    """The number of the bin that holds `value_ns`."""
    shift = max(0, value_ns.bit_length() - 1 - SUB_BIN_BITS)
    return (shift << SUB_BIN_BITS) + (value_ns >> shift)


def bins_of(values_ns: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of the bins that hold `values_ns`; equal to `bin_of`, for whole arrays.

    The values must not be negative. Above 2**53 the lowest bits, which do not decide about the
    bin, are cleared first: rounding to a float would carry a value into the next bin.
    """
    if values_ns.size and values_ns.max() >= _EXACT_MAX:
        values_ns = np.where(values_ns >= _EXACT_MAX, values_ns & ~_INEXACT_BITS, values_ns)
    bins = values_ns.astype(np.float64).view(np.int64)
    bins >>= _FLOAT_SHIFT
    bins -= _FLOAT_OFFSET
    return np.where(values_ns < SUB_BINS, values_ns, bins)


@functools.cache
def bin_edges() -> tuple[int, ...]:
    """The lower edges of all bins and the upper edge of the last, ns: `BINS + 1` integers."""
    lower = (
        (bin_ if bin_ < SUB_BINS else (SUB_BINS + bin_ % SUB_BINS) << (bin_ // SUB_BINS - 1))
        for bin_ in range(BINS)
    )
    return (*lower, 2**OCTAVES_MAX)


def quantile_of_counts(counts: NDArray[np.int64] | NDArray[np.float64], share: float) -> float:
    """The quantile `share` (0 to 1), ns, of counts by bin; counts may be weights.

    Values are taken as spread evenly over their bin, from its first integer to its last.
    """
    cumulative = counts.cumsum()
    total = float(cumulative[-1]) if len(cumulative) else 0.0
    if total <= 0:
        raise MeasurementError("a quantile was asked for, but no latency was recorded")
    target = min(max(share, 0.0), 1.0) * total
    bin_ = int(np.searchsorted(cumulative, target, side="left"))
    while counts[bin_] == 0:  # share 0 points at the empty bins below the first value
        bin_ += 1
    inside = (target - float(cumulative[bin_] - counts[bin_])) / float(counts[bin_])
    lower, upper = bin_edges()[bin_], bin_edges()[bin_ + 1]
    return lower + inside * (upper - 1 - lower)


class Histogram:
    """Latencies of one kind, nanoseconds, binned."""

    __slots__ = ("count", "counts", "max_ns", "min_ns", "sum_ns")

    def __init__(self) -> None:
        self.counts: NDArray[np.int64] = np.zeros(BINS, dtype=np.int64)
        self.count = 0
        self.sum_ns = 0
        self.min_ns = 0
        self.max_ns = 0

    def record(self, latency_ns: int) -> None:
        """Adds one latency."""
        if latency_ns < 0:
            raise _negative(latency_ns)
        self.counts[bin_of(latency_ns)] += 1
        self._extend(1, latency_ns, latency_ns, latency_ns)

    def record_many(self, latencies_ns: NDArray[np.int64] | Sequence[int]) -> None:
        """Adds many latencies; raises `MeasurementError` when one is negative, and adds none."""
        values = np.asarray(latencies_ns, dtype=np.int64)
        if not values.size:
            return
        smallest, largest = int(values.min()), int(values.max())
        if smallest < 0:
            raise _negative(smallest)
        if values.size <= _FEW:  # a few additions are cheaper than passing over all bins
            for value in values.tolist():
                self.counts[bin_of(value)] += 1
        else:
            counts = np.bincount(bins_of(values))
            self.counts[: len(counts)] += counts
        self._extend(values.size, _exact_sum(values, largest), smallest, largest)

    def merge(self, other: Histogram) -> None:
        """Adds all that `other` holds."""
        if other.count:
            self.counts += other.counts
            self._extend(other.count, other.sum_ns, other.min_ns, other.max_ns)

    @classmethod
    def merged(cls, histograms: Iterable[Histogram]) -> Histogram:
        """A new histogram with all that `histograms` hold."""
        total = cls()
        for histogram in histograms:
            total.merge(histogram)
        return total

    def __add__(self, other: Histogram) -> Histogram:
        return Histogram.merged((self, other))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        return self._exact() == other._exact() and bool(np.array_equal(self.counts, other.counts))

    __hash__ = None  # type: ignore[assignment]  # it is mutable

    def __repr__(self) -> str:
        return f"Histogram(count={self.count}, min_ns={self.min_ns}, max_ns={self.max_ns})"

    @property
    def mean_ns(self) -> float:
        """The exact mean; raises `MeasurementError` when nothing was recorded."""
        if not self.count:
            raise MeasurementError("a mean was asked for, but no latency was recorded")
        return self.sum_ns / self.count

    def quantile_ns(self, share: float) -> float:
        """The quantile `share` (0 to 1): interpolated within its bin, never outside min and max."""
        value_ns = quantile_of_counts(self.counts, share)
        return min(max(value_ns, self.min_ns), self.max_ns)

    def coarse(self, bins_per_octave: int = 8) -> tuple[tuple[float, int], ...]:
        """(upper edge in ms, count) of wider bins, from the first to the last that is not empty.

        `bins_per_octave` is a divisor of 64, so that no fine bin is cut.
        """
        if bins_per_octave < 1 or SUB_BINS % bins_per_octave:
            raise ValueError(f"bins_per_octave must divide {SUB_BINS}, not be {bins_per_octave}")
        width = SUB_BINS // bins_per_octave
        sums = self.counts.reshape(-1, width).sum(axis=1)
        (filled,) = np.nonzero(sums)
        if not filled.size:
            return ()
        edges = bin_edges()
        return tuple(
            (edges[(coarse + 1) * width] / 1e6, int(sums[coarse]))
            for coarse in range(int(filled[0]), int(filled[-1]) + 1)
        )

    def encode(self) -> str:
        """The histogram as one word of text, for the journal: only bins that are not empty."""
        (filled,) = np.nonzero(self.counts)
        gaps = np.diff(filled, prepend=0).tolist()
        content = [1, *self._exact(), gaps, self.counts[filled].tolist()]
        packed = zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 6)
        return base64.b64encode(packed).decode()

    @classmethod
    def decode(cls, text: str) -> Histogram:
        """The histogram that `encode` wrote; raises `ResultFileError` when the text is damaged."""
        try:
            content = json.loads(zlib.decompress(base64.b64decode(text, validate=True)))
            version, count, sum_ns, min_ns, max_ns, gaps, counts = content
            sound = version == 1 and count == sum(counts) and min([*gaps, *counts], default=0) >= 0
            histogram = cls()
            histogram.counts[list(itertools.accumulate(gaps))] = counts
        except (binascii.Error, zlib.error, ValueError, TypeError, IndexError) as error:
            raise _damaged() from error
        if not sound:
            raise _damaged()
        histogram._extend(count, sum_ns, min_ns, max_ns)
        return histogram

    def _exact(self) -> tuple[int, int, int, int]:
        return self.count, self.sum_ns, self.min_ns, self.max_ns

    def _extend(self, count: int, sum_ns: int, min_ns: int, max_ns: int) -> None:
        self.min_ns = min(self.min_ns, min_ns) if self.count else min_ns
        self.max_ns = max(self.max_ns, max_ns)
        self.count += count
        self.sum_ns += sum_ns


def _exact_sum(values: NDArray[np.int64], largest: int) -> int:
    if largest * values.size < 2**63:
        return int(values.sum())
    return sum(values.tolist())


def _negative(latency_ns: int) -> MeasurementError:
    return MeasurementError(
        f"a latency of {latency_ns} ns was measured: the clock went back",
        remedy="Check the machine's clock source with: ciphermark doctor",
    )


def _damaged() -> ResultFileError:
    return ResultFileError(
        "a latency histogram is damaged",
        remedy="The file was changed or cut off; take it from a backup or measure again",
    )
