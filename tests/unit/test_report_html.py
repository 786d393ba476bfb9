"""The page: the answer first, every figure with its interval, nothing from elsewhere, no secret."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
import sample_documents

from ciphermark.report import svg
from ciphermark.report.html import HTMLReporter, render, without_secrets
from ciphermark.results.document import ResultDocument

VOID = {"meta", "wbr", "br", "link", "img", "hr", "input"}


class Page(HTMLParser):
    """The texts and the elements of a page, in order; fails on tags that do not match."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data.replace("\N{NO-BREAK SPACE}", " ")

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)

    def identifiers(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.tags if "id" in attributes]


@pytest.fixture(scope="module")
def document() -> ResultDocument:
    return sample_documents.complete()


@pytest.fixture(scope="module")
def source(document: ResultDocument) -> str:
    return render(document)


@pytest.fixture(scope="module")
def page(source: str) -> Page:
    return Page(source)


def before(text: str, first: str, second: str) -> bool:
    """Whether both stand in the text, the one before the other."""
    return 0 <= text.find(first) < text.find(second)


def test_the_verdicts_stand_before_everything_else(page: Page, document: ResultDocument) -> None:
    for one in document.comparisons:
        if one.metric == "throughput":
            assert before(page.text, one.verdict, "Cost by workload")
    assert before(page.text, "Overhead = 1 − arm/control", "Cost by workload")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (sample_documents.invalid, "marker rows were found in its data file"),
        (sample_documents.aa_excludes_zero, "the A/A interval excludes zero"),
        (sample_documents.interrupted, "the run was interrupted"),
        (sample_documents.empty, "the run failed: disk full"),
    ],
)
def test_what_is_wrong_stands_before_the_verdicts(make: Any, words: str) -> None:
    document = make()
    text = Page(render(document)).text
    verdicts = [one.verdict for one in document.comparisons if one.valid]
    assert before(text, words, verdicts[0] if verdicts else "Nothing was compared")


def test_an_invalid_figure_is_marked_wherever_it_stands() -> None:
    source = render(sample_documents.invalid())
    assert "This result is invalid" in source
    assert source.count('class="verdict invalid"') == 3
    assert source.count(">invalid: ") >= 3 * 6


def test_the_page_needs_nothing_from_elsewhere(source: str, page: Page) -> None:
    assert page.count("script") == page.count("link") == page.count("img") == 0
    assert not re.search(r"@import|url\((?!#)", source)
    for _, attributes in page.tags:
        assert not {name for name in attributes if name.startswith("on")}
        for name in ("src", "href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")


def test_every_chart_is_named_and_described(page: Page) -> None:
    images = [attributes for tag, attributes in page.tags if tag == "svg"]
    charts = [one for one in images if one.get("role") == "img"]
    assert len(charts) == 12
    known = set(page.identifiers())
    for chart in charts:
        assert set(str(chart["aria-labelledby"]).split()) <= known
    assert all(one.get("aria-hidden") == "true" for one in images if one not in charts)


def test_identifiers_are_unique_and_links_lead_somewhere(page: Page) -> None:
    identifiers = page.identifiers()
    assert len(set(identifiers)) == len(identifiers)
    links = {str(attributes["href"])[1:] for tag, attributes in page.tags if tag == "a"}
    assert links <= set(identifiers)
    assert {"cost", "proof", "method", "threats", "machine"} <= links


def test_every_table_has_a_caption_and_heads(page: Page) -> None:
    assert page.count("caption") == page.count("table") > 10
    for tag, attributes in page.tags:
        if tag == "th":
            assert attributes["scope"] in {"col", "colgroup", "row"}


def test_the_published_layout_is_there(page: Page) -> None:
    row = "oltp_read_only1" + "5,234 ± 31" + "0.187" + "3,883 ± 29" + "0.249"
    squeezed = re.sub(r"\n\s*", "", page.text)
    assert row + "25.82 % (25.46 to 26.18)" in squeezed
    assert "±0.36 %24 × 6" in squeezed


def test_the_page_shows_proof_machine_plan_and_errors(page: Page) -> None:
    for words in ("marker rows", "Platinum 8481C", '"synchronous": "FULL"', "is locked"):
        assert words in page.text


def test_dark_colours_replace_every_light_one_in_use(source: str) -> None:
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', source.partition("</style>")[2]))
    replaced = set(re.findall(r'svg \[fill="(#[0-9a-f]{6})"\]', source))
    assert used
    assert used <= replaced


def test_a_sweep_is_summed_up_in_one_sentence_an_arm() -> None:
    text = Page(render(sample_documents.sweep())).text
    answer = text.partition("Overhead = ")[0]
    assert "1 to 1,024 terminals" in answer
    assert answer.count("TDE aegis costs") == 1
    assert "5.63 % of throughput (4.83 to 6.42) at 4 terminals and 0.89 % (0.10 to 1.69)" in answer
    assert "least and most of 11 points" in answer


def test_a_long_table_is_folded() -> None:
    source = render(sample_documents.sweep())
    assert "(66 rows)</summary>" in source


def test_without_the_packages_for_charts_the_page_has_tables_and_says_how(
    document: ResultDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(svg, "can_draw", lambda: False)
    page = Page(render(document))
    assert page.count("svg") == 0
    assert page.count("table") > 10
    assert "pip install 'ciphermark[report]'" in page.text


def test_a_chart_that_cannot_be_drawn_does_not_cost_the_report(
    document: ResultDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise ValueError("conversion failed:\nError: no <glyph>\n    at somewhere")

    monkeypatch.setattr("vl_convert.vegalite_to_svg", fail)
    page = Page(render(document))
    assert "the chart cost-0 cannot be drawn: no <glyph>. The tables hold" in page.text
    assert "somewhere" not in page.text
    assert page.count("table") > 10


def test_a_run_that_measured_nothing_has_a_page() -> None:
    text = Page(render(sample_documents.empty())).text
    assert "Nothing was compared, so there is no verdict." in text
    assert "There is nothing to tabulate." in text


def test_the_same_document_gives_the_same_page(document: ResultDocument, source: str) -> None:
    assert HTMLReporter().render(document) == source


def test_a_value_named_like_a_secret_is_not_shown(document: ResultDocument) -> None:
    plan = {
        "engine": {"password": "hunter2", "cache_size_mib": 16},
        "arm": [{"protection": {"passphrase": "correct horse", "key_file": "/keys/a"}}],
        "foreign_keys": True,
    }
    experiment = document.experiment.model_copy(update={"plan": plan})
    source = render(document.model_copy(update={"experiment": experiment}))
    assert "hunter2" not in source
    assert "correct horse" not in source
    assert without_secrets(plan) == {
        "engine": {"password": "(not shown)", "cache_size_mib": 16},
        "arm": [{"protection": {"passphrase": "(not shown)", "key_file": "/keys/a"}}],
        "foreign_keys": True,
    }
