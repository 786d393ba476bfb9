"""Progress as people and programs read it: a live bar, plain lines, JSON lines, or nothing.

All of it goes to standard error, so that standard output holds results only. Everything is drawn
from the calling thread and seldom: a bar that redraws itself ten times a second takes time from
the cores that are being measured.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, TextIO

from ciphermark.progress import Progress, SilentProgress

if TYPE_CHECKING:
    from rich.progress import TaskID

__all__ = [
    "JSONProgress",
    "PlainProgress",
    "ProgressKind",
    "RichProgress",
    "make_progress",
    "seconds_in_words",
]

LIVE_PERIOD_S = 0.5
JSON_PERIOD_S = 1.0
PLAIN_PERIOD_S = 5.0


class ProgressKind(StrEnum):
    """The values of `--progress`."""

    AUTO = "auto"
    RICH = "rich"
    PLAIN = "plain"
    JSON = "json"
    NONE = "none"


def make_progress(kind: ProgressKind, stream: TextIO | None = None) -> Progress:
    """The progress of that kind, on standard error unless told otherwise."""
    stream = sys.stderr if stream is None else stream
    if kind is ProgressKind.AUTO:
        kind = ProgressKind.RICH if stream.isatty() else ProgressKind.PLAIN
    if kind is ProgressKind.RICH:
        return RichProgress(stream)
    if kind is ProgressKind.PLAIN:
        return PlainProgress(stream)
    if kind is ProgressKind.JSON:
        return JSONProgress(stream)
    return SilentProgress()


def seconds_in_words(duration_s: float) -> str:
    """ "42 s" below two minutes, "3:07 min" above."""
    whole = max(0, round(duration_s))
    if whole < 120:
        return f"{whole} s"
    return f"{whole // 60}:{whole % 60:02} min"


class _Pace:
    """Says when enough time has passed to draw again."""

    def __init__(self, period_s: float, now_s: Callable[[], float]) -> None:
        self._period_s = period_s
        self._now_s = now_s
        self._next_s = now_s()

    def due(self) -> bool:
        """Whether to draw now; if so, the next time is a period away."""
        now_s = self._now_s()
        if now_s < self._next_s:
            return False
        self._next_s = now_s + self._period_s
        return True

    def reset(self) -> None:
        """The next update is drawn at once."""
        self._next_s = self._now_s()


class PlainProgress:
    """One line at each new phase, and one every few seconds within it."""

    def __init__(self, stream: TextIO, now_s: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._pace = _Pace(PLAIN_PERIOD_S, now_s)
        self._name = ""

    def phase(self, name: str, detail: str = "") -> None:
        """Prints the phase."""
        self._name = name
        self._pace.due()
        self._print(f"{name}: {detail}" if detail else name)

    def update(self, done_s: float, total_s: float, interval: str = "") -> None:
        """Prints a line when the last one is some seconds old."""
        if self._pace.due():
            left = seconds_in_words(total_s - done_s)
            text = f"{self._name}: {seconds_in_words(done_s)} done, at most {left} left"
            self._print(f"{text}; so far {interval}" if interval else text)

    def message(self, text: str) -> None:
        """Prints the line."""
        self._print(text)

    def close(self) -> None:
        """Nothing is open."""

    def _print(self, text: str) -> None:
        print(text, file=self._stream, flush=True)


class JSONProgress:
    """One JSON object a line; `event` is phase, progress, message or end, and names are stable."""

    def __init__(self, stream: TextIO, now_s: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._pace = _Pace(JSON_PERIOD_S, now_s)
        self._name = ""
        self._ended = False

    def phase(self, name: str, detail: str = "") -> None:
        """Writes {"event": "phase", "name": …, "detail": …}."""
        self._name = name
        self._pace.reset()
        self._write(event="phase", name=name, detail=detail)

    def update(self, done_s: float, total_s: float, interval: str = "") -> None:
        """Writes {"event": "progress", …} at most once a second."""
        if self._pace.due():
            self._write(
                event="progress",
                name=self._name,
                done_s=round(done_s, 3),
                total_s=round(total_s, 3),
                left_s=round(max(0.0, total_s - done_s), 3),
                interval=interval,
            )

    def message(self, text: str) -> None:
        """Writes {"event": "message", "text": …}."""
        self._write(event="message", text=text)

    def close(self) -> None:
        """Writes {"event": "end"}, once."""
        if not self._ended:
            self._ended = True
            self._write(event="end")

    def _write(self, **content: str | float) -> None:
        print(json.dumps(content, ensure_ascii=False), file=self._stream, flush=True)


class RichProgress:
    """A live bar with the time left and the interval so far."""

    def __init__(self, stream: TextIO, now_s: Callable[[], float] = time.monotonic) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        self._pace = _Pace(LIVE_PERIOD_S, now_s)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[interval]}"),
            console=Console(file=stream, highlight=False),
            auto_refresh=False,
            transient=True,
        )
        self._task: TaskID | None = None

    def phase(self, name: str, detail: str = "") -> None:
        """Starts a new bar, without a length until the first update."""
        text = f"{name}: {detail}" if detail else name
        if self._task is None:
            self._bar.start()
        else:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(_escaped(text), total=None, left="", interval="")
        self._pace.due()
        self._bar.refresh()

    def update(self, done_s: float, total_s: float, interval: str = "") -> None:
        """Moves the bar, at most twice a second."""
        if self._task is None or not self._pace.due():
            return
        left = f"{seconds_in_words(total_s - done_s)} left"
        self._bar.update(
            self._task,
            completed=min(done_s, total_s),
            total=total_s,
            left=left,
            interval=_escaped(interval),
        )
        self._bar.refresh()

    def message(self, text: str) -> None:
        """Prints the line above the bar."""
        self._bar.console.print(_escaped(text))

    def close(self) -> None:
        """Takes the bar away."""
        if self._task is not None:
            self._bar.stop()
            self._task = None


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)
