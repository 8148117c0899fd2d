"""What can be asked by SPARQL: the archive, and datasets that people upload."""

from __future__ import annotations

from typing import Protocol

from .sparql_answer import Document, SparqlQuestion
from .sparql_update import SparqlUpdate

__all__ = ["SparqlDataset"]


class SparqlDataset(Protocol):
    """Graphs that SPARQL is asked of.

    Attributes:
        updatable: whether SPARQL Update may change it.
        union: whether its default graph is the union of all graphs.
    """

    @property
    def updatable(self) -> bool:
        """See above."""

    @property
    def union(self) -> bool:
        """See above."""

    def query(self, question: SparqlQuestion) -> Document:
        """The answer to a query.

        Raises:
            ProblemError: it is refused, or takes too long.
        """

    def update(self, update: SparqlUpdate) -> None:
        """Do an update; durable when this returns.

        Raises:
            ProblemError: it is refused, or takes too long; nothing has changed then.
        """
