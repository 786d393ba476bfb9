"""Whatever stands in a name, a report takes it for text."""

from __future__ import annotations

import csv
import functools
import io
from html.parser import HTMLParser
from unittest import mock
from xml.etree import ElementTree

import sample_documents
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ciphermark.report import svg
from ciphermark.report.charts import chart_sections
from ciphermark.report.html import render
from ciphermark.report.markdown import MarkdownReporter, escape
from ciphermark.report.svg import draw
from ciphermark.report.terminal import TerminalReporter
from ciphermark.report.view import View
from ciphermark.results.document import ResultDocument
from ciphermark.results.export import to_csv

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
NASTY = '"><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}|`</title>'
DRAWING = {"svg", "g", "path", "line", "text", "rect", "title", "desc", "defs", "clipPath", "style"}


def named(name: str) -> ResultDocument:
    """A small document with this name in each place where others may write one."""
    document = sample_documents.aa_excludes_zero()
    factors = {name: name}
    arm = f"x{name}"
    place = {"workload": name, "factors": factors}
    return document.model_copy(
        update={
            "experiment": document.experiment.model_copy(
                update={"name": name, "plan": {name: name}, "stopped_by": name}
            ),
            "environment": document.environment.model_copy(
                update={"cpu_model": name, "disk": name, "warnings": (name,)}
            ),
            "arms": tuple(
                one.model_copy(
                    update={
                        "name": arm if one.name == "aegis" else one.name,
                        "label": name if one.name == "aegis" else one.label,
                        "settings": {name: name},
                        "proof": one.proof.model_copy(update={"method": name, "details": (name,)}),
                    }
                )
                for one in document.arms
            ),
            "points": tuple(one.model_copy(update=place) for one in document.points),
            "comparisons": tuple(
                one.model_copy(
                    update={
                        **place,
                        "arm": arm if one.arm == "aegis" else one.arm,
                        "verdict": name,
                        "reasons": (name,),
                        "valid": one.arm != "aegis",
                    }
                )
                for one in document.comparisons
            ),
            "reasons": (name,),
        }
    )


class Tags(HTMLParser):
    """The elements of a page and the text that stands outside its style sheet."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)


@functools.cache
def usual() -> list[str]:
    """The elements of the page when all names are harmless."""
    return Tags(page("usual")).tags


def page(name: str) -> str:
    """The page without its charts, which have a test of their own."""
    with mock.patch.object(svg, "can_draw", return_value=False):
        return render(named(name))


@settings(max_examples=60)
@given(TEXTS)
@example(NASTY)
def test_a_page_has_the_same_elements_whatever_the_names(name: str) -> None:
    found = Tags(page(name))
    assert [tag for tag in found.tags if tag != "wbr"] == [tag for tag in usual() if tag != "wbr"]
    assert not {one for one in found.attributes if one.startswith("on")}


@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
@example(NASTY)
@example("\x00\x0b\x1b[31m\uffff")
@example("\U0003820d\U000e55a0\U00100c64" * 9)
@example("a\u0301" * 40)
def test_a_chart_is_well_formed_and_only_a_drawing(name: str) -> None:
    for section in chart_sections(View(named(name))):
        for chart in section.charts:
            tree = ElementTree.fromstring(str(draw(chart)))
            assert {element.tag.rpartition("}")[2] for element in tree.iter()} <= DRAWING


@settings(max_examples=200)
@given(TEXTS)
@example(NASTY)
@example("1. x")
@example("# x")
@example("- x")
@example("@someone")
def test_markdown_keeps_a_name_on_its_line_and_in_its_cell(name: str) -> None:
    text = escape(name)
    assert len(text.splitlines()) <= 1
    assert "<" not in text.replace("@<!-- -->", "")
    assert "|" not in text.replace(r"\|", "")
    assert not text.startswith(("#", "- ", "+ ", "=", "1. "))


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
@example(NASTY)
def test_every_row_of_a_markdown_table_has_its_cells(name: str) -> None:
    report = MarkdownReporter().render(named(name))
    width = 0
    for line in report.splitlines():
        cells = line.replace(r"\|", "").count("|")
        assert not line.startswith("|") or not width or cells == width
        width = cells if line.startswith("|") else 0


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
@example("\x1b[31m[bold]\x07")
def test_a_terminal_is_sent_no_control_characters(name: str) -> None:
    report = TerminalReporter().render(named(name))
    assert not [letter for letter in report if ord(letter) < 32 and letter != "\n"]


@settings(max_examples=50)
@given(TEXTS)
@example('a,"b"\r\nc')
def test_csv_gives_back_what_went_in(name: str) -> None:
    document = named(name)
    rows = list(csv.DictReader(io.StringIO(to_csv(document), newline="")))
    assert [row["verdict"] for row in rows] == [one.verdict for one in document.comparisons]
