"""Messages at sysbench's levels of verbosity, repeated ones folded as sysbench folds them."""

from __future__ import annotations

import sys
import threading
from enum import IntEnum
from typing import TextIO

__all__ = ["Level", "Log"]


class Level(IntEnum):
    """From what must be seen to what is for debugging."""

    FATAL = 0
    ALERT = 1
    WARNING = 2
    NOTICE = 3
    INFO = 4
    DEBUG = 5


_PREFIXES = {
    Level.FATAL: "FATAL: ",
    Level.ALERT: "ALERT: ",
    Level.WARNING: "WARNING: ",
    Level.DEBUG: "DEBUG: ",
}


class Log:
    """Prints to stdout, from any thread, whole messages at a time."""

    def __init__(self, verbosity: int = Level.NOTICE, stream: TextIO | None = None) -> None:
        self.verbosity = verbosity
        self._stream = stream
        self._lock = threading.Lock()
        self._last = ""
        self._repeats = 0

    def fatal(self, text: str) -> None:
        """A message that is always seen."""
        self._message(Level.FATAL, text)

    def warning(self, text: str) -> None:
        """Something that the reader should know."""
        self._message(Level.WARNING, text)

    def notice(self, text: str = "") -> None:
        """What a run normally says; reports are notices."""
        self._message(Level.NOTICE, text)

    def info(self, text: str) -> None:
        """What a run says when asked for more."""
        self._message(Level.INFO, text)

    def debug(self, text: str) -> None:
        """What only a developer wants to see."""
        self._message(Level.DEBUG, text)

    def timed(self, text: str) -> None:
        """A line with a time in it: a notice that is never folded."""
        if self.verbosity >= Level.NOTICE:
            with self._lock:
                self._write(text)

    def _message(self, level: Level, text: str) -> None:
        if level > self.verbosity:
            return
        line = _PREFIXES.get(level, "") + text
        with self._lock:
            if line == self._last and line:
                self._repeats += 1
                return
            self._unfold()
            self._last = line
            self._write(line)

    def _unfold(self) -> None:
        if self._repeats:
            self._write(f"(last message repeated {self._repeats} times)")
            self._repeats = 0

    def _write(self, line: str) -> None:
        stream = self._stream if self._stream is not None else sys.stdout
        stream.write(line + "\n")
        stream.flush()
