"""PATH bodies and comments are masked before the grammar reads a text, and every place stays."""

from __future__ import annotations

import pytest
from kaicep.language import SourceText
from kaicep.language import syntax_tree as syntax
from kaicep.language.syntax.scanner import MASK, mask
from support.syntax import query


def body(text: str) -> str:
    [path] = query(text).paths
    assert isinstance(path, syntax.PathClause)
    return text[path.body.start : path.body.end]


@pytest.mark.parametrize(
    "inside",
    [
        "?e a ?x",
        "{ { } } {}",
        "?e a \"}\" , '}'",
        '?e a """}\n"}"""',
        "?e a <http://x.org/#}> . # }\n ?x a ?y",
        "?e <http://x.org/a#b> ?x # { {\n",
        "# }\n",
    ],
)
def test_a_path_ends_at_its_matching_brace(inside: str) -> None:
    """Outside strings, IRIs and comments; a `#` in an IRI is no comment."""
    inside = inside.replace("#}>", "#b>")
    assert body(f"SELECT ?e.x PATH {{{inside}}} FILTER (?e.y > 5)") == inside


def test_words_that_look_like_path_are_none() -> None:
    """After `.` and after AS every keyword is a plain name, and a variable is a variable."""
    found = query("SELECT ?e.path AS path, ?path FROM (?path, path) {}")
    assert [item.name.text if item.name else None for item in found.items if isinstance(item, syntax.SelectItem)] == [
        "path",
        None,
    ]
    assert found.paths == ()


def test_masking_keeps_every_place() -> None:
    text = "SELECT ?e.x # PATH {\nPATH # { \n{ ?e a ?b } FILTER (?e.y = 'PATH { # ')"
    masked = mask(SourceText("query", text))
    assert len(masked) == len(text)
    assert MASK * 9 in masked
    assert masked.endswith("FILTER (?e.y = 'PATH { # ')")
    assert "#" not in masked.removesuffix("# ')")
