"""Simulated experiments, slice by slice, whose truth is known.

One experiment is what a run would record: in each round the two arms are under load for one slice
each, in random order, on the copies with the same index; a batch uses each copy equally often. A
slice is bound by time (the transactions vary) or by count (the time varies). The cost of a
transaction is a product: truth of the arm, its copy, the speed of the machine at that moment, noise
of the slice. A stall makes one slice cost as much as many. So the totals come about as in a run,
and the estimator is never handed normal numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scenario", "SimulatedTotals", "simulate"]

Floats = NDArray[np.float64]
ARMS = 2
TRANSACTIONS_PER_SLICE = 200.0
# Experiments that are in memory at once while slices are made.
CHUNK = 100


@dataclass(frozen=True, slots=True)
class Scenario:
    """How costs vary in a simulated experiment; every `_sd` is one of a logarithm.

    `tail` is the distribution of the noise of single slices, with `slice_sd` when it is normal.
    `common_*_sd` is noise of both arms at the same moment, `own_*_sd` of each arm by itself; it is
    autoregressive from slice to slice or batch to batch, with the correlation `*_memory`. `drift`
    changes the machine's speed over the longest experiment: as a line, or in so many `steps` up or
    down. `stall_rate` is the chance that a slice costs `stall_cost` times as much, for arm and
    control. `copies` live at the same time; with `draw_batches` they are made anew after so many
    batches, and the experiment may not stop before `draws` of them. It stops at `precision`, or
    after `batches_max`.
    """

    name: str
    ratio: float = 1.02
    time_bound: bool = True
    tail: str = "normal"
    slice_sd: float = 0.05
    common_slice_sd: float = 0.0
    own_slice_sd: float = 0.0
    slice_memory: float = 0.0
    common_batch_sd: float = 0.0
    own_batch_sd: float = 0.0
    batch_memory: float = 0.0
    drift: float = 0.0
    steps: int = 0
    stall_rate: tuple[float, float] = (0.0, 0.0)
    stall_cost: float = 50.0
    copy_sd: float = 0.0
    copies: int = 6
    draw_batches: int = 0
    draws: int = 1
    rounds: int = 30
    batches_max: int = 100
    precision: float = 0.005

    @property
    def truth(self) -> float:
        """Logarithm of the ratio of expected cost, arm over control."""
        arm, control = (1 + rate * (self.stall_cost - 1) for rate in self.stall_rate)
        return log(self.ratio * arm / control)

    @property
    def copies_max(self) -> int:
        """Copies of an arm in the longest experiment, all draws together."""
        return self.copies * (-(-self.batches_max // self.draw_batches) if self.draw_batches else 1)


@dataclass(frozen=True, slots=True)
class SimulatedTotals:
    """Totals of experiments, shape (experiments, arms, batches, copies), the control last.

    `rounds` has the shape (batches, copies) and is the same for all.
    """

    amount: Floats
    work: Floats
    rounds: NDArray[np.int64]


def simulate(scenario: Scenario, experiments: int, seed: int) -> SimulatedTotals:
    """So many experiments of the scenario, each at its longest."""
    random = np.random.default_rng(seed)
    parts = [
        _totals(scenario, min(CHUNK, experiments - start), random)
        for start in range(0, experiments, CHUNK)
    ]
    each = np.ones((1, ARMS, scenario.batches_max, scenario.rounds))
    return SimulatedTotals(
        amount=np.concatenate([amount for amount, _ in parts]),
        work=np.concatenate([work for _, work in parts]),
        rounds=_by_copy(scenario, each)[0, 0].astype(np.int64),
    )


def _totals(s: Scenario, experiments: int, random: np.random.Generator) -> tuple[Floats, Floats]:
    shape = (experiments, ARMS, s.batches_max, s.rounds)
    arms = (ARMS, 1, 1)
    cost = np.exp(_log_cost(s, shape, random)) * np.reshape(np.array([s.ratio, 1.0]), arms)
    stalled = random.random(shape) < np.reshape(s.stall_rate, arms)
    burden = np.where(stalled, s.stall_cost, 1.0)
    if s.time_bound:
        # Rounded up or down at random: a slice ends near a transaction's end, without bias.
        work = np.floor(TRANSACTIONS_PER_SLICE / cost + random.random(shape))
        return _by_copy(s, burden), _by_copy(s, work)
    return _by_copy(s, cost * burden), _by_copy(s, np.full(shape, TRANSACTIONS_PER_SLICE))


def _log_cost(s: Scenario, shape: tuple[int, ...], random: np.random.Generator) -> Floats:
    """Logarithm of a transaction's cost; in each batch the slices are sorted by copy."""
    in_time = _slow_noise(s, shape, random)
    # The copies take turns in random order: sorting by copy is a random permutation of the rounds.
    order = random.permuted(np.broadcast_to(np.arange(s.rounds), (shape[0], 1, *shape[2:])), axis=3)
    by_copy = np.take_along_axis(in_time, np.broadcast_to(order, shape), axis=3)
    return by_copy + _slice_noise(s, shape, random) + _copy_effects(s, shape[0], random)


