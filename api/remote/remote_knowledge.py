"""What a server answers about what is known and what is kept, as values; its OpenAPI describes them by these."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

__all__ = [
    "RemoteArchive",
    "RemoteClass",
    "RemoteCoverage",
    "RemoteGraph",
    "RemoteIndividual",
    "RemoteLink",
    "RemoteModule",
    "RemoteNeighbourhood",
    "RemoteOntologies",
]


@dataclass(frozen=True, slots=True)
class RemoteModule:
    """An ontology module.

    Attributes:
        name: its file, or the graph that it was uploaded as.
        iri: of the ontology that it declares; `None`: it declares none.
        triples: that it says.
        imports: ontology IRIs that it asks for.
        imported: whether it is there only because another one imports it.
    """

    name: str
    iri: str | None
    triples: int
    imports: tuple[str, ...]
    imported: bool


@dataclass(frozen=True, slots=True)
class RemoteOntologies:
    """The modules, how many triples follow from them, and in words what contradicts itself or may be wrong."""

    modules: tuple[RemoteModule, ...]
    triples: int
    contradictions: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemoteGraph:
    """A module, and since when it has been in force.

    Attributes:
        name: its file, or the graph that it was uploaded as; `module` in JSON.
        triples: that it says.
        origin: whose it is: the project file's, added, or imported by another one; `from` in JSON.
        version: of the knowledge, since which it is in force; `None`: it waits for the engine, as those below do.
        batch: from which on.
        since: when that was.
    """

    name: Annotated[str, Field(alias="module")]
    triples: int
    origin: Annotated[Literal["project", "added", "import"], Field(alias="from")]
    version: int | None
    batch: int | None
    since: datetime | None


@dataclass(frozen=True, slots=True)
class RemoteClass:
    """A class of the knowledge.

    Attributes:
        iri: of the class.
        prefixed: the same, as the project writes it.
        label: for people, if it has one.
        individuals: in it and below.
        direct: those that are in no class below.
        subclasses: whether there are some.
    """

    iri: str
    prefixed: str
    label: str | None
    individuals: int
    direct: int
    subclasses: bool


@dataclass(frozen=True, slots=True)
class RemoteIndividual:
    """An individual: its IRI, the same as the project writes it, its label, and the most special classes it is in."""

    iri: str
    prefixed: str
    label: str | None
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemoteLink:
    """A triple about an individual.

    Attributes:
        property: IRI.
        value: what is linked: an IRI, a blank node, or a literal's text.
        label: of it; of what has no name: what is said of it.
        incoming: whether it is the subject.
        iri: whether it is named by an IRI.
    """

    property: str
    value: str
    label: str | None
    incoming: bool
    iri: bool


@dataclass(frozen=True, slots=True)
class RemoteNeighbourhood(RemoteIndividual):
    """An individual, and what is linked to it."""

    triples: tuple[RemoteLink, ...]


@dataclass(frozen=True, slots=True)
class RemoteCoverage:
    """What the archive has of a stream.

    Attributes:
        name: of the stream.
        events: that are kept.
        start: time stamp of the first; `from` in JSON.
        end: of the last; `to` in JSON.
        covered: from when to when there are events, without a gap.
        gaps: from when to when there are none, and why, if that is known.
    """

    name: str
    events: int
    start: Annotated[datetime | None, Field(alias="from")]
    end: Annotated[datetime | None, Field(alias="to")]
    covered: tuple[tuple[datetime, datetime], ...]
    gaps: tuple[tuple[datetime, datetime, str | None], ...]


@dataclass(frozen=True, slots=True)
class RemoteArchive:
    """What the archive has: events of all streams, bytes on disk, from when to when, and of each stream."""

    events: int
    bytes: int
    start: Annotated[datetime | None, Field(alias="from")]
    end: Annotated[datetime | None, Field(alias="to")]
    streams: tuple[RemoteCoverage, ...]
