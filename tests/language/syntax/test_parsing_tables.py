"""Kept tables parse as those just made; what does not fit the grammar, or is no whole file, is made again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from kaicep.errors import QuerySyntaxError
from kaicep.language.syntax import parse_document, parser, parsing_tables
from lark import Lark
from support.text_pairs import cases

GRAMMAR = files("kaicep.language.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")
TINY = 'start: "a" | "b"'


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where tables are kept, whatever the environment says."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path / "made" / "grammar.tables"


@pytest.fixture
def makings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The grammars that tables are made of from now on."""
    made: list[str] = []
    make = parsing_tables._made

    def noted(grammar: str) -> Lark:
        made.append(grammar)
        return make(grammar)

    monkeypatch.setattr(parsing_tables, "_made", noted)
    return made


def error_of(text: str) -> str:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_document(text)
    return str(caught.value)


def test_kept_tables_parse_as_those_just_made(place: Path, makings: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [case.text for case in cases("paper")]
    wrong = ["SELECT", "SELECT ?e.x FILTR (?e.x > 1)", "SELECT ?e.x WINDOW (?e, 5 min)", 'SELECT ?e.x FILTER ("a)']

    def answers(grammar: Lark) -> list[object]:
        monkeypatch.setattr(parser, "grammar_parser", lambda: grammar)
        return [*map(parse_document, texts), *map(error_of, wrong)]

    made, kept = parsing_tables._kept(GRAMMAR, place), parsing_tables._kept(GRAMMAR, place)
    assert makings == [GRAMMAR]
    assert answers(kept) == answers(made)


@pytest.mark.parametrize("harm", [lambda kept: kept[:-7], lambda kept: kept.replace(b"start", b"stmrt"), lambda _: b""])
def test_half_a_file_is_made_again(place: Path, makings: list[str], harm: Callable[[bytes], bytes]) -> None:
    parsing_tables._kept(TINY, place)
    whole = place.read_bytes()
    place.write_bytes(harm(whole))
    assert place.read_bytes() != whole
    assert parsing_tables._kept(TINY, place).parse("a")
    assert makings == [TINY, TINY]
    parsing_tables._kept(TINY, place)
    assert makings == [TINY, TINY], "it was mended"


def test_another_grammar_or_version_makes_its_own(
    place: Path, makings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    parsing_tables._kept(TINY, place)
    other = 'start: "c"'
    assert parsing_tables._kept(other, place).parse("c")
    monkeypatch.setattr("lark.__version__", "0.0")
    parsing_tables._kept(other, place)
    assert makings == [TINY, other, other]


def test_nothing_is_kept_where_python_keeps_no_bytecode(
    place: Path, makings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert parsing_tables._kept(TINY, place).parse("a")
    assert not place.exists()
    monkeypatch.setattr(sys.implementation, "cache_tag", None)
    assert parsing_tables._place() is None
    assert makings == [TINY]


def test_a_folder_that_cannot_be_written_costs_time_only(place: Path, makings: list[str]) -> None:
    place.parent.write_text("a file where the folder would be")
    assert parsing_tables._kept(TINY, place).parse("b")
    assert makings == [TINY]


def test_they_lie_beside_the_bytecode() -> None:
    place = parsing_tables._place()
    assert place is not None
    assert (place.parent.name == "__pycache__") or sys.pycache_prefix
    assert place.name == f"grammar.{sys.implementation.cache_tag}.tables"
