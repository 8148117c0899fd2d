"""Oxigraph in the archive's folder: events and knowledge as named graphs, on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Self

import pyoxigraph as ox

from ...errors import ArchiveError, Place
from ...ontology import KnowledgeBase
from ...settings import ArchiveSettings
from ...storage import folder_size, make_folder
from ..folder_layout import STORE
from ..log import Position
from ..sparql import Result, SparqlRequest
from .copy_requests import (
    answer_requests,
    copy_store,
    forget_damage,
    remove_leftovers,
    report_damage,
    reported_damage,
)
from .giving_way import GivingWay
from .graphs import KNOWLEDGE
from .oxigraph_folder import damaged, in_use, is_corruption, lock_of, open_folder, set_aside
from .store import Store, StoreDamagedError, StoreUnavailableError, WritableStore
from .store_copy import OxigraphGraphs, StoreCopy
from .store_metadata import GRAPH, HOLDS, KNOWS, SINCE, SUBJECT, CommittedOffset

_KNOWLEDGE = ox.NamedNode(KNOWLEDGE)
_EVENTS = 40_000
"""Some 200,000 quads: fewer are more files to be put together, more are more memory (docs/decisions/365)."""
_FEW_BYTES = 200_000
"""So little is written as a transaction: the loader makes files of it, to be put together by others."""
_OPENING_S = 30.0
"""Another engine is refused by the log before; one who rolls the store forward lets go after the load at work."""


class OxigraphStore(OxigraphGraphs, WritableStore):
    """The store of one archive; one process at a time has it open.

    Args:
        path: its folder; made when it is not there.
        bucket: the time range of one graph.
        timeout: seconds to wait while another has it open; a reader needs it for the moment that a copy takes.
        later: one that cannot be opened now is opened when it is asked for.

    Raises:
        StoreUnavailableError: it is damaged, or its folder cannot be made.
        ArchiveError: another process has it open.
    """

    events_per_load = _EVENTS

    def __init__(self, path: Path, bucket: timedelta, timeout: float = 2.0, *, later: bool = False) -> None:
        self.path = path
        self.bucket = bucket
        self._store: ox.Store | None = None
        self._closed, self._opening = False, Lock()
        self._damage: str | None = None
        self._loads = GivingWay()
        self._lock = lock_of(path)
        make_folder(path.parent)
        if not self._lock.acquire(timeout):
            raise in_use(path, self._lock.holder())
        try:
            self.claim()
        except StoreUnavailableError:
            if not later:
                self._lock.release()
                raise

    @classmethod
    def open(cls, settings: ArchiveSettings, root: Path) -> Self:
        """Open the store of the archive in a folder; see `WritableStore`."""
        return cls(root / STORE, settings.bucket, _OPENING_S, later=True)

    @classmethod
    @contextmanager
    def reading(cls, settings: ArchiveSettings, root: Path, timeout: float) -> Iterator[Store]:
        """Give a copy as the store is now: Oxigraph lets one process open it."""
        with copy_store(root, timeout) as copy:
            try:
                yield StoreCopy(copy, settings.bucket)
            except StoreDamagedError as damage:
                raise report_damage(root, copy, damage) from damage

    def claim(self) -> CommittedOffset | None:
        """Tell how far the graphs are; they are in the archive's own folder."""
        return self.committed()

    def require_log(self, newest: Position | None) -> None:
        """Go on in any case: `kaicep verify` tells of segments that are lost, and the graphs can be built anew."""

    def add(self, quads: bytes, offset: CommittedOffset | None = None, log: ox.NamedNode = HOLDS) -> None:
        """Add N-Quads, all or none of them, and in the same transaction their offset; see `WritableStore`."""
        said = "" if offset is None else f"{SUBJECT} {log} {ox.Literal(str(offset))} {GRAPH} .\n"
        try:
            with self._using() as store:
                # Lenient: the annotator wrote these terms; one that only a validator minds must not stop the store.
                few = len(quads) <= _FEW_BYTES
                load = store.load if few else store.bulk_load
                write = partial(load, quads + said.encode(), format=ox.RdfFormat.N_QUADS, lenient=True)
                if few:
                    write()
                else:
                    self._loads.run(write)
                if offset is not None:
                    _remove_offsets_before(store, offset, log)
        except SyntaxError as error:
            raise ArchiveError(
                f"events cannot be written to the store: {error.msg}",
                place=Place(str(self.path)),
                hint="check the individual templates and datatypes of the annotation",
            ) from error

    def set_knowledge(self, knowledge: KnowledgeBase) -> None:
        """Hold this knowledge base's closure instead of another; of the same version, do nothing."""
        if self.knowledge_version == knowledge.version:
            return
        closure = knowledge.store.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph())
        with self._using() as store:
            for quad in list(store.quads_for_pattern(SUBJECT, KNOWS, None, GRAPH)):
                store.remove(quad)
            store.clear_graph(_KNOWLEDGE)
            # The version goes last: killed before it, the next start begins again.
            store.bulk_load(closure, format=ox.RdfFormat.N_TRIPLES, to_graph=_KNOWLEDGE, lenient=True)
            store.add(ox.Quad(SUBJECT, KNOWS, ox.Literal(knowledge.version), GRAPH))
            store.flush()

    def answer(self, request: SparqlRequest, prefixes: Mapping[str, str]) -> Result:
        """Answer; what may be given up from a copy, in another process: Oxigraph itself answers until it is done."""
        if not request.apart:
            return self.evaluated(request, prefixes)
        with self._copied() as copy:
            return copy.answer(request, prefixes)

    def scratch(self) -> AbstractContextManager[StoreCopy]:
        """Give a copy of it."""
        return self._copied()

    def announce(self, since: datetime) -> None:
        """Say, durably, that from now on the store has events from this moment on only."""
        with self._using() as store:
            earlier = list(store.quads_for_pattern(SUBJECT, SINCE, None, GRAPH))
            store.add(ox.Quad(SUBJECT, SINCE, ox.Literal(since.isoformat()), GRAPH))
            for quad in earlier:
                store.remove(quad)
            store.flush()

    def drop_graphs(self, names: Sequence[str]) -> None:
        """Drop some graphs."""
        with self._using() as store:
            for name in names:
                store.remove_graph(ox.NamedNode(name))

    def size(self) -> int | None:
        """Bytes of its files."""
        return folder_size(self.path)

    def reclaim(self) -> None:
        """Give the space of what was dropped back to the file system; takes time in proportion to what is kept."""
        with self._using() as store:
            store.optimize()

    def quads(self) -> int:
        """Count all quads, knowledge included; takes time in proportion to them."""
        return len(self.oxigraph)

    def backup(self, target: Path) -> None:
        """Copy the store as it is now to a new folder, by hard links: milliseconds, hardly any space.

        Raises:
            StoreDamagedError: its files are not as they were written.
            ArchiveError: the folder is there, or the file system refuses.
        """
        try:
            self.oxigraph.backup(target)
        except (OSError, RuntimeError) as error:
            if is_corruption(str(error)):
                raise damaged(self.path, error) from error
            raise ArchiveError(
                f"cannot copy the store: {error}",
                place=Place(str(target)),
                hint="choose a new folder with enough space",
            ) from error

    @property
    def oxigraph(self) -> ox.Store:
        """The open Oxigraph store.

        Raises:
            StoreUnavailableError: it was let go after an error, and cannot be opened again.
            ArchiveError: it is closed.
        """
        with self._opening:
            if self._closed:
                raise ArchiveError("the store is closed", place=Place(str(self.path)), hint="open the archive again")
            if self._store is None:
                self._store = open_folder(self.path)
            return self._store

    @contextmanager
    def _using(self) -> Iterator[ox.Store]:
        """Give the open store, which is let go after an error: RocksDB takes no more writes then."""
        try:
            with super()._using() as store:
                yield store
        except StoreUnavailableError as trouble:
            self._store = None
            if isinstance(trouble, StoreDamagedError):
                self._damage = trouble.message
            raise

    def set_aside(self, *, keep: bool) -> Path | None:
        """Rename its folder, unless nothing is wrong with it by now; see `WritableStore`."""
        with self._opening:
            self._store = None
            forget_damage(self.path.parent)
            return set_aside(self.path, keep=keep) if self.path.is_dir() else None

    def close(self) -> None:
        """Let another process open it. What an error has kept from the disk, the log has."""
        self._closed = True
        self._loads.close()
        if self._store is not None:
            with suppress(OSError, RuntimeError):
                self._store.flush()
            self._store = None
        self._lock.release()

    def serve_copies(self) -> None:
        """Make the copies that other processes asked for; whoever writes learns here of damage that readers met."""
        damage, self._damage = self._damage, None  # at once: another thread may be about to say so
        damage = damage or reported_damage(self.path.parent)
        if damage is not None:
            raise StoreDamagedError(damage, place=Place(str(self.path)))
        answer_requests(self.path.parent, self.backup)

    def remove_copies(self) -> None:
        """Delete the copies of readers that were killed."""
        remove_leftovers(self.path.parent)

    @contextmanager
    def _copied(self) -> Iterator[StoreCopy]:
        """Ask for a copy as another process would: whoever writes makes it between two writes."""
        with copy_store(self.path.parent) as copy:
            yield StoreCopy(copy, self.bucket)


def _remove_offsets_before(store: ox.Store, offset: CommittedOffset, log: ox.NamedNode) -> None:
    """Remove those of earlier batches; a kill before this leaves both, and the later one counts."""
    for quad in list(store.quads_for_pattern(SUBJECT, log, None, GRAPH)):
        if isinstance(quad.object, ox.Literal) and CommittedOffset.parse(quad.object.value) < offset:
            store.remove(quad)
