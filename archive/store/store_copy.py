"""Oxigraph stores, asked: the graphs of an open one, and a copy, which nobody else has."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pyoxigraph as ox

from ...errors import ArchiveError
from ..sparql import Result, SparqlRequest, Timeout, evaluate, select
from .graphs import KNOWLEDGE, BucketRange, graphs_between
from .oxigraph_folder import damaged, is_damage, open_folder, open_read_only
from .query_process import ask_in_process, select_in_process
from .store import PrivateStore, Store
from .store_metadata import (
    EVENTS_BY_GRAPH,
    GRAPH,
    HOLDS,
    KNOWS,
    SINCE,
    SUBJECT,
    CommittedOffset,
    events_by_graph,
)

__all__ = ["OxigraphGraphs", "StoreCopy"]


class OxigraphGraphs(Store):
    """The graphs of an Oxigraph store that is open.

    Attributes:
        path: its folder.
    """

    path: Path

    @property
    @abstractmethod
    def oxigraph(self) -> ox.Store:
        """The open store."""

    @contextmanager
    def _using(self) -> Iterator[ox.Store]:
        """Give the open store.

        Raises:
            StoreUnavailableError: it cannot be read, or written.
        """
        try:
            yield self.oxigraph
        except (OSError, RuntimeError) as error:
            raise damaged(self.path, error) from error

    def committed(self, log: ox.NamedNode = HOLDS) -> CommittedOffset | None:
        """How far the store is with a log; `None` when it holds no batch of it."""
        return max(map(CommittedOffset.parse, self._values(log)), default=None)

    @property
    def knowledge_version(self) -> str | None:
        """The version of the knowledge that the store holds."""
        return next(self._values(KNOWS), None)

    def closure(self) -> bytes:
        """The knowledge that the store holds, as N-Triples."""
        with self._using() as store:
            return store.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.NamedNode(KNOWLEDGE)) or b""

    @property
    def since(self) -> datetime | None:
        """From when on the store has the log's events; `None`: from the first."""
        return max(map(datetime.fromisoformat, self._values(SINCE)), default=None)

    def named_graphs(self) -> list[str]:
        """Name all graphs."""
        with self._using() as store:
            return [graph.value for graph in store.named_graphs()]

    def events_by_graph(self) -> dict[str, int]:
        """Count the events of each graph."""
        with self._using() as store:
            return events_by_graph(store.query(EVENTS_BY_GRAPH))

    def select(self, text: str, default: Sequence[str], named: Sequence[str], timeout: Timeout | None = None) -> bytes:
        """Answer a SELECT of our own over some graphs; see `Store`."""
        if timeout is None:
            return select(self.oxigraph, text, default, named)
        with self.scratch() as copy:
            return select_in_process(copy.path, text, default, named, timeout)

    @abstractmethod
    def scratch(self) -> AbstractContextManager[StoreCopy]:
        """Give a copy of it; see `Store`."""

    def evaluated(self, request: SparqlRequest, prefixes: Mapping[str, str]) -> Result:
        """Answer, however long it takes."""
        return evaluate(self.oxigraph, request.text, prefixes, self.graphs_asked(request))

    def graphs_asked(self, request: SparqlRequest) -> Sequence[str] | None:
        """Name the graphs that a request over some time is about; `None`: all of them."""
        if request.start is None and request.end is None:
            return None
        return graphs_between(self.named_graphs(), self.bucket, request.start, request.end)

    def _values(self, predicate: ox.NamedNode) -> Iterator[str]:
        """What the archive says of itself with a predicate."""
        with self._using() as store:
            found = list(store.quads_for_pattern(SUBJECT, predicate, None, GRAPH))
        return (quad.object.value for quad in found if isinstance(quad.object, ox.Literal))


class StoreCopy(OxigraphGraphs, PrivateStore):
    """A copy of a store in a folder of its own.

    Args:
        folder: the copy's; nobody else has it open.
        bucket: the time range of one graph.
        since: from when on it has events; `None`: as it says itself.
    """

    def __init__(self, folder: Path, bucket: timedelta, since: datetime | None = None) -> None:
        self.path, self.bucket = folder, bucket
        self._since = since
        self._added: list[BucketRange] = []
        self._open: ox.Store | None = open_read_only(folder)

    @property
    def folder(self) -> Path | None:
        """The copy's."""
        return self.path

    @property
    def oxigraph(self) -> ox.Store:
        """The copy, open to be read."""
        if self._open is None:
            self._open = open_read_only(self.path)
        return self._open

    @property
    def since(self) -> datetime | None:
        """From when on it has the log's events, those that were added left out; `None`: from the first."""
        return super().since if self._since is None else self._since

    def lacking(self, request: SparqlRequest) -> BucketRange | None:
        """The buckets that a request names and that neither were copied nor added; `None`: there are none."""
        dropped = super().lacking(request)
        return None if dropped is None or any(dropped.within(before) for before in self._added) else dropped

    @contextmanager
    def adding(self, buckets: BucketRange) -> Iterator[Callable[[bytes], object]]:
        """Give what adds N-Quads; see `PrivateStore`."""
        self._open = None  # a read-only store does not see what another handle adds
        yield partial(open_folder(self.path).bulk_load, format=ox.RdfFormat.N_QUADS, lenient=True)
        self._added.append(buckets)

    def answer(self, request: SparqlRequest, prefixes: Mapping[str, str], timeout: Timeout | None = None) -> Result:
        """Answer; one that may be given up in a process of its own. `timeout`: when its time began before this."""
        try:
            if not request.apart:
                return self.evaluated(request, prefixes)
            return ask_in_process(self.path, request, prefixes, self.graphs_asked(request), timeout)
        except ArchiveError as error:
            if is_damage(error):
                raise damaged(self.path, RuntimeError(error.message)) from error
            raise

    @contextmanager
    def scratch(self) -> Iterator[StoreCopy]:
        """Give this copy: it is private already."""
        yield self

    def close(self) -> None:
        """Close it; its folder stays."""
        self._open = None
