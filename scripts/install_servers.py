"""Knows the programs that tests need beside Python packages, and installs what is missing.

    python3 scripts/install_servers.py      installs what it may and names what is missing

Adding an engine adds a line to `SERVERS`. The tests ask here whether a server is there: without
it they are skipped and named at the end of the run, unless CIPHERMARK_REQUIRE lists it (separated
by commas or blanks), which makes its absence a failure. CIPHERMARK_INSTALL=no installs nothing.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

__all__ = ["SERVERS", "Server", "install_missing", "required"]


@dataclass(frozen=True)
class Server:
    """A program from the system's packages.

    It is there when any one of `programs` is on the path and all of `libraries` can be loaded.
    """

    name: str
    programs: tuple[str, ...]
    packages: tuple[str, ...]
    purpose: str
    libraries: tuple[str, ...] = ()

    @property
    def path(self) -> str | None:
        """Where the program is; None when it, or a library that it needs, is not installed."""
        if not all(map(_can_be_loaded, self.libraries)):
            return None
        return next((path for path in map(shutil.which, self.programs) if path), None)

    @property
    def remedy(self) -> str:
        """What to type to have it."""
        return f"sudo apt-get install {' '.join(self.packages)}"


SERVERS = {
    server.name: server
    for server in (
        Server(
            name="chromium",
            programs=("chromium", "chromium-browser", "google-chrome"),
            packages=("chromium", "fonts-dejavu-core", "libatomic1"),
            purpose="looking at report.html in a real browser",
            libraries=("libatomic.so.1",),  # the driver of Playwright is linked with it
        ),
    )
}


def main() -> int:
    """Installs what is missing; what could not be installed is no failure here."""
    for server in install_missing():
        print(f"{server.name} is missing ({server.purpose}). Type: {server.remedy}")
    return 0


def install_missing() -> list[Server]:
    """Installs the servers that are not there, and returns those that still are not."""
    missing = [server for server in SERVERS.values() if server.path is None]
    if missing and _may_install():
        print(f"Installing {', '.join(server.name for server in missing)} …", flush=True)
        _apt_get("update")
        for server in missing:
            _apt_get("install", "--yes", "--no-install-recommends", *server.packages)
    return [server for server in missing if server.path is None]


def required() -> frozenset[str]:
    """Names of the servers that must be there, from CIPHERMARK_REQUIRE."""
    return frozenset(os.environ.get("CIPHERMARK_REQUIRE", "").replace(",", " ").split())


def _can_be_loaded(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _may_install() -> bool:
    allowed = os.environ.get("CIPHERMARK_INSTALL", "yes") != "no"
    return allowed and os.geteuid() == 0 and shutil.which("apt-get") is not None


def _apt_get(*arguments: str) -> None:
    """Runs apt-get quietly; a failure is printed and leaves the server missing."""
    done = subprocess.run(
        ["apt-get", "-qq", *arguments],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"apt-get {' '.join(arguments)} failed:\n{done.stderr.strip()}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
