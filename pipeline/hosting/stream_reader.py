"""Reads the streams of a project for its queries: which checkpoint serves, and a Spark when it is needed."""

from __future__ import annotations

import logging
import threading
from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...config import EngineSettings
from ...errors import KaicepError, PipelineError
from ..durability import BatchFiles, Generation, current_generation, is_all_read
from ..executors import write_rows
from ..flow import IdleStreams
from ..sources import MqttIntake, ObjectWatch, RawBatch, beat, listings_of, unpack
from .freed_memory import keep_freed_memory
from .query_registrar import QueryRegistrar
from .spark_job import SparkJob
from .spark_session import start_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["StreamReader"]

_LOG = logging.getLogger("kaicep")


class StreamReader(QueryRegistrar):
    """The part of an engine that brings what its streams have to its queries.

    Args:
        spark: a session to use; `None`: one is started when there is something to read.
        say: takes a line of the log.
        on_failure: called at once with what made a batch fail.
        given: by stream, the DataFrames that a program has for sources.
    """

    def __init__(
        self,
        spark: SparkSession | None = None,
        *,
        say: Callable[[str], None] = _LOG.info,
        on_failure: Callable[[str], None] = _LOG.error,
        given: Mapping[str, DataFrame] = MappingProxyType({}),
    ) -> None:
        super().__init__(say)
        self._given, self._spark = spark, spark
        self._lock = threading.Lock()
        self._watch = ObjectWatch({}, 0.0, say)
        self._intake: MqttIntake | None = None
        self._job = SparkJob(
            self._lock,
            self._run,
            self._overdue,
            lambda error: on_failure(str(error)),
            self._cancel,
            say=say,
            stale=lambda: bool(self._flow.journal.mended(quiet=True)),
            given=given,
        )

    @abstractmethod
    def _watched(self, number: int) -> AbstractContextManager[None]:
        """What a batch is done within, by its number."""

    @abstractmethod
    def _answer_requests(self) -> None:
        """Let other processes submit queries, from now on."""

    @property
    def failure(self) -> KaicepError | None:
        """What ended the streams; `None`: nothing did."""
        return self._job.failure

    @property
    def waits_for(self) -> str | None:
        """What passes, and the streams wait for: a full disk, a bucket that is away; `None`: for nothing."""
        return self._job.waits_for

    @property
    def troubles(self) -> Mapping[str, str]:
        """By stream, why nothing comes from its broker; none, where everything may come."""
        return self._intake.troubles if self._intake is not None and self.running else {}

    @property
    def running(self) -> bool:
        """Whether the stream is being read."""
        return self._job.running

    def start(self) -> None:
        """Begin to read the streams with the project's trigger interval; does nothing when it is running.

        From now on the watermark of a stream that is silent goes on by wall clock (`idle_timeout`).
        """
        self._begin(IdleStreams(self.project.settings.idle_timeouts()))

    def run_available(self) -> None:
        """Read what there is now, wait for the end of it; wall clock moves no watermark.

        Raises:
            PipelineError: a batch failed.
        """
        self._begin(None)
        self.wait()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the stream ends or somebody stops it.

        Args:
            timeout: seconds; `None` waits as long as it takes.

        Returns:
            Whether it has ended.

        Raises:
            PipelineError: a batch failed.
        """
        return self._job.wait(timeout)

    def finish(self) -> None:
        """End the streams: report what waited for later events.

        The end is the last batch, and is taken back when the engine reads on: it then goes on from the batch before.

        Raises:
            PipelineError: the stream is still being read, or a batch failed.
        """
        if self.running:
            raise PipelineError("the streams are still being read", hint="call run_available() or stop() first")
        self.check()
        with self._lock:
            self._report(self._flow.finish())
        for handle in self.handles:
            handle.end()

    def rows_at_end(self) -> dict[str, int]:
        """How many rows each query would report if the streams ended now, by label; queries without any are left out.

        They wait for later events: for the watermark to pass them, or for a window to close. This takes as long as
        `finish`, and changes nothing.
        """
        with self._lock:
            return self._flow.rows_at_end()

    def stop(self) -> None:
        """Finish the batch at work, then stop reading; a later engine goes on from there.

        A batch that takes longer than some seconds is left, and done again by the later engine.
        """
        self._watch.stop()
        if self._intake is not None:
            self._intake.stop()
        self._job.stop()
        for handle in self.handles:
            handle.end()

    def check(self) -> None:
        """Raise what made a batch fail.

        Raises:
            PipelineError, or the error of the stage that failed.
        """
        self._job.check()

    def _begin(self, idle: IdleStreams | None) -> None:
        if self.running:
            return
        flow = self._flow
        self._find_objects(idle)
        self._take_messages(idle)
        for handle in self.handles:
            handle.began()
        self._answer_requests()
        settings = self.project.settings
        with self._lock:
            generation = self._take_up(idle)
        if flow.queries.behind:
            beat(generation.heartbeats)
        elif idle is None and is_all_read(settings, generation):
            return  # there is nothing to be read now, and Spark need not be started to find that out
        keep_freed_memory()
        spark = self._session()
        flow.check_hosting()
        self._job.start(spark, settings, generation, idle, partial(self._take_up, idle))

    def _find_objects(self, idle: IdleStreams | None) -> None:
        """List the buckets of sources: now, or from now on until the streams are read no more."""
        settings = self.project.settings
        listings = listings_of(settings)
        if idle is not None:
            self._watch.stop()
            self._watch = ObjectWatch(listings, settings.engine.trigger.total_seconds(), self._say)
            return
        for listing in listings.values():
            listing.find()

    def _take_messages(self, idle: IdleStreams | None) -> None:
        """Take what brokers have: what waits there now, or all that comes from now on."""
        if self._intake is not None:
            self._intake.stop()
        self._intake = MqttIntake(self.project.settings, self._say)
        if idle is None:
            self._intake.take_waiting()
        else:
            self._intake.start()

    def _session(self) -> SparkSession:
        """Spark, started when it is needed first; see `start_spark`."""
        if self._spark is None:
            self._say("starting Spark")
            self._spark = start_spark(self._engine_settings)
        return self._spark

    @property
    def _engine_settings(self) -> EngineSettings:
        """What Spark is started with."""
        return self.project.settings.engine

    def _take_up(self, idle: IdleStreams | None) -> Generation:
        """Find the checkpoint that serves, and finish what no checkpoint delivers again; no batch is at work."""
        journal, settings = self._flow.journal, self.project.settings
        mended = journal.mended()
        generation = current_generation(settings, self._state, self._flow.last or 0, self._say, mended)
        journal.try_again(mended)  # only now: until Spark lists them anew they must be known
        unfinished = self._flow.begin(generation, idle)
        self._park_handles()
        if unfinished is not None:
            self._report(unfinished)
        return replace(generation, read=journal.read)

    def _run(self, frame: DataFrame, batch: int, generation: Generation, idle: IdleStreams | None) -> None:
        with self._watched(batch):
            write = partial(write_rows, frame, self.project.settings)
            step = self._flow.deliver(batch, generation, partial(self._unpacked, frame), idle, write=write)
            if step is not None:
                self._report(step)

    def _unpacked(self, frame: DataFrame, files: BatchFiles) -> Mapping[str, RawBatch]:
        """The records of a batch; what cannot be read of it is said."""
        records = unpack(frame, self.project.settings, files.passed_over, files.listed, files.only)
        for stream, raw in records.items():
            for file in raw.unreadable:
                self._say(f"streams.{stream}: {file.path} {file.complaint}; see its dead letters")
        return records

    def _cancel(self) -> None:
        self._flow.cancel()

    def _overdue(self, idle: IdleStreams) -> bool:
        return self._flow.overdue(idle)

    def _stop_spark(self) -> None:
        if self._given is None and self._spark is not None:
            self._spark.stop()
            self._spark = None

    @property
    def _state(self) -> Path:
        return self.project.settings.path(self.project.settings.engine.state)
