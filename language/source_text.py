"""A document's text, and errors that point into it."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import Place, QuerySyntaxError, QueryTypeError


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (exclusive) of the document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text and what messages call it (a file's name, or `query`)."""

    source: str
    text: str

    def place(self, span: Span) -> Place:
        """Where `span` lies, as messages show it."""
        return Place.at(self.source, self.text, span.start, span.end)

    def quote(self, span: Span) -> str:
        """The characters of `span`, their white space collapsed."""
        return " ".join(self.text[span.start : span.end].split())

    def syntax_error(self, span: Span, message: str, hint: str) -> QuerySyntaxError:
        """The text is no χ-CEP at `span`."""
        return QuerySyntaxError(message, place=self.place(span), hint=hint)

    def type_error(self, span: Span, message: str, hint: str) -> QueryTypeError:
        """What stands at `span` cannot mean anything."""
        return QueryTypeError(message, place=self.place(span), hint=hint)


def listed(words: list[str], joint: str = "or") -> str:
    """`a, b or c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"
