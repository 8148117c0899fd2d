"""The TextMate grammar knows the language: every shipped query is coloured throughout, each word as what it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import onigurumacffi
import pytest
from kaicep.expressions import SIGNATURES
from support.manual import PAGE, examples
from support.textmate import Token, patterns, tokenise

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"
GRAMMAR = json.loads((EXTENSION / "syntaxes" / "chi.tmLanguage.json").read_text(encoding="utf-8"))
FILES = sorted((ROOT / "examples").rglob("*.chi"))
NAMED = r"(?i)(?:\bAS|\bQUERY|\bEVENT|\bRULE|\bON|,)\s+(\w+)|(?:PARTITION BY |(?<=STATE\()|(?<=PARTIAL\())(\w+)"
PUNCTUATION = re.compile(r"[\s(){}\[\],;.:]*")


def scope_of(tokens: list[Token], text: str) -> str:
    """The innermost scope of the first token of that text."""
    return next(token.scopes[-1] for token in tokens if token.text == text)


def test_every_expression_is_one_that_oniguruma_reads() -> None:
    found = list(patterns(GRAMMAR))
    assert len(found) > 20
    for pattern in found:
        onigurumacffi.compile(pattern)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_shipped_queries_are_coloured_throughout(path: Path) -> None:
    """What has no scope is punctuation, or a name that the author chose."""
    tokens = tokenise(GRAMMAR, path.read_text(encoding="utf-8"))
    plain = [t.text.strip() for t in tokens if not t.scopes and not PUNCTUATION.fullmatch(t.text)]
    words = {word for text in plain for word in re.findall(r"\w+", text)}
    query = path.read_text(encoding="utf-8")
    names = set(re.findall(NAMED, query))
    assert words <= {name for pair in names for name in pair}
    assert any(t.scopes and t.scopes[-1] == "keyword.control.chi" for t in tokens)


def test_examples_of_the_language_page_end_outside_of_every_block() -> None:
    for example in examples(PAGE.read_text(encoding="utf-8")):
        assert tokenise(GRAMMAR, example.text + "\nSELECT")[-1] == Token("SELECT", ("keyword.control.chi",))


def test_words_are_coloured_as_what_they_are() -> None:
    tokens = tokenise(
        GRAMMAR,
        """# a comment with SELECT
CREATE QUERY q AS SELECT ?a.select, AVG(?b.<urn:x#y>) AS mean FROM (?a, s) WITHIN (now - 5min, 2026-01-01T00:00:00Z]
FILTER (?a.hvc:flow > 1.5e3 unit:M AND ?a.name != 'it\\'s') SEQ (?a => NOT ?n -> ?b{2,3; ->>}~ -> ?c?) LIMIT 5""",
    )
    expected = {
        "# a comment with SELECT": "comment.line.number-sign.chi",
        "CREATE": "keyword.control.chi",
        "?a": "variable.other.chi",
        "select": "variable.other.property.chi",
        "<urn:x#y>": "variable.other.property.chi",
        "hvc:flow": "variable.other.property.chi",
        "AVG": "support.function.chi",
        "now": "keyword.control.chi",
        "5min": "constant.numeric.duration.chi",
        "2026-01-01T00:00:00Z": "constant.other.date.chi",
        "1.5e3": "constant.numeric.chi",
        "unit:": "entity.name.namespace.chi",
        "AND": "keyword.operator.word.chi",
        "\\'": "constant.character.escape.chi",
        "=>": "keyword.operator.link.chi",
        "->>": "keyword.operator.link.chi",
        "~": "keyword.operator.quantifier.chi",
        "LIMIT": "keyword.control.chi",
    }
    assert {text: scope_of(tokens, text) for text in expected} == expected


def test_a_path_is_embedded_sparql_up_to_its_own_brace() -> None:
    tokens = tokenise(GRAMMAR, "PATH { ?e a <urn:a#b> . OPTIONAL { ?e ex:p '}' } # }\n } FILTER (?e.x > 1)")
    inside = [t.text for t in tokens if "meta.embedded.block.sparql" in t.scopes]
    assert {"?e", "a", "<urn:a#b>", "OPTIONAL", "# }"} <= set(inside)
    assert "FILTER" not in inside


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_every_function_is_coloured(name: str) -> None:
    assert scope_of(tokenise(GRAMMAR, f"SELECT {name}(?e.x)"), name) == "support.function.chi"


def test_contexts_are_coloured_as_what_they_are() -> None:
    tokens = tokenise(
        GRAMMAR,
        """CREATE CONTEXTS road (clear DEFAULT, rush DURING 'Mon 07:00-09:00' TIMEZONE 'Europe/Rome', jam) BY seg, lane
SWITCH CONTEXT road.jam (?e.v) AT (?e.seg) FROM (?e, CONTEXTS(roads)) IN CONTEXT free FOR ?e ON (?e: ?e.seg)
WINDOW (?e, CONTEXT) GROUP BY FLOOR(?e.seg)""",
    )
    expected = {
        "CONTEXTS": "keyword.control.chi",
        "road": "entity.name.type.chi",
        "roads": "entity.name.type.chi",
        "clear": "entity.name.type.chi",
        "free": "entity.name.type.chi",
        "DEFAULT": "keyword.control.chi",
        "TIMEZONE": "keyword.control.chi",
        "seg": "variable.other.property.chi",
        "SWITCH": "keyword.control.chi",
        "AT": "keyword.control.chi",
        "ON": "keyword.control.chi",
        "CONTEXT": "keyword.control.chi",
        "FLOOR": "support.function.chi",
    }
    assert {text: scope_of(tokens, text) for text in expected} == expected


def test_every_keyword_of_the_grammar_is_coloured() -> None:
    grammar = (ROOT / "language" / "syntax" / "grammar.lark").read_text(encoding="utf-8")
    words = re.findall(r"^_?[A-Z]+(?:\.\d)?: /(\w+?)(?:s\?)?(?:\\b|\(\?!)", grammar, re.MULTILINE)
    assert len(words) > 50
    for word in words:
        scope = scope_of(tokenise(GRAMMAR, f"x {word} y"), word)
        assert scope.startswith(("keyword.control", "keyword.operator.word", "constant.language")), word


def test_the_extension_names_files_that_are_there() -> None:
    package = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    (language,) = package["contributes"]["languages"]
    (grammar,) = package["contributes"]["grammars"]
    assert grammar["scopeName"] == GRAMMAR["scopeName"]
    for path in (language["configuration"], grammar["path"]):
        json.loads((EXTENSION / path).read_text(encoding="utf-8"))
