"""The engine: a Structured Streaming job whose micro-batches run through the data flow.

A batch is done in this order, so that it can be delivered again at any moment: log segment durable → matches to the
sinks → snapshot durable → Spark commits (DESIGN, decision 5).
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Self

import pyarrow as pa

from ..annotator import EventShape
from ..archive import Archive
from ..errors import KaicepError, PipelineError
from .dataflow import Dataflow, Step
from .dead_letters import DeadLetters
from .flow import Registration
from .generation import current_generation
from .handle import QueryHandle
from .progress import Progress
from .project import Project
from .records import RawBatch
from .session import start_spark
from .sinks import Sink
from .snapshots import Snapshots
from .sources import read_streams, unpack

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

_SINK = "sink/"
_PROGRESS = "progress"


class _StoppingError(Exception):
    """Raised into Spark to leave a batch undone; it is delivered again at the next start."""


class Engine:
    """Answers registered queries over the streams of a project and archives every event.

    Args:
        project: settings, knowledge, annotations.
        spark: a session to use; by default the engine starts one and stops it at the end.
        sinks: where the rows of all queries go, besides the handles.
        on_batch: called after each batch with the progress so far.

    Example:
        >>> with Engine(Project.load("kaicep.toml")) as engine:  # doctest: +SKIP
        ...     handle = engine.submit("SELECT ?e.flowrate FILTER (?e.flowrate > 500)")
        ...     for row in handle.matches():
        ...         print(row)
    """

    def __init__(
        self,
        project: Project,
        *,
        spark: SparkSession | None = None,
        sinks: Sequence[Sink] = (),
        on_batch: Callable[[Progress], None] | None = None,
    ) -> None:
        self.project = project
        self.progress = Progress()
        self._given = spark
        self._spark: SparkSession | None = spark
        self._sinks = tuple(sinks)
        self._on_batch = on_batch
        state = project.settings.path(project.settings.engine.state)
        self._snapshots = Snapshots(state / "snapshots")
        self._generation = current_generation(project.settings, state, self._snapshots.latest())
        self._dead_letters = DeadLetters(state / "dead-letters")
        self._dataflow: Dataflow = project.dataflow(workers=2)
        self._handles: dict[str, QueryHandle] = {}
        self._waiting: list[Registration] = []
        self._restored: int | None = None
        self._stream: StreamingQuery | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._failure: BaseException | None = None
        self._archive: Archive | None = None

    def __enter__(self) -> Self:
        if self.project.settings.archive.enabled:
            self._archive = Archive(self.project.settings, self.project.knowledge, self._shapes())
        if self._spark is None:
            self._spark = start_spark(self.project.settings.engine)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._dataflow.close()
        if self._archive is not None:
            self._archive.close()
        if self._given is None and self._spark is not None:
            self._spark.stop()
            self._spark = None

    @property
    def archive(self) -> Archive:
        """The archive of events.

        Raises:
            PipelineError: it is switched off, or the engine is not entered.
        """
        if self._archive is None:
            raise PipelineError(
                "there is no archive to query", hint="use the engine in a `with` statement and set archive.enabled"
            )
        return self._archive

    @property
    def running(self) -> bool:
        """Whether the stream is being read."""
        return self._stream is not None and bool(self._stream.isActive)

    def submit(
        self, text: str, *, label: str = "query", retention: timedelta | None = None, collect: bool = True
    ) -> QueryHandle:
        """Register the queries of a document at the next batch border.

        Args:
            text: a χ-CEP document.
            label: what an unnamed query is called, such as its file name.
            retention: bounds the state of queries that no WINDOW bounds.
            collect: keep the rows for `QueryHandle.matches`; without, only the sinks get them.

        Returns:
            The handle of the document's last query.

        Raises:
            QuerySyntaxError, QueryTypeError, PipelineError: nothing of the document is registered then.
        """
        outputs = [h.query for h in self._handles.values()]
        registrations = self.project.registrations(text, label, outputs, retention)
        taken = next((r.label for r in registrations if r.label in self._handles), None)
        if taken is not None:
            raise PipelineError(
                f"a query named '{taken}' is registered already",
                hint="stop it first, or give the new one another name with CREATE QUERY … AS",
            )
        handles = [QueryHandle(self, r, collect=collect) for r in registrations]
        with self._lock:
            self._waiting.extend(registrations)
        self._handles |= {h.name: h for h in handles}
        return handles[-1]

    def withdraw(self, label: str) -> None:
        """Stop answering a query at the next batch border.

        Raises:
            PipelineError: another query reads its output.
        """
        with self._lock:
            self._waiting = [r for r in self._waiting if r.label != label]
            if label in self._dataflow.flows:
                self._dataflow.remove(label)
            self._handles.pop(label, None)

    def start(self) -> None:
        """Begin to read the streams with the project's trigger interval; does nothing when it is running."""
        seconds = self.project.settings.engine.trigger.total_seconds()
        self._begin(lambda writer: writer.trigger(processingTime=f"{seconds} seconds"))

    def run_available(self) -> None:
        """Read what there is now, wait for the end of it.

        Raises:
            PipelineError: a batch failed.
        """
        self._begin(lambda writer: writer.trigger(availableNow=True))
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
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.running and (deadline is None or time.monotonic() < deadline):
            time.sleep(0.05)
        self.check()
        return not self.running

    def finish(self) -> None:
        """End the streams: report what waited for later events. What comes in a later run is late.

        Raises:
            PipelineError: the stream is still being read.
        """
        if self.running:
            raise PipelineError("the streams are still being read", hint="call run_available() or stop() first")
        with self._lock:
            batch = self._next_batch()
            self._prepare(batch)
            self._complete(batch, self._dataflow.finish(), {}, time.perf_counter())
        for handle in self._handles.values():
            handle.end()

    def stop(self) -> None:
        """Finish the batch at work, then stop reading; a later engine goes on from there."""
        self._stopping.set()
        if self._stream is not None:
            with self._lock:
                self._stream.stop()
            self._stream = None
        for handle in self._handles.values():
            handle.end()

    def _begin(self, with_trigger: Callable[[DataStreamWriter], DataStreamWriter]) -> None:
        if self.running:
            return
        if self._spark is None:
            raise PipelineError("the engine is not entered", hint="use it in a `with` statement")
        self._stopping.clear()
        self._failure = None
        frame = read_streams(self._spark, self.project.settings)
        writer = with_trigger(frame.writeStream.foreachBatch(self._on_delivery))
        self._stream = writer.option("checkpointLocation", str(self._generation.checkpoint)).start()

    def _on_delivery(self, frame: DataFrame, spark_batch: int) -> None:
        """Spark's `foreachBatch`."""
        # `stop` holds the lock while Spark waits for this call to end: it must give up instead of waiting for it.
        while not self._lock.acquire(timeout=0.1):
            self._leave_when_stopping()
        try:
            self._leave_when_stopping()
            self._batch(self._generation.base + spark_batch, frame)
        except Exception as error:
            self._failure = None if isinstance(error, _StoppingError) else error
            raise
        finally:
            self._lock.release()

    def _leave_when_stopping(self) -> None:
        if self._stopping.is_set():
            raise _StoppingError

    def _batch(self, batch: int, frame: DataFrame) -> None:
        self._prepare(batch)
        raw = unpack(frame, self.project.settings)
        began = time.perf_counter()
        step = self._dataflow.process({name: records.table for name, records in raw.items()})
        self._complete(batch, step, raw, began)

    def _complete(self, batch: int, step: Step, raw: Mapping[str, RawBatch], began: float) -> None:
        """Make the results of a batch durable, in the order that lets it be delivered again."""
        if self._archive is not None:
            self._archive.append(batch, {n: _with_late(s.events, s.late) for n, s in step.streams.items()})
        for name, records in raw.items():
            self._dead_letters.write(name, batch, records, step.streams[name].rejected)
        for sink in self._sinks:
            for label, matches in step.matches.items():
                sink.write(batch, label, matches)
            sink.flush()
        malformed = {name: len(records.malformed) for name, records in raw.items()}
        self.progress = self.progress.after(step, malformed, time.perf_counter() - began)
        self._snapshots.write(batch, self._state())
        self._restored = batch
        for label, matches in step.matches.items():
            self._handles[label].receive(matches, ended=self._dataflow.flows[label].ended)
        if self._on_batch is not None:
            self._on_batch(self.progress)

    def _state(self) -> dict[str, bytes]:
        sinks = {f"{_SINK}{i}": json.dumps(sink.snapshot()).encode() for i, sink in enumerate(self._sinks)}
        return self._dataflow.snapshot() | sinks | {_PROGRESS: self.progress.to_bytes()}

    def _prepare(self, batch: int) -> None:
        """Bring the state to the end of the batch before, and register what waits for a batch border."""
        if self._restored != batch - 1:
            self._restore(batch - 1)
        for registration in self._waiting:
            now = self._dataflow.now(registration.query)
            self._dataflow.register(Registration(registration.query, registration.label, now))
        self._waiting = []

    def _restore(self, batch: int) -> None:
        """Go back to the state after a batch: by its snapshot, else by replaying the archive's log."""
        registered = [flow.registration for flow in self._dataflow.flows.values()]
        queries, self._waiting = [*registered, *self._waiting], []
        self._dataflow.close()
        self._dataflow = self.project.dataflow(workers=2)
        state = self._snapshots.read(batch)
        self._dataflow.restore(state or {}, queries)
        self.progress = Progress.from_bytes(state[_PROGRESS]) if state else Progress()
        if state is None and batch > 0:
            self._replay_log(batch)
        for i, sink in enumerate(self._sinks):
            sink.restore(json.loads((state or {}).get(f"{_SINK}{i}", b"{}")))
        self._restored = batch
        if state is None:
            self._snapshots.write(batch, self._state())

    def _replay_log(self, batch: int) -> None:
        """Bring fresh operators to the end of a batch; their rows were reported before the snapshot was lost.

        Raises:
            PipelineError: there is no archive to replay.
        """
        if self._archive is None:
            raise PipelineError(
                f"the snapshot of batch {batch} is lost and there is no archive to rebuild it from",
                hint=f"restore {self._snapshots.folder}, or remove the engine's state to begin anew",
            )
        log = self._archive.log
        for position in log.positions():
            if position.batch <= batch:
                began = time.perf_counter()
                step = self._dataflow.replay(log.read_batch(position))
                self.progress = self.progress.after(step, {}, time.perf_counter() - began)

    def _next_batch(self) -> int:
        latest = self._snapshots.latest()
        return 1 if latest is None else latest + 1

    def _shapes(self) -> dict[str, EventShape]:
        return {name: annotator.shape for name, annotator in self.project.annotators.items()}

    def check(self) -> None:
        """Raise what made a batch fail.

        Raises:
            PipelineError, or the error of the stage that failed.
        """
        if self._failure is None:
            return
        if isinstance(self._failure, KaicepError):
            raise self._failure
        raise PipelineError(
            f"a batch failed: {self._failure}", hint="the batch is delivered again at the next start"
        ) from self._failure


def _with_late(events: pa.Table, late: pa.Table) -> pa.Table:
    """The events to archive: admitted ones and late ones, marked."""
    parts = [
        part.drop_columns("_row").append_column("_late", pa.repeat(pa.scalar(mark), part.num_rows))
        for part, mark in ((events, False), (late, True))
    ]
    return pa.concat_tables(parts)
