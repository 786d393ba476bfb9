"""The page in a real browser: fits, shows its charts, can be read, asks nobody for anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
import sample_documents
from install_servers import SERVERS
from playwright.sync_api import Browser, Page, sync_playwright

from ciphermark.report.html import render
from ciphermark.results.document import ResultDocument

pytestmark = pytest.mark.browser

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
DOCUMENTS: dict[str, Callable[[], ResultDocument]] = {
    "complete": sample_documents.complete,
    "invalid": sample_documents.invalid,
    "long_names": sample_documents.long_names,
    "sweep": sample_documents.sweep,
}

# Contrast as WCAG 2.2 defines it, of every element that holds text of its own, to what is behind.
CONTRASTS = """
() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [r, g, b] = rgba(colour).map((c) => c / 255)
      .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (rgba(colour)[3] === 255) return colour;
    }
    return 'white';
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !element.checkVisibility() || element.closest('title, desc')) continue;
    const style = getComputedStyle(element);
    const colour = element.closest('svg') ? style.fill : style.color;
    const [low, high] = [luminance(colour), luminance(behind(element))].sort((a, b) => a - b);
    found.push([(high + 0.05) / (low + 0.05), element.tagName, element.textContent.trim()]);
  }
  return found;
}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=SERVERS["chromium"].path, args=list(ARGUMENTS)
        )
        yield made
        made.close()


@pytest.fixture(scope="module", params=DOCUMENTS)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render(DOCUMENTS[request.param]()), encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_shows_its_charts_and_can_be_read(
    browser: Browser, report: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=True
    )
    page = context.new_page()
    complaints: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(report.as_uri())
    assert requests == [report.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert_charts_are_visible(page, width)
    assert_texts_can_be_read(page)
    assert complaints == []
    context.close()


def assert_charts_are_visible(page: Page, width: int) -> None:
    """Every open chart has a size and lies inside the page."""
    charts = page.locator("figure svg[role=img]:visible")
    assert charts.count() >= 4
    for chart in charts.all():
        box = chart.bounding_box()
        assert box is not None
        assert box["width"] >= 300
        assert box["height"] >= 40
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def assert_texts_can_be_read(page: Page) -> None:
    """Every text has a contrast of at least 4.5 to what is behind it."""
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 100
    assert min(contrasts)[0] >= 4.5, min(contrasts)


def test_light_and_dark_differ_and_so_do_their_charts(browser: Browser, report: Path) -> None:
    seen = {}
    for scheme in SCHEMES:
        page = browser.new_page(color_scheme=scheme)
        page.goto(report.as_uri())
        seen[scheme] = page.evaluate(
            "[getComputedStyle(document.body).backgroundColor,"
            " getComputedStyle(document.querySelector('figure svg text')).fill]"
        )
        page.close()
    assert seen["light"][0] != seen["dark"][0]
    assert seen["light"][1] != seen["dark"][1]


def test_a_wide_table_scrolls_in_its_own_place(browser: Browser, report: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto(report.as_uri())
    sizes = page.evaluate(
        "[...document.querySelectorAll('.table:not(details) .scroll')]"
        ".map((one) => [one.scrollWidth, one.clientWidth])"
    )
    assert any(inner > outer for inner, outer in sizes)
    assert all(outer <= 390 for _, outer in sizes)
    page.close()
