"""What the store has dropped, or never had, brought back from the log for one question (docs/decisions/056, 077)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pyoxigraph as ox

from ...annotator import Annotator
from ...config import Settings
from ...errors import ArchiveError
from ...ontology import KnowledgeBase
from ..history import share
from ..log import EventLog, steadily, without_known
from ..matches import MatchLog, match_encoder
from ..query_process import ask_in_process
from ..sparql import Question, Result, evaluate
from ..store import KNOWLEDGE, encoder, graphs_within, open_copy, open_store, room_for_store, since_of
from ..timeout import Patience
from .pending_writes import Encode

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ROWS_PER_LOAD = 10_000
MOST = 2_000_000
"""So many events are brought back for one question: some three gigabytes on disk, and some minutes."""


@dataclass(frozen=True, slots=True)
class Buckets:
    """The buckets of start <= t < end, both at their borders; `None` is unbounded."""

    start: datetime | None
    end: datetime | None

    @classmethod
    def of(cls, question: Question, bucket: timedelta) -> Buckets | None:
        """Those that a question names; `None`: it names no time, and takes what there is."""
        if question.start is None and question.end is None:
            return None
        start = None if question.start is None else question.start - (question.start - _EPOCH) % bucket
        end = None if question.end is None else question.end + (_EPOCH - question.end) % bucket
        return cls(start, end)

    @classmethod
    def dropped(cls, question: Question, bucket: timedelta, since: datetime | None) -> Buckets | None:
        """Those that a question names and a store that has events from a moment on has not; `None`: there are none."""
        named = cls.of(question, bucket)
        return None if named is None else named.before(since)

    def before(self, moment: datetime | None) -> Buckets | None:
        """Those of them that end at a moment or before; `None`: there are none."""
        if moment is None or (self.start is not None and self.start >= moment):
            return None
        return Buckets(self.start, moment if self.end is None else min(self.end, moment))

    def within(self, other: Buckets) -> bool:
        """Whether all of them are among others."""
        after = other.start is None or (self.start is not None and self.start >= other.start)
        return after and (other.end is None or (self.end is not None and self.end <= other.end))


@dataclass(frozen=True, slots=True)
class Dataset:
    """How an archive's store is laid out.

    Attributes:
        prefixes: preset in queries.
        bucket: the time range of one graph.
    """

    prefixes: Mapping[str, str]
    bucket: timedelta


@dataclass(frozen=True, slots=True)
class Kept:
    """A log, and how its rows become N-Quads: as the store's writer has it."""

    log: EventLog
    encode: Encode

    def count(self, buckets: Buckets) -> float:
        """About how many rows lie in some buckets."""
        parts = (part for stream in self.log.streams() for part in self.log.parts(stream))
        return sum(share(part.facts, buckets.start, buckets.end) for part in parts)

    def load(self, store: ox.Store, buckets: Buckets, patience: Patience) -> None:
        """Add the rows of some buckets to a store."""
        for stream in self.log.streams():
            steadily(partial(self._load, store, stream, buckets, patience))

    def _load(self, store: ox.Store, stream: str, buckets: Buckets, patience: Patience) -> None:
        """Load a stream's rows, segment by segment; what is loaded twice is there once."""
        for part in self.log.parts(stream):
            rows = self.log.read_parts([part], buckets.start, buckets.end)
            for first in range(0, rows.num_rows, _ROWS_PER_LOAD):
                patience.check()
                fresh = without_known(self.log, stream, part.first, rows.slice(first, _ROWS_PER_LOAD))
                quads = self.encode(stream, fresh)
                store.bulk_load(quads, format=ox.RdfFormat.N_QUADS, lenient=True)


@dataclass(frozen=True)
class Recall:
    """Brings events, and what named queries found, back from their logs."""

    logs: tuple[Kept, ...]

    def into(self, folder: Path, buckets: Buckets, patience: Patience) -> None:
        """Add what some buckets had to a store that nobody else has open.

        Args:
            folder: the store's.
            buckets: which.
            patience: of whoever asks.

        Raises:
            ArchiveError: there are too many events, nobody waits for them any more, or a segment is broken.
        """
        for kept in self.logs:
            kept.log.readers.add(self)  # retention leaves a log alone that somebody reads
        found = round(sum(kept.count(buckets) for kept in self.logs))
        if found > MOST:
            raise ArchiveError(
                f"some {found:,} events would have to be brought back from the log, and {MOST:,} is the most",
                hint="ask for a shorter time range; store_age under [archive] says what the store keeps",
            )
        store = open_store(folder)
        for kept in self.logs:
            kept.load(store, buckets, patience)


def ask(folder: Path, question: Question, dataset: Dataset, patience: Patience) -> Result:
    """Answer a question from a store that nobody writes.

    Args:
        folder: the store's.
        question: what is asked.
        dataset: how the store is laid out.
        patience: of whoever asks.

    Raises:
        ArchiveError: the query is wrong, or there is no answer in time.
    """
    store = open_copy(folder)
    graphs = graphs_within(store, dataset.bucket, question.start, question.end)
    if not question.may_be_given_up:
        return evaluate(store, question.text, dataset.prefixes, graphs)
    del store
    return ask_in_process(folder, question, dataset.prefixes, graphs, patience)


def ask_copy(copy: Path, question: Question, recall: Recall, dataset: Dataset) -> Result:
    """Answer a question from a copy of the store, to which is added what the store has dropped and the question names.

    Args:
        copy: the store's folder; nobody else has it open.
        question: what is asked.
        recall: brings the events.
        dataset: how the store is laid out.

    Raises:
        ArchiveError: the query is wrong, there is no answer in time, or too much was dropped.
    """
    patience = Patience(question)
    dropped = Buckets.dropped(question, dataset.bucket, since_of(open_copy(copy)))
    if dropped is not None:
        recall.into(copy, dropped, patience)
    return ask(copy, question, dataset, patience)


def ask_log(root: Path, closure: bytes, question: Question, recall: Recall, dataset: Dataset) -> Result:
    """Answer a question about some time from the log alone, in a store of its own.

    Args:
        root: the archive's folder.
        closure: what is known, as N-Triples.
        question: what is asked; names a time.
        recall: brings the events.
        dataset: how the store is laid out.

    Raises:
        ArchiveError: the query is wrong, there is no answer in time, or there are too many events.
    """
    patience, buckets = Patience(question), Buckets.of(question, dataset.bucket)
    with room_for_store(root) as folder:
        store = open_store(folder)
        store.bulk_load(closure, format=ox.RdfFormat.N_TRIPLES, to_graph=ox.NamedNode(KNOWLEDGE), lenient=True)
        del store
        if buckets is not None:
            recall.into(folder, buckets, patience)
        return ask(folder, question, dataset, patience)


def closure_of(store: ox.Store) -> bytes:
    """The knowledge of a store, as N-Triples."""
    return store.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.NamedNode(KNOWLEDGE)) or b""


def recall_for(settings: Settings, closure: bytes, log: EventLog, matches: MatchLog) -> Recall:
    """What brings a project's events back where nobody has compiled its annotations yet.

    Args:
        settings: of the project.
        closure: the knowledge that the store has, as N-Triples.
        log: of events.
        matches: of what named queries found.

    Raises:
        AnnotationError: an annotation does not go with the knowledge.
    """
    knowledge, bucket = KnowledgeBase.of_closure(closure, settings.prefixes), settings.archive.bucket
    shapes = {name: Annotator(name, settings, knowledge).shape for name in settings.streams}
    return Recall((Kept(log, encoder(shapes, bucket)), Kept(matches.log, match_encoder(matches.origin, bucket))))
