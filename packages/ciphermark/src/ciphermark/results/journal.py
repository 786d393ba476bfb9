"""The journal of a run: one JSON line for each finished thing, written before the next one starts.

A run that is interrupted has lost nothing that stands here, and `--resume` goes on after the last
line. A line that was cut off by a crash is dropped when the journal is read.
"""
