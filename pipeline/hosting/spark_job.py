"""The Structured Streaming job: it brings micro-batches to a function, one at a time, until it is told to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ...config import Settings
from ...errors import KaicepError, PipelineError
from ..durability import Generation
from ..flow import IdleStreams
from ..sources import Heartbeat, first_line, read_streams

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["SparkJob"]


class _StoppingError(Exception):
    """Raised into Spark to leave a batch undone; it is delivered again at the next start."""


class SparkJob:
    """Reads the streams of a project.

    Args:
        lock: held while a batch is at work.
        run: does a batch: its frame, its number in our count, and which streams are silent.
        overdue: whether a batch has to be made without records; asked while no batch is at work.
    """

    def __init__(
        self,
        lock: threading.Lock,
        run: Callable[[DataFrame, int, IdleStreams | None], None],
        overdue: Callable[[IdleStreams], bool],
    ) -> None:
        self._lock = lock
        self._run = run
        self._overdue = overdue
        self._stream: StreamingQuery | None = None
        self._heartbeat: Heartbeat | None = None
        self._stopping = threading.Event()
        self._failure: BaseException | None = None

    @property
    def running(self) -> bool:
        """Whether the streams are being read."""
        return self._stream is not None and bool(self._stream.isActive)

    def start(self, spark: SparkSession, settings: Settings, generation: Generation, idle: IdleStreams | None) -> None:
        """Begin to read.

        Args:
            spark: the session.
            settings: the project's.
            generation: the checkpoint, and the number of its first batch in our count.
            idle: follows which streams are silent; `None`: read what there is now, and end.
        """
        self._stopping.clear()
        self._failure = None
        self._stop_heartbeat()
        frame = read_streams(spark, settings, generation.heartbeats)
        writer = frame.writeStream.foreachBatch(partial(self._deliver, generation.base, idle))
        if idle is None:
            writer = writer.trigger(availableNow=True)
        else:
            writer = writer.trigger(processingTime=f"{settings.engine.trigger.total_seconds()} seconds")
        self._stream = writer.option("checkpointLocation", str(generation.checkpoint)).start()
        if idle is not None:
            self._heartbeat = Heartbeat(generation.heartbeats, partial(self._needed, idle), idle.patience)

    def wait(self, timeout: float | None) -> bool:
        """Wait until it ends or somebody stops it, at most so many seconds; tell whether it has ended.

        Raises:
            PipelineError, or the error of the stage that failed.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.running and (deadline is None or time.monotonic() < deadline):
            time.sleep(0.02)
        self.check()
        return not self.running

    def stop(self) -> None:
        """Finish the batch at work, then stop."""
        self._stopping.set()
        self._stop_heartbeat()
        if self._stream is not None:
            with self._lock:
                self._stream.stop()
            self._stream = None

    def check(self) -> None:
        """Raise what made a batch fail.

        Raises:
            PipelineError, or the error of the stage that failed.
        """
        if isinstance(self._failure, KaicepError):
            raise self._failure
        if self._failure is not None:
            raise PipelineError(
                f"a batch failed: {self._failure}", hint="the batch is delivered again at the next start"
            ) from self._failure
        error = None if self._stream is None or self._stopping.is_set() else self._stream.exception()
        if error is not None:
            raise PipelineError(
                f"Spark stopped reading: {first_line(error)}", hint="check the sources of the project"
            ) from error

    def _stop_heartbeat(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.stop()
            self._heartbeat = None

    def _needed(self, idle: IdleStreams) -> bool:
        """Whether the heart has to beat; while a batch is at work there is no need."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return self._overdue(idle)
        finally:
            self._lock.release()

    def _deliver(self, base: int, idle: IdleStreams | None, frame: DataFrame, number: int) -> None:
        """Spark's `foreachBatch`, where its batch 0 is our batch `base`."""
        # `stop` holds the lock while Spark waits for this call to end: it must give up instead of waiting for it.
        while not self._lock.acquire(timeout=0.1):
            self._leave_when_stopping()
        try:
            self._leave_when_stopping()
            heartbeat = self._heartbeat
            if heartbeat is not None:
                heartbeat.answered()
            self._run(frame, base + number, idle)
        except Exception as error:
            self._failure = None if isinstance(error, _StoppingError) else error
            raise
        finally:
            self._lock.release()

    def _leave_when_stopping(self) -> None:
        if self._stopping.is_set():
            raise _StoppingError
