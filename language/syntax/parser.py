"""From a document's text to its syntax tree; every syntax error with its place and the way out."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import cast

from lark import Lark, UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken
from lark.exceptions import VisitError

from ...errors import KaicepError, QuerySyntaxError, did_you_mean
from .. import syntax_tree as syntax
from ..source_text import SourceText, Span, listed
from .literals import UNITS
from .scanner import STRING, mask
from .tree_builder import Builder

_WORD = re.compile(r"[?$]?[\w.:-]*\w|.", re.DOTALL)
_TAIL = ("PARTITION", "GROUP", "HAVING", "POLICY", "AFTER", "LIMIT", "OUTPUT")
_OPERAND = {"VAR", "CALL", "STRING"}
# What a state accepts, in the words of docs/language.md; the first set that is accepted whole stands for all of it.
_PHRASES: tuple[tuple[str, frozenset[str]], ...] = (
    (
        "an expression",
        frozenset(
            {
                *_OPERAND,
                "_RUNNING",
                "TRUE",
                "FALSE",
                "BANG",
                "_NOT",
                "MINUS",
                "PLUS",
                "LPAR",
                "IRI",
                "PNAME",
                "INTEGER",
                "DECIMAL",
                "DOUBLE",
                "DURATION",
            }
        ),
    ),
    (
        "a literal",
        frozenset({"STRING", "TRUE", "FALSE", "MINUS", "IRI", "PNAME", "INTEGER", "DECIMAL", "DOUBLE", "DURATION"}),
    ),
    ("a clause (PATH, FILTER, JOIN, SEQ or WINDOW)", frozenset({"_PATH", "_FILTER", "_JOIN", "_SEQ", "_WINDOW"})),
    ("a quantifier", frozenset({"QMARK", "LBRACE", "STAR", "PLUS"})),
    ("an operator", frozenset({"COMPARE", "PLUS", "MINUS", "STAR", "SLASH", "PERCENT"})),
    ("a later clause", frozenset({"_OUTPUT", "_LIMIT", "_AFTER", "_POLICY", "_HAVING", "_GROUP", "_PARTITION"})),
    ("a later clause", frozenset({"_OUTPUT", "_LIMIT", "_AFTER", "_POLICY", "_HAVING", "_GROUP"})),
    ("a later clause", frozenset({"_OUTPUT", "_LIMIT", "_AFTER", "_POLICY", "_HAVING"})),
    ("a query", frozenset({"_SELECT", "_CREATE", "_PREFIX"})),
)
_WORDS = {
    "VAR": "a variable such as ?e", "IRI": "an absolute <iri>", "PNAME": "a prefixed name",
    "PNAME_NS": "a prefix such as 'evt:'", "NAME": "a name", "NAME_PREFIXED": "a prefixed name", "STREAM": "a name",
    "CALL": "a function", "STRING": "a string", "LANGTAG": "a language tag",
    "DATETIME": "a dateTime such as 2012-05-07T09:00", "DURATION": "a duration such as 5min", "DOUBLE": "a number",
    "_EVENTS": "a unit (5min) or EVENTS", "DECIMAL": "a number", "INTEGER": "an integer", "PATH_BODY": "'{'",
    "QMARK": "'?'", "LINK": "'->', '->>' or '=>'", "COMPARE": "a comparison", "$END": "the end",
}  # fmt: skip


Document = tuple[syntax.Prefix | syntax.Statement, ...]
"""Prefixes and statements in order."""


@cache
def _lark() -> Lark:
    grammar = files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="contextual", propagate_positions=True, maybe_placeholders=False)


def parse_document(text: str, source: str = "query") -> Document:
    """Read a χ-CEP document; no name is looked up, and PATH bodies are not read.

    Args:
        text: prefixes and statements.
        source: what messages call the text, such as its file name.

    Raises:
        QuerySyntaxError: the text is no χ-CEP.

    Source: docs/semantics.md 2; SCEPter §3.2.
    """
    where = SourceText(source, text)
    try:
        return cast("Document", Builder(where).transform(_lark().parse(mask(where))))
    except UnexpectedInput as error:
        raise _syntax_error(where, error) from error
    except VisitError as error:
        if isinstance(error.orig_exc, KaicepError):
            raise error.orig_exc from error
        if isinstance(error.orig_exc, RecursionError):
            raise _too_deep(where) from error
        raise
    except RecursionError as error:
        raise _too_deep(where) from error


def _too_deep(where: SourceText) -> QuerySyntaxError:
    return where.syntax_error(Span(0, 1), "an expression is too long", "write `x IN (…)`, or split the query")


def _syntax_error(where: SourceText, error: UnexpectedInput) -> QuerySyntaxError:
    position, accepted = _position(where, error)
    if position >= len(where.text.rstrip()):
        end = len(where.text.rstrip())
        return where.syntax_error(Span(end, end + 1), "the query is not complete", f"expected {_expected(accepted)}")
    quoted = STRING.match(where.text, position)
    word = (quoted or cast("re.Match[str]", _WORD.match(where.text, position)))[0]
    span = Span(position, position + len(word))
    hint = _special_hint(where.text, position, word) or _order_hint(word, accepted) or _suggestion(word, accepted)
    if word in "\"'":
        return where.syntax_error(span, "this string does not end", f"close it with {word} on the same line")
    shown = word if quoted else f"'{word}'"
    return where.syntax_error(span, f"unexpected {shown}", hint or f"expected {_expected(accepted)}")


def _position(where: SourceText, error: UnexpectedInput) -> tuple[int, set[str]]:
    match error:
        case UnexpectedToken():
            position = len(where.text) if error.token.type == "$END" else error.token.start_pos or 0
            return position, set(error.accepts or error.expected)
        case UnexpectedCharacters():
            return error.pos_in_stream or 0, set(error.allowed or ())
        case UnexpectedEOF():
            return len(where.text), set(error.expected)
    return error.pos_in_stream or 0, set()


def _special_hint(text: str, position: int, word: str) -> str | None:
    before = text[:position]
    if word.lower() in UNITS and re.search(r"\d[ \t]+$", before):
        return f"write the unit directly behind its number: {before.split()[-1]}{word}"
    if re.fullmatch(r"\d+(-\d+)*T[\d:.-]*", word):
        return 'in an expression a moment is written "2012-05-07T09:00:00Z"^^xsd:dateTime'
    if re.fullmatch(r"\d+(\.\d+)?[A-Za-z]+", word):
        return f"the units of a duration are {listed(list(UNITS), 'and')}"
    if word == "*" and before.rstrip().upper().endswith("COUNT("):
        return "events are counted by their variable: COUNT(?e)"
    if word == "=" and before.endswith("="):
        return "equality is written with one '='"
    if word == ">" and before.endswith("<"):
        return "inequality is written '!='"
    return None


def _order_hint(word: str, accepted: set[str]) -> str | None:
    """For a clause that stands at a wrong place between clauses."""
    if "$END" in accepted and word.upper() in _TAIL:
        return f"the clauses at the end come in the order {', '.join(_TAIL)}"
    if "$END" in accepted and word.upper() in ("FROM", "WITHIN"):
        return "FROM, then WITHIN, stand behind SELECT and before all other clauses"
    return None


def _suggestion(word: str, accepted: set[str]) -> str | None:
    return did_you_mean(word.upper(), sorted(_keywords(accepted)))


def _keywords(accepted: set[str]) -> set[str]:
    plain = {name.lstrip("_") for name in accepted}
    return {name for name in plain if len(name) > 1 and name.isalpha() and name not in _WORDS and name in _ALL_KEYWORDS}


_ALL_KEYWORDS = frozenset(
    """
    PREFIX CREATE QUERY AS SELECT DISTINCT FROM WITHIN NOW WHERE PATH FILTER JOIN SEQ WINDOW AND OR NOT IN FOR UNTIL
    SLIDING BATCH HOPPING CUMULATE SESSION START EVENTS EVENT PARTITION GROUP BY HAVING POLICY ANY NEXT STRICT AFTER
    MATCH MATCHES KEEP SKIP PAST TO CONSUME LAST ALL FIRST LIMIT OUTPUT EVERY RUNNING TRUE FALSE
    """.split()  # noqa: SIM905 - keywords are read as words
)


def _expected(accepted: set[str]) -> str:
    rest, phrases = set(accepted), []
    for phrase, members in _PHRASES:
        if members <= rest:
            rest -= members
            phrases.append(phrase)
    if "an expression" in phrases:
        rest -= {"QMARK", "_NOT"}
    phrases += [_phrase(name) for name in sorted(rest, key=lambda name: name.lstrip("_"))]
    return listed(list(dict.fromkeys(phrases)))


def _phrase(name: str) -> str:
    if name in _WORDS:
        return _WORDS[name]
    if name.lstrip("_") in _ALL_KEYWORDS:
        return name.lstrip("_")
    pattern = _lark().get_terminal(name).pattern.value
    return f"'{pattern.replace(chr(92), '')}'"
