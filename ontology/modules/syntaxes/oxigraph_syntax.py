"""The syntaxes that Oxigraph reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pyoxigraph import Quad, RdfFormat, Triple, parse

from ....errors import OntologyError, Place

_WHERE = re.compile(r"Parser error (?:at|between) line [^:]*: ")


def marked_place(source: str, text: str, message: str, error: SyntaxError) -> Place:  # noqa: ARG001 (see `locate`)
    """Where the error itself says that it is."""
    number, column = error.lineno or 1, error.offset or 1
    lines = text.split("\n")
    line = lines[number - 1].rstrip("\r") if number <= len(lines) else ""
    end = error.end_offset if error.end_lineno == error.lineno and error.end_offset else len(line) + 1
    return Place(source, number, column, max(1, min(end, len(line) + 1) - column), line)


@dataclass(frozen=True, slots=True)
class OxigraphSyntax:
    """A syntax of Oxigraph.

    Attributes:
        format: as Oxigraph calls it.
        suffixes: of its files.
        recognises: whether a document of such a file is of this syntax.
        locate: (source, text, message, error) → where the document is wrong.
        check: (source, content) → refuses what must not be read.
    """

    format: RdfFormat
    suffixes: tuple[str, ...]
    recognises: Callable[[str], bool] = lambda _: True
    locate: Callable[[str, str, str, SyntaxError], Place] = marked_place
    check: Callable[[str, bytes], None] = lambda _source, _content: None

    def read(self, source: str, content: bytes, base: str | None) -> list[Triple]:
        """The triples of a document; see `RdfSyntax.read`."""
        self.check(source, content)
        try:
            quads = list(parse(content, self.format, base_iri=base))
        except SyntaxError as error:
            message = _WHERE.sub("", error.msg or str(error), count=1)
            place = self.locate(source, content.decode(errors="replace"), message, error)
            raise OntologyError(f"no {self.format.name}: {message}", place=place) from error
        return [quad.triple if isinstance(quad, Quad) else quad for quad in quads]
