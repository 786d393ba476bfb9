"""The environment part of the result document: the machine, and the versions in use."""

from __future__ import annotations

import importlib.metadata
import platform
from pathlib import Path

from ciphermark.measurement.concerns import UNTOLD
from ciphermark.measurement.host import HostFacts, read_host
from ciphermark.results.document import Environment

__all__ = ["collect", "describe", "versions"]

DISTRIBUTIONS = ("ciphermark", "numpy", "scipy", "pydantic", "apsw-sqlite3mc")


def collect(folder: Path, root: Path = Path("/")) -> Environment:
    """The environment of an experiment whose data and results lie in `folder`."""
    return describe(read_host(folder, root))


def describe(facts: HostFacts) -> Environment:
    """The facts as the result document holds them, with a sentence for what no field tells."""
    concerns = [concern for look in UNTOLD if (concern := look(facts)) is not None]
    return Environment(
        cpu_model=facts.cpu_model,
        cores=facts.cores_usable,
        memory_bytes=facts.memory_bytes,
        aes_instructions=facts.aes_instructions,
        kernel=facts.kernel,
        operating_system=facts.operating_system,
        file_system=str(facts.storage),
        disk=facts.storage.disk,
        virtualization=facts.virtualization,
        load_average_at_start=round(facts.load_average, 2),
        warnings=tuple(concern.what for concern in concerns),
    )


def versions() -> dict[str, str]:
    """Versions of Python, of Ciphermark, of the libraries under it, and of SQLite."""
    found = {"Python": f"{platform.python_version()} ({platform.python_implementation()})"}
    for name in DISTRIBUTIONS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    if "apsw-sqlite3mc" in found:
        import apsw

        found["SQLite"] = apsw.sqlite_lib_version()
        # Only the build with ciphers has this attribute; its type stubs know nothing of it.
        found["SQLite3 Multiple Ciphers"] = getattr(apsw, "mc_version", "absent").split()[-1]
    return found
