"""Batches as Spark delivers them: numbered in our count, one at a time, left undone when the job is told to stop."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from kaicep.errors import ArchiveError, PipelineError
from kaicep.pipeline.durability import Generation
from kaicep.pipeline.flow import CancelledError, IdleStreams
from kaicep.pipeline.hosting.spark_job import SparkJob
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from support.command_line import HANGING_SECONDS


class Stream:
    """A streaming query of Spark's that ends, or fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def awaitTermination(self) -> None:  # noqa: N802 - Spark's name
        """End at once."""
        if self.error is not None:
            raise self.error


FRAME = cast("DataFrame", object())
IDLE = IdleStreams({})


def generation(base: int) -> Generation:
    return Generation(Path("checkpoint"), base, Path("heartbeats"))


def job(run: Callable[[int], None], lock: threading.Lock | None = None, *, overdue: bool = True) -> SparkJob:
    return SparkJob(lock or threading.Lock(), lambda _frame, number, _generation, _idle: run(number), lambda _: overdue)


def test_sparks_first_batch_is_the_base_of_the_generation() -> None:
    numbers: list[int] = []
    of = job(numbers.append)
    of._deliver(generation(7), IDLE, FRAME, 0)
    of._deliver(generation(7), IDLE, FRAME, 3)
    assert numbers == [7, 10]


def test_the_lock_is_held_while_a_batch_is_at_work_and_given_back_after_it() -> None:
    lock = threading.Lock()
    held: list[bool] = []
    job(lambda _: held.append(lock.locked()), lock)._deliver(generation(1), IDLE, FRAME, 0)
    assert (held, lock.locked()) == ([True], False)


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (OSError("disk is gone"), "a batch failed: disk is gone: the batch is delivered again at the next start"),
        (ArchiveError("no room", hint="make some"), "no room: make some"),
    ],
)
def test_what_made_a_batch_fail_is_told_to_who_asks(raised: Exception, told: str) -> None:
    def fail(_: int) -> None:
        raise raised

    of = job(fail)
    with pytest.raises(type(raised)):
        of._deliver(generation(1), IDLE, FRAME, 0)
    with pytest.raises((PipelineError, ArchiveError)) as caught:
        of.check()
    assert str(caught.value) == told


def test_what_ends_the_streams_is_told_at_once_and_to_who_waits() -> None:
    """Nobody may be waiting when it happens."""
    told: list[str] = []
    of = SparkJob(threading.Lock(), lambda *_: None, lambda _: False, lambda error: told.append(str(error)))
    assert (of.running, of.wait(None)) == (False, True)
    of._ended.clear()
    assert (of.running, of.wait(0)) == (True, False)
    of._await_end(cast("Any", Stream(StreamingQueryException("the folder is gone", "STREAM_FAILED"))))
    expected = "Spark stopped reading: the folder is gone: check the sources of the project"
    assert (told, of.running, of.told) == ([expected], False, False)
    with pytest.raises(PipelineError, match="Spark stopped reading"):
        of.wait(None)
    assert of.told


def test_a_batch_that_failed_is_the_reason_and_not_what_spark_says_of_it() -> None:
    told: list[str] = []

    def fail(*_: object) -> None:
        raise ValueError

    of = SparkJob(threading.Lock(), fail, lambda _: False, lambda error: told.append(str(error)))
    with pytest.raises(ValueError, match=r"^$"):
        of._deliver(generation(1), IDLE, FRAME, 0)
    of._await_end(cast("Any", Stream(StreamingQueryException("a Python exception", "STREAM_FAILED"))))
    assert told == ["a batch failed: ValueError: the batch is delivered again at the next start"]


def test_streams_that_end_by_themselves_have_not_failed() -> None:
    of = job(lambda _: None)
    of._await_end(cast("Any", Stream()))
    of.check()
    assert of.told


def test_a_batch_that_comes_after_the_stop_is_left_undone_and_is_no_failure() -> None:
    done: list[int] = []
    of = job(done.append)
    of.stop()
    with pytest.raises(Exception, match=r"^$"):
        of._deliver(generation(1), IDLE, FRAME, 0)
    of.check()
    assert done == []


def test_the_heart_beats_only_while_no_batch_is_at_work() -> None:
    lock = threading.Lock()
    of = job(lambda _: None, lock)
    assert of._needed(IDLE)
    with lock:
        assert not of._needed(IDLE)
    assert not job(lambda _: None, overdue=False)._needed(IDLE)


