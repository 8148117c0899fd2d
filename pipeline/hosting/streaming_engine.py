"""The engine: a Structured Streaming job whose micro-batches run through the durable data flow."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ...archive import Archive
from ...errors import KaicepError, PipelineError
from ...language.nodes import Query
from ...storage import masked
from ..catalog import Catalog
from ..control import KnowledgeAdmin, Submissions
from ..durability import (
    CheckpointedFlow,
    Generation,
    Progress,
    current_generation,
    is_all_read,
)
from ..flow import BatchResult, IdleStreams, ParkedQuery, QueryRuntime, Registration
from ..knowledge import KnowledgeSwap, Version
from ..monitoring import BatchAtWork, EngineStatus
from ..named_queries import queries_named, queries_read
from ..profile import FlowProfile
from ..sinks import Sink, check_sinks
from ..sources import beat, unpack
from .engine_observer import EngineObserver
from .handle import QueryHandle
from .spark_job import SparkJob
from .spark_session import start_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LOG = logging.getLogger("kaicep")


class StreamingEngine(ABC):
    """Answers registered queries over the streams of a project and archives every event.

    Args:
        project: settings, knowledge, annotations.
        spark: a session to use; by default the engine starts one when there is something to read, and stops it at the
            end.
        sinks: where the rows of all queries go, besides the handles.
        on_batch: called after each batch with the progress so far.
        on_knowledge: called with each line that tells of a change of the ontology modules; by default it is logged.
        on_notice: likewise of queries that other processes submit and withdraw, and of queries that have ended.
        on_failure: called at once with what made a batch fail; by default it is logged. Whoever waits is raised it.

    Raises:
        PipelineError: something given is no sink; the message says what it lacks.
    """

    def __init__(
        self,
        project: Catalog,
        *,
        spark: SparkSession | None = None,
        sinks: Sequence[Sink] = (),
        on_batch: Callable[[Progress], None] | None = None,
        on_knowledge: Callable[[str], None] = _LOG.info,
        on_notice: Callable[[str], None] = _LOG.info,
        on_failure: Callable[[str], None] = _LOG.error,
    ) -> None:
        self._sinks = check_sinks(sinks)
        self._project = project
        self._given = spark
        self._spark: SparkSession | None = spark
        self._on_batch = on_batch
        self._on_knowledge = on_knowledge
        self._on_notice = on_notice
        self._ontology: KnowledgeAdmin | None = None
        self._submissions: Submissions | None = None
        self._handles: dict[str, QueryHandle] = {}
        self._brought: list[str] = []
        self._lock = threading.Lock()
        self._naming = threading.Lock()  # of labels and handles: whoever asks for them waits for no batch
        self._job = SparkJob(
            self._lock, self._run, self._overdue, lambda error: on_failure(str(error)), self._cancel, say=on_notice
        )
        self._open = ExitStack()
        self._archive: Archive | None = None
        self._entered: CheckpointedFlow | None = None
        self._observer: EngineObserver | None = None

    def __enter__(self) -> Self:
        try:
            self._enter()
        except BaseException:
            self._leave()
            raise
        return self

    def _enter(self) -> None:
        settings = self._project.settings
        self._open.enter_context(masked(settings.engine.umask))
        if settings.archive.enabled:
            shapes = self._project.shapes
            self._archive = Archive(settings, self._project.knowledge, shapes)
        self._entered = CheckpointedFlow(
            self._project, self._state, self._sinks, self._archive, self._tell, say=self._on_notice
        )
        self._ontology = KnowledgeAdmin(self._entered, self._on_knowledge)
        self._submissions = Submissions(self, self._on_notice)
        self._observer = EngineObserver(self, self._entered, self._archive, settings)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, and give everything back.

        Raises:
            PipelineError, or the error of the stage that failed: a batch failed, and nobody was raised it yet.
        """
        self._leave()
        if error is None and not self._job.told:
            self._job.check()

    def _leave(self) -> None:
        with ExitStack() as steps:  # whatever one of them raises, those behind it are done; the last one comes first
            steps.callback(self._open.close)
            steps.callback(self._stop_spark)
            for part in (self._archive, self._entered, self._ontology, self._submissions, self._observer):
                if part is not None:
                    steps.callback(part.close)
            steps.callback(self.stop)

    def _stop_spark(self) -> None:
        if self._given is None and self._spark is not None:
            self._spark.stop()
            self._spark = None

    @property
    def project(self) -> Catalog:
        """The project; once the engine is entered, with the knowledge in force."""
        return self._project if self._entered is None else self._entered.project

    @property
    def ontology(self) -> KnowledgeAdmin:
        """The ontology modules, to be changed while queries run.

        Raises:
            PipelineError: the engine is not entered.
        """
        if self._ontology is None:
            raise PipelineError("the engine is not entered", hint="use it in a `with` statement")
        return self._ontology

    @property
    def progress(self) -> Progress:
        """What was done so far, over restarts."""
        return self._flow.progress

    @property
    def backfill_progress(self) -> dict[str, float]:
        """By label, how much of its past lies behind a query that is answered over it, from 0 to 1.

        Asked from any thread, it waits for no batch.
        """
        return self._flow.backfill_progress

    @property
    def status(self) -> EngineStatus:
        """What the engine is doing, and what it has done; asked from any thread, it waits for no batch.

        Raises:
            PipelineError: the engine is not entered.
        """
        return self._observed.status()

    @property
    def batch_at_work(self) -> BatchAtWork | None:
        """The batch that is being done, for how long, and its stage; `None`: none is.

        Raises:
            PipelineError: the engine is not entered.
        """
        return self._observed.batch_at_work

    @property
    def failure(self) -> KaicepError | None:
        """What ended the streams; `None`: nothing did."""
        return self._job.failure

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
        return self._job.running

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
        return self.register(self.registrations(text, label=label, retention=retention), collect=collect)[-1]

    def registrations(
        self, text: str, *, label: str = "query", retention: timedelta | None = None
    ) -> tuple[Registration, ...]:
        """The checked queries of a document, which may read the output of registered ones; see `submit`."""
        project = self._flow.versions.newest
        # Those that were brought are looked for again: the document may define them itself.
        outputs = [handle.query for handle in self.handles if handle.name not in self._brought]
        outputs += queries_read(project, text, label, outputs)
        return project.registrations(text, label, outputs, retention)

    def register(self, registrations: Sequence[Registration], *, collect: bool = True) -> list[QueryHandle]:
        """Register checked queries at the next batch border; see `submit`.

        Queries of the project that they read and that nobody has registered are registered before them.

        Raises:
            PipelineError: one of the labels is taken; then none is registered.
        """
        if not collect:
            registrations = [registration for registration in registrations if not self._keeps(registration)]
        brought = self._brought_by(registrations)
        handles = [QueryHandle(self, registration, collect=False) for registration in brought]
        handles += [QueryHandle(self, registration, collect=collect) for registration in registrations]
        with self._naming:
            taken = next((handle.name for handle in handles if handle.name in self._handles), None)
            if taken is not None:
                raise PipelineError(
                    f"a query named '{taken}' is registered already",
                    hint="stop it first, or give the new one another name with CREATE QUERY … AS",
                )
            self._flow.submit([*brought, *registrations])
            self._handles |= {handle.name: handle for handle in handles}
        for handle in handles if self.running else ():
            handle.began()
        self._brought += [registration.label for registration in brought]
        for registration in brought:
            self._on_notice(f"queries: {registration.label} of the project is answered too, for those that read it")
        return handles[len(brought) :]

    def _keeps(self, registration: Registration) -> bool:
        """Whether a query is answered already because others read it; it is for itself from now on."""
        known = self._handles.get(registration.label)
        if known is None or known.name not in self._brought or known.query.normal != registration.query.normal:
            return False
        self._brought.remove(known.name)
        return True

    def _brought_by(self, registrations: Sequence[Registration]) -> list[Registration]:
        """The project's queries that are to be answered because others read them."""
        outputs = [*(handle.query for handle in self.handles), *(one.query for one in registrations)]
        names = {source.stream.name for one in registrations for source in one.query.sources}
        found = queries_named(self._flow.versions.newest, names, outputs)
        return [Registration(query, query.name) for query in found if query.name is not None]

    @property
    def handles(self) -> tuple[QueryHandle, ...]:
        """The registered queries, in the order of their registration."""
        return tuple(self._handles.values())

    @property
    def refused(self) -> Mapping[str, str]:
        """Queries that were submitted to earlier engines and that this one refuses, with the reasons."""
        return {} if self._submissions is None else self._submissions.refused

    @property
    def brought(self) -> Sequence[str]:
        """Queries of the project that are answered because registered ones read them."""
        return tuple(self._brought)

    def now_of(self, label: str) -> datetime | None:
        """The time of its streams at which a query was registered; `None`: before their first event, or not yet."""
        runtime = self.runtime_of(label)
        return None if runtime is None else runtime.registration.now

    def runtime_of(self, label: str) -> QueryRuntime | None:
        """What answers a registered query; `None`: nothing yet."""
        return self._flow.dataflow.flows.get(label)

    @abstractmethod
    def explain(self, label: str, query: Query) -> str:
        """How a query of this project is answered, in words; if it is registered under `label`, as it is answered."""

    def withdraw(self, label: str) -> None:
        """Stop answering a query at the next batch border.

        Raises:
            PipelineError: another query reads its output.
        """
        with self._naming:
            self._flow.withdraw(label)
            self._handles.pop(label, None)
            read = {source.stream.name for handle in self.handles for source in handle.query.sources}
        for brought in [name for name in self._brought if name not in read]:
            self._brought.remove(brought)
            if brought in self._handles:
                self.withdraw(brought)

    def resume(self, label: str) -> tuple[str, ...]:
        """Let a parked query go on at the next batch border, its missed rows first, as if it had never been parked.

        Where the archive does not have the events any more that it has missed, it begins anew, and the log says so.

        Returns:
            The queries that go on: those whose output it reads and those that read its, if they are parked, too.

        Raises:
            PipelineError: it is not parked.
        """
        return self._flow.resume(label)

    @property
    def parked(self) -> tuple[ParkedQuery, ...]:
        """The queries that are answered no more until they are resumed: since when, and why."""
        return tuple(parked for parked in self._flow.parked if not parked.resuming)

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

    @property
    def profile(self) -> FlowProfile:
        """What it has seen of streams and what has become of it in queries, since it was entered."""
        with self._lock:
            return self._flow.dataflow.profile

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
        self._job.stop()
        for handle in self.handles:
            handle.end()

    def check(self) -> None:
        """Raise what made a batch fail.

        Raises:
            PipelineError, or the error of the stage that failed.
        """
        self._job.check()

    @property
    def _flow(self) -> CheckpointedFlow:
        if self._entered is None:
            raise PipelineError("the engine is not entered", hint="use it in a `with` statement")
        return self._entered

    @property
    def _observed(self) -> EngineObserver:
        if self._observer is None:
            raise PipelineError("the engine is not entered", hint="use it in a `with` statement")
        return self._observer

    @property
    def _state(self) -> Path:
        return self.project.settings.path(self.project.settings.engine.state)

    def _begin(self, idle: IdleStreams | None) -> None:
        if self.running:
            return
        if self._submissions is None:
            raise PipelineError("the engine is not entered", hint="use it in a `with` statement")
        for handle in self.handles:
            handle.began()
        self._submissions.begin()
        settings = self.project.settings
        with self._lock:
            generation = self._take_up(idle)
        if self._flow.behind:
            beat(generation.heartbeats)
        elif idle is None and is_all_read(settings, generation):
            return  # there is nothing to be read now, and Spark need not be started to find that out
        if self._spark is None:
            self._on_notice("starting Spark")
            self._spark = start_spark(settings.engine, brief=idle is None)
        self._job.start(self._spark, settings, generation, idle, partial(self._take_up, idle))

    def _take_up(self, idle: IdleStreams | None) -> Generation:
        """Find the checkpoint that serves, and finish what no checkpoint delivers again; no batch is at work."""
        generation = current_generation(self.project.settings, self._state, self._flow.last or 0, self._on_notice)
        unfinished = self._flow.begin(generation, idle)
        self._park_handles()
        if unfinished is not None:
            self._report(unfinished)
        return generation

    def _run(self, frame: DataFrame, batch: int, generation: Generation, idle: IdleStreams | None) -> None:
        with self._observed.batch(batch):
            step = self._flow.deliver(batch, generation, partial(unpack, frame, self.project.settings), idle)
            if step is not None:
                self._report(step)

    def _cancel(self) -> None:
        self._flow.cancel()

    def _overdue(self, idle: IdleStreams) -> bool:
        return self._flow.overdue(idle)

    def _tell(self, version: Version, swap: KnowledgeSwap) -> None:
        head, *others = swap.summary
        for line in (f"ontology: {version} from batch {version.batch} on: {head}", *(f"  {line}" for line in others)):
            self._on_knowledge(line)

    def _park_handles(self) -> None:
        flows = self._flow.dataflow.flows
        for handle in self.handles:
            parked = self._flow.parked.get(handle.name)
            if parked is not None and parked.normal != handle.query.normal:
                parked = None  # another query of that name was
            failed = flows[handle.name].failure if handle.name in flows else None
            handle.park(failed if parked is None or parked.resuming else parked.failure)

    def _report(self, step: BatchResult) -> None:
        flows = self._flow.dataflow.flows
        for label, matches in step.matches.items():
            handle, flow = self._handles.get(label), flows.get(label)
            if handle is None or flow is None or handle.query is not flow.query:
                continue  # withdrawn meanwhile
            if handle.receive(matches, ending=None if flow.failure is not None else flow.ending):
                self._on_notice(f"queries: {label} has ended: {flow.ending}")
        self._park_handles()
        if self._on_batch is not None:
            self._on_batch(self.progress)
