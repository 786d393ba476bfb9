"""The picture of a report for the README."""

from __future__ import annotations

from pathlib import Path

import pytest
import sample_documents
from picture_of_report import take_picture

from ciphermark.report.html import render


@pytest.mark.browser
def test_the_picture_for_the_readme_is_small(tmp_path: Path) -> None:
    picture = tmp_path / "images" / "report.png"
    take_picture(render(sample_documents.complete()), picture)
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert 30_000 < len(content) < 300_000
