"""The Structured Streaming job: it brings micro-batches to a function, one at a time, until it is told to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from ...config import Settings
from ...errors import KaicepError, PipelineError
from ...storage import is_transient
from ..durability import Generation
from ..flow import CancelledError, IdleStreams
from ..sources import Heartbeat, first_line, read_streams
from .interruption import PAUSE_S, Interruption

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["SparkJob"]

_LOOKED_AFTER = 1000
"""After so many batches it is asked whether Spark remembers too much."""
_CHECK_SOURCES = "check the sources of the project"
_DELIVERED_AGAIN = "the batch is delivered again at the next start"
_PATIENCE_S = 5.0


class _StoppingError(Exception):
    """Raised into Spark to leave a batch undone; it is delivered again at the next start."""


def _end_of(stream: StreamingQuery) -> Exception | None:
    """Wait until a stream ends, and return what ended it; `None`: nothing is wrong."""
    try:
        stream.awaitTermination()
    except (PySparkException, Py4JError) as error:
        return error
    return None


class _WornError(Exception):
    """Raised into Spark to leave a batch undone; it is delivered again from a checkpoint that is begun anew."""


class SparkJob:
    """Reads the streams of a project.

    Args:
        lock: held while a batch is at work.
        run: does a batch: its frame, its number in our count, the checkpoint, and which streams are silent.
        overdue: whether a batch has to be made without records; asked while no batch is at work.
        on_failure: told at once what ended the streams, on a thread of its own: nobody may be waiting.
        cancel: ends the batch at work with `CancelledError`, as soon as it can be.
        say: takes a line of the log.
        stale: whether Spark's checkpoint has to be begun anew, so that it lists again what it knows.
        given: by stream, the DataFrames that a program has for sources.
        pause: how many seconds after a full disk, an I/O error or the like the streams are read on.

    Attributes:
        told: whether somebody was raised what made a batch fail, or there is nothing to tell.
    """

    def __init__(
        self,
        lock: threading.Lock,
        run: Callable[[DataFrame, int, Generation, IdleStreams | None], None],
        overdue: Callable[[IdleStreams], bool],
        on_failure: Callable[[KaicepError], None] = lambda _: None,
        cancel: Callable[[], None] = lambda: None,
        *,
        say: Callable[[str], None] = lambda _: None,
        stale: Callable[[], bool] = lambda: False,
        pause: float = PAUSE_S,
        given: Mapping[str, DataFrame] = MappingProxyType({}),
    ) -> None:
        self._given = given
        self._lock = lock
        self._cancel = cancel
        self._run = run
        self._overdue = overdue
        self._on_failure = on_failure
        self._say, self._pause, self._stale = say, pause, stale
        self._trouble: Exception | None = None
        self._interruption = Interruption(say)
        self._heartbeat: Heartbeat | None = None
        self._stream: StreamingQuery | None = None
        self._watch: threading.Thread | None = None
        self._ended = threading.Event()
        self._ended.set()
        self._stopping = threading.Event()
        self._worn = False
        self._failure: KaicepError | None = None
        self.told = True

    @property
    def running(self) -> bool:
        """Whether the streams are being read."""
        return not self._ended.is_set()

    @property
    def waits_for(self) -> str | None:
        """What passes, and the streams wait for; `None`: for nothing."""
        return self._interruption.trouble if self.running else None

    @property
    def failure(self) -> KaicepError | None:
        """What ended the streams; `None`: nothing did."""
        return self._failure

    def start(
        self,
        spark: SparkSession,
        settings: Settings,
        generation: Generation,
        idle: IdleStreams | None,
        renewed: Callable[[], Generation] | None = None,
    ) -> None:
        """Begin to read.

        Args:
            spark: the session.
            settings: the project's.
            generation: the checkpoint, and the number of its first batch in our count.
            renewed: gives the checkpoint that serves when streams are read on; `None`: the same one.
            idle: follows which streams are silent; `None`: read what there is now, and end.
        """
        self._stopping.clear()
        self._failure, self.told = None, True
        self._trouble, self._interruption = None, Interruption(self._say)
        self._stop_heartbeat()
        self._worn = False
        opened = partial(self._open, spark, settings, idle)
        self._stream = opened(generation)
        self._ended.clear()
        again = None if idle is None else lambda: opened(generation if renewed is None else renewed())
        self._watch = threading.Thread(
            target=self._await_end, args=(self._stream, again), name="kaicep-stream-watch", daemon=True
        )
        self._watch.start()
        if idle is not None:
            self._heartbeat = Heartbeat(generation.heartbeats, partial(self._needed, idle), idle.patience)

    def _open(
        self,
        spark: SparkSession,
        settings: Settings,
        idle: IdleStreams | None,
        generation: Generation,
    ) -> StreamingQuery:
        starts = generation.starts(settings)
        frame = read_streams(spark, settings, generation.heartbeats, starts, self._given)
        writer = frame.writeStream.foreachBatch(partial(self._deliver, generation, idle))
        if idle is None:
            writer = writer.trigger(availableNow=True)
        else:
            writer = writer.trigger(processingTime=f"{settings.engine.trigger.total_seconds()} seconds")
        return writer.option("checkpointLocation", str(generation.checkpoint)).start()

    def wait(self, timeout: float | None) -> bool:
        """Wait until it ends or somebody stops it, at most so many seconds; tell whether it has ended.

        Raises:
            PipelineError, or the error of the stage that failed.
        """
        ended = self._ended.wait(timeout)
        self.check()
        return ended

    def stop(self, patience: float = _PATIENCE_S) -> None:
        """Stop, when the batch at work is finished; one that takes longer is left, and done again at the next start.

        Args:
            patience: how many seconds it may take.
        """
        self._stopping.set()
        self._stop_heartbeat()
        if self._stream is not None and self._watch is not None:
            if not self._lock.acquire(timeout=patience):
                self._cancel()
                self._lock.acquire()
            try:
                if self.running:
                    self._stream.stop()
            finally:
                self._lock.release()
            self._watch.join()
            self._stream = self._watch = None

    def check(self) -> None:
        """Raise what made a batch fail.

        Raises:
            PipelineError, or the error of the stage that failed.
        """
        if self._failure is not None:
            self.told = True
            raise self._failure

    def _await_end(self, stream: StreamingQuery, again: Callable[[], StreamingQuery] | None = None) -> None:
        """Note that the streams have ended, and why: what ends them between two batches, no batch can tell.

        What passes does not end them: they are read on after a pause, as at a start.

        Args:
            stream: is being read.
            again: reads it on; `None`: nobody waits for what passes.
        """
        try:
            while (error := _end_of(stream)) is not None and self._failure is None and not self._stopping.is_set():
                trouble = self._trouble or error
                if again is None or not (self._worn or is_transient(trouble)):
                    reason = f"Spark stopped reading: {first_line(error)}"
                    self._fail(PipelineError(reason, hint=_CHECK_SOURCES), error)
                else:
                    if not self._worn:
                        self._interruption.begin(trouble)
                    stream = self._read_on(again) or stream
        finally:
            self._ended.set()

    def _read_on(self, again: Callable[[], StreamingQuery]) -> StreamingQuery | None:
        """Wait, and read the streams on; `None`: that does not work yet, or nobody wants it any more."""
        if self._stopping.wait(self._pause):
            return None
        with self._lock:
            if self._stopping.is_set():
                return None
            self._trouble, self._worn = None, False
            try:
                self._stream = again()
            except (PySparkException, Py4JError, PipelineError) as error:
                self._trouble = error
                return None
            return self._stream

    def _fail(self, failure: KaicepError, cause: BaseException | None = None) -> None:
        if cause is not None:
            failure.__cause__ = cause
        self._failure, self.told = failure, False
        self._on_failure(failure)

    def _stop_heartbeat(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.stop()
            self._heartbeat = None

    def _needed(self, idle: IdleStreams) -> bool:
        """Whether the heart has to beat; while a batch is at work there is no need."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            overdue = self._overdue(idle)
            if overdue:
                idle.ask()
            return overdue
        finally:
            self._lock.release()

    def _deliver(self, generation: Generation, idle: IdleStreams | None, frame: DataFrame, number: int) -> None:
        """Spark's `foreachBatch`, where its batch 0 is our batch `generation.base`."""
        # `stop` holds the lock while Spark waits for this call to end: it must give up instead of waiting for it.
        while not self._lock.acquire(timeout=0.1):
            self._leave_when_stopping()
        try:
            self._leave_when_stopping()
            if idle is not None:
                self._leave_when_worn(generation, number)
            heartbeat = self._heartbeat
            if heartbeat is not None:
                heartbeat.answered()
            with nullcontext() if idle is None else idle.delivery():
                self._run(frame, generation.base + number, generation, idle)
            self._interruption.end()
        except (_StoppingError, _WornError):
            raise
        except CancelledError:
            raise _StoppingError from None
        except Exception as error:
            self._note(error, passes=idle is not None)
            raise
        finally:
            self._lock.release()

    def _note(self, error: Exception, *, passes: bool) -> None:
        """Note why a batch failed; where the engine goes on after what passes, the batch is delivered again."""
        if passes and is_transient(error):
            self._trouble = error
        elif isinstance(error, KaicepError):
            self._fail(error)
        else:
            told = str(error) or type(error).__name__
            self._fail(PipelineError(f"a batch failed: {told}", hint=_DELIVERED_AGAIN), error)

    def _leave_when_worn(self, generation: Generation, number: int) -> None:
        if (number % _LOOKED_AFTER == 0 and generation.is_worn()) or self._stale():
            self._worn = True
            raise _WornError

    def _leave_when_stopping(self) -> None:
        if self._stopping.is_set():
            raise _StoppingError
