"""Oxigraph in the archive's folder: events and knowledge as named graphs, on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

import pyoxigraph as ox

from ...errors import ArchiveError, Place
from ...ontology import KnowledgeBase
from ...settings import ArchiveSettings
from ...storage import make_folder
from ..folder_layout import STORE
from ..log import Position
from ..sparql import Result, SparqlRequest
from .copy_requests import answer_requests, copy_store, remove_leftovers
from .graphs import KNOWLEDGE
from .oxigraph_folder import damaged, in_use, lock_of, open_folder
from .store import Store, WritableStore
from .store_copy import OxigraphGraphs, StoreCopy
from .store_metadata import GRAPH, HOLDS, KNOWS, SINCE, SUBJECT, CommittedOffset

_KNOWLEDGE = ox.NamedNode(KNOWLEDGE)
_OPENING_S = 30.0
"""Another engine is refused by the log before; one who rolls the store forward lets go after the load at work."""


class OxigraphStore(OxigraphGraphs, WritableStore):
    """The store of one archive; one process at a time has it open.

    Args:
        path: its folder; made when it is not there.
        bucket: the time range of one graph.
        timeout: seconds to wait while another has it open; a reader needs it for the moment that a copy takes.

    Raises:
        ArchiveError: another process has it open, it is damaged, or its folder cannot be made.
    """

    events_per_load = 25_000
    """Oxigraph's loader is fastest around 100,000 quads at once: below, files to be put together; above, sorting.

    330,000 quads in 8 loads, 3 and 1: 2.2, 1.4 and 1.8 CPU seconds.
    """

    def __init__(self, path: Path, bucket: timedelta, timeout: float = 2.0) -> None:
        self.path = path
        self.bucket = bucket
        self._lock = lock_of(path)
        make_folder(path.parent)
        if not self._lock.acquire(timeout):
            raise in_use(path, self._lock.holder())
        try:
            self._store: ox.Store | None = open_folder(path)
        except ArchiveError:
            self._lock.release()
            raise

    @classmethod
    def open(cls, settings: ArchiveSettings, root: Path) -> Self:
        """Open the store of the archive in a folder; see `WritableStore`."""
        return cls(root / STORE, settings.bucket, _OPENING_S)

    @classmethod
    @contextmanager
    def reading(cls, settings: ArchiveSettings, root: Path, timeout: float) -> Iterator[Store]:
        """Give a copy as the store is now: Oxigraph lets one process open it."""
        with copy_store(root, timeout) as copy:
            yield StoreCopy(copy, settings.bucket)

    def claim(self) -> CommittedOffset | None:
        """Tell how far the graphs are; they are in the archive's own folder."""
        return self.committed()

    def require_log(self, newest: Position | None) -> None:
        """Go on in any case: `kaicep verify` tells of segments that are lost, and the graphs can be built anew."""

    def add(self, quads: bytes, offset: CommittedOffset | None = None, log: ox.NamedNode = HOLDS) -> None:
        """Add N-Quads, all or none of them, and in the same transaction their offset; see `WritableStore`."""
        said = "" if offset is None else f"{SUBJECT} {log} {ox.Literal(str(offset))} {GRAPH} .\n"
        try:
            # Lenient: the annotator wrote these terms, and a term that only a validator minds must not stop the store.
            self.oxigraph.bulk_load(quads + said.encode(), format=ox.RdfFormat.N_QUADS, lenient=True)
        except SyntaxError as error:
            raise ArchiveError(
                f"events cannot be written to the store: {error.msg}",
                place=Place(str(self.path)),
                hint="check the individual templates and datatypes of the annotation",
            ) from error
        except (OSError, RuntimeError) as error:
            raise damaged(self.path, error) from error
        if offset is not None:
            self._remove_offsets_before(offset, log)

    def set_knowledge(self, knowledge: KnowledgeBase) -> None:
        """Hold this knowledge base's closure instead of another; of the same version, do nothing."""
        if self.knowledge_version == knowledge.version:
            return
        store = self.oxigraph
        for quad in list(store.quads_for_pattern(SUBJECT, KNOWS, None, GRAPH)):
            store.remove(quad)
        store.clear_graph(_KNOWLEDGE)
        # The version goes last: killed before it, the next start begins again.
        closure = knowledge.store.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph())
        store.bulk_load(closure, format=ox.RdfFormat.N_TRIPLES, to_graph=_KNOWLEDGE, lenient=True)
        store.add(ox.Quad(SUBJECT, KNOWS, ox.Literal(knowledge.version), GRAPH))
        store.flush()

    def answer(self, request: SparqlRequest, prefixes: Mapping[str, str]) -> Result:
        """Answer; what may be given up from a copy, in another process: Oxigraph itself answers until it is done."""
        if not request.may_be_given_up:
            return self.evaluated(request, prefixes)
        with self._copied() as copy:
            return copy.answer(request, prefixes)

    def scratch(self) -> AbstractContextManager[StoreCopy]:
        """Give a copy of it."""
        return self._copied()

    def announce(self, since: datetime) -> None:
        """Say, durably, that from now on the store has events from this moment on only."""
        earlier = list(self.oxigraph.quads_for_pattern(SUBJECT, SINCE, None, GRAPH))
        self.oxigraph.add(ox.Quad(SUBJECT, SINCE, ox.Literal(since.isoformat()), GRAPH))
        for quad in earlier:
            self.oxigraph.remove(quad)
        self.oxigraph.flush()

    def drop_graphs(self, names: Sequence[str]) -> None:
        """Drop some graphs."""
        for name in names:
            self.oxigraph.remove_graph(ox.NamedNode(name))

    def size(self) -> int | None:
        """Bytes of its files."""
        return sum(path.stat().st_size for path in self.path.iterdir() if path.is_file())

    def reclaim(self) -> None:
        """Give the space of what was dropped back to the file system; takes time in proportion to what is kept."""
        self.oxigraph.optimize()

    def quads(self) -> int:
        """Count all quads, knowledge included; takes time in proportion to them."""
        return len(self.oxigraph)

    def backup(self, target: Path) -> None:
        """Copy the store as it is now to a new folder, by hard links: milliseconds, hardly any space.

        Raises:
            ArchiveError: the folder is there, or the file system refuses.
        """
        try:
            self.oxigraph.backup(target)
        except (OSError, RuntimeError) as error:
            raise ArchiveError(
                f"cannot copy the store: {error}",
                place=Place(str(target)),
                hint="choose a new folder with enough space",
            ) from error

    @property
    def oxigraph(self) -> ox.Store:
        """The open Oxigraph store.

        Raises:
            ArchiveError: it is closed.
        """
        if self._store is None:
            raise ArchiveError("the store is closed", place=Place(str(self.path)), hint="open the archive again")
        return self._store

    def close(self) -> None:
        """Let another process open it."""
        if self._store is not None:
            self._store.flush()
            self._store = None
            self._lock.release()

    def serve_copies(self) -> None:
        """Make the copies that other processes asked for."""
        answer_requests(self.path.parent, self.backup)

    def remove_copies(self) -> None:
        """Delete the copies of readers that were killed."""
        remove_leftovers(self.path.parent)

    @contextmanager
    def _copied(self) -> Iterator[StoreCopy]:
        """Ask for a copy as another process would: whoever writes makes it between two writes."""
        with copy_store(self.path.parent) as copy:
            yield StoreCopy(copy, self.bucket)

    def _remove_offsets_before(self, offset: CommittedOffset, log: ox.NamedNode) -> None:
        """Remove those of earlier batches; a kill before this leaves both, and the later one counts."""
        for quad in list(self.oxigraph.quads_for_pattern(SUBJECT, log, None, GRAPH)):
            if isinstance(quad.object, ox.Literal) and CommittedOffset.parse(quad.object.value) < offset:
                self.oxigraph.remove(quad)
