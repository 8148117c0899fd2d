"""The engine: what it consists of is opened and closed together, and seen while it runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Literal, Protocol, Self

from ...archive import Archive
from ...config import EngineSettings
from ...errors import PipelineError
from ...storage import masked
from ..catalog import Catalog
from ..control import (
    ActionAdmin,
    EngineRequests,
    FolderWatch,
    KnowledgeAdmin,
    StateAdmin,
    Submissions,
    has_actions,
)
from ..distribution import ExecutorHosting
from ..durability import BatchHosting, CheckpointedFlow, Progress
from ..executors import SparkTasks
from ..flow import BatchResult
from ..knowledge import KnowledgeSwap, Version
from ..monitoring import BatchAtWork, EngineStatus, ExecutorStatus
from ..profile import FlowProfile
from ..results import Rows
from ..sinks import Sink, check_sinks
from .engine_observer import EngineObserver
from .given_frames import with_frames
from .hosting_choice import chosen_hosting
from .stream_reader import StreamReader

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LOG = logging.getLogger("kaicep")


class Closeable(Protocol):
    """A part of an engine."""

    def close(self) -> None:
        """Give back what it holds."""


class StreamingEngine(StreamReader):
    """Answers registered queries over the streams of a project and archives every event.

    Args:
        project: settings, knowledge, annotations.
        spark: a session to use; by default the engine starts one when there is something to read, and stops it at the
            end.
        sources: by stream, streaming DataFrames of raw tuples, in place of the sources of the project file; they arrive
            in the order in which Spark delivers.
        sinks: where the rows of all queries go, besides the handles.
        on_batch: called after each batch with the progress so far.
        on_knowledge: called with each line that tells of a change of the ontology modules; by default it is logged.
        on_notice: likewise of queries that other processes submit and withdraw, and of queries that have ended.
        on_failure: called at once with what made a batch fail; by default it is logged. Whoever waits is raised it.

    Raises:
        PipelineError: something given is no sink, or no stream; the message says what it lacks.
    """

    def __init__(
        self,
        project: Catalog,
        *,
        spark: SparkSession | None = None,
        sources: Mapping[str, DataFrame] = MappingProxyType({}),
        sinks: Sequence[Sink] = (),
        on_batch: Callable[[Progress], None] | None = None,
        on_knowledge: Callable[[str], None] = _LOG.info,
        on_notice: Callable[[str], None] = _LOG.info,
        on_failure: Callable[[str], None] = _LOG.error,
    ) -> None:
        if spark is None and sources:
            spark = next(iter(sources.values())).sparkSession
        super().__init__(spark, say=on_notice, on_failure=on_failure, given=sources)
        self._sinks = check_sinks(sinks)
        self._project = with_frames(project, sources) if sources else project
        self._on_batch = on_batch
        self._on_knowledge = on_knowledge
        self._ontology: KnowledgeAdmin | None = None
        self._submissions: Submissions | None = None
        self._actions: ActionAdmin | None = None
        self._states: StateAdmin | None = None
        self._requests = FolderWatch()
        self._open = ExitStack()
        self._archive: Archive | None = None
        self._entered: CheckpointedFlow | None = None
        self._observer: EngineObserver | None = None
        self._tasks: SparkTasks | None = None
        self._hosting: Literal["driver", "executors"] = "driver"

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
        if has_actions(settings):
            asked = EngineRequests(lambda: self._ontology, lambda: self._submissions)
            self._actions = ActionAdmin(settings, self._say, asked, self._requests)
        calls = None if self._actions is None else self._actions.calls
        rows = None if self._actions is None else self._actions.rows
        self._hosting = chosen_hosting(settings, None if self._spark is None else self._spark.sparkContext.master)
        self._entered = CheckpointedFlow(
            self._project,
            self._state,
            self._sinks if rows is None else (*self._sinks, rows),
            self._archive,
            self._tell,
            say=self._say,
            collected=self._collects,
            outbox=calls if rows is None else rows,
            hosting=self._hosted(),
        )
        self._ontology = KnowledgeAdmin(self._entered, self._on_knowledge, self._requests)
        self._submissions = Submissions(self, self._say, self._requests)
        self._states = StateAdmin(self._entered, lambda: self.registered, self._say, self._requests)
        self._observer = EngineObserver(self, self._entered, self._archive, settings, calls)

    def _hosted(self) -> BatchHosting | None:
        """Executors, if they host; they are asked for when there is something to do for them."""
        if self._hosting == "driver":
            return None
        return ExecutorHosting(self._project, self._archive, self._executors, self._say)

    @property
    def _engine_settings(self) -> EngineSettings:
        """With the hosting that was chosen."""
        return super()._engine_settings.model_copy(update={"hosting": self._hosting})

    def _executors(self) -> SparkTasks:
        self._tasks = SparkTasks(self._session())
        return self._tasks

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
            for part in self._parts:
                if part is not None:
                    steps.callback(part.close)
            steps.callback(self.stop)

    @property
    def _parts(self) -> Sequence[Closeable | None]:
        """What is closed at the end, the last one first."""
        return (
            self._archive,
            self._entered,
            self._ontology,
            self._submissions,
            self._states,
            self._actions,
            self._observer,
        )

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
    def hosting(self) -> Literal["driver", "executors"]:
        """Who reads and answers its batches; known when it is entered."""
        return self._hosting

    @property
    def executors(self) -> Mapping[str, ExecutorStatus]:
        """What each executor has done, by the name of its machine and its process there; nothing of other hostings."""
        return {} if self._tasks is None else self._tasks.figures

    @property
    def progress(self) -> Progress:
        """What was done so far, over restarts."""
        return self._flow.progress

    @property
    def backfill_progress(self) -> dict[str, float]:
        """By label, how much of its past lies behind a query that is answered over it, from 0 to 1.

        Asked from any thread, it waits for no batch.
        """
        return self._flow.queries.backfill_progress

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

    def ask(self, text: str) -> Rows:
        """The answer of a query that is asked once, of the states of registered ones between two batches.

        It is made from the log, beside the stream: no batch waits for it, and nothing is registered.

        Args:
            text: χ-CEP over STATE, PARTIAL and CONTEXTS; named queries of this engine are known.

        Returns:
            The rows in order, as those of `Project.evaluate`; `_asked` is the moment that they are of.

        Raises:
            QuerySyntaxError, QueryTypeError: it is refused, or nothing can be asked of a query, such as a parked one.
            PipelineError: there is no log, or it has forgotten what the state may hold.

        Example:
            >>> engine.ask("SELECT COUNT(?p) AS n FROM (?p, PARTIAL(orders))")[0]["n"]  # doctest: +SKIP
            2
        """
        if self._states is None:
            raise PipelineError("the engine is not entered", hint="use it in a `with` statement")
        return self._states.ask(text)

    @property
    def refused(self) -> Mapping[str, str]:
        """Queries that were submitted to earlier engines and that this one refuses, with the reasons."""
        return {} if self._submissions is None else self._submissions.refused

    @property
    def profile(self) -> FlowProfile:
        """What it has seen of streams and what has become of it in queries, since it was entered."""
        with self._lock:
            return self._flow.dataflow.profile

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

    def _tell(self, version: Version, swap: KnowledgeSwap) -> None:
        head, *others = swap.summary
        for line in (f"ontology: {version} from batch {version.batch} on: {head}", *(f"  {line}" for line in others)):
            self._on_knowledge(line)

    def _report(self, step: BatchResult) -> None:
        super()._report(step)
        if self._on_batch is not None:
            self._on_batch(self.progress)

    def _watched(self, number: int) -> AbstractContextManager[None]:
        return self._observed.batch(number)

    def _answer_requests(self) -> None:
        if self._submissions is not None:
            self._submissions.begin()
