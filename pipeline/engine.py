"""The engine: a Structured Streaming job whose micro-batches run through the durable data flow."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ..archive import Archive
from ..errors import KaicepError, PipelineError
from ..language import Query
from .durable import DurableFlow
from .generation import begun_batch, current_generation
from .handle import QueryHandle
from .heartbeat import Heartbeat
from .idleness import Idleness
from .knowledge_store import Version
from .living_knowledge import LivingKnowledge
from .progress import Progress
from .project import Project
from .session import start_spark
from .sinks import Sink
from .sources import first_line, read_streams, unpack
from .step import Step
from .takeover import Takeover

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

_LOG = logging.getLogger("kaicep")


class _StoppingError(Exception):
    """Raised into Spark to leave a batch undone; it is delivered again at the next start."""


class Engine:
    """Answers registered queries over the streams of a project and archives every event.

    Args:
        project: settings, knowledge, annotations.
        spark: a session to use; by default the engine starts one and stops it at the end.
        sinks: where the rows of all queries go, besides the handles.
        on_batch: called after each batch with the progress so far.
        on_knowledge: called with each line that tells of a change of the ontology modules; by default it is logged.

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
        on_knowledge: Callable[[str], None] = _LOG.info,
    ) -> None:
        self._project = project
        self._given = spark
        self._spark: SparkSession | None = spark
        self._sinks = sinks
        self._on_batch = on_batch
        self._on_knowledge = on_knowledge
        self._living: LivingKnowledge | None = None
        self._handles: dict[str, QueryHandle] = {}
        self._stream: StreamingQuery | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._failure: BaseException | None = None
        self._archive: Archive | None = None
        self._entered: DurableFlow | None = None
        self._heartbeat: Heartbeat | None = None

    def __enter__(self) -> Self:
        try:
            self._enter()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _enter(self) -> None:
        settings = self._project.settings
        if settings.archive.enabled:
            shapes = {name: annotator.shape for name, annotator in self._project.annotators.items()}
            self._archive = Archive(settings, self._project.knowledge, shapes)
        self._entered = DurableFlow(self._project, self._state, self._sinks, self._archive, self._tell)
        self._living = LivingKnowledge(self._entered, self._on_knowledge)
        if self._spark is None:
            self._spark = start_spark(settings.engine)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._living is not None:
            self._living.close()
        if self._entered is not None:
            self._entered.close()
        if self._archive is not None:
            self._archive.close()
        if self._given is None and self._spark is not None:
            self._spark.stop()
            self._spark = None

    @property
    def project(self) -> Project:
        """The project; once the engine is entered, with the knowledge in force."""
        return self._project if self._entered is None else self._entered.project

    @property
    def ontology(self) -> LivingKnowledge:
        """The ontology modules, to be changed while queries run.

        Raises:
            PipelineError: the engine is not entered.
        """
        if self._living is None:
            raise PipelineError("the engine is not entered", hint="use it in a `with` statement")
        return self._living

    @property
    def progress(self) -> Progress:
        """What was done so far, over restarts."""
        return self._flow.progress

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
        registrations = self._flow.history.newest.registrations(text, label, outputs, retention)
        taken = next((r.label for r in registrations if r.label in self._handles), None)
        if taken is not None:
            raise PipelineError(
                f"a query named '{taken}' is registered already",
                hint="stop it first, or give the new one another name with CREATE QUERY … AS",
            )
        handles = [QueryHandle(self, r, collect=collect) for r in registrations]
        with self._lock:
            self._flow.submit(registrations)
        self._handles |= {h.name: h for h in handles}
        return handles[-1]

    def explain(self, label: str, query: Query) -> str:
        """How a query of this project is answered, in words; if it is registered under `label`, as it is answered."""
        flow = self._flow.dataflow.flows.get(label)
        return self.project.explain(query) if flow is None else flow.explain()

    def withdraw(self, label: str) -> None:
        """Stop answering a query at the next batch border.

        Raises:
            PipelineError: another query reads its output.
        """
        with self._lock:
            self._flow.withdraw(label)
            self._handles.pop(label, None)

    def start(self) -> None:
        """Begin to read the streams with the project's trigger interval; does nothing when it is running.

        From now on the watermark of a stream that is silent goes on by wall clock (`idle_timeout`).
        """
        settings = self.project.settings
        seconds = settings.engine.trigger.total_seconds()
        idleness = Idleness(settings.idle_timeouts())
        self._begin(lambda writer: writer.trigger(processingTime=f"{seconds} seconds"), idleness)

    def run_available(self) -> None:
        """Read what there is now, wait for the end of it; wall clock moves no watermark.

        Raises:
            PipelineError: a batch failed.
        """
        self._begin(lambda writer: writer.trigger(availableNow=True), None)
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
            time.sleep(0.02)
        self.check()
        return not self.running

    def finish(self) -> None:
        """End the streams: report what waited for later events.

        The end is the last batch, and is taken back when the engine reads on: it then goes on from the batch before.

        Raises:
            PipelineError: the stream is still being read.
        """
        if self.running:
            raise PipelineError("the streams are still being read", hint="call run_available() or stop() first")
        with self._lock:
            self._report(self._flow.finish())
        for handle in self._handles.values():
            handle.end()

    def stop(self) -> None:
        """Finish the batch at work, then stop reading; a later engine goes on from there."""
        self._stopping.set()
        self._stop_heartbeat()
        if self._stream is not None:
            with self._lock:
                self._stream.stop()
            self._stream = None
        for handle in self._handles.values():
            handle.end()

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

    @property
    def _flow(self) -> DurableFlow:
        if self._entered is None:
            raise PipelineError("the engine is not entered", hint="use it in a `with` statement")
        return self._entered

    @property
    def _state(self) -> Path:
        return self.project.settings.path(self.project.settings.engine.state)

    def _begin(self, with_trigger: Callable[[DataStreamWriter], DataStreamWriter], idleness: Idleness | None) -> None:
        if self.running:
            return
        if self._spark is None:
            raise PipelineError("the engine is not entered", hint="use it in a `with` statement")
        self._stopping.clear()
        self._failure = None
        self._stop_heartbeat()
        generation = current_generation(self.project.settings, self._state, self._flow.last)
        self._flow.history.begun = begun_batch(generation)
        frame = read_streams(self._spark, self.project.settings, generation.heartbeats)
        writer = with_trigger(frame.writeStream.foreachBatch(self._deliver_from(generation.base, idleness)))
        self._stream = writer.option("checkpointLocation", str(generation.checkpoint)).start()
        if idleness is not None:
            self._heartbeat = Heartbeat(generation.heartbeats, partial(self._overdue, idleness), idleness.patience)

    def _stop_heartbeat(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.stop()
            self._heartbeat = None

    def _overdue(self, idleness: Idleness) -> bool:
        """Whether a batch has to be made without records; while one is at work there is no need."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return self._flow.overdue(idleness)
        finally:
            self._lock.release()

    def _deliver_from(self, base: int, idleness: Idleness | None) -> Callable[[DataFrame, int], None]:
        """Spark's `foreachBatch`, where its batch 0 is our batch `base`."""
        return lambda frame, number: self._deliver(frame, base + number, idleness)

    def _deliver(self, frame: DataFrame, batch: int, idleness: Idleness | None) -> None:
        # `stop` holds the lock while Spark waits for this call to end: it must give up instead of waiting for it.
        while not self._lock.acquire(timeout=0.1):
            self._leave_when_stopping()
        try:
            self._leave_when_stopping()
            heartbeat = self._heartbeat
            if heartbeat is not None:
                heartbeat.answered()
            records = unpack(frame, self.project.settings)
            self._report(self._flow.run(batch, records, idleness))
        except Exception as error:
            self._failure = None if isinstance(error, _StoppingError) else error
            raise
        finally:
            self._lock.release()

    def _leave_when_stopping(self) -> None:
        if self._stopping.is_set():
            raise _StoppingError

    def _tell(self, version: Version, takeover: Takeover) -> None:
        head, *others = takeover.summary
        for line in (f"ontology: {version} from batch {version.batch} on: {head}", *(f"  {line}" for line in others)):
            self._on_knowledge(line)

    def _report(self, step: Step) -> None:
        flows = self._flow.dataflow.flows
        for label, matches in step.matches.items():
            self._handles[label].receive(matches, ended=flows[label].ended, failure=flows[label].failure)
        if self._on_batch is not None:
            self._on_batch(self.progress)
