"""The form that a client likes best, of those on offer; ours where it does not care."""

from __future__ import annotations

import pytest
from kaicep.server.sparql.media_types import accepted, with_charset

OFFERED = ("text/turtle", "application/n-triples", "application/rdf+xml")


@pytest.mark.parametrize(
    ("header", "best"),
    [
        (None, "text/turtle"),
        ("", "text/turtle"),
        ("*/*", "text/turtle"),
        ("application/rdf+xml", "application/rdf+xml"),
        ("APPLICATION/RDF+XML; charset=utf-8", "application/rdf+xml"),
        ("application/*", "application/n-triples"),
        ("text/turtle;q=0.5, application/rdf+xml", "application/rdf+xml"),
        ("text/turtle;q=0, */*", "application/n-triples"),
        ("*/*;q=0.1, application/rdf+xml;q=0.2", "application/rdf+xml"),
        ("text/html, application/xhtml+xml, */*; q=0.8", "text/turtle"),
    ],
)
def test_the_best_one_is_chosen(header: str | None, best: str) -> None:
    assert accepted(header, OFFERED)[0] == best


@pytest.mark.parametrize("header", ["image/png", "text/turtle;q=0", "text/turtle;q=nonsense", "turtle"])
def test_none_may_fit(header: str) -> None:
    assert accepted(header, OFFERED) == ()


def test_text_says_how_it_is_written() -> None:
    assert with_charset("text/csv") == "text/csv; charset=utf-8"
    assert with_charset("application/json") == "application/json"