def test_a_batch_that_takes_too_long_is_left() -> None:
    """It is ended where it can be; Spark delivers it again, and nobody is told of a failure."""
    lock, at_work, cancelled = threading.Lock(), threading.Event(), threading.Event()

    class Stopped(Stream):
        def stop(self) -> None:
            """Nothing is at work any more."""
            assert not at_work.is_set()

    def run(_: int) -> None:
        at_work.set()
        assert cancelled.wait(HANGING_SECONDS)
        at_work.clear()
        raise CancelledError

    of = SparkJob(lock, lambda _frame, number, _generation, _idle: run(number), lambda _: False, cancel=cancelled.set)
    of._stream, of._watch = cast("Any", Stopped()), threading.Thread(target=lambda: None)
    of._watch.start()
    of._ended.clear()
    left: list[BaseException] = []

    def deliver() -> None:
        try:
            of._deliver(generation(1), IDLE, FRAME, 0)
        except Exception as error:  # noqa: BLE001 - what Spark gets
            left.append(error)

    batch = threading.Thread(target=deliver)
    batch.start()
    assert at_work.wait(HANGING_SECONDS)
    of.stop(patience=0)
    batch.join()
    assert [type(error).__name__ for error in left] == ["_StoppingError"]
    assert of.told


class Delivering:
    """A streaming query of Spark's that delivers its only batch, and ends by what that raises."""

    def __init__(self, of: SparkJob, base: Generation | None = None, idle: IdleStreams | None = IDLE) -> None:
        self.of, self.base, self.idle = of, base or generation(1), idle

    def awaitTermination(self) -> None:  # noqa: N802 - Spark's name
        """Until the batch is done or has failed."""
        try:
            self.of._deliver(self.base, self.idle, FRAME, 0)
        except Exception as error:
            raise StreamingQueryException(f"a Python exception: {type(error)}", "STREAM_FAILED") from error

    def stop(self) -> None:
        """It has ended by itself."""


def troubled(*errors: Exception) -> tuple[SparkJob, list[int], list[str]]:
    """A job whose first batch fails by each of the errors in turn; the batches it was given, what it tells."""
    given: list[int] = []
    told: list[str] = []
    left = list(errors)

    def run(_frame: object, number: int, _generation: object, _idle: object) -> None:
        given.append(number)
        if left:
            raise left.pop(0)

    return (
        SparkJob(threading.Lock(), run, lambda _: False, lambda e: told.append(str(e)), say=told.append, pause=0),
        given,
        told,
    )


def full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/state/log")


def test_a_batch_is_delivered_again_until_there_is_room() -> None:
    """Nobody has to start the engine again, and one line tells of it, however long it takes."""
    refused = ArchiveError("the log cannot be written")
    refused.__cause__ = full()
    of, given, told = troubled(full(), refused, OSError(errno.EIO, "Input/output error"))
    waiting: list[str | None] = []

    def again() -> Any:
        waiting.append(of.waits_for)
        return Delivering(of)

    of._ended.clear()
    of._await_end(cast("Any", Delivering(of)), again)
    assert given == [1, 1, 1, 1]
    assert waiting == [str(full()), str(refused), "[Errno 5] Input/output error"]
    assert of.waits_for is None
    assert told == [
        f"the streams wait: {full()}; they are read on as soon as that has passed",
        "the streams are read on",
    ]
    of.check()


def test_what_does_not_pass_ends_the_streams_also_behind_what_does() -> None:
    of, given, told = troubled(full(), ValueError("a defect"))
    of._await_end(cast("Any", Delivering(of)), lambda: cast("Any", Delivering(of)))
    assert (given, told[-1]) == ([1, 1], "a batch failed: a defect: the batch is delivered again at the next start")
    with pytest.raises(PipelineError, match="a defect"):
        of.check()


def test_who_reads_what_there_is_does_not_wait_for_room() -> None:
    of, given, _ = troubled(full())
    of._await_end(cast("Any", Delivering(of, idle=None)), None)
    assert given == [1]
    with pytest.raises(PipelineError, match="No space left on device"):
        of.check()


def test_spark_s_own_checkpoint_may_be_full_too() -> None:
    of, given, told = troubled()
    full_checkpoint = StreamingQueryException("java.io.IOException: No space left on device", "STREAM_FAILED")
    again: list[Any] = [PipelineError("Spark cannot read the source: No space left on device"), Delivering(of)]

    def reopened() -> Any:
        found = again.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    of._await_end(cast("Any", Stream(full_checkpoint)), reopened)
    assert (given, told[-1]) == ([1], "the streams are read on")
    of.check()


def test_a_job_that_waits_for_room_can_be_stopped() -> None:
    of, given, _ = troubled(full())
    of._pause = HANGING_SECONDS
    of._ended.clear()
    of._stream = cast("Any", Delivering(of))
    of._watch = threading.Thread(target=of._await_end, args=(of._stream, lambda: Delivering(of)))
    of._watch.start()
    of.stop()
    assert (given, of.running) == ([1], False)
    of.check()


def test_a_checkpoint_that_is_worn_is_renewed_and_the_batch_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is told of trouble: what Spark remembers is bounded that way."""
    monkeypatch.setattr(Generation, "is_worn", lambda of: of.base == 1)
    of, given, told = troubled()
    of._await_end(
        cast("Any", Delivering(of)),
        lambda: cast("Any", Delivering(of, generation(8))),
    )
    assert (given, told, of.running) == ([8], [], False)
    of.check()
