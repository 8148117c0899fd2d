"""The tokens of a PATH body: prefixes expanded, white space and comments normalised, places kept.

rdflib's own way back from algebra to text loses things, so text is rewritten token by token and never printed
from algebra.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..literals import IRI, STRING, quote, unquote
from ..name_lookup import Names
from ..source_text import Span
from ..syntax import prefixed

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\f\ufeff\xa0]+|\#[^\n\r]*)"
    rf"|(?P<iri>{IRI})|(?P<string>{STRING})"
    r"|(?P<variable>[?$]\w+)"
    r"|(?P<blank>_:\w(?:[\w.-]*[\w-])?)"
    r"|(?P<name>(?:[^\W\d_](?:[\w.-]*[\w-])?)?:"
    r"(?:(?:[\w:]|%[0-9A-Fa-f]{2}|\\[_~.!$&'()*+,;=/?\#@%-])"
    r"(?:(?:[\w:.-]|%[0-9A-Fa-f]{2}|\\[_~.!$&'()*+,;=/?\#@%-])*"
    r"(?:[\w:-]|%[0-9A-Fa-f]{2}|\\[_~.!$&'()*+,;=/?\#@%-]))?)?)"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)[eE][+-]?\d+|\d*\.\d+|\d+)"
    r"|(?P<language>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)"
    r"|(?P<word>\w+)"
    r"|(?P<mark>\^\^|&&|\|\||!=|<=|>=|.)",
    re.DOTALL,
)
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


@dataclass(frozen=True, slots=True)
class SparqlToken:
    """One token.

    Attributes:
        kind: iri, string, variable, blank, number, language, word or mark.
        text: prefixes expanded, `$x` written `?x`.
        glued: nothing may come between it and the token before it.
        span: where it stands in the document.
    """

    kind: str
    text: str
    glued: bool
    span: Span

    @property
    def variable(self) -> str | None:
        """The name of the variable that this is."""
        return self.text[1:] if self.kind == "variable" else None


Tokens = Sequence[SparqlToken]


def tokenize(names: Names, body: Span) -> tuple[SparqlToken, ...]:
    """The tokens of a PATH body.

    Raises:
        QueryTypeError: an unknown prefix.
    """
    tokens: list[SparqlToken] = []
    for found in _TOKEN.finditer(names.source.text, body.start, body.end):
        kind, span = str(found.lastgroup), Span(found.start(), found.end())
        if kind == "space":
            continue
        token = SparqlToken(kind, found[0], _glued(tokens, kind, found[0], span), span)
        tokens.append(_normalise(names, token))
    if tokens and tokens[-1].text == ".":  # it may be left out, and is
        tokens.pop()
    return tuple(tokens)


def _glued(before: list[SparqlToken], kind: str, text: str, span: Span) -> bool:
    if not before or before[-1].span.end != span.start:
        return False
    last = before[-1]
    if kind == "language" or text == "^^" or last.text in ("^^", "^", "!"):
        return True
    if kind == "number":
        return last.text in ("+", "-")
    return text in ("*", "+", "?") and (last.kind == "iri" or last.text == ")")


def _normalise(names: Names, token: SparqlToken) -> SparqlToken:
    match token.kind:
        case "variable":
            return replace(token, text="?" + token.text[1:])
        case "name":
            return replace(token, kind="iri", text=f"<{names.expand(prefixed(token.text, token.span))}>")
        case "word" if token.text == "a":
            return replace(token, kind="iri", text=f"<{_TYPE}>")
        case "word":
            keyword = token.text.lower() not in ("true", "false")
            return replace(token, text=token.text.upper() if keyword else token.text.lower())
        case "string":
            return replace(token, text=_requote(names, token))
        case "mark" if token.text == "\\":
            raise names.source.syntax_error(token.span, "unexpected '\\'", "escapes belong in strings and local names")
    return token


def _requote(names: Names, token: SparqlToken) -> str:
    """One way to write a string, without escapes by code point: those are resolved before a parser sees it."""
    try:
        value = unquote(token.text)
    except ValueError as error:
        raise names.source.syntax_error(token.span, f"{token.text} is no string", str(error)) from error
    return quote(value)


_CALLED = frozenset({"BNODE", "COALESCE", "CONCAT"})
"""Functions between whose name and arguments Oxigraph takes no space."""


def render(tokens: Iterable[SparqlToken], rename: Mapping[str, str] | None = None) -> str:
    """The text of tokens: one space between them, variables renamed as `rename` says."""
    return "".join(text for text, _ in _pieces(tokens, rename or {})).lstrip()


def _pieces(tokens: Iterable[SparqlToken], rename: Mapping[str, str]) -> Iterable[tuple[str, SparqlToken]]:
    called = False
    for token in tokens:
        text = f"?{rename.get(token.variable, token.variable)}" if token.variable else token.text
        yield (text if token.glued or (called and text == "(") else f" {text}"), token
        called = text.upper() in _CALLED


def token_at(tokens: Tokens, offset: int) -> SparqlToken:
    """The token at `offset` of their rendered text."""
    length = -1  # the first token's space is stripped
    for text, token in _pieces(tokens, {}):
        length += len(text)
        if length > offset:
            return token
    return tokens[-1]


def variables(tokens: Iterable[SparqlToken]) -> tuple[str, ...]:
    """Names of the variables, in order of first occurrence."""
    return tuple(dict.fromkeys(token.variable for token in tokens if token.variable is not None))


@dataclass(frozen=True, slots=True)
class GroupElement:
    """A part of a group graph pattern that cannot be divided by its text.

    Attributes:
        kind: `triples` (one subject with its properties), `FILTER`, or what else begins it (`OPTIONAL`, `{` …).
        tokens: all of it; a FILTER without its keyword.
    """

    kind: str
    tokens: tuple[SparqlToken, ...]


_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_KEYWORDS = frozenset({"FILTER", "OPTIONAL", "MINUS", "BIND", "VALUES", "GRAPH", "SERVICE", "{", "SELECT"})


def group_elements(tokens: Tokens) -> tuple[GroupElement, ...]:
    """Divide a well-formed group graph pattern at its top level, in order."""
    found: list[GroupElement] = []
    position = 0
    while position < len(tokens):
        first = tokens[position]
        keyword = first.text if first.kind in ("word", "mark") and first.text in _KEYWORDS else "triples"
        end = _end_of(tokens, position, keyword)
        part = tuple(tokens[position + (keyword == "FILTER") : end])
        if part and part[0].text != ".":
            found.append(GroupElement(keyword, part))
        position = end
    return tuple(found)


def _end_of(tokens: Tokens, start: int, keyword: str) -> int:
    match keyword:
        case "triples":
            return _end_of_triples(tokens, start)
        case "SELECT":
            return len(tokens)
        case "FILTER":
            return _end_of_filter(tokens, start + 1)
        case "BIND":
            return _close(tokens, start + 1)
        case "{":
            end = _close(tokens, start)
            while end < len(tokens) and tokens[end].text == "UNION":
                end = _close(tokens, end + 1)
            return end
    return _close(tokens, _next_brace(tokens, start))


def _next_brace(tokens: Tokens, start: int) -> int:
    return next(i for i in range(start, len(tokens)) if tokens[i].text == "{")


def _end_of_filter(tokens: Tokens, start: int) -> int:
    if tokens[start].text in ("NOT", "EXISTS"):
        return _close(tokens, _next_brace(tokens, start))
    return _close(tokens, next(i for i in range(start, len(tokens)) if tokens[i].text == "("))


def _close(tokens: Tokens, start: int) -> int:
    depth = 0
    for position in range(start, len(tokens)):
        token = tokens[position]
        if token.kind == "mark":
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if not depth:
            return position + 1
    return len(tokens)


def _end_of_triples(tokens: Tokens, start: int) -> int:
    depth = 0
    for position in range(start, len(tokens)):
        token = tokens[position]
        if token.kind == "mark":
            if not depth and position > start and token.text == "{":
                return position
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
            if not depth and token.text == ".":
                return position + 1
        elif not depth and position > start and token.kind == "word" and token.text in _KEYWORDS:
            return position
    return len(tokens)
