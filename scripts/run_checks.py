"""Runs every check that needs no test: format, lint, types, layers, spelling.

    make check      also run by `make test` before the tests

Each check is one line when it passes and shows its output when it fails; all of them run, so that
everything that is wrong is known at once.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tree import CODE, PROSE, ROOT

__all__ = ["run_checks"]

PROGRAMS = Path(sys.executable).parent
CHECKS: dict[str, tuple[str, ...]] = {
    "format": ("ruff", "format", "--check", *CODE),
    "lint": ("ruff", "check", *CODE),
    "types": ("mypy", "packages/ciphermark/src", "tests", "benchmarks", "scripts"),
    "layers": ("lint-imports",),
    "spelling": ("codespell", *CODE, *PROSE, "docs", "examples"),
}


def main() -> int:
    """Runs all checks; 1 when one failed."""
    return 0 if run_checks() else 1


def run_checks() -> bool:
    """Whether every check passed; prints one line for each."""
    return all([_passes(name, command) for name, command in CHECKS.items()])


def _passes(name: str, command: tuple[str, ...]) -> bool:
    program, *arguments = command
    started = time.perf_counter()
    done = subprocess.run(
        [str(PROGRAMS / program), *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    outcome = "failed" if done.returncode else "ok"
    print(f"check {name:<9} {outcome} ({time.perf_counter() - started:.1f} s)", flush=True)
    if done.returncode:
        print(f"$ {' '.join(command)}\n{done.stdout.strip()}\n", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
