"""What a store says of its events, its knowledge, and how far it is: the open one, a copy of it, or an endpoint."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import pyoxigraph as ox

from ..sparql import select
from .graphs import graphs_between, sorted_buckets, stream_of_graph
from .store_metadata import GRAPH, HOLDS, KNOWS, SINCE, SUBJECT, Progress

__all__ = ["AskedStore", "StoreCopy", "StoredGraphs", "graphs_within", "progress_in", "progress_of", "since_of"]


class AskedStore(ABC):
    """The graphs of a semantic store as the past is asked of it, wherever it is.

    Attributes:
        bucket: the time range of one graph.
    """

    bucket: timedelta

    @property
    def progress(self) -> Progress | None:
        """How far the store is with events; `None` when it holds no batch."""
        return self.progress_of(HOLDS)

    @abstractmethod
    def progress_of(self, mark: ox.NamedNode) -> Progress | None:
        """How far the store is with events or with matches; `None` when it holds no batch of them."""

    @property
    @abstractmethod
    def knowledge_version(self) -> str | None:
        """The version of the knowledge that the store holds."""

    @property
    @abstractmethod
    def since(self) -> datetime | None:
        """From when on the store has the log's events; `None`: from the first."""

    @abstractmethod
    def select(self, text: str, default: Sequence[str], named: Sequence[str]) -> bytes:
        """Answer a SELECT of our own over some graphs, in SPARQL's TSV format.

        Args:
            text: the query, without prefixes.
            default: names of the graphs whose union is the default graph.
            named: names of the graphs that GRAPH finds.

        Raises:
            ArchiveError: it cannot be answered.
        """

    @abstractmethod
    def named_graphs(self) -> list[str]:
        """Name all graphs."""

    def graphs(self, stream: str, start: datetime | None = None, end: datetime | None = None) -> list[str]:
        """Name the graphs that can hold events of a stream with start <= `_time` < end, in order of time."""
        own = [name for name in self.named_graphs() if stream_of_graph(name) == stream]
        return sorted_buckets(graphs_between(own, self.bucket, start, end))

    def buckets(self) -> list[str]:
        """Name the graphs that hold events."""
        return [name for name in self.named_graphs() if stream_of_graph(name)]


class StoredGraphs(AskedStore):
    """Those of an Oxigraph store that is open."""

    @property
    @abstractmethod
    def oxigraph(self) -> ox.Store:
        """The open store."""

    def progress_of(self, mark: ox.NamedNode) -> Progress | None:
        """How far the store is with events or with matches; `None` when it holds no batch of them."""
        return progress_of(self.oxigraph, mark)

    @property
    def knowledge_version(self) -> str | None:
        """The version of the knowledge that the store holds."""
        found = next(self.oxigraph.quads_for_pattern(SUBJECT, KNOWS, None, GRAPH), None)
        return found.object.value if found is not None and isinstance(found.object, ox.Literal) else None

    @property
    def since(self) -> datetime | None:
        """From when on the store has the log's events; `None`: from the first."""
        return since_of(self.oxigraph)

    def select(self, text: str, default: Sequence[str], named: Sequence[str]) -> bytes:
        """Answer a SELECT of our own over some graphs; see `AskedStore`."""
        return select(self.oxigraph, text, default, named)

    def named_graphs(self) -> list[str]:
        """Name all graphs."""
        return [graph.value for graph in self.oxigraph.named_graphs()]


@dataclass(frozen=True)
class StoreCopy(StoredGraphs):
    """A copy of a store, which nobody writes; see `open_copy`."""

    copy: ox.Store
    bucket: timedelta

    @property
    def oxigraph(self) -> ox.Store:
        """The copy."""
        return self.copy


def progress_of(store: ox.Store, mark: ox.NamedNode = HOLDS) -> Progress | None:
    """Tell how far a store or a copy of one is, with events or with matches; `None` when it holds no batch."""
    return max((progress_in(quad) for quad in store.quads_for_pattern(SUBJECT, mark, None, GRAPH)), default=None)


def since_of(store: ox.Store) -> datetime | None:
    """Tell from when on a store or a copy of one has the log's events; `None`: from the first."""
    found = store.quads_for_pattern(SUBJECT, SINCE, None, GRAPH)
    said = (datetime.fromisoformat(q.object.value) for q in found if isinstance(q.object, ox.Literal))
    return max(said, default=None)


def graphs_within(
    store: ox.Store, bucket: timedelta, start: datetime | None, end: datetime | None
) -> Sequence[str] | None:
    """Name the graphs that a query over start <= t < end asks; `None`: all of them."""
    if start is None and end is None:
        return None
    return graphs_between((graph.value for graph in store.named_graphs()), bucket, start, end)


def progress_in(quad: ox.Quad) -> Progress:
    """What a mark says."""
    return Progress.parse(quad.object.value if isinstance(quad.object, ox.Literal) else str(quad.object))
