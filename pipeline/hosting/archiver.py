"""The archiver: a second process that keeps every event of a project's streams, whether an engine runs or not.

It writes the archive's spool only; the engine takes that into its log, and has the store for itself.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from rich.console import Console

from ...annotator import AnnotatedBatch
from ...archive.sync import Spool
from ...errors import KaicepError, PipelineError
from ...storage import is_transient, masked
from ..catalog import Catalog
from ..control import Requests, folder_of
from ..durability import BatchJournal, DeadLetters, Generation, current_generation, planned_at
from ..flow import live_batch, refuse_ahead
from ..knowledge import KnowledgeStore, modules_in_force
from ..sources import MqttIntake, first_line, listings_of, read_streams, unpack, without_unreadable
from .interruption import PAUSE_S, Interruption
from .signals import Signals
from .spark_session import start_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Archiver", "archive"]

_LOG = logging.getLogger("kaicep")
_POLL_S = 0.1
_TIDY_EVERY = 16


class _StoppingError(Exception):
    """Raised into Spark to leave a batch undone; it is delivered again."""


class Archiver:
    """Reads the streams of a project into its archive's spool.

    Args:
        project: settings, knowledge, annotations.
        spark: a session to use; by default the archiver starts one and stops it at the end.
        say: takes a line of the log.
        pause: how many seconds after a full disk, an I/O error or the like the streams are read on.

    Attributes:
        events: how many it has kept.

    Raises:
        PipelineError: the project has no archive.
        ArchiveError: another archiver keeps its events.
    """

    def __init__(
        self,
        project: Catalog,
        *,
        spark: SparkSession | None = None,
        say: Callable[[str], None] = _LOG.info,
        pause: float = PAUSE_S,
    ) -> None:
        settings = project.settings
        if not settings.archive.enabled:
            raise PipelineError("the project's archive is switched off", hint="set archive.enabled")
        objects = next(iter(listings_of(settings)), None)
        if objects is not None:
            raise PipelineError(
                f"streams.{objects}.source is in a bucket, whose objects the engine lists, and it alone",
                hint="let the engine alone read the streams; what is in a bucket stays there until it does",
            )
        self._project = project
        self._state = settings.path(settings.engine.state) / "archiver"
        self._journal = BatchJournal(self._state / "batches.jsonl", settings.root)
        self._dead_letters = DeadLetters(self._state / "dead-letters", settings.engine.dead_letter_size)
        self._knowledge = KnowledgeStore.of(settings)
        self._changes = self._knowledge.changes
        self._say, self._pause = say, pause
        self._failure: Exception | None = None
        self._interruption = Interruption(say)
        self._latest: datetime | None = None
        self._intake: MqttIntake | None = None
        self._working, self._stopping = threading.Lock(), threading.Event()
        self.events = 0
        self._spool = Spool(settings.path(settings.archive.path))
        with ExitStack() as steps:
            steps.enter_context(masked(settings.engine.umask))
            steps.callback(self._spool.close)
            self._spool.lock()
            self._spark = start_spark(settings.engine) if spark is None else spark
            if spark is None:
                steps.callback(self._spark.stop)
            self._opened = steps.pop_all()

    @property
    def engine_runs(self) -> bool:
        """Whether an engine runs the project now."""
        requests = Requests(folder_of(self._project.settings))
        runs = requests.engine_runs()
        requests.lock.release()
        return runs

    def run_available(self) -> None:
        """Keep what there is now.

        Raises:
            PipelineError: a batch failed.
        """
        stream = self._begin(follow=False)
        while stream.isActive:
            time.sleep(_POLL_S)
        self._check(stream)

    def follow(self, until: Callable[[], bool], *, standby: bool = False) -> None:
        """Keep what comes, until told to stop; the batch at work is finished.

        Args:
            until: asked several times a second.
            standby: read only while no engine runs, for a source that gives each record to one reader.

        Raises:
            PipelineError: a batch failed.
        """
        if not standby:
            self._spool.reading.path.unlink(missing_ok=True)
        stream: StreamingQuery | None = None
        while not until():
            try:
                stream = self._turn(stream, standby=standby)
            except (KaicepError, OSError, PySparkException) as error:
                if not is_transient(error):
                    raise
                stream = None
                self._wait_for_what_passes(error, until)
            time.sleep(_POLL_S)
        if stream is not None:
            self._end(stream)

    def _turn(self, stream: StreamingQuery | None, *, standby: bool) -> StreamingQuery | None:
        """Begin to read or stop reading, as it is wanted now; return what is being read."""
        wanted = not (standby and self.engine_runs)
        if wanted and stream is None and (not standby or self._spool.reading.acquire()):
            return self._begin(follow=True)
        if stream is not None and not (wanted and stream.isActive and not self._journal.mended(quiet=True)):
            self._end(stream)
            return None
        return stream

    def _wait_for_what_passes(self, error: Exception, until: Callable[[], bool]) -> None:
        """Wait a while before the streams are read on; tell of it once, until a batch is kept again."""
        self._interruption.begin(error)
        ready = time.monotonic() + self._pause
        while time.monotonic() < ready and not until():
            time.sleep(_POLL_S)

    def close(self) -> None:
        """Let another archiver go on."""
        if self._intake is not None:
            self._intake.stop()
        self._opened.close()

    def _begin(self, *, follow: bool) -> StreamingQuery:
        settings = self._project.settings
        self._stopping.clear()
        self._failure = None
        self._take_messages(follow=follow)
        mended = self._journal.mended()
        generation = current_generation(settings, self._state, None, self._say, mended)
        self._journal.try_again(mended)
        generation = replace(generation, read=self._journal.read)
        frame = read_streams(self._spark, settings, starts=generation.starts(settings))
        writer = frame.writeStream.foreachBatch(partial(self._keep, generation))
        writer = writer.option("checkpointLocation", str(generation.checkpoint))
        seconds = settings.engine.trigger.total_seconds()
        timed = writer.trigger(processingTime=f"{seconds} seconds") if follow else writer.trigger(availableNow=True)
        return timed.start()

    def _take_messages(self, *, follow: bool) -> None:
        """Take what brokers have: what waits there now, or all that comes from now on."""
        if self._intake is not None:
            self._intake.stop()
        self._intake = MqttIntake(self._project.settings, self._say)
        if follow:
            self._intake.start()
        else:
            self._intake.take_waiting()

    def _end(self, stream: StreamingQuery) -> None:
        """Finish the batch at work, then stop reading."""
        failed = not stream.isActive
        if self._intake is not None:
            self._intake.stop()
        self._stopping.set()
        with self._working:
            stream.stop()
        self._spool.reading.release()
        if failed:
            self._check(stream)

    def _check(self, stream: StreamingQuery) -> None:
        if isinstance(self._failure, KaicepError):
            raise self._failure
        error = stream.exception()
        if error is not None:
            reason = first_line(error) if self._failure is None else self._failure
            raise PipelineError(
                f"the archiver stopped reading: {reason}", hint="check the sources of the project"
            ) from error

    def _keep(self, generation: Generation, frame: DataFrame, number: int) -> None:
        # `_end` holds the lock while Spark waits for this call to end: it must give up instead of waiting for it.
        while not self._working.acquire(timeout=_POLL_S):
            if self._stopping.is_set():
                raise _StoppingError
        try:
            self._append(generation, frame, generation.base + number)
        except Exception as error:
            self._failure = error
            raise
        finally:
            self._working.release()

    def _append(self, generation: Generation, frame: DataFrame, number: int) -> None:
        """Keep a batch, annotated by the knowledge of now; the engine judges duplicates and lateness."""
        if self._stopping.is_set():
            raise _StoppingError
        settings = self._project.settings
        if self._knowledge.changes != self._changes:
            self._changes = self._knowledge.changes
            self._project = Catalog.over(settings, modules_in_force(settings))
        files = self._journal.sorted_out(number, generation.files(number, settings))
        records = unpack(frame, settings, files.passed_over, files.listed)
        for stream, unreadable in files.unreadable.items():
            records[stream] = without_unreadable(records.get(stream), unreadable)
        self._journal.begin_topics(number, generation.began(settings))
        live = live_batch(self._project.annotators, {stream: raw.table for stream, raw in records.items()})
        annotated = self._not_ahead(live.events, planned_at(generation, number))
        for stream, raw in records.items():
            self._dead_letters.write(stream, number, raw, annotated[stream].rejected)
        self.events += self._spool.append({stream: batch.events for stream, batch in annotated.items()})
        broken = {stream: raw.unreadable for stream, raw in records.items()}
        self._journal.take(number, files.new, broken, generation.offsets(number, settings))
        for stream, raw in records.items():
            for file in raw.unreadable:
                self._say(f"streams.{stream}: {file.path} {file.complaint}; see its dead letters")
        self._interruption.end()
        if number % _TIDY_EVERY == 0:
            self._spool.tidy()

    def _not_ahead(self, events: Mapping[str, AnnotatedBatch], now: datetime) -> Mapping[str, AnnotatedBatch]:
        """Refuse what is too far ahead of the wall clock."""
        bounded = refuse_ahead(events, self._project.settings.streams, now, self._latest)
        self._latest = now if self._latest is None else max(now, self._latest)
        return bounded


def archive(project: Catalog, log: Console, *, follow: bool, standby: bool, quiet: bool) -> None:
    """Keep the events of a project's streams, for the command line.

    Args:
        project: whose streams.
        log: where the summary goes.
        follow: go on until interrupted; otherwise end with what is there.
        standby: read only while no engine runs.
        quiet: no summary.

    Raises:
        KaicepError: a batch failed, or there is another archiver.
        KeyboardInterrupt, SystemExit: a signal came, and the batch at work is finished.
    """
    if not quiet:
        log.print("starting Spark")
    archiver = Archiver(project, say=_LOG.info if quiet else log.print)
    try:
        with Signals() as signals:
            if follow:
                archiver.follow(lambda: signals.received is not None, standby=standby)
            else:
                archiver.run_available()
        signals.raise_received()
    finally:
        archiver.close()
        if not quiet:
            log.print(f"{archiver.events:,} events kept")
