"""What a text should have said where the grammar could not go on: read off the grammar, in the words of its users."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import cast

from lark import Lark, UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from ...errors import QuerySyntaxError, did_you_mean
from ..literals import STRING, UNITS
from ..source_text import SourceText, Span, listed

_WORD = re.compile(r"[?$]?[\w.:-]*\w|.", re.DOTALL)
_STRING = re.compile(STRING, re.DOTALL)
_KEYWORD = re.compile(r"[A-Za-z]+(s\?)?(\\b|\(\?[!=])|IN\[")
_APART = re.compile(r"(?P<number>\d+)[ \t]+(?P<unit>[A-Za-z]+)\b")
_QUOTED_MOMENT = re.compile(r"([\"'])\d{4}-\d\d-\d\d(T[\d:.Z+-]*)?\1")
_NAMED = {
    "VAR": "a variable such as ?e", "IRI": "an absolute <iri>", "PNAME": "a prefixed name",
    "PNAME_NS": "a prefix such as 'evt:'", "NAME": "a name", "NAME_PREFIXED": "a prefixed name", "STREAM": "a name",
    "CALL": "a function", "STRING": "a string", "LANGTAG": "a language tag",
    "DATETIME": "a dateTime such as 2012-05-07T09:00", "DURATION": "a duration such as 5min", "DOUBLE": "a number",
    "_EVENTS": "a unit (5min) or EVENTS", "DECIMAL": "a number", "INTEGER": "an integer", "PATH_BODY": "'{'",
    "_IN_CONTEXT": "IN CONTEXT", "QMARK": "'?'", "LINK": "'->', '->>' or '=>'", "COMPARE": "a comparison",
    "$END": "the end",
}  # fmt: skip


def unexpected(where: SourceText, error: UnexpectedInput, grammar: Lark) -> QuerySyntaxError:
    """The error of a text that the grammar does not accept, with its place and the way out."""
    position, accepted = _position(where, error)
    if position >= len(where.text.rstrip()):
        end = len(where.text.rstrip())
        hint = f"expected {_expected(grammar, accepted)}"
        return where.syntax_error(Span(end, end + 1), "the query is not complete", hint)
    quoted = _STRING.match(where.text, position)
    word = (quoted or cast("re.Match[str]", _WORD.match(where.text, position)))[0]
    span = Span(position, position + len(word))
    if word in "\"'":
        return where.syntax_error(span, "this string does not end", f"close it with {word} on the same line")
    hint = (
        _time_hint(where.text, position, word)
        or _habit_hint(where.text[:position], word)
        or _order_hint(grammar, where.text[:position], word, accepted)
        or did_you_mean(word.upper(), sorted(_accepted_keywords(grammar, accepted)))
        or f"expected {_expected(grammar, accepted)}"
    )
    shown = word if quoted else f"'{word}'"
    return where.syntax_error(span, f"unexpected {shown}", hint)


def _position(where: SourceText, error: UnexpectedInput) -> tuple[int, set[str]]:
    """Where the grammar could not go on, and the terminals that it would have accepted there."""
    match error:
        case UnexpectedToken():
            position = len(where.text) if error.token.type == "$END" else error.token.start_pos or 0
            return position, set(error.accepts or error.expected)
        case UnexpectedCharacters():
            return error.pos_in_stream or 0, set(error.allowed or ())
        case UnexpectedEOF():
            return len(where.text), set(error.expected)
    return error.pos_in_stream or 0, set()


def _time_hint(text: str, position: int, word: str) -> str | None:
    """For durations and moments that are written as elsewhere."""
    before = text[:position]
    if word.lower() in UNITS and re.search(r"\d[ \t]+$", before):
        return f"write the unit directly behind its number: {before.split()[-1]}{word}"
    apart = _APART.match(text, position)
    if apart and apart["unit"] in UNITS:
        return f"write the unit directly behind its number: {apart['number']}{apart['unit']}"
    if re.fullmatch(r"\d+(-\d+)*T[\d:.-]*", word):
        return 'in an expression a moment is written "2012-05-07T09:00:00Z"^^xsd:dateTime'
    if _QUOTED_MOMENT.fullmatch(word):
        return f"a moment is written without quotes: {word[1:-1]}"
    if apart or re.fullmatch(r"\d+(\.\d+)?[A-Za-z]+", word):
        return f"the units of a duration are {listed(list(UNITS), 'and')}"
    return None


def _habit_hint(before: str, word: str) -> str | None:
    """For what people write who know other languages."""
    if word == "*" and before.rstrip().upper().endswith("COUNT("):
        return "events are counted by their variable: COUNT(?e)"
    if word == "=" and before.endswith("="):
        return "equality is written with one '='"
    if word == ">" and before.endswith("<"):
        return "inequality is written '!='"
    if re.search(r"\bFROM\s*$", before, re.IGNORECASE) and word[0].isalpha():
        return f"FROM gives each stream a variable: FROM (?e, {word})"
    if word.upper() == "DETACHED":
        return "every CALL is detached: it goes out when its row is durable"
    if word.upper() == "WITHDRAW" and re.search(r"(\bDO|,)\s*$", before, re.IGNORECASE):
        return "an action of the project does so: CALL kaicep:withdraw, or its name"
    if re.search(r"\bWHERE\s*$", before, re.IGNORECASE) and word.startswith("?"):
        return "write conditions on events as FILTER (…), on knowledge as PATH { … }"
    return None


def _order_hint(grammar: Lark, before: str, word: str, accepted: set[str]) -> str | None:
    """For a clause that stands at a wrong place between clauses."""
    inner = f"_{word.upper()}" in _first(grammar, "clause")
    closing = [name.lstrip("_") for name in _closing_clauses(grammar)]
    if "$END" in accepted and word.upper() in closing:
        return f"the clauses at the end come in the order {', '.join(closing)}"
    if inner and before.rstrip().endswith("}"):
        return f"{word.upper()} stands within the braces of WHERE"
    if "_SEMICOLON" in accepted and inner:
        return f"{word.upper()} stands before the clauses at the end: {listed(closing, 'and')}"
    if "$END" in accepted and word.upper() in ("FROM", "WITHIN"):
        return "FROM, then WITHIN, stand behind SELECT and before all other clauses"
    return None


def _accepted_keywords(grammar: Lark, accepted: set[str]) -> Iterator[str]:
    plain = {name.lstrip("_") for name in accepted} & _keywords(grammar)
    return (name for name in plain if name.isalpha() and name not in _NAMED)


def _expected(grammar: Lark, accepted: set[str]) -> str:
    """What may stand there; what is accepted as a whole is told in one phrase."""
    rest, told = set(accepted), []
    for phrase, members in _phrases(grammar):
        if members <= rest:
            rest -= members
            told.append(phrase)
    if "an expression" in told:
        rest -= {"QMARK", "_NOT"}
    told += [_phrase(grammar, name) for name in sorted(rest, key=lambda name: name.lstrip("_"))]
    return listed(list(dict.fromkeys(told)))


def _phrase(grammar: Lark, terminal: str) -> str:
    if terminal in _NAMED:
        return _NAMED[terminal]
    if terminal.lstrip("_") in _keywords(grammar):
        return terminal.lstrip("_")
    pattern = grammar.get_terminal(terminal).pattern.value
    return f"'{pattern.replace(chr(92), '')}'"


@cache
def _phrases(grammar: Lark) -> tuple[tuple[str, frozenset[str]], ...]:
    """Words for what a state may accept as a whole; the first that fits stands for its members."""
    clauses, closing = _first(grammar, "clause"), _closing_clauses(grammar)
    names = listed([name.lstrip("_") for name in clauses])
    return (
        ("an expression", frozenset(_first(grammar, "expr"))),
        ("a literal", frozenset(_first(grammar, "option"))),
        (f"a clause ({names})", frozenset(clauses)),
        ("a quantifier", frozenset(_first(grammar, "quantifier"))),
        ("an operator", frozenset({"COMPARE", "PLUS", "MINUS", "STAR", "SLASH", "PERCENT"})),
        *(("a later clause", frozenset(closing[start:])) for start in range(3)),
        ("a query", frozenset(_first(grammar, "start"))),
    )


def keywords(grammar: Lark) -> frozenset[str]:
    """The words of the language, in upper case."""
    return _keywords(grammar)


@cache
def _keywords(grammar: Lark) -> frozenset[str]:
    return frozenset(t.name.lstrip("_") for t in grammar.terminals if _KEYWORD.match(t.pattern.value))


@cache
def _closing_clauses(grammar: Lark) -> tuple[str, ...]:
    """The keywords that begin the clauses behind WHERE, in the order that the grammar has for them."""
    clauses = [symbol.name for symbol in next(r for r in grammar.rules if r.origin.name == "_body").expansion]
    return tuple(_first(grammar, name)[0] for name in clauses[clauses.index("_maybe{_where}") + 1 :])


@cache
def _first(grammar: Lark, symbol: str) -> tuple[str, ...]:
    """The terminals with which what a rule reads can begin, in the order of its alternatives.

    A rule that may read nothing is none of those that are asked for, so what may follow it is not looked at.
    """
    found: dict[str, None] = {}
    seen: set[str] = set()

    def visit(name: str) -> None:
        seen.add(name)
        for rule in (r for r in grammar.rules if r.origin.name == name and r.expansion):
            first = rule.expansion[0]
            if first.is_term:
                found[first.name] = None
            elif first.name not in seen:
                visit(first.name)

    visit(symbol)
    return tuple(found)
