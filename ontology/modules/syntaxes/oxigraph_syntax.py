"""The syntaxes that Oxigraph reads."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass

from pyoxigraph import Quad, RdfFormat, Triple, parse

from ....errors import OntologyError, Place
from .syntax import Reading

_TOLD = 100
"""So many times at most is told how much of a document is read."""
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

    def read(self, source: str, content: bytes, base: str | None, reading: Reading | None = None) -> list[Triple]:
        """The triples of a document; see `RdfSyntax.read`."""
        self.check(source, content)
        try:
            text = content if reading is None else _Counted(content, reading)
            quads = list(parse(text, self.format, base_iri=base))
        except SyntaxError as error:
            message = _WHERE.sub("", error.msg or str(error), count=1)
            place = self.locate(source, content.decode(errors="replace"), message, error)
            raise OntologyError(f"no {self.format.name}: {message}", place=place) from error
        return [quad.triple if isinstance(quad, Quad) else quad for quad in quads]


class _Counted(io.BytesIO):
    """A document that counts how much of it the parser has asked for."""

    def __init__(self, content: bytes, reading: Reading) -> None:
        super().__init__(content)
        self._size, self._reading, self._told = len(content), reading, 0

    def read(self, size: int | None = -1, /) -> bytes:
        """Give the next bytes."""
        found = super().read(size)
        part = _TOLD * self.tell() // max(1, self._size)
        if part > self._told:
            self._told = part
            self._reading(part / _TOLD)
        return found
