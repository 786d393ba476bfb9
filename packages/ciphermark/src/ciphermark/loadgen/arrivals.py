"""Arrivals of the open loop: a Poisson process at a fixed rate.

The gaps between arrivals are exponential with mean 1/rate. Independent processes at a share of the
rate add up to one process at the whole rate (superposition; Kingman, Poisson Processes, 1993,
section 2.2), so each terminal or worker draws its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["arrivals_ns"]

NS_PER_S = 1_000_000_000


def arrivals_ns(
    rate_tps: float, duration_ns: int, seed: np.random.SeedSequence
) -> NDArray[np.int64]:
    """Ascending offsets of all arrivals within `duration_ns`, in nanoseconds from its start."""
    generator = np.random.Generator(np.random.PCG64(seed))
    mean_ns = NS_PER_S / rate_tps
    expected = duration_ns / mean_ns
    chunk = int(expected + 6 * expected**0.5) + 16
    offsets = np.cumsum(generator.exponential(mean_ns, chunk))
    while offsets[-1] < duration_ns:
        more = np.cumsum(generator.exponential(mean_ns, chunk)) + offsets[-1]
        offsets = np.concatenate([offsets, more])
    return offsets[offsets < duration_ns].astype(np.int64)
