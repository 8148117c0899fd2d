"""The one way to read an archive: log, matches and store, as whoever plans, asks or explains has them.

The engine's `Archive` is a read view that also writes; any other process opens one of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import cached_property
from types import TracebackType
from typing import Self

from ..annotator import Annotator, EventShape
from ..config import Settings
from ..errors import ArchiveError, Place
from ..ontology import KnowledgeBase
from .folder_layout import LOG, ArchivePlace
from .log import EventLog, LogScan, Position
from .matches import MatchLog, match_encoder
from .sparql import Result, SparqlRequest, Timeout
from .store import BucketRange, PrivateStore, Store, encoder, store_kind
from .sync import EncodedLog, Lag, held_of, lag_of, load_buckets

__all__ = ["ReadView", "open_read_view"]


class ReadView:
    """An archive that is read, until it is closed; see `open_read_view`.

    Args:
        settings: of the project.
        log: of events.
        matches: of what named queries found.
        store: the semantic store; `None`: it is switched off, or not asked.
        knowledge: what queries know beside the events; `None`: what the store knows.
        shapes: stream → how its events become triples; `None`: as the project's annotations say.
        opened: what is let go when this is closed.
    """

    def __init__(
        self,
        settings: Settings,
        log: EventLog,
        matches: MatchLog,
        *,
        store: Store | None = None,
        knowledge: KnowledgeBase | None = None,
        shapes: Mapping[str, EventShape] | None = None,
        opened: ExitStack | None = None,
    ) -> None:
        self.log, self.matches, self.store = log, matches, store
        self._settings = settings
        self._knowledge, self._shapes = knowledge, shapes
        self._opened = opened or ExitStack()

    @cached_property
    def knowledge(self) -> KnowledgeBase:
        """What queries know beside the events."""
        if self._knowledge is not None:
            return self._knowledge
        return KnowledgeBase.of_closure(self._asked_store().closure(), self._settings.prefixes)

    @cached_property
    def shapes(self) -> Mapping[str, EventShape]:
        """Stream → how its events become triples.

        Raises:
            AnnotationError: an annotation does not go with the knowledge.
        """
        if self._shapes is not None:
            return self._shapes
        return {name: Annotator(name, self._settings, self.knowledge).shape for name in self._settings.streams}

    @property
    def informed(self) -> bool:
        """Whether there is a store, and it has the knowledge base as it is now."""
        return self.store is not None and self.store.knowledge_version == self.knowledge.version

    @property
    def held(self) -> Position | None:
        """The last batch up to which the store holds every event of the log; `None`: it holds none for certain."""
        return None if self.store is None else held_of(self.log, self.store.committed())

    @property
    def rewrite_timeout(self) -> timedelta:
        """So long a query may take into which the past of a χ-CEP query is rewritten."""
        return self._settings.archive.rewrite_timeout

    @property
    def forgets(self) -> bool:
        """Whether events leave the log, by age or by size."""
        chosen = self._settings.archive
        return chosen.log_age < timedelta.max or chosen.log_size is not None

    @property
    def lag(self) -> Lag:
        """How far the store is behind the log as it is now; without a store, not at all."""
        return Lag(0, 0) if self.store is None else lag_of(self.store, self.log, self.matches.log)

    @property
    def since(self) -> datetime | None:
        """From when on the store has events, earlier ones being in the log alone; `None`: it has all."""
        return None if self.store is None else self.store.since

    def scan(self, streams: Iterable[str], after: Position | None = None, upto: Position | None = None) -> LogScan:
        """Scan the log's events of some streams by time, of the batches behind `after` and not behind `upto`."""
        return LogScan(self.log, {stream: self.shapes[stream] for stream in streams}, after, upto)

    def query(
        self,
        text: str,
        *,
        start: datetime | None = None,
        end: datetime | None = None,
        timeout: float | None = None,
        cancelled: threading.Event | None = None,
    ) -> Result:
        """Answer SPARQL over knowledge and events: those that the store holds, or those of a time.

        Args:
            text: SELECT, ASK, CONSTRUCT or DESCRIBE; the project's prefixes are known; the default graph is the union
                of all graphs.
            start: aware; with `end`, the graphs are those of the buckets that overlap start <= t < end. Those that the
                store has dropped are brought back from the log, for this request.
            end: aware.
            timeout: seconds after which the query is given up; it is then answered in another process.
            cancelled: when another thread sets it, the query is given up; it is then answered in another process.

        Raises:
            ArchiveError: the text is no query, it cannot be answered in time, there is no store, or more than two
                million events would have to be brought back.
        """
        return self.answer(SparqlRequest(text, start, end, timeout, cancelled))

    def answer(self, request: SparqlRequest) -> Result:
        """Answer as `query`."""
        store = self._asked_store()
        if store.lacking(request) is None:
            return store.answer(request, self._settings.prefixes)
        with store.scratch() as scratch:
            timeout, lacking = Timeout(request.timeout, request.cancelled), scratch.lacking(request)
            if lacking is not None:
                self._rehydrate(scratch, lacking, timeout)
            return scratch.answer(request, self._settings.prefixes, timeout)

    def close(self) -> None:
        """Answer no more."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._opened.__exit__(kind, error, trace)  # a store that is read passes on what was wrong with it
        finally:
            self.close()

    def _asked_store(self) -> Store:
        if self.store is None:
            raise ArchiveError(
                "this archive has no store to query",
                place=Place(str(self._settings.path(self._settings.archive.path))),
                hint="set store = true under [archive]",
            )
        return self.store

    def _rehydrate(self, scratch: PrivateStore, lacking: BucketRange, timeout: Timeout) -> None:
        logs = self.encoded_logs()  # asks the store what it knows, which nobody may while it is added to
        with scratch.adding(lacking) as add:
            load_buckets(logs, add, lacking, timeout)

    def encoded_logs(self) -> tuple[EncodedLog, ...]:
        """The logs of events and of matches, and how their rows become N-Quads."""
        bucket = self._settings.archive.bucket
        return (
            EncodedLog(self.log, encoder(self.shapes, bucket)),
            EncodedLog(self.matches.log, match_encoder(self.matches.provenance, bucket)),
        )


def open_read_view(
    settings: Settings,
    knowledge: KnowledgeBase | None = None,
    shapes: Mapping[str, EventShape] | None = None,
    *,
    store: bool = True,
    timeout: float = 10.0,
) -> ReadView:
    """Open an archive to read it, also while an engine writes it: its store is as it is now, or answers as of now.

    Args:
        settings: of the project.
        knowledge: what queries know beside the events; `None`: what the store knows.
        shapes: stream → how its events become triples; `None`: as the project's annotations say.
        store: whether its store is asked; without, only the log is read.
        timeout: seconds that a running engine has to answer.

    Raises:
        ArchiveError: there is no archive or no store, it is damaged, or the engine does not answer.
    """
    place = ArchivePlace.of(settings)
    opened = ExitStack()
    if store:
        found = opened.enter_context(store_kind(settings.archive).reading(settings.archive, place.root, timeout))
    else:
        place.require()
        found = None
    log, matches = EventLog(place.log(LOG)), MatchLog(place.logs)
    return ReadView(settings, log, matches, store=found, knowledge=knowledge, shapes=shapes, opened=opened)
