"""Checks of an engine: that it opens, and which of its ciphers really work here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from ciphermark.doctor.finding import Finding, fail, ok, warn
from ciphermark.engine.base import Copy, Encryption, Engine
from ciphermark.errors import CiphermarkError
from ciphermark.measurement.storage import existing_folder
from ciphermark.registry import Plugin
from ciphermark.workload.base import Statement, StatementKind

__all__ = ["check_engine", "check_engine_plugin"]

ONE = Statement("one", "SELECT 1", StatementKind.QUERY)


def check_engine_plugin(plugin: Plugin, folder: Path) -> tuple[Finding, ...]:
    """Findings about an engine with its default options; its files lie in `folder` for a moment."""
    try:
        engine: Engine = plugin.load()(plugin.load_options()())
        return tuple(check_engine(engine, existing_folder(folder)))
    except CiphermarkError as error:
        return (fail(plugin.name, error.what, error.remedy),)


def check_engine(engine: Engine, folder: Path) -> Iterator[Finding]:
    """Opens an empty database, plain and with every cipher, and removes it again."""
    with TemporaryDirectory(prefix="ciphermark-doctor-", dir=folder) as scratch:
        place = Path(scratch)
        problem = _try(engine, place, "")
        if problem:
            yield fail(engine.kind, f"does not open: {problem}", "Reinstall its driver")
            return
        yield ok(engine.kind, f"{engine.version()} opens")
        broken = {
            cipher: text for cipher in engine.ciphers if (text := _try(engine, place, cipher))
        }
    working = [cipher for cipher in engine.ciphers if cipher not in broken]
    yield ok(f"{engine.kind} ciphers", ", ".join(working) or "none")
    for cipher, text in broken.items():
        yield warn(
            f"{engine.kind} ciphers", f"{cipher} does not work: {text}", "Leave it out of plans"
        )


def _try(engine: Engine, folder: Path, cipher: str) -> str:
    """Reads one row from a new database; returns what went wrong, or nothing."""
    arm = f"doctor-{cipher or 'plain'}"
    try:
        encryption = None
        if cipher:
            key_file = folder / f"{arm}.key"
            engine.make_key(cipher, key_file)
            encryption = Encryption(cipher, key_file)
        copy = Copy(arm, 0, engine.locate(arm, 0, folder), encryption)
        engine.create(copy)
        try:
            session = engine.connect(copy)
            try:
                return "" if session.execute(ONE, ()) == [(1,)] else "a query answers wrongly"
            finally:
                session.close()
        finally:
            engine.drop(copy)
    except CiphermarkError as error:
        return error.what
