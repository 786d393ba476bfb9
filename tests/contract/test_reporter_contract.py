"""What every registered reporter guarantees, with every kind of document."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sample_documents

from ciphermark.registry import plugins
from ciphermark.report.base import Reporter
from ciphermark.results.document import ResultDocument

DOCUMENTS: dict[str, Callable[[], ResultDocument]] = {
    "complete": sample_documents.complete,
    "invalid": sample_documents.invalid,
    "aa_excludes_zero": sample_documents.aa_excludes_zero,
    "interrupted": sample_documents.interrupted,
    "empty": sample_documents.empty,
    "long_names": sample_documents.long_names,
    "sweep": sample_documents.sweep,
}


def made(name: str) -> Reporter:
    reporter: Reporter = plugins("report")[name].load()()
    return reporter


def test_the_built_in_reporters_are_registered() -> None:
    assert {"terminal", "html", "markdown", "json", "csv"} <= set(plugins("report"))


@pytest.mark.parametrize("name", plugins("report"))
def test_a_reporter_names_its_file(name: str) -> None:
    file_name = made(name).file_name
    assert "/" not in file_name
    assert file_name.rpartition(".")[2] in {"txt", "html", "md", "json", "csv"}


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("name", plugins("report"))
def test_a_reporter_renders_every_document_in_the_same_way_twice(name: str, document: str) -> None:
    first = made(name).render(DOCUMENTS[document]())
    assert first
    assert made(name).render(DOCUMENTS[document]()) == first


@pytest.mark.parametrize("name", sorted(set(plugins("report")) - {"json"}))
def test_a_report_does_not_hold_what_is_named_like_a_secret(name: str) -> None:
    document = sample_documents.complete()
    experiment = document.experiment.model_copy(
        update={"plan": {"engine": {"password": "correct horse battery"}}}
    )
    report = made(name).render(document.model_copy(update={"experiment": experiment}))
    assert "correct horse" not in report
