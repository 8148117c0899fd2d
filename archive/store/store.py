"""The semantic store of an archive, as a protocol: what every kind of store does, wherever its graphs are.

A kind is one class in a file of its own, listed in `store_table`. What only some kinds need (copies for other
processes, giving space back, being away for a while) is part of the protocol, so nobody asks which kind it has.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol, Self

import pyoxigraph as ox

from ...errors import ArchiveError
from ...ontology import KnowledgeBase
from ...settings import ArchiveSettings
from ..log import Position
from ..sparql import Result, SparqlRequest, Timeout
from .graphs import BucketRange, bucket_start, graphs_between, sorted_buckets, stream_of_graph
from .store_metadata import HOLDS, CommittedOffset

__all__ = ["PrivateStore", "Store", "StoreDamagedError", "StoreUnavailableError", "WritableStore"]


class StoreUnavailableError(ArchiveError):
    """The store is somewhere else, and is away, refuses, or does not answer as it should; it may do later.

    Who writes tries again and the lag grows; who plans takes the log.
    """


class StoreDamagedError(StoreUnavailableError):
    """The store's own files are not as they were written: no waiting helps, it is made anew from the log."""


class Store(Protocol):
    """The graphs of a semantic store: events, matches and knowledge, to be asked.

    Attributes:
        bucket: the time range of one graph.
    """

    bucket: timedelta

    @property
    def folder(self) -> Path | None:
        """Where its files lie, if nobody writes them and any process may open them; `None`: nowhere."""
        return None

    @abstractmethod
    def committed(self, log: ox.NamedNode = HOLDS) -> CommittedOffset | None:
        """How far the store is with a log, of events (`HOLDS`) or of matches; `None` when it holds no batch of it."""

    @property
    @abstractmethod
    def knowledge_version(self) -> str | None:
        """The version of the knowledge that the store holds."""

    @abstractmethod
    def closure(self) -> bytes:
        """The knowledge that the store holds, as N-Triples."""

    @property
    @abstractmethod
    def since(self) -> datetime | None:
        """From when on the store has the log's events; `None`: from the first."""

    @abstractmethod
    def named_graphs(self) -> list[str]:
        """Name all graphs."""

    @abstractmethod
    def events_by_graph(self) -> dict[str, int]:
        """Count the events of each graph."""

    @abstractmethod
    def select(self, text: str, default: Sequence[str], named: Sequence[str], timeout: Timeout | None = None) -> bytes:
        """Answer a SELECT of our own over some graphs, in SPARQL's TSV format.

        Args:
            text: the query, without prefixes.
            default: names of the graphs whose union is the default graph.
            named: names of the graphs that GRAPH finds.
            timeout: when it is given up, which costs what starting a process costs; `None`: never.

        Raises:
            ArchiveError: it cannot be answered, or is given up.
        """

    @abstractmethod
    def answer(self, request: SparqlRequest, prefixes: Mapping[str, str]) -> Result:
        """Answer SPARQL over events and knowledge; the default graph is the union of all graphs.

        Args:
            request: what is asked, of which time, and when it is given up.
            prefixes: preset; the text may declare more.

        Raises:
            ArchiveError: the text is no query, it cannot be answered, or not in time.
        """

    @abstractmethod
    def scratch(self) -> AbstractContextManager[PrivateStore]:
        """Give a private store, to which events can be added that this one lacks.

        Raises:
            ArchiveError: there is no room for it, or the store does not answer.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""

    def graphs(self, stream: str, start: datetime | None = None, end: datetime | None = None) -> list[str]:
        """Name the graphs that can hold events of a stream with start <= `_time` < end, in order of time."""
        own = [name for name in self.named_graphs() if stream_of_graph(name) == stream]
        return sorted_buckets(graphs_between(own, self.bucket, start, end))

    def buckets(self) -> list[str]:
        """Name the graphs that hold events."""
        return [name for name in self.named_graphs() if stream_of_graph(name)]

    def lacking(self, request: SparqlRequest) -> BucketRange | None:
        """The buckets that a request names and that the store has dropped; `None`: there are none."""
        named = BucketRange.of(request.start, request.end, self.bucket)
        return None if named is None else named.before(self.since)


class PrivateStore(Store, Protocol):
    """A private store, to which events of some buckets are added to answer a request, or several."""

    @abstractmethod
    def answer(self, request: SparqlRequest, prefixes: Mapping[str, str], timeout: Timeout | None = None) -> Result:
        """Answer as any store. `timeout`: of the request, when it began before this."""

    @abstractmethod
    def adding(self, buckets: BucketRange) -> AbstractContextManager[Callable[[bytes], object]]:
        """Give what adds N-Quads; when the block ends, the store has all that these buckets had.

        Raises:
            ArchiveError: the store is damaged.
        """


class WritableStore(Store, Protocol):
    """A store as the engine has it, which alone writes it."""

    @property
    @abstractmethod
    def events_per_load(self) -> int:
        """How many events are added at once, about."""

    @classmethod
    @abstractmethod
    def open(cls, settings: ArchiveSettings, root: Path) -> Self:
        """Open the store of the archive in a folder.

        Raises:
            ArchiveError: another process has it open. That a store is unavailable is no error: it may answer later.
        """

    @classmethod
    @abstractmethod
    def reading(cls, settings: ArchiveSettings, root: Path, timeout: float) -> AbstractContextManager[Store]:
        """Give the store of the archive in a folder as a process that does not write has it, also beside an engine.

        Args:
            settings: `[archive]`.
            root: the archive's folder.
            timeout: seconds that a running engine has to answer.

        Raises:
            ArchiveError: there is none, it is damaged, another archive's, or the engine does not answer.
        """

    @abstractmethod
    def claim(self) -> CommittedOffset | None:
        """Make sure that the graphs are this archive's; tell how far they are.

        Raises:
            StoreUnavailableError: it does not answer.
            ArchiveError: they are another archive's.
        """

    @abstractmethod
    def require_log(self, newest: Position | None) -> None:
        """Refuse to go on when the store holds batches behind the newest one of the log, where that cannot be repaired.

        Raises:
            ArchiveError: it does.
        """

    @abstractmethod
    def add(self, quads: bytes, offset: CommittedOffset | None = None, log: ox.NamedNode = HOLDS) -> None:
        """Add N-Quads durably; what is there already changes nothing.

        Args:
            quads: N-Quads text, UTF-8.
            offset: how far the store is with them; committed with them, or after them.
            log: of events or of matches, whose offset it is.

        Raises:
            StoreUnavailableError: that they are there is not certain.
            ArchiveError: the text is no N-Quads, or the file system refuses.
        """

    @abstractmethod
    def set_knowledge(self, knowledge: KnowledgeBase) -> None:
        """Hold this knowledge base's closure instead of another; of the same version, do nothing."""

    @abstractmethod
    def announce(self, since: datetime) -> None:
        """Say, durably, that from now on the store has events from this moment on only."""

    @abstractmethod
    def drop_graphs(self, names: Sequence[str]) -> None:
        """Drop some graphs."""

    @abstractmethod
    def reclaim(self) -> None:
        """Give the space of what was dropped back, where that is not done by whoever runs the store."""

    @abstractmethod
    def size(self) -> int | None:
        """Bytes that it takes; `None`: nobody outside knows."""

    @abstractmethod
    def quads(self) -> int:
        """Count all quads, knowledge included; takes time in proportion to them."""

    @abstractmethod
    def set_aside(self, *, keep: bool) -> Path | None:
        """Put what is damaged out of the way, so that the store begins anew without anything; `None`: there is nothing.

        Args:
            keep: whether what was set aside earlier stays, since the log lacks what it may have.

        Returns:
            Where it lies now.

        Raises:
            OSError: the file system refuses.
        """

    @abstractmethod
    def serve_copies(self) -> None:
        """Make the copies that other processes asked for, where they cannot ask the store itself."""

    @abstractmethod
    def remove_copies(self) -> None:
        """Delete the copies of readers that were killed."""

    def drop_before(self, moment: datetime) -> int:
        """Drop the graphs, of events and of matches, whose buckets end at this moment or before; count them."""
        starts = {name: bucket_start(name) for name in self.named_graphs()}
        gone = [name for name, start in starts.items() if start is not None and moment - start >= self.bucket]
        if gone:
            self.drop_graphs(gone)
        return len(gone)
