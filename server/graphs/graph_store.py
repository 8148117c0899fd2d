"""Graphs that are read and written as a whole: ontology modules, and those of datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..sparql import Document, WatchedCall
from .rdf_upload import RdfPart

__all__ = ["GraphStore", "OwnAddress"]


class OwnAddress(str):
    """The name of a graph that is an address of this server, which has several: `localhost`, `127.0.0.1`, a proxy's."""

    __slots__ = ()


class GraphStore(Protocol):
    """What the Graph Store Protocol asks for; `None` names the default graph."""

    @property
    def stages(self) -> Mapping[str, float]:
        """Of writing a graph, and of deleting one, each with its share of the time; see `JobKind`."""

    def graphs(self) -> list[dict[str, Any]]:
        """What there is, a row for each graph."""

    def read(self, graph: str | None, media: str) -> Document | None:
        """A graph in a form; `None`: there is none of that name.

        Raises:
            ProblemError: it is larger than an answer may be, or takes too long.
        """

    def write(
        self, watch: WatchedCall, graph: str | None, parts: Sequence[RdfPart], base: str, *, replace: bool
    ) -> bool:
        """Let a graph say what documents say; durable when this returns.

        Args:
            watch: hears how far that is, and may give it up.
            graph: its name.
            parts: the documents.
            base: IRI that their relative ones are resolved against.
            replace: and nothing else; else beside what it has said.

        Returns:
            Whether it is a new one.

        Raises:
            ProblemError: a document is broken (400), contradicts what is there (409), takes too long
                (503), or was given up: nothing has changed.
        """

    def delete(self, watch: WatchedCall, graph: str | None) -> bool:
        """Remove a graph, likewise; tell whether there was one.

        Raises:
            ProblemError: others cannot do without it.
        """
