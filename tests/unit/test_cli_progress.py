"""Progress in all its forms, by a clock that the test turns."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from ciphermark.cli.progress import (
    JSONProgress,
    PlainProgress,
    ProgressKind,
    RichProgress,
    make_progress,
    seconds_in_words,
)
from ciphermark.progress import Progress, SilentProgress


class Stopwatch:
    """A clock for progress."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def tell(progress: Progress, clock: Stopwatch) -> None:
    """A short run: a phase, thirty seconds with an update every tenth of one, a message."""
    progress.phase("load", "plain, copy 1 of 6")
    progress.phase("measure", "oltp_read_only")
    for tenth in range(300):
        progress.update(tenth / 10, 30.0, "tde chacha20 +3.1 % ± 0.4")
        clock.now_s += 0.1
    progress.message("precision reached")
    progress.close()
    progress.close()


@pytest.mark.parametrize(
    ("duration_s", "words"),
    [(-3.0, "0 s"), (0.4, "0 s"), (119.4, "119 s"), (119.6, "2:00 min"), (187.0, "3:07 min")],
)
def test_durations_are_short(duration_s: float, words: str) -> None:
    assert seconds_in_words(duration_s) == words


def test_plain_lines_come_seldom() -> None:
    stream, clock = io.StringIO(), Stopwatch()
    tell(PlainProgress(stream, clock), clock)
    lines = stream.getvalue().splitlines()
    assert lines[:2] == ["load: plain, copy 1 of 6", "measure: oltp_read_only"]
    assert lines[2] == "measure: 5 s done, at most 25 s left; so far tde chacha20 +3.1 % ± 0.4"
    assert lines[-1] == "precision reached"
    assert 7 <= len(lines) <= 10


def test_json_lines_have_stable_names() -> None:
    stream, clock = io.StringIO(), Stopwatch()
    tell(JSONProgress(stream, clock), clock)
    events: list[dict[str, Any]] = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert events[0] == {"event": "phase", "name": "load", "detail": "plain, copy 1 of 6"}
    assert events[2] == {
        "event": "progress",
        "name": "measure",
        "done_s": 0.0,
        "total_s": 30.0,
        "left_s": 30.0,
        "interval": "tde chacha20 +3.1 % ± 0.4",
    }
    assert events[-2:] == [{"event": "message", "text": "precision reached"}, {"event": "end"}]
    assert 28 <= sum(event["event"] == "progress" for event in events) <= 31


def test_a_live_bar_shows_time_left_and_the_interval() -> None:
    stream, clock = Terminal(), Stopwatch()
    progress = RichProgress(stream, clock)
    progress.update(1.0, 2.0)  # before any phase: nothing to draw
    tell(progress, clock)
    text = stream.getvalue()
    assert "measure: oltp_read_only" in text
    assert "precision reached" in text
    assert "s left" in text
    assert "+3.1 %" in text


def test_text_in_brackets_is_shown_as_it_is() -> None:
    stream = Terminal()
    progress = RichProgress(stream, Stopwatch())
    progress.phase("measure", "oltp[cache=1]")
    progress.message("point [red]")
    progress.close()
    assert "oltp[cache=1]" in stream.getvalue()
    assert "point [red]" in stream.getvalue()


@pytest.mark.parametrize(
    ("kind", "stream", "expected"),
    [
        (ProgressKind.AUTO, io.StringIO(), PlainProgress),
        (ProgressKind.AUTO, Terminal(), RichProgress),
        (ProgressKind.RICH, io.StringIO(), RichProgress),
        (ProgressKind.PLAIN, Terminal(), PlainProgress),
        (ProgressKind.JSON, Terminal(), JSONProgress),
        (ProgressKind.NONE, Terminal(), SilentProgress),
    ],
)
def test_the_kind_decides(
    kind: ProgressKind, stream: io.StringIO, expected: type[Progress]
) -> None:
    assert type(make_progress(kind, stream)) is expected


def test_none_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    tell(make_progress(ProgressKind.NONE), Stopwatch())
    assert capsys.readouterr() == ("", "")


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    make_progress(ProgressKind.AUTO).message("hello")
    assert capsys.readouterr() == ("", "hello\n")
