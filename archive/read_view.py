"""The archive as its past is asked: by the engine that writes it, or by another process that plans only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from ..annotator import EventShape
from ..config import Settings
from ..ontology import KnowledgeBase
from .backup import require
from .folder_layout import LOG
from .history import History
from .log import EventLog, Position
from .store import AskedStore, StoreCopy, copy_of_store, endpoint_store
from .sync import held_of

__all__ = ["ArchiveView", "Recorded", "view_archive"]


class Recorded(Protocol):
    """What a past is asked of: `Archive` or `ArchiveView`."""

    @property
    def knowledge(self) -> KnowledgeBase:
        """What queries know beside the events."""

    @property
    def shapes(self) -> Mapping[str, EventShape]:
        """Stream → how its events become triples."""

    @property
    def store(self) -> AskedStore | None:
        """The semantic store; `None` when it is switched off."""

    @property
    def informed(self) -> bool:
        """Whether there is a store, and it has the knowledge base as it is now."""

    @property
    def held(self) -> Position | None:
        """The last batch up to which the store holds every event of the log; `None`: it holds none for certain."""

    def history(self, streams: Iterable[str], after: Position | None = None, upto: Position | None = None) -> History:
        """Give the log's events of some streams by time, of the batches behind `after` and not behind `upto`."""


@dataclass(frozen=True)
class ArchiveView:
    """An archive as a process that does not write it has it, also beside a running engine; see `Recorded`."""

    log: EventLog
    store: AskedStore | None
    knowledge: KnowledgeBase
    shapes: Mapping[str, EventShape]

    @property
    def informed(self) -> bool:
        """Whether there is a store, and it has this knowledge base."""
        return self.store is not None and self.store.knowledge_version == self.knowledge.version

    @property
    def held(self) -> Position | None:
        """The last batch up to which the store holds every event of the log; `None`: it holds none for certain."""
        return None if self.store is None else held_of(self.log, self.store.progress)

    def history(self, streams: Iterable[str], after: Position | None = None, upto: Position | None = None) -> History:
        """Give the log's events of some streams by time, of the batches behind `after` and not behind `upto`."""
        return History(self.log, {stream: self.shapes[stream] for stream in streams}, after, upto)


@contextmanager
def view_archive(
    settings: Settings, knowledge: KnowledgeBase, shapes: Mapping[str, EventShape], timeout: float = 10.0
) -> Iterator[ArchiveView]:
    """Open an archive to plan over it, wherever its store is.

    Args:
        settings: of the project.
        knowledge: what queries know beside the events.
        shapes: stream → how its events become triples.
        timeout: seconds that a running engine has to answer.

    Raises:
        ArchiveError: there is no archive, it is damaged, or the engine does not answer.
    """
    chosen, path = settings.archive, settings.path(settings.archive.path)
    require(path)
    log = EventLog(path / LOG)
    if not chosen.store:
        yield ArchiveView(log, None, knowledge, shapes)
    elif chosen.endpoint is not None:
        yield ArchiveView(log, endpoint_store(chosen, chosen.endpoint, path), knowledge, shapes)
    else:
        with copy_of_store(path, timeout) as copy:
            yield ArchiveView(log, StoreCopy(copy, chosen.bucket), knowledge, shapes)
