"""What an archive says of itself in its store: how far that is, what it knows, whose it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

import pyoxigraph as ox

from ...errors import ArchiveError
from ..log import Position
from .graphs import ARCHIVE

SUBJECT = ox.NamedNode("urn:kaicep:archive")
HOLDS, HOLDS_MATCHES, KNOWS, SINCE, IDENTITY = (
    ox.NamedNode(f"{SUBJECT.value}:{name}") for name in ("holds", "holdsMatches", "knows", "since", "identity")
)
GRAPH = ox.NamedNode(ARCHIVE)
IS_SEEN = f"ASK {{ {SUBJECT} ?p ?o }}"
"""Whether the default graph has what the archive says of itself."""
EVENTS_BY_GRAPH = """
SELECT ?g (COUNT(DISTINCT ?e) AS ?n)
{ GRAPH ?g { ?e ?p ?o FILTER (STRSTARTS(STR(?e), "urn:kaicep:event:")) } } GROUP BY ?g
"""
_PROGRESS = re.compile(r"(\d+)-(\d+):(\d+)/(\d+)")


@dataclass(frozen=True, slots=True, order=True)
class CommittedOffset:
    """How far a store is with a log: it has every batch before `position`, and `rows` of that batch's `total` rows."""

    position: Position
    total: int
    rows: int

    def __str__(self) -> str:
        return f"{self.position}:{self.rows}/{self.total}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` wrote.

        Raises:
            ArchiveError: it is something else.
        """
        found = _PROGRESS.fullmatch(text)
        if found is None:
            raise ArchiveError(
                f"the store says '{text}' of how far it is",
                hint="move the store's folder away; the next start builds it again from the log",
            )
        return cls(Position(int(found[1]), int(found[2])), total=int(found[4]), rows=int(found[3]))


def values_query(predicate: ox.NamedNode) -> str:
    """The SPARQL for what the archive says with a predicate, as `?o`."""
    return f"SELECT ?o {{ GRAPH {GRAPH} {{ {SUBJECT} {predicate} ?o }} }}"


def events_by_graph(found: object) -> dict[str, int]:
    """The answer to `EVENTS_BY_GRAPH`."""
    if not isinstance(found, ox.QuerySolutions):
        raise TypeError(type(found))
    return {row["g"].value: int(row["n"].value) for row in found}
