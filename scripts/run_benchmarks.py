"""Runs the benchmark scripts one after another, so that none disturbs another.

make bench                         all of them
make bench ARGS="recording load"   those whose name contains one of the words
"""

from __future__ import annotations

import subprocess
import sys

from tree import ROOT

__all__ = ["main"]


def main() -> int:
    """The number of benchmarks that did not run to their end."""
    words = sys.argv[1:] or [""]
    found = sorted((ROOT / "benchmarks").glob("[!_]*.py"))
    chosen = [path for path in found if any(word in path.stem for word in words)]
    failures = 0
    for path in chosen:
        print(f"== {path.stem}", flush=True)
        done = subprocess.run([sys.executable, str(path)], cwd=ROOT, check=False)
        failures += done.returncode != 0
    return failures


if __name__ == "__main__":
    sys.exit(main())
