"""The scenarios in which the intervals must hold the truth at least 93 times in 100."""

from __future__ import annotations

from dataclasses import replace

from ciphermark.statistics.simulation import Scenario

__all__ = ["SCENARIOS"]

RARE = 1 / 300

_WHITE = (
    Scenario("white noise", slice_sd=0.1, precision=0.007),
    Scenario("white noise, bound by count", slice_sd=0.1, time_bound=False, precision=0.007),
    Scenario("white noise common to the arms", common_slice_sd=0.2, precision=0.013),
)
_CORRELATED = (
    Scenario("slices correlated, common", common_slice_sd=0.2, slice_memory=0.95, precision=0.0055),
    Scenario("slices correlated, own", own_slice_sd=0.1, slice_memory=0.9, precision=0.025),
    Scenario("slices slow, own", own_slice_sd=0.03, slice_memory=0.97, precision=0.014),
    Scenario("batches correlated, common", common_batch_sd=0.2, batch_memory=0.7, precision=0.0035),
    Scenario("batches correlated, own", own_batch_sd=0.02, batch_memory=0.5, precision=0.011),
    Scenario("batches slow, own", own_batch_sd=0.02, batch_memory=0.7, precision=0.016),
    Scenario(
        "batches correlated under noise",
        slice_sd=0.1,
        own_batch_sd=0.01,
        batch_memory=0.6,
        precision=0.010,
    ),
)
_DRIFT = (
    Scenario("drift in a line", drift=0.5, precision=0.0038),
    Scenario("drift in steps", drift=0.3, steps=4, precision=0.004),
    Scenario("drift in steps, by count", drift=0.3, steps=4, time_bound=False, precision=0.004),
)
_STALLS = (
    Scenario("stalls in both arms", stall_rate=(RARE, RARE), precision=0.12),
    Scenario("stalls, more in the arm", stall_rate=(RARE, RARE / 2), precision=0.1),
    Scenario("stalls in the arm only", stall_rate=(RARE, 0.0), precision=0.09),
    Scenario("stalls, precision missed", stall_rate=(RARE, RARE / 2), precision=0.01),
    Scenario("stalls, by count", stall_rate=(RARE, RARE / 2), time_bound=False, precision=0.1),
)
_TAILS = (
    Scenario("lognormal tails", tail="lognormal", ratio=1.0, precision=0.08),
    Scenario("lognormal tails, by count", tail="lognormal", time_bound=False, precision=0.09),
    Scenario("Pareto tails", tail="pareto", precision=0.02),
    Scenario("Pareto tails, by count", tail="pareto", time_bound=False, precision=0.06),
)
_COPIES = (
    Scenario("copies 0.2 %", slice_sd=0.1, copy_sd=0.002, precision=0.0075),
    Scenario("copies 0.5 %", slice_sd=0.1, copy_sd=0.005, precision=0.009),
    Scenario("copies 1 %", copy_sd=0.01, precision=0.013),
    Scenario("copies 5 %", copy_sd=0.05, precision=0.06),
    Scenario("copies 1 %, noise in the arms", own_slice_sd=0.1, copy_sd=0.01, precision=0.014),
)
_SERVER = Scenario(
    "servers, 6 draws, 1 %",
    copies=2,
    draw_batches=5,
    draws=6,
    copy_sd=0.01,
    batches_max=60,
    precision=0.009,
)
_SERVERS = (
    replace(_SERVER, name="servers, 6 draws, 0.2 %", slice_sd=0.1, copy_sd=0.002, precision=0.0085),
    _SERVER,
    replace(_SERVER, name="servers, 6 draws, 5 %", copy_sd=0.05, precision=0.04),
    replace(
        _SERVER,
        name="servers, 3 draws, 1 %",
        draws=3,
        draw_batches=14,
        batches_max=56,
        precision=0.013,
    ),
    replace(_SERVER, name="servers, drift in steps", drift=0.3, steps=4),
)
_EVERYTHING = Scenario(
    "all but stalls",
    copy_sd=0.01,
    common_slice_sd=0.1,
    slice_memory=0.95,
    own_batch_sd=0.01,
    batch_memory=0.5,
    drift=0.3,
    steps=3,
    precision=0.014,
)
_COMBINED = (
    _EVERYTHING,
    replace(_EVERYTHING, name="everything", stall_rate=(RARE, RARE), precision=0.12),
    replace(
        _EVERYTHING,
        name="everything, by count",
        time_bound=False,
        stall_rate=(RARE, RARE / 2),
        precision=0.12,
    ),
    replace(
        _EVERYTHING,
        name="servers, all but stalls",
        copies=2,
        draw_batches=5,
        draws=6,
        batches_max=60,
        precision=0.012,
    ),
)

SCENARIOS = (
    *_WHITE,
    *_CORRELATED,
    *_DRIFT,
    *_STALLS,
    *_TAILS,
    *_COPIES,
    *_SERVERS,
    *_COMBINED,
)
