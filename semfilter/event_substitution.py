"""The event in the place of its variable, in SPARQL text."""

from __future__ import annotations

import re

# Strings, IRIs and comments are passed over; a variable is found outside of them only.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|<[^<>\"{}|^`\\\s]*>|#[^\n]*|@[A-Za-z-]+|_:\w+|[?$]\w+|\w+|[{}()]",
    re.DOTALL,
)
_LISTS = {"SELECT", "BY"}


def replace_variable(body: str, variable: str, iri: str) -> str:
    """Put an IRI where the variable stands.

    In the list of a SELECT inside, or of its GROUP BY or ORDER BY, where SPARQL wants a variable, the IRI stands in
    parentheses, as an expression that keeps the variable's name.

    Args:
        body: SPARQL group without braces.
        variable: name of the variable, without `?`.
        iri: the IRI in angle brackets.
    """
    listed, depth = "", 0

    def put(found: re.Match[str]) -> str:
        nonlocal listed, depth
        word = found.group()
        if word.upper() in _LISTS:
            listed, depth = word.upper(), 0
        elif word in ("{", "}") or word.upper() in ("WHERE", "HAVING", "LIMIT", "OFFSET", "VALUES"):
            listed = ""
        elif word in ("(", ")"):
            depth += 1 if word == "(" else -1
        elif word[1:] == variable and word[0] in "?$":
            if listed and depth == 0:
                return f"({iri} AS ?{variable})" if listed == "SELECT" else f"({iri})"
            return iri
        return word

    return _TOKEN.sub(put, body)
