"""Searching raw bytes for markers: nothing missed at borders, nothing counted twice."""

from __future__ import annotations

import io
import os
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.proof.markers import make_markers
from ciphermark.proof.scan import BLOCK_BYTES, scan

MARKERS = make_markers("an experiment", count=5)
PIECES = st.one_of(
    st.sampled_from(MARKERS.texts).map(lambda text: text.encode()),
    st.sampled_from(MARKERS.texts).flatmap(
        lambda text: st.integers(1, len(text)).map(lambda cut: text.encode()[:cut])
    ),
    st.binary(max_size=90),
)


def expected_hits(data: bytes) -> int:
    prefix = MARKERS.prefix.encode()
    return sum(data.startswith(prefix, start) for start in range(len(data)))


@given(
    pieces=st.lists(PIECES, max_size=12),
    chunk_bytes=st.integers(min_value=1, max_value=200),
)
def test_every_marker_is_counted_once(pieces: list[bytes], chunk_bytes: int) -> None:
    data = b"".join(pieces)
    result = scan(io.BytesIO(data), MARKERS, chunk_bytes=chunk_bytes)
    assert result.bytes == len(data)
    assert result.hits == expected_hits(data)
    assert result.found == {text for text in MARKERS.texts if text.encode() in data}


@pytest.mark.parametrize("shift", range(0, 70, 3))
def test_a_marker_on_a_border_of_real_chunks_is_found(shift: int) -> None:
    marker = MARKERS.texts[2].encode()
    data = bytes(2 * BLOCK_BYTES - shift) + marker + bytes(100)
    result = scan(io.BytesIO(data), MARKERS, chunk_bytes=BLOCK_BYTES)
    assert result.hits == 1
    assert result.found == {MARKERS.texts[2]}


def test_random_bytes_hold_no_marker() -> None:
    assert scan(io.BytesIO(os.urandom(1 << 20)), MARKERS).hits == 0


def test_markers_are_unique_ascii_and_hard_to_compress() -> None:
    markers = make_markers("another")
    assert len(set(markers.texts)) == len(markers.texts) == 200
    assert {len(text) for text in markers.texts} == {64}
    assert all(text.isascii() and text.startswith(markers.prefix) for text in markers.texts)
    bodies = "".join(text.removeprefix(markers.prefix) for text in markers.texts).encode()
    assert len(zlib.compress(bodies, 9)) > 0.62 * len(bodies)


def test_experiments_have_markers_of_their_own() -> None:
    one, other = make_markers("one"), make_markers("other")
    assert one == make_markers("one")
    assert one.prefix != other.prefix
    assert not set(one.texts) & set(other.texts)


def test_ciphertext_looks_random_and_text_does_not() -> None:
    ciphertext = scan(io.BytesIO(os.urandom(64 * BLOCK_BYTES)), MARKERS).entropy
    assert (ciphertext.blocks, ciphertext.low_blocks) == (64, 0)
    assert ciphertext.bits_per_byte == pytest.approx(7.955, abs=0.005)
    text = scan(io.BytesIO(b"0123456789abcdef" * 256 * 4), MARKERS).entropy
    assert (text.blocks, text.low_blocks) == (4, 4)
    assert text.bits_per_byte == pytest.approx(4.0)


def test_one_readable_block_among_many_is_seen() -> None:
    data = os.urandom(50 * BLOCK_BYTES) + b"readable" * (BLOCK_BYTES // 8) + os.urandom(BLOCK_BYTES)
    assert scan(io.BytesIO(data), MARKERS).entropy.low_blocks == 1


def test_unused_blocks_do_not_count() -> None:
    entropy = scan(io.BytesIO(bytes(10 * BLOCK_BYTES)), MARKERS).entropy
    assert (entropy.blocks, entropy.bits_per_byte) == (0, None)


@given(chunk_bytes=st.integers(min_value=1, max_value=BLOCK_BYTES - 1))
def test_entropy_does_not_depend_on_the_chunks(chunk_bytes: int) -> None:
    data = bytes(range(256)) * 16 + b"a" * BLOCK_BYTES + b"tail"
    whole = scan(io.BytesIO(data), MARKERS).entropy
    assert whole.bits_per_byte == pytest.approx(4.0)
    assert scan(io.BytesIO(data), MARKERS, chunk_bytes=chunk_bytes).entropy == whole


def test_entropies_of_files_add_up_by_their_blocks() -> None:
    text = b"0123456789abcdef" * 256
    one, three = (
        scan(io.BytesIO(data), MARKERS).entropy for data in (text, b"a" * 3 * BLOCK_BYTES)
    )
    both = one.plus(three)
    assert (both.blocks, both.low_blocks) == (4, 4)
    assert both.bits_per_byte == pytest.approx(1.0)
    empty = scan(io.BytesIO(b""), MARKERS).entropy
    assert empty.plus(empty).bits_per_byte is None


def test_entropy_can_be_left_out() -> None:
    result = scan(io.BytesIO(MARKERS.texts[0].encode() * 200), MARKERS, measure_entropy=False)
    assert (result.hits, result.entropy.blocks) == (200, 0)