def _slice_noise(s: Scenario, shape: tuple[int, ...], random: np.random.Generator) -> Floats:
    """Independent noise of slices: normal, or with the tails of a lognormal or Pareto cost."""
    match s.tail:
        case "normal":
            return random.standard_normal(shape) * s.slice_sd
        case "lognormal":
            return random.standard_normal(shape)
        case "pareto":
            return random.standard_exponential(shape) / 2.5
        case unknown:
            raise ValueError(f"no such tail: {unknown}")


def _slow_noise(s: Scenario, shape: tuple[int, ...], random: np.random.Generator) -> Floats:
    """Noise with a memory, and drift, for each slice in the order of time."""
    experiments, arms, batches, rounds = shape
    noise = np.zeros(shape)
    if s.common_slice_sd or s.drift:
        slices = (experiments, 1, arms * batches * rounds)
        common = s.common_slice_sd * _autoregressive(s.slice_memory, slices, random)
        moments = _moments(shape, random).reshape(experiments, arms, -1)
        common = common + _drift(s, slices, random)
        noise += np.take_along_axis(common, moments.reshape(experiments, 1, -1), 2).reshape(shape)
    if s.own_slice_sd:
        own = _autoregressive(s.slice_memory, (experiments, arms, batches * rounds), random)
        noise += s.own_slice_sd * own.reshape(shape)
    for sd, series in ((s.common_batch_sd, 1), (s.own_batch_sd, arms)):
        if sd:
            slow = _autoregressive(s.batch_memory, (experiments, series, batches), random)
            noise += sd * slow[..., None]
    return noise


def _moments(shape: tuple[int, ...], random: np.random.Generator) -> NDArray[np.int64]:
    """When each slice comes, counted in slices: the arms of a round in random order."""
    experiments, arms, batches, rounds = shape
    first = random.integers(0, arms, (experiments, 1, batches, rounds))
    place = np.concatenate([first, 1 - first], axis=1)
    return np.asarray(arms * np.arange(batches * rounds).reshape(batches, rounds) + place)


def _autoregressive(memory: float, shape: tuple[int, ...], random: np.random.Generator) -> Floats:
    """A stationary autoregressive series of first order along the last axis, variance one."""
    from scipy.signal import lfilter

    shocks = random.standard_normal(shape)
    if not memory:
        return shocks
    shocks[..., 1:] *= np.sqrt(1 - memory**2)
    return np.asarray(lfilter([1.0], [1.0, -memory], shocks, axis=-1))


def _drift(s: Scenario, shape: tuple[int, ...], random: np.random.Generator) -> Floats:
    """Change of the machine's speed: a line, or steps of random place and sign."""
    time = np.linspace(0.0, 1.0, shape[-1])
    if not s.steps:
        return np.broadcast_to(s.drift * time, shape)
    drift = np.zeros(shape)
    for _ in range(s.steps):
        begins = random.random((*shape[:2], 1))
        size = s.drift * random.choice([-1.0, 1.0], (*shape[:2], 1))
        drift += size * (time > begins)
    return drift


def _copy_effects(s: Scenario, experiments: int, random: np.random.Generator) -> Floats:
    """What each copy costs more or less, in every slice, sorted by copy."""
    draws = s.copies_max // s.copies
    effects = s.copy_sd * random.standard_normal((experiments, ARMS, draws, s.copies))
    if s.draw_batches:
        effects = effects.repeat(s.draw_batches, axis=2)[:, :, : s.batches_max]
    return effects.repeat(s.rounds // s.copies, axis=3)


def _by_copy(s: Scenario, slices: Floats) -> Floats:
    """Sums of a batch's slices by copy; a copy of another draw gets zero."""
    leading = slices.shape[:2]
    living = slices.reshape(*leading, s.batches_max, s.copies, -1).sum(-1)
    if not s.draw_batches:
        return np.asarray(living)
    cells = np.zeros((*leading, s.batches_max, s.copies_max // s.copies, s.copies))
    batches = np.arange(s.batches_max)
    cells[:, :, batches, batches // s.draw_batches] = living
    return cells.reshape(*leading, s.batches_max, -1)
