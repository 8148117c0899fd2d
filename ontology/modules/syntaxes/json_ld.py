"""JSON-LD whose context is in the file: a remote one would have to be fetched."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pyoxigraph import RdfFormat, Triple

from ....errors import OntologyError, Place
from .oxigraph_syntax import OxigraphSyntax
from .syntax import Reading

_REMOTE_CONTEXT = "No LoadDocumentCallback has been set"
_CONTEXT = re.compile(r'"@context"\s*:\s*\[?\s*"[^"]*"')


@dataclass(frozen=True, slots=True)
class JsonLdSyntax(OxigraphSyntax):
    """JSON-LD; a remote context is refused in words of our own."""

    def read(self, source: str, content: bytes, base: str | None, reading: Reading | None = None) -> list[Triple]:
        """The triples of a document; see `RdfSyntax.read`."""
        try:
            return OxigraphSyntax.read(self, source, content, base, reading)
        except OntologyError as error:
            if _REMOTE_CONTEXT not in error.message:
                raise
            text = content.decode(errors="replace")
            where = _CONTEXT.search(text)
            raise OntologyError(
                "this JSON-LD names a remote @context, and kaicep fetches nothing",
                place=Place.at(source, text, *where.span()) if where else Place(source),
                hint="write the context into the file",
            ) from error


JSON_LD = JsonLdSyntax(RdfFormat.JSON_LD, (".jsonld", ".json"))
