"""The archive of a project: every event in the log, and behind it in the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeGuard

import pyarrow as pa

from ..annotator import EventShape
from ..config import Settings
from ..errors import ArchiveError
from ..ontology import KnowledgeBase
from ..storage import BucketPath, StoragePath, folder_size
from .delta import DeltaCopy, DeltaLag, DeltaPlace, DeltaWriter
from .folder_layout import IDLE_WATERMARKS, LOG, MATCHES, ArchivePlace, archive_identity
from .log import EventLog, IdleWatermarkLog, Position, PreparedSegment, late_rows
from .matches import MatchLog, Provenance, match_encoder
from .read_view import ReadView
from .sparql import Result, SparqlRequest
from .store import WritableStore, encoder, store_kind
from .sync import EncodedLog, Lag, Maintenance, MaintenancePolicy, PendingWrites, StoreWriter

_WRITERS = 8


def _wall_clock() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Counts:
    """What this archive was given since it was opened: events, late ones among them; each batch counts once."""

    events: int = 0
    late: int = 0


class Archive(ReadView):
    """The archive as the engine has it: read as any other, and written by this process alone.

    Args:
        settings: of the project; `[archive]` says where, and whether there is a store.
        knowledge: what SPARQL over the archive knows beside the events.
        shapes: stream → how its events become triples.
        generation: that of the checkpoint whose batch ids are appended.
        clock: the time now, aware: nothing that is ahead of it makes others old.

    Attributes:
        needed: behind this batch the log is needed to rebuild the state of queries: nothing of it is dropped.

    Raises:
        ArchiveError: another process has it open, it is damaged, or of a newer version.
    """

    def __init__(
        self,
        settings: Settings,
        knowledge: KnowledgeBase,
        shapes: Mapping[str, EventShape],
        generation: int = 0,
        *,
        clock: Callable[[], datetime] = _wall_clock,
    ) -> None:
        chosen, place = settings.archive, ArchivePlace.of(settings)
        self.path = place.root
        self.counts = Counts()
        self.needed: Position | None = None
        self._writable: WritableStore | None = None
        self._writer: StoreWriter | None = None
        self._maintenance: Maintenance | None = None
        self._delta: DeltaWriter | None = None
        place.prepare()
        log = EventLog(place.log(LOG), generation, locks=place.locks(LOG))
        matches = MatchLog(place.logs, generation, locks=place.locks(MATCHES))
        super().__init__(settings, log, matches, knowledge=knowledge, shapes=shapes)
        self.idle_watermarks = IdleWatermarkLog(
            place.log(IDLE_WATERMARKS), generation, locks=place.locks(IDLE_WATERMARKS)
        )
        self._events = PendingWrites.of_events(log, encoder(shapes, chosen.bucket))
        self._matches = PendingWrites.of_matches(matches.log, match_encoder(matches.provenance, chosen.bucket))
        log.lock()
        try:
            matches.open()
            self.idle_watermarks.open()
            self._last = log.newest
            if chosen.store:
                self.store = self._writable = store_kind(chosen).open(chosen, self.path)
                self._writer = StoreWriter(self._events, self._matches, self._writable, knowledge)
            self._delta = self._delta_writer()
            policy = MaintenancePolicy.of(chosen)
            logs = log, matches.log, self.idle_watermarks.log
            self._maintenance = Maintenance(logs, self._writable, policy, self._settled, clock)
        except ArchiveError:
            self.close()
            raise

    def _delta_writer(self) -> DeltaWriter | None:
        """What copies the logs into tables of Delta Lake; `None`: nobody wants them."""
        settings, where = self._settings, self._settings.archive.delta
        if where is None:
            return None
        place = DeltaPlace.of(where, settings.root, settings.s3.options, archive_identity(self.path))
        copies = [DeltaCopy(log, place, name) for log, name in ((self.log, LOG), (self.matches.log, MATCHES))]
        return DeltaWriter(copies, settings.streams)

    def append(self, batch_id: int, events: Mapping[str, pa.Table | PreparedSegment]) -> None:
        """Keep a batch: when this returns, the log survives a crash; the store follows.

        The same batch again changes nothing. A batch that a crash tore between its streams is completed when it is
        delivered again.

        Args:
            batch_id: ascending in order of arrival.
            events: stream → event table, perhaps with `_late` bool, or a segment of the log that is written already.

        Raises:
            ArchiveError: the log cannot be written, or writing the store has failed. The log has the batch then.
        """
        position = Position(self.log.generation, batch_id)
        self._append_all(batch_id, events)
        if self._last is None or position > self._last:
            self._last = position
            self.counts = replace(
                self.counts,
                events=self.counts.events + sum(table.num_rows for table in events.values()),
                late=self.counts.late + sum(map(_late, events.values())),
            )
        if self._delta is not None:
            self._delta.notify()
        if self._writer is not None:
            self._writer.notify(self._events, position, sum(table.num_rows for table in events.values()))

    def _append_all(self, batch_id: int, events: Mapping[str, pa.Table | PreparedSegment]) -> None:
        """Write the segments of a batch: of a bucket, whose answers take their time, several at once."""
        if len(events) < 2 or not isinstance(self.log.path, BucketPath):
            for stream in sorted(events):
                self.log.append(stream, batch_id, events[stream])
            return
        self.log.lock()
        with ThreadPoolExecutor(min(_WRITERS, len(events))) as pool:
            list(pool.map(lambda stream: self.log.append(stream, batch_id, events[stream]), sorted(events)))

    @property
    def size(self) -> int:
        """Bytes of all that it has, as far as this process knows of what is in a bucket."""
        logs = (self.log, self.matches.log, self.idle_watermarks.log)
        return folder_size(self.path) + sum(path.size for path in (log.path for log in logs) if _is_known(path))

    @property
    def keeps_matches(self) -> bool:
        """Whether the rows of named queries are kept."""
        return self._settings.archive.matches

    def append_matches(self, batch_id: int, found: Iterable[tuple[Provenance, pa.Table | PreparedSegment]]) -> None:
        """Keep what named queries found in a batch, after its events; else as `append`.

        Rows that the archive has already, of this batch or an earlier one, change nothing.

        Args:
            batch_id: of the batch in which they are reported.
            found: rows as queries give them, or as a `MatchTarget` has written them, and where they come from; of each
                query once.

        Raises:
            ArchiveError: the log cannot be written, or writing the store has failed. The log has the rows then.
        """
        rows = self.matches.append(batch_id, found) if self.keeps_matches else 0
        if rows and self._delta is not None:
            self._delta.notify()
        if rows and self._writer is not None:
            self._writer.notify(self._matches, Position(self.matches.log.generation, batch_id), rows)

    def adopt(self, knowledge: KnowledgeBase, shapes: Mapping[str, EventShape]) -> None:
        """Let the store know this knowledge, and write what it has not written yet as the shapes say."""
        if self._writer is not None:
            self._writer.adopt(knowledge, encoder(shapes, self._settings.archive.bucket))

    @property
    def lag(self) -> Lag:
        """How far the store is behind the log, as its writer knows; without a store, not at all."""
        return Lag(0, 0) if self._writer is None else self._writer.lag

    @property
    def delta_lag(self) -> DeltaLag | None:
        """How far the tables of Delta Lake are behind the log, as their writer knows; `None`: nobody wants them."""
        return None if self._delta is None else self._delta.lag

    @property
    def rebuilding(self) -> str | None:
        """Why the store is being built again, and where the damaged one lies; `None`: it is not."""
        return None if self._writer is None else self._writer.rebuilding

    @property
    def held(self) -> Position | None:
        """The last batch up to which the store holds every event of the log, as its writer knows."""
        return None if self._writer is None else self._events.held

    def answer(self, request: SparqlRequest) -> Result:
        """Answer from the store as it is now; `flush` first to ask all events."""
        if self._writer is not None:
            self._writer.wait_for_knowledge()
        return super().answer(request)

    def encoded_logs(self) -> tuple[EncodedLog, ...]:
        """As its writer has them."""
        return tuple(EncodedLog(each.log, each.encode) for each in (self._events, self._matches))

    @property
    def last(self) -> Position | None:
        """The last batch whose events the log holds, those of all its streams; `None` before the first."""
        return self._last

    def _settled(self) -> tuple[Position | None, ...]:
        """Up to which batch nobody needs each log: the store has its rows, or there is none."""
        idle = self.idle_watermarks.log.newest
        if self._writer is None:
            events, matches = self.log.newest, self.matches.log.newest
        else:
            events, matches = self._events.held, self._matches.held
        if self._delta is not None:
            copied, copied_matches = self._delta.held
            events, matches = _earlier(events, copied), _earlier(matches, copied_matches)
        if self.needed is not None:
            events, idle = (None if known is None else min(known, self.needed) for known in (events, idle))
        return events, matches, idle

    def quads(self) -> int:
        """Count the quads of the store, knowledge included; takes time in proportion to them."""
        return 0 if self._writable is None else self._writable.quads()

    def tidy(self) -> None:
        """Put segments together and drop what is beyond the limits now, as is done every few seconds anyway.

        Raises:
            ArchiveError: a segment is broken, or the file system refuses.
        """
        if self._maintenance is not None:
            self._maintenance.once()

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
            if self._maintenance is not None:
                self._maintenance.close()
            if self._delta is not None:
                self._delta.close()
            if self._writer is not None:
                self._writer.close()
        finally:
            if self.store is not None:
                self.store.close()
            self.idle_watermarks.close()
            self.matches.close()
            self.log.close()


def _is_known(path: StoragePath) -> TypeGuard[BucketPath]:
    """Whether it is in a bucket, and nobody needs to ask what lies there."""
    return isinstance(path, BucketPath) and path.changed is not None


def _earlier(one: Position | None, other: Position | None) -> Position | None:
    return None if one is None or other is None else min(one, other)


def _late(events: pa.Table | PreparedSegment) -> int:
    if isinstance(events, PreparedSegment):
        return events.late
    late = late_rows(events)
    return 0 if late is None else int(late.sum())
