"""Registers queries with the flow that answers them, and gives their handles what becomes certain."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from ...errors import PipelineError, did_you_mean
from ...language.nodes import Query
from ..catalog import Catalog, labelled
from ..durability import CheckpointedFlow, Progress
from ..flow import BatchResult, ParkedQuery, QueryRuntime, Registration
from ..named_queries import queries_named, queries_read
from .handle import QueryHandle

__all__ = ["QueryRegistrar"]


class QueryRegistrar(ABC):
    """The registered queries of an engine, which says by what they are answered.

    Args:
        say: takes a line of the log.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._handles: dict[str, QueryHandle] = {}
        self._brought: list[str] = []
        self._naming = threading.Lock()  # of labels and handles: whoever asks for them waits for no batch

    @property
    @abstractmethod
    def _flow(self) -> CheckpointedFlow:
        """What answers the queries.

        Raises:
            PipelineError: the engine is not entered.
        """

    @property
    @abstractmethod
    def project(self) -> Catalog:
        """The project; once the engine is entered, with the knowledge in force."""

    @property
    @abstractmethod
    def progress(self) -> Progress:
        """What was done so far, over restarts."""

    @property
    @abstractmethod
    def running(self) -> bool:
        """Whether the streams are being read."""

    @abstractmethod
    def start(self) -> None:
        """Begin to read the streams; does nothing when they are being read."""

    @abstractmethod
    def check(self) -> None:
        """Raise what made a batch fail."""

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
        registrations = self.registrations(text, label=label, retention=retention)
        if not registrations:
            hint = "put the sets of contexts that it declares into the document of the queries that change them"
            raise PipelineError("the document has no query to register", hint=hint)
        return self.register(registrations, collect=collect)[-1]

    def registrations(
        self, text: str, *, label: str = "query", retention: timedelta | None = None
    ) -> tuple[Registration, ...]:
        """The checked queries of a document, which may read the output of registered ones; see `submit`."""
        project = self._flow.versions.newest
        # Those that were brought are looked for again: the document may define them itself.
        outputs = [handle.query for handle in self.handles if handle.name not in self._brought]
        outputs += queries_read(project, text, label, outputs)
        return project.registrations(text, label, outputs, retention, taken=list(self._handles))

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
            self._flow.queries.submit([*brought, *registrations])
            self._handles |= {handle.name: handle for handle in handles}
        for handle in handles if self.running else ():
            handle.began()
        self._brought += [registration.label for registration in brought]
        for registration in brought:
            self._say(f"queries: {registration.label} of the project is answered too, for those that read it")
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
        return labelled(queries_named(self._flow.versions.newest, names, outputs))

    @property
    def handles(self) -> tuple[QueryHandle, ...]:
        """The registered queries, in the order of their registration."""
        return tuple(self._handles.values())

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

    @property
    def registered(self) -> tuple[Registration, ...]:
        """The queries that are answered, or will be from the next batch on, in the order of their registration."""
        flows = self._flow.dataflow.flows
        waiting = [Registration(one.query, one.name) for one in self._handles.values() if one.name not in flows]
        return (*(flow.registration for flow in flows.values()), *waiting)

    @abstractmethod
    def explain(self, label: str, query: Query) -> str:
        """How a query of this project is answered, in words; if it is registered under `label`, as it is answered."""

    def withdraw(self, label: str) -> None:
        """Stop answering a query at the next batch border.

        Raises:
            PipelineError: another query reads its output.
        """
        with self._naming:
            self._flow.queries.withdraw(label, self._flow.dataflow)
            self._handles.pop(label, None)
            read = {source.stream.name for handle in self.handles for source in handle.query.sources}
        for brought in [name for name in self._brought if name not in read]:
            self._brought.remove(brought)
            if brought in self._handles:
                self.withdraw(brought)

    def park(self, label: str, by: str | None = None) -> None:
        """Answer a query no more from the next batch border on, until it is resumed; neither what reads its output.

        It goes on as if it had never been parked, over restarts too, with what the archive has of the time in between.

        Args:
            label: of the query.
            by: who asks for it, for those who see it in lists; `None`: that is not told.

        Raises:
            PipelineError: no such query is registered, or it is parked already, or has ended.
        """
        handle = self._handles.get(label)
        if handle is None:
            hint = did_you_mean(label, list(self._handles)) or f"registered: {', '.join(self._handles) or 'none'}"
            raise PipelineError(f"no query '{label}' is registered", hint=hint)
        if handle.ending is not None:
            raise PipelineError(f"'{label}' has ended: {handle.ending}", hint="no further row of it comes anyway")
        self._flow.queries.park(label, by)

    def resume(self, label: str) -> tuple[str, ...]:
        """Let a parked query go on at the next batch border, its missed rows first, as if it had never been parked.

        Where the archive does not have the events any more that it has missed, it begins anew, and the log says so.

        Returns:
            The queries that go on: those whose output it reads and those that read its, if they are parked, too.

        Raises:
            PipelineError: it is not parked.
        """
        return self._flow.queries.resume(label)

    @property
    def withdrawn(self) -> tuple[Registration, ...]:
        """Queries that are answered no more, and whose changes of contexts count on."""
        return tuple(self._flow.dataflow.queries.withdrawn)

    @property
    def parked(self) -> tuple[ParkedQuery, ...]:
        """The queries that are not answered for now, until they are resumed or come back: since when, and why."""
        texts = {handle.name: handle.query.normal for handle in self.handles}
        return tuple(
            parked
            for parked in self._flow.queries.parked
            if not parked.resuming and texts.get(parked.label, parked.normal) == parked.normal
        )

    def _park_handles(self) -> None:
        """Let the handles know which queries are parked."""
        flows = self._flow.dataflow.flows
        for handle in self.handles:
            parked = self._flow.queries.parked.get(handle.name)
            if parked is not None and parked.normal != handle.query.normal:
                parked = None  # another query of that name was
            failed = flows[handle.name].failure if handle.name in flows else None
            demoted = parked is not None and parked.demoted
            handle.fall_behind(str(parked) if demoted else None)
            handle.note_failure(failed if parked is None or parked.resuming or demoted else parked.failure)

    def _collects(self, label: str) -> bool:
        """Whether a query's handle keeps its rows."""
        return label in self._handles and self._handles[label].collects

    def _report(self, step: BatchResult) -> None:
        """Give the handles the rows of a batch."""
        flows = self._flow.dataflow.flows
        found = step.matches
        for label in (*found, *(name for name, own in self._handles.items() if own.query.rule is not None)):
            handle, flow = self._handles.get(label), flows.get(label)
            if handle is None or flow is None or not _answers(flow.query, handle.query):
                continue  # withdrawn meanwhile
            ending = None if flow.failure is not None else flow.ending
            if handle.receive(found[label], ending=ending) if label in found else handle.answered(ending):
                self._say(f"queries: {label} has ended: {flow.ending}")
        self._park_handles()


def _answers(query: Query, registered: Query) -> bool:
    """Whether a query is the registered one; of a rule ON a query it is a form that numbers the rows of that."""
    return query is registered or (query.rule is not None and query.rule is registered.rule)
