"""Takes a picture of a report's first screen, for the README.

    python scripts/picture_of_report.py RESULT docs/images/report.png

RESULT is a result.json or the folder that holds it. Needs Chromium and the package playwright.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from install_servers import SERVERS
from playwright.sync_api import Page, sync_playwright

from ciphermark.report.html import render
from ciphermark.results.files import read_result

__all__ = ["take_picture"]

WIDTH = 1120
HEIGHT_MAX = 1800
MARGIN = 36


def main() -> None:
    """Reads the command line and takes the picture."""
    parser = argparse.ArgumentParser(description="Takes a picture of a report's first screen.")
    parser.add_argument("result", type=Path, help="result.json, or the folder that holds it")
    parser.add_argument("picture", type=Path, help="the PNG file to write")
    arguments = parser.parse_args()
    take_picture(render(read_result(arguments.result)), arguments.picture)
    size = arguments.picture.stat().st_size
    print(f"{arguments.picture}: {size / 1024:.0f} KiB")


def take_picture(source: str, picture: Path) -> None:
    """Writes the page's answer and its first charts as a PNG."""
    browser_path = SERVERS["chromium"].path
    if browser_path is None:
        raise SystemExit(f"Chromium is missing. Type: {SERVERS['chromium'].remedy}")
    picture.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "report.html"
        file.write_text(source, encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=browser_path,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT_MAX})
        page.goto(file.as_uri())
        page.screenshot(
            path=picture,
            full_page=True,
            clip={"x": 0, "y": 0, "width": WIDTH, "height": first_screen(page)},
        )
        browser.close()


def first_screen(page: Page) -> float:
    """The height at which the last section that fits ends."""
    ends: list[float] = page.evaluate(
        "[...document.querySelectorAll('main > section')]"
        ".map((one) => one.getBoundingClientRect().bottom)"
    )
    fitting = [end for end in ends if end + MARGIN <= HEIGHT_MAX]
    return (fitting[-1] if fitting else HEIGHT_MAX - MARGIN) + MARGIN


if __name__ == "__main__":
    main()
