"""How long `ciphermark --help` takes, from the shell's point of view; the bar is 0.3 s.

Also printed: a bare Python that does nothing, and a command that has to import its module.
"""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

TIMES = 15
BAR_S = 0.3
PROGRAM = "from ciphermark.cli.main import main; main()"


def main() -> int:
    """0 when the bar is held."""
    bare_s = duration_s("-c", "pass")
    help_s = duration_s("-c", PROGRAM, "--help")
    schema_s = duration_s("-c", PROGRAM, "schema")
    print(f"python -c pass             {bare_s * 1e3:6.0f} ms")
    print(f"ciphermark --help          {help_s * 1e3:6.0f} ms, {help_s / BAR_S:.2f} of the bar")
    print(f"ciphermark schema          {schema_s * 1e3:6.0f} ms")
    return int(help_s > BAR_S)


def duration_s(*arguments: str) -> float:
    """Median wall time of a fresh Python with the arguments, seconds; the first is not counted."""
    durations = []
    for _ in range(TIMES + 1):
        started_s = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        durations.append(time.perf_counter() - started_s)
    return median(durations[1:])


if __name__ == "__main__":
    sys.exit(main())
