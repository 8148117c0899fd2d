"""A server's knowledge and archive, and why rows came, as calls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...errors import OntologyError, Place
from .remote_connection import Connection, named
from .remote_jobs import Hearing, asked_value, begun, job_of, job_result
from .remote_knowledge import (
    RemoteArchive,
    RemoteClass,
    RemoteGraph,
    RemoteIndividual,
    RemoteModule,
    RemoteNeighbourhood,
    RemoteOntologies,
)
from .remote_matches import RemoteChart, RemoteReasons

__all__ = ["KnowledgeClient"]

_GRAPHS = "/graphs/"
_TURTLE, _XML = "text/turtle", "application/rdf+xml"
_TYPES = {
    ".ttl": _TURTLE,
    ".nt": "application/n-triples",
    ".rdf": _XML,
    ".xml": _XML,
    ".owl": _XML,
    ".jsonld": "application/ld+json",
    ".json": "application/ld+json",
    ".owx": "application/owl+xml",
}


class KnowledgeClient:
    """The calls about what is known, and what is kept; a `Client` has them."""

    _connection: Connection

    def ontologies(self) -> RemoteOntologies:
        """The modules: what each says and imports, what follows, and where they contradict each other."""
        return self._connection.value(RemoteOntologies, "/ontologies")

    def graphs(self) -> tuple[RemoteGraph, ...]:
        """The modules, and since when each has been in force."""
        return self._connection.value(tuple[RemoteGraph, ...], "/graphs")

    def add_ontology(
        self,
        document: Path | bytes,
        media_type: str | None = None,
        *,
        name: str | None = None,
        told: Hearing = lambda _: None,
    ) -> str:
        """Add a module, or let one say what the document says; in force with the next batch.

        Args:
            document: RDF: a file, or what is in one.
            media_type: its form; `None`: what the file's name says, else Turtle.
            name: the module whose place it takes: its name or ontology IRI; `None`: that of the file's name, else a
                new one, called by the file.
            told: hears how far it is; who is interrupted meanwhile cancels it, unless it has happened by then.

        Returns:
            The name of its graph.

        Raises:
            OntologyError: the file cannot be read, the document is broken, or contradicts what is known.
        """
        if isinstance(document, bytes):
            content, media, called = document, media_type or _TURTLE, name
        else:
            content, media, called = *_read(document, media_type), name or document.name
        headers = {"Content-Type": media}
        graph = None if called is None else self._graph(called)
        method, query = ("POST", {}) if graph is None else ("PUT", {"graph": graph})
        written = self._changed(method, content, headers, query, told)
        return graph or written

    def remove_ontology(self, name: str, *, told: Hearing = lambda _: None) -> None:
        """Remove a module, by its name or ontology IRI; a file stays where it is; `told` as of `add_ontology`."""
        self._changed("DELETE", None, {}, {"graph": self._graph(name)}, told)

    def _changed(
        self, method: str, body: bytes | None, headers: Mapping[str, str], query: Mapping[str, str], told: Hearing
    ) -> str:
        """Change a graph; its name."""
        found = begun(self._connection, method, "/graphs", body, headers, query=query)
        job = job_of(found)
        return str(found.headers.get("Location") if job is None else job_result(self._connection, job, told)["graph"])

    def classes(self, parent: str | None = None) -> tuple[RemoteClass, ...]:
        """The classes right below one, by its IRI; `None`: those that are below no other."""
        return self._connection.value(tuple[RemoteClass, ...], "/classes", parent=parent)

    def individuals(
        self, search: str | None = None, *, of_class: str | None = None, limit: int = 50
    ) -> tuple[RemoteIndividual, ...]:
        """Individuals with a text in a label or their IRI, in a class by its IRI, or both; so many at most."""
        query = {"search": search, "class": of_class, "limit": limit}
        return self._connection.value(tuple[RemoteIndividual, ...], "/individuals", **query)

    def individual(self, iri: str) -> RemoteNeighbourhood:
        """An individual, and what is linked to it."""
        return self._connection.value(RemoteNeighbourhood, "/individuals", iri=iri)

    def why(self, label: str, row: str) -> RemoteReasons:
        """Why a query has found a row, by its `_id`: its events, what held of each, the contexts that it lies in."""
        return self._connection.value(RemoteReasons, f"/matches/{named(row)}/why", query=label)

    def chart(
        self, label: str, *, start: str = "now - 24h", end: str | None = None, told: Hearing | None = None
    ) -> RemoteChart:
        """What a chart of a query draws.

        Args:
            label: of the query.
            start: a moment, or `now - 1h`; now is the time of the newest event.
            end: a moment behind the last event; `None`: the newest.
            told: it is a job, which may take longer than other answers, and this hears of it; `None`: it is none.
        """
        query = {"from": start, "to": end}
        return asked_value(self._connection, RemoteChart, f"/queries/{named(label)}/chart", query, told)

    def archive(self, *, gap: str | None = None) -> RemoteArchive:
        """What is kept, of which times, and where there is nothing.

        Args:
            gap: how long a silence is one, such as `1h`; `None`: a 200th of the time that the archive spans.
        """
        return self._connection.value(RemoteArchive, "/archive", gap=gap)

    def _graph(self, name: str) -> str:
        """The graph that a name means: that of a module that is there, else the address that it has below `/graphs`."""
        found = next((one for one in self.ontologies().modules if _called(one, name)), None)
        if found is None:
            return name if _absolute(name) else f"{self._connection.url}{_GRAPHS}{named(name)}"
        known = next((one for one in (found.name, found.iri) if one is not None and _absolute(one)), None)
        if known is None:
            said = f"'{name}' is a file of the server's project, and declares no ontology that it could be named by"
            raise OntologyError(said, hint="change the file there, or let it declare an owl:Ontology")
        return known


def _called(module: RemoteModule, name: str) -> bool:
    """Whether a module is meant; what was uploaded by a file's name has that in its address, whatever the host was."""
    return name in (module.name, module.iri) or module.name.endswith(_GRAPHS + named(name))


def _absolute(name: str) -> bool:
    return ":" in name


def _read(path: Path, media_type: str | None) -> tuple[bytes, str]:
    """What is in a file, and its form."""
    media = media_type or _TYPES.get(path.suffix.lower())
    if media is None:
        hint = f"use one of {', '.join(_TYPES)}, or say its media type"
        raise OntologyError(f"no RDF to upload has the suffix '{path.suffix}'", place=Place(str(path)), hint=hint)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise OntologyError(f"cannot read the module: {error.strerror}", place=Place(str(path))) from error
    if path.suffix.lower() == ".owl" and media_type is None and not content.lstrip().startswith(b"<"):
        media = _TURTLE
    return content, media
