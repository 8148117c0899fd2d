"""The archive of a project: every event in the log, and behind it in the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import pyarrow as pa

from ..annotator import EventShape
from ..config import Settings
from ..errors import ArchiveError, Place
from ..ontology import KnowledgeBase
from .folder_layout import ADVANCES, LOG, SNAPSHOTS, prepare
from .history import History
from .log import AdvanceLog, EventLog, Position, late_rows
from .matches import MatchLog, Origin, match_encoder
from .sparql import Queryable, Question, Result
from .store import HOLDS, HOLDS_MATCHES, EndpointStore, SemanticStore, encoder, open_semantic_store, store_copied
from .sync import Backlog, Buckets, Dataset, Housekeeping, Keeper, Kept, Lag, Recall, StoreWriter, ask_copy, ask_log

_QUADS_OF_A_MATCH = 10
"""How many times more a match has than an event, about."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What this archive was given since it was opened: events, late ones among them; each batch counts once."""

    events: int = 0
    late: int = 0


class Archive(Queryable):
    """The archive as the engine has it: written by this process alone.

    Args:
        settings: of the project; `[archive]` says where, and whether there is a store.
        knowledge: what SPARQL over the archive knows beside the events.
        shapes: stream → how its events become triples.
        generation: that of the checkpoint whose batch ids are appended.

    Raises:
        ArchiveError: another process has it open, it is damaged, or of a newer version.
    """

    def __init__(
        self, settings: Settings, knowledge: KnowledgeBase, shapes: Mapping[str, EventShape], generation: int = 0
    ) -> None:
        self.path = settings.path(settings.archive.path)
        self.counts = Counts()
        self.knowledge = knowledge
        self.shapes = shapes
        self._prefixes = settings.prefixes
        self._bucket, self._keeps_matches = settings.archive.bucket, settings.archive.matches
        self._store: SemanticStore | None = None
        self._writer: StoreWriter | None = None
        self._keeper: Keeper | None = None
        prepare(self.path)
        self.log = EventLog(self.path / LOG, generation)
        self.matches = MatchLog(self.path, generation)
        self.advances = AdvanceLog(self.path / ADVANCES)
        self._events = Backlog(self.log, encoder(shapes, self._bucket), HOLDS)
        encode = match_encoder(self.matches.origin, self._bucket)
        self._matches = Backlog(self.matches.log, encode, HOLDS_MATCHES, share=_QUADS_OF_A_MATCH)
        self.log.lock()
        try:
            self.matches.open()
            self._last = max(self.log.positions(), default=None)
            self._store = open_semantic_store(settings.archive, self.path)
            if self._store is not None:
                self._writer = StoreWriter(self._events, self._matches, self._store, knowledge, self.path / SNAPSHOTS)
            self._keeper = Keeper(
                (self.log, self.matches.log), self._store, Housekeeping.of(settings.archive), self._settled
            )
        except ArchiveError:
            self.close()
            raise

    def append(self, batch_id: int, events: Mapping[str, pa.Table]) -> None:
        """Keep a batch: when this returns, the log survives a crash; the store follows.

        The same batch again changes nothing. A batch that a crash tore between its streams is completed when it is
        delivered again.

        Args:
            batch_id: ascending in order of arrival.
            events: stream → event table, perhaps with `_late` bool.

        Raises:
            ArchiveError: the log cannot be written, or writing the store has failed. The log has the batch then.
        """
        position = Position(self.log.generation, batch_id)
        for stream in sorted(events):
            self.log.append(stream, batch_id, events[stream])
        if self._last is None or position > self._last:
            self._last = position
            self.counts = replace(
                self.counts,
                events=self.counts.events + sum(table.num_rows for table in events.values()),
                late=self.counts.late + sum(map(_late, events.values())),
            )
        if self._writer is not None:
            self._writer.notify(self._events, position, sum(table.num_rows for table in events.values()))

    def append_matches(self, batch_id: int, found: Iterable[tuple[Origin, pa.Table]]) -> None:
        """Keep what named queries found in a batch, after its events; else as `append`.

        Rows that the archive has already, of this batch or an earlier one, change nothing.

        Args:
            batch_id: of the batch in which they are reported.
            found: rows as queries give them, and where they come from; of each query once.

        Raises:
            ArchiveError: the log cannot be written, or writing the store has failed. The log has the rows then.
        """
        rows = self.matches.append(batch_id, found) if self._keeps_matches else 0
        if rows and self._writer is not None:
            self._writer.notify(self._matches, Position(self.matches.log.generation, batch_id), rows)

    def adopt(self, knowledge: KnowledgeBase, shapes: Mapping[str, EventShape]) -> None:
        """Let the store know this knowledge, and write what it has not written yet as the shapes say."""
        if self._writer is not None:
            self._writer.adopt(knowledge, encoder(shapes, self._bucket))

    @property
    def lag(self) -> Lag:
        """How far the store is behind the log; without a store, not at all."""
        return Lag(0, 0) if self._writer is None else self._writer.lag

    def answer(self, question: Question) -> Result:
        """Answer from the store as it is now; `flush` first to ask all events."""
        if self._store is None or self._writer is None:
            raise _no_store(self.path)
        self._writer.wait_for_knowledge()
        dataset, recall = Dataset(self._prefixes, self._bucket), self._recall()
        dropped = Buckets.dropped(question, self._bucket, self._store.since) is not None
        if isinstance(self._store, EndpointStore):
            if dropped:
                return ask_log(self.path, self._store.closure(), question, recall, dataset)
            return self._store.answer(question, self._prefixes)
        if not dropped and not question.may_be_given_up:
            return self._store.answer(question, self._prefixes)
        with store_copied(self.path) as copy:
            return ask_copy(copy, question, recall, dataset)

    def _recall(self) -> Recall:
        return Recall(tuple(Kept(of.log, of.encode) for of in (self._events, self._matches)))

    @property
    def since(self) -> datetime | None:
        """From when on the store has events, earlier ones being in the log alone; `None`: it has all."""
        return None if self._store is None else self._store.since

    @property
    def store(self) -> SemanticStore | None:
        """The semantic store; `None` when it is switched off."""
        return self._store

    @property
    def last(self) -> Position | None:
        """The last batch whose events the log holds, those of all its streams; `None` before the first."""
        return self._last

    @property
    def informed(self) -> bool:
        """Whether there is a store, and it has the knowledge base as it is now."""
        return self._store is not None and self._store.knowledge_version == self.knowledge.version

    @property
    def held(self) -> Position | None:
        """The last batch up to which the store holds every event of the log; `None`: it holds none for certain."""
        return None if self._writer is None else self._events.held

    def _settled(self) -> tuple[Position | None, Position | None]:
        """Up to which batch nobody needs the logs of events and of matches: the store has them, or there is none."""
        if self._writer is None:
            return self.log.newest, self.matches.log.newest
        return self._events.held, self._matches.held

    def history(self, streams: Iterable[str], after: Position | None = None, upto: Position | None = None) -> History:
        """Give the log's events of some streams by time, of the batches behind `after` and not behind `upto`."""
        return History(self.log, {stream: self.shapes[stream] for stream in streams}, after, upto)

    def quads(self) -> int:
        """Count the quads of the store, knowledge included; takes time in proportion to them."""
        return 0 if self._store is None else self._store.quads()

    def tidy(self) -> None:
        """Put segments together and drop what is beyond the limits now, as is done every few seconds anyway.

        Raises:
            ArchiveError: a segment is broken, or the file system refuses.
        """
        if self._keeper is not None:
            self._keeper.once()

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until the store holds what the log holds; tell whether it does.

        Args:
            timeout: seconds; `None`: as long as it takes.

        Raises:
            ArchiveError: writing the store has failed.
        """
        return self._writer is None or self._writer.flush(timeout)

    def close(self) -> None:
        """Let another process have the archive. What the store lacks, it gets when it is opened again.

        Raises:
            ArchiveError: writing the store has failed, and nobody was told yet.
        """
        try:
            if self._keeper is not None:
                self._keeper.close()
            if self._writer is not None:
                self._writer.close()
        finally:
            if self._store is not None:
                self._store.close()
            self.matches.close()
            self.log.close()


def _late(events: pa.Table) -> int:
    late = late_rows(events)
    return 0 if late is None else int(late.sum())


def _no_store(path: Path) -> ArchiveError:
    return ArchiveError(
        "this archive has no store to query", place=Place(str(path)), hint="set store = true under [archive]"
    )
