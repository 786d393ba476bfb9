"""Installs the servers it may, runs every check and then every test.

    make test                                    everything
    make test ARGS="tests/unit -k histogram"     passes arguments on to pytest

pytest comes last and its exit code is the script's, so a run ends with pytest's own closing line.
"""

from __future__ import annotations

import subprocess
import sys

from install_servers import install_missing
from run_checks import run_checks
from tree import ROOT

__all__ = ["main"]


def main() -> int:
    """0 when all checks and tests passed."""
    install_missing()
    if not run_checks():
        print("The tests were not started, because a check failed.", file=sys.stderr)
        return 1
    command = [sys.executable, "-m", "pytest", *sys.argv[1:]]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
