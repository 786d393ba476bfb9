"""Runs the benchmark scripts one after another, so that none disturbs another.

make bench                         all of them
make bench ARGS="recording load"   those whose name contains one of the words
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tree import ROOT

__all__ = ["main"]


def main() -> int:
    """The number of benchmarks that did not run to their end."""
    words = sys.argv[1:] or [""]
    found = (path for path in sorted((ROOT / "benchmarks").glob("*.py")) if is_script(path))
    chosen = [path for path in found if any(word in path.stem for word in words)]
    if not chosen:
        print(f"no benchmark has one of {', '.join(words)} in its name", file=sys.stderr)
        return 2
    failures = 0
    for path in chosen:
        print(f"== {path.stem}", flush=True)
        done = subprocess.run([sys.executable, str(path)], cwd=ROOT, check=False)
        failures += done.returncode != 0
    return failures


def is_script(path: Path) -> bool:
    """Whether a file is a benchmark by itself, and not what several have in common."""
    return '\nif __name__ == "__main__":\n' in path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
