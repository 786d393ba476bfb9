"""The plan that `ciphermark init` writes for a user to change."""

from __future__ import annotations

from ciphermark.errors import UnsupportedCapability
from ciphermark.registry import find

__all__ = ["starter_plan"]

SQLITE = """\
# A Ciphermark plan. `ciphermark plan FILE` shows what it will do, `ciphermark run FILE` does it.
# All keys with their meaning: `ciphermark schema plan`, or docs/plan-reference.md.

[experiment]
name = "what-tde-costs"
seed = 1
time_limit_s = 120     # measuring time over all workloads
precision = 0.005      # end a workload early when its interval is ±0.5 % or narrower

[engine]
kind = "sqlite"
durability = "full"    # every acknowledged COMMIT is on disk; a list of levels is swept
cache_mib = 2          # page cache of each connection: smaller than the data, so pages are deciphered

[data]
copies = 6             # identical copies differ: fewer than 6 make a weak verdict

# The control. Further copies of it (A/A) are measured in every experiment: the noise floor.
[[arm]]
name = "plain"

[[arm]]
protection = { kind = "tde", cipher = ["chacha20", "aegis"] }    # an arm of each

[[workload]]
kind = "oltp_read_only"
tables = 1
table_size = 25000
rand_type = "special"  # sysbench's default: few rows are hot; "uniform" reads more pages
terminals = 1          # a list is swept: [1, 2, 4, 8]

[[workload]]
kind = "oltp_read_write"
tables = 1
table_size = 25000
modes = ["slices", "blocks"]
block_s = 2.0
block_rounds = 12
"""

PLANS = {"sqlite": SQLITE}


def starter_plan(engine: str = "sqlite") -> str:
    """The TOML text of a plan for `engine`; raises `UnsupportedCapability` for an unknown one."""
    find("engine", engine)
    if engine not in PLANS:
        raise UnsupportedCapability(
            f"there is no starter plan for {engine}",
            remedy=f"Start from the one for sqlite and set engine.kind = {engine!r}",
        )
    return PLANS[engine]
