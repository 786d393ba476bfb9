"""Messages: levels, prefixes, and folding of repeated ones."""

from __future__ import annotations

import io

import pytest

from ciphermark.compat.sysbench.log import Level, Log


def printed(log: Log, stream: io.StringIO) -> list[str]:
    del log
    return stream.getvalue().splitlines()


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


def test_levels_and_prefixes(stream: io.StringIO) -> None:
    log = Log(Level.DEBUG, stream)
    log.fatal("a")
    log.warning("b")
    log.notice("c")
    log.info("d")
    log.debug("e")
    assert printed(log, stream) == ["FATAL: a", "WARNING: b", "c", "d", "DEBUG: e"]


@pytest.mark.parametrize(("verbosity", "lines"), [(0, 1), (2, 2), (3, 3), (4, 4), (5, 5)])
def test_verbosity(verbosity: int, lines: int, stream: io.StringIO) -> None:
    log = Log(verbosity, stream)
    log.fatal("a")
    log.warning("b")
    log.notice("c")
    log.info("d")
    log.debug("e")
    assert len(printed(log, stream)) == lines


def test_repeated_messages_are_folded(stream: io.StringIO) -> None:
    log = Log(Level.INFO, stream)
    for _ in range(3):
        log.info("Time limit exceeded, exiting...")
    log.info("Done.")
    assert printed(log, stream) == [
        "Time limit exceeded, exiting...",
        "(last message repeated 2 times)",
        "Done.",
    ]


def test_lines_with_a_time_are_never_folded(stream: io.StringIO) -> None:
    log = Log(Level.NOTICE, stream)
    log.timed("[ 1s ]")
    log.timed("[ 1s ]")
    assert printed(log, stream) == ["[ 1s ]", "[ 1s ]"]


def test_empty_lines_are_never_folded(stream: io.StringIO) -> None:
    log = Log(Level.NOTICE, stream)
    log.notice()
    log.notice()
    assert printed(log, stream) == ["", ""]
