"""IRIs within a text."""

from __future__ import annotations

from kaicep.explain.prefixed_text import with_prefixes

PREFIXES = {"ex": "http://example.org/", "part": "http://example.org/part#"}


def test_iris_become_prefixed_names_where_a_prefix_fits() -> None:
    text = "?s <http://example.org/part#of> <http://example.org/room> ; a <http://other.org/Room>"
    assert with_prefixes(text, PREFIXES) == "?s part:of ex:room ; a <http://other.org/Room>"


def test_what_is_no_local_name_stays_in_full() -> None:
    assert with_prefixes("<http://example.org/1> <http://example.org/>", PREFIXES) == (
        "<http://example.org/1> <http://example.org/>"
    )
