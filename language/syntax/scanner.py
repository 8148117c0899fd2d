"""What has to be known before the grammar can read a text: comments, strings, IRIs, and where PATH and ASK end.

A grammar cannot see that a `}` inside a string ends nothing, so comments are blanked and these bodies masked here,
character by character: every position in the masked text is the same position in the original.
"""

from __future__ import annotations

import re
from typing import cast

from ..literals import IRI, STRING
from ..source_text import SourceText, Span

MASK = "\x00"
"""Stands for each character of the body of a PATH or an ASK; no other terminal of the grammar accepts it."""

# In comments, strings and IRIs braces mean nothing. A `.` before PATH makes it an attribute's name, `?` a variable's.
_COMMENT = r"\#[^\n\r]*"
_OUTSIDE = re.compile(
    rf"(?P<comment>{_COMMENT})|(?P<opaque>{STRING}|{IRI})"
    r"|(?P<path>(?<![\w.?$:])(?:PATH|ASK)\b(?=(?:\s|\#[^\n\r]*)*\{))|(?P<word>[\w]+)|(?P<open>[(\[{])|(?P<close>[)\]}])|.",
    re.IGNORECASE | re.DOTALL,
)
_INSIDE = re.compile(rf"{_COMMENT}|{STRING}|{IRI}|(?P<brace>[{{}}])|.", re.DOTALL)
_DEEPEST = 60


def mask(source: SourceText) -> str:
    """The text with comments blank and the bodies of PATH and ASK, without their braces, as `MASK`.

    Raises:
        QuerySyntaxError: one whose brace is not closed, or parentheses nested beyond reason.
    """
    text, masked = source.text, list(source.text)
    position = depth = 0
    while position < len(text):
        found = cast("re.Match[str]", _OUTSIDE.match(text, position))  # it matches any character
        position = found.end()
        match found.lastgroup:
            case "comment":
                masked[found.start() : position] = " " * (position - found.start())
            case "path":
                position = _mask_body(source, masked, found.end())
            case "open":
                depth += 1
                if depth > _DEEPEST:
                    raise source.syntax_error(
                        Span(found.start(), position), "nested too deeply", "split the query: CREATE QUERY names a part"
                    )
            case "close":
                depth -= 1
    return "".join(masked)


def _mask_body(source: SourceText, masked: list[str], after: int) -> int:
    """Mask the body behind the word that ends at `after`, and return where its closing brace ends."""
    start = after
    while source.text[start] != "{":
        if source.text[start] == "#":
            end = cast("re.Match[str]", _INSIDE.match(source.text, start)).end()
            masked[start:end] = " " * (end - start)
            start = end
        else:
            start += 1
    depth, position = 0, start
    while position < len(source.text):
        found = cast("re.Match[str]", _INSIDE.match(source.text, position))
        position = found.end()
        if found["brace"]:
            depth += 1 if found["brace"] == "{" else -1
        if not depth:
            masked[start + 1 : position - 1] = MASK * (position - start - 2)
            return position
    word = source.text[:after].split()[-1].upper()
    raise source.syntax_error(Span(start, start + 1), f"this {word} does not end", "close it with '}'")
