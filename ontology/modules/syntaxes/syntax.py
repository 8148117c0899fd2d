"""What a syntax promises: the names of its files, how its documents are told from others, and how they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pyoxigraph import Triple

Reading = Callable[[float], object]
"""Hears now and then which share of a document is read, from 0 to 1."""


class RdfSyntax(Protocol):
    """One way to write RDF."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Of its files, in lower case, with the dot; syntaxes may share some."""

    def recognises(self, text: str) -> bool:
        """Whether a document of one of its suffixes is of this syntax."""

    def read(self, source: str, content: bytes, base: str | None, reading: Reading | None = None) -> list[Triple]:
        """The triples of a document, those of named graphs among them: a module is one graph. Nothing is ever fetched.

        Args:
            source: file name for messages.
            content: the document, UTF-8 (XML: as its declaration says).
            base: IRI that relative ones are resolved against.
            reading: hears how much is read, where the syntax knows that.

        Raises:
            OntologyError: no document of this syntax, with line and column.
        """
