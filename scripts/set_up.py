"""Sets up `.venv` with locked packages and Ciphermark itself; does only what is not done yet.

    python3 scripts/set_up.py core      what `make demo` needs
    python3 scripts/set_up.py test      what `make test` needs

Uses the standard library only, because it runs before anything is installed, and is written so
that an older Python can still say that it is too old.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

__all__ = ["VENV", "SetUpError", "set_up"]

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON_MINIMUM = (3, 11)
LOCKS = {
    "core": ("core",),
    "test": ("core", "test"),
}
PACKAGES = ("packages/ciphermark",)


class SetUpError(Exception):
    """The set-up cannot go on; the text tells what to type."""


def main() -> int:
    """Sets up what the first argument names and says so in a line or two."""
    level = sys.argv[1] if len(sys.argv) > 1 else "core"
    if level not in LOCKS:
        print(f"set_up: say one of {', '.join(LOCKS)}, not {level!r}", file=sys.stderr)
        return 2
    try:
        set_up(level)
    except SetUpError as error:
        print(f"set_up: {error}", file=sys.stderr)
        return 1
    return 0


def set_up(level: str) -> Path:
    """Brings `.venv` up to `level` and returns its Python."""
    python = VENV / "bin" / "python"
    locks = [ROOT / "requirements" / f"{name}.txt" for name in LOCKS[level]]
    projects = [ROOT / package / "pyproject.toml" for package in PACKAGES]
    if not _runs(str(python)):
        shutil.rmtree(VENV, ignore_errors=True)
        _make_environment()
    _once(f"locked-{level}", locks, lambda: _install_locked(python, locks))
    _once("packages", projects, lambda: _install_packages(python))
    return python


def _once(step: str, inputs: list[Path], action: Callable[[], None]) -> None:
    """Runs `action` unless it was finished before with the same input files."""
    stamp = VENV / f"set-up-{step}"
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in inputs)).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    action()
    stamp.write_text(digest)


def _make_environment() -> None:
    interpreter = _find_interpreter()
    _say(f"Making {VENV.relative_to(ROOT)} with {interpreter}")
    _run([interpreter, "-m", "venv", str(VENV)], "the virtual environment could not be made")


def _install_locked(python: Path, locks: list[Path]) -> None:
    _say("Installing locked packages (once; a minute or two)")
    arguments = [argument for lock in locks for argument in ("-r", str(lock))]
    _run(
        [*_pip(python), "--require-hashes", "--only-binary=:all:", *arguments],
        "the locked packages could not be installed",
    )


def _install_packages(python: Path) -> None:
    arguments = [argument for package in PACKAGES for argument in ("-e", str(ROOT / package))]
    _run(
        [*_pip(python), "--no-index", "--no-deps", "--no-build-isolation", *arguments],
        "Ciphermark could not be installed into the environment",
    )


def _pip(python: Path) -> list[str]:
    return [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def _find_interpreter() -> str:
    """A Python that is new enough and can make environments; installs what that needs if it may."""
    names = [sys.executable, *(f"python3.{minor}" for minor in (11, 12, 13, 14)), "python3"]
    found = [path for path in map(shutil.which, names) if path and _runs(path)]
    if not found:
        wanted = ".".join(map(str, PYTHON_MINIMUM))
        raise SetUpError(
            f"Python {wanted} or later is needed and none was found; this is "
            f"{sys.version.split()[0]}. Type: sudo apt-get install python{wanted} "
            f"python{wanted}-venv"
        )
    complete = [path for path in found if _runs(path, "import ensurepip, venv")]
    return complete[0] if complete else _install_venv_module(found[0])


def _install_venv_module(interpreter: str) -> str:
    version = _output([interpreter, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
    package = f"python{version}-venv"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise SetUpError(
            f"{interpreter} cannot make virtual environments. Type: sudo apt-get install {package}"
        )
    _say(f"Installing {package}")
    _run(["apt-get", "update", "-qq"], "the package lists could not be updated")
    _run(["apt-get", "install", "-y", "-qq", package], f"{package} could not be installed")
    return interpreter


def _runs(interpreter: str, code: str = "") -> bool:
    """Whether this Python starts, is new enough, and runs `code`."""
    program = f"import sys; assert sys.version_info >= {PYTHON_MINIMUM}; {code}"
    try:
        done = subprocess.run([interpreter, "-c", program], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _run(command: list[str], failure: str) -> None:
    """Runs a command quietly; its output is shown only when it fails."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "PIP_USER": "0"}
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SetUpError(f"{failure}\n{done.stdout.strip()}")


def _say(text: str) -> None:
    print(f"{text} …", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
