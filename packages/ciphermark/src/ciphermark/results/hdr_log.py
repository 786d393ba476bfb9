"""The latencies of a run as a log of HDR histograms, for the tools that read such logs.

Result documents hold coarse bins only; the exact histograms are in the journal. The log has one
line for each batch, point and arm; the tag names point and arm. Format: HdrHistogram log 1.3,
nanoseconds, maxima in milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ciphermark.errors import ResultFileError
from ciphermark.measurement.hdr import to_hdr
from ciphermark.measurement.histogram import Histogram
from ciphermark.results.journal import JOURNAL_NAME, BatchRecord, read_journal

__all__ = ["to_hdr_log"]

HEAD = (
    "#[Histogram log format version 1.3]",
    "#[StartTime: 0.000 (seconds since the start of the run)]",
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
)
_NOT_IN_TAGS = re.compile(r"[^\w.()=/+-]+")


def to_hdr_log(path: Path) -> str:
    """The log of the run in a folder, or of the run whose `result.json` is given.

    Raises `ResultFileError` when there is no journal or it is damaged.
    """
    folder = path if path.is_dir() else path.parent
    journal = folder / JOURNAL_NAME
    if not journal.exists():
        raise ResultFileError(
            "there is no journal, and only the journal holds exact histograms",
            where=str(folder),
            remedy="Give the folder that ciphermark run wrote to",
        )
    batches = (
        BatchRecord.from_json(content) for kind, content in read_journal(journal) if kind == "batch"
    )
    return "\n".join((*HEAD, *(line for batch in batches for line in _lines(batch)))) + "\n"


def _lines(batch: BatchRecord) -> Iterator[str]:
    """One line for each arm of the batch; its copies and kinds of transaction together."""
    for arm in dict.fromkeys(cell.arm for cell in batch.cells):
        latencies = Histogram.merged(
            histogram
            for cell in batch.cells
            if cell.arm == arm
            for histogram in cell.histograms.values()
        )
        if latencies.count:
            start_s = max(0.0, batch.ended_s - batch.measured_s)
            yield (
                f"Tag={_tag(f'{batch.point}/{arm}')},{start_s:.3f},{batch.measured_s:.3f},"
                f"{latencies.max_ns / 1e6:.3f},{to_hdr(latencies)}"
            )


def _tag(text: str) -> str:
    """A tag holds neither commas nor spaces."""
    return _NOT_IN_TAGS.sub("_", text)
