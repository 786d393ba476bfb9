"""Writes the locked requirements, with the hashes of every file of each release.

    make lock                       newest releases that the pyproject files allow
    make lock ARGS="--keep"         keeps what is locked, adds what is missing

The machine's own pip settings are left out on purpose: local mirrors have other files and hence
other hashes, and the locks must install anywhere.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

from tree import ROOT

__all__ = ["main"]

OLDEST_PYTHON = (3, 11)
HEADER = "# Written by `make lock` from {sources}; do not edit.\n"
OPTIONS = (
    "--quiet",
    "--generate-hashes",
    "--allow-unsafe",
    "--strip-extras",
    "--no-header",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-emit-options",
)
LOCKS: dict[str, tuple[str, ...]] = {
    "core": ("packages/ciphermark/pyproject.toml", "requirements/core.in"),
    "test": ("requirements/test.in",),
}
EXTRAS: dict[str, tuple[str, ...]] = {"core": ("report",), "test": ()}


def main() -> int:
    """Writes every lock, the core first because the others are constrained by it."""
    parser = argparse.ArgumentParser(description=__doc__, prog="make lock")
    parser.add_argument("--keep", action="store_true", help="keep the versions already locked")
    arguments = parser.parse_args()
    if sys.version_info[:2] != OLDEST_PYTHON:
        parser.error("locks are made with the oldest Python that is supported, 3.11")
    for name, sources in LOCKS.items():
        write_lock(name, sources, keep=arguments.keep)
    return 0


def write_lock(name: str, sources: tuple[str, ...], *, keep: bool) -> None:
    """Resolves one set of sources for the oldest supported Python and writes its lock."""
    lock = ROOT / "requirements" / f"{name}.txt"
    command = [sys.executable, "-m", "piptools", "compile", *OPTIONS]
    command += [f"--extra={extra}" for extra in EXTRAS[name]]
    command += ["--output-file", str(lock.relative_to(ROOT)), *([] if keep else ["--upgrade"])]
    subprocess.run([*command, *sources], cwd=ROOT, env=plain_environment(), check=True)
    lock.write_text(HEADER.format(sources=" and ".join(sources)) + lock.read_text())
    print(f"{lock.relative_to(ROOT)}: {lock.read_text().count('==')} releases")


def plain_environment() -> dict[str, str]:
    """This environment without the settings that would let local files into the locks."""
    unwanted = {"PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL", "PIP_CONSTRAINT"}
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**kept, "PIP_CONFIG_FILE": os.devnull}


if __name__ == "__main__":
    sys.exit(main())
