"""The semantic store: events and knowledge as named graphs in Oxigraph, on disk."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pyoxigraph as ox

from ...errors import ArchiveError, Place
from ...ontology import KnowledgeBase
from ...storage import ProcessLock, make_folder
from ..folder_layout import LOCK
from ..sparql import Question, Result, evaluate
from .graphs import KNOWLEDGE, bucket_start
from .store_metadata import GRAPH, HOLDS, KNOWS, SINCE, SUBJECT, Progress
from .stored_graphs import StoredGraphs, graphs_within, progress_in

_KNOWLEDGE = ox.NamedNode(KNOWLEDGE)


class EventStore(StoredGraphs):
    """The store of one archive; one process at a time has it open.

    Args:
        path: its folder; made when it is not there.
        bucket: the time range of one graph.
        patience: seconds to wait while another has it open; a reader needs it for the moment that a copy takes.

    Raises:
        ArchiveError: another process has it open, it is damaged, or its folder cannot be made.
    """

    events_per_load = 10_000
    """Oxigraph's loader is fastest around 50,000 quads at once: below, each load costs files; above, sorting memory."""

    def __init__(self, path: Path, bucket: timedelta, patience: float = 2.0) -> None:
        self.path = path
        self.bucket = bucket
        self._lock = lock_of(path)
        make_folder(path.parent)
        if not self._lock.acquire(patience):
            raise in_use(path, self._lock.holder())
        try:
            self._store: ox.Store | None = open_store(path)
        except ArchiveError:
            self._lock.release()
            raise

    def add(self, quads: bytes, progress: Progress | None = None, mark: ox.NamedNode = HOLDS) -> None:
        """Add N-Quads, all or none of them, durably; what is there already changes nothing.

        Args:
            quads: N-Quads text, UTF-8.
            progress: how far the store is with them; kept in the same transaction.
            mark: of what it is the progress.

        Raises:
            ArchiveError: the text is no N-Quads, or the file system refuses.
        """
        said = "" if progress is None else f"{SUBJECT} {mark} {ox.Literal(str(progress))} {GRAPH} .\n"
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
        if progress is not None:
            self._forget_all_but(progress, mark)

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

    def answer(self, question: Question, prefixes: Mapping[str, str]) -> Result:
        """Answer SPARQL over events and knowledge, however long it takes; the default graph is the union of all graphs.

        Args:
            question: what is asked.
            prefixes: preset; the text may declare more.

        Raises:
            ArchiveError: the text is no query, or it cannot be answered.
        """
        graphs = graphs_within(self.oxigraph, self.bucket, question.start, question.end)
        return evaluate(self.oxigraph, question.text, prefixes, graphs)

    def announce(self, since: datetime) -> None:
        """Say, durably, that from now on the store has events from this moment on only."""
        earlier = list(self.oxigraph.quads_for_pattern(SUBJECT, SINCE, None, GRAPH))
        self.oxigraph.add(ox.Quad(SUBJECT, SINCE, ox.Literal(since.isoformat()), GRAPH))
        for quad in earlier:
            self.oxigraph.remove(quad)
        self.oxigraph.flush()

    def drop_before(self, moment: datetime) -> int:
        """Drop the graphs, of events and of matches, whose buckets end at this moment or before; count them."""
        starts = {name: bucket_start(name) for name in self.named_graphs()}
        gone = [name for name, start in starts.items() if start is not None and start + self.bucket <= moment]
        for name in gone:
            self.oxigraph.remove_graph(ox.NamedNode(name))
        return len(gone)

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

    def _forget_all_but(self, progress: Progress, mark: ox.NamedNode) -> None:
        """Remove marks of earlier batches; a kill before this leaves both, and the later one counts."""
        for quad in list(self.oxigraph.quads_for_pattern(SUBJECT, mark, None, GRAPH)):
            if progress_in(quad) < progress:
                self.oxigraph.remove(quad)


def open_store(path: Path) -> ox.Store:
    """Open an Oxigraph store whose lock is held.

    Raises:
        ArchiveError: it is damaged, its folder cannot be made, or another program has it open.
    """
    try:
        make_folder(path)
        return ox.Store(path)
    except (OSError, RuntimeError) as error:
        raise damaged(path, error) from error


def open_copy(path: Path) -> ox.Store:
    """Open a copy of a store, which nobody writes.

    Raises:
        ArchiveError: it is damaged.
    """
    try:
        return ox.Store.read_only(str(path))
    except (OSError, RuntimeError) as error:
        raise damaged(path, error) from error


def lock_of(path: Path) -> ProcessLock:
    """Return the lock of a store's folder.

    RocksDB has one of its own, but asking for it rotates the holder's log file each time.
    """
    return ProcessLock(path.with_name(f"{path.name}{LOCK}"))


def damaged(path: Path, error: Exception) -> ArchiveError:
    """Explain what RocksDB says of a store's folder."""
    if "While lock file" in str(error) or "lock hold by current process" in str(error):
        return in_use(path, "another program")
    reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")
    return ArchiveError(
        f"the store cannot be used: {reason}",
        place=Place(str(path)),
        hint="move the folder away; the next start builds it again from the log",
    )


def in_use(path: Path, holder: str) -> ArchiveError:
    """Explain that somebody else has the store open."""
    return ArchiveError(
        f"{holder} has the store open",
        place=Place(str(path)),
        hint="stop it first; `kaicep sparql` can query the store meanwhile",
    )
