"""Queries of a running engine that other processes submit, list, park, resume and withdraw (`kaicep submit`, …)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Protocol

from ...errors import KaicepError, PipelineError
from ..catalog import Catalog
from ..durability import Progress, parked_already
from ..flow import ParkedQuery, Registration
from .folder_watch import FolderWatch
from .requests import Requests, RequestServer
from .start_registrations import check_withdrawal, idle_warnings, parking_warnings
from .submitted_queries import SubmittedDocument, SubmittedQueries, folder_of, free_label

__all__ = ["Submissions"]

_ANSWERED = "answered from the next batch on, its rows go where the engine's go"
_ACTS = "acts from the next batch on"


class RegisteredQuery(Protocol):
    """What is told of a query of a running engine."""

    name: str

    @property
    def state(self) -> str:
        """Whether it is registered, running, ended, parked or behind."""

    @property
    def now(self) -> datetime | None:
        """The time of its streams at registration; `None`: before their first event, or not yet."""


class SubmissionHost(Protocol):
    """What submissions ask of the engine that answers them."""

    @property
    def project(self) -> Catalog:
        """The project, with the knowledge in force."""

    @property
    def progress(self) -> Progress:
        """What was done so far, over restarts."""

    @property
    def handles(self) -> Sequence[RegisteredQuery]:
        """The registered queries, in the order of their registration."""

    @property
    def registered(self) -> Sequence[Registration]:
        """What is answered, or will be from the next batch on."""

    @property
    def brought(self) -> Collection[str]:
        """Those among them that are answered because others read them."""

    def registrations(
        self, text: str, *, label: str = "query", retention: timedelta | None = None
    ) -> tuple[Registration, ...]:
        """The checked queries of a document, which may read the output of registered ones."""

    def register(self, registrations: Sequence[Registration], *, collect: bool = True) -> object:
        """Register checked queries at the next batch border."""

    def withdraw(self, label: str) -> None:
        """Stop answering a query at the next batch border."""

    def park(self, label: str, by: str | None = None) -> None:
        """Answer a query no more from the next batch border on, until it is resumed."""

    def resume(self, label: str) -> Sequence[str]:
        """Let a parked query go on at the next batch border; the queries that go on."""

    @property
    def parked(self) -> Sequence[ParkedQuery]:
        """The queries that are not answered for now, until they are resumed or come back."""

    @property
    def withdrawn(self) -> Sequence[Registration]:
        """Queries that are answered no more, and whose changes of contexts count on."""


class Submissions:
    """The submitted queries of an engine, earlier ones included, and what other processes ask of them.

    Args:
        host: the engine that answers them; their rows go to its sinks.
        say: takes a line of the log.
        watch: looks for requests; `None`: one of its own.

    Raises:
        PipelineError: another engine runs this project.
    """

    def __init__(self, host: SubmissionHost, say: Callable[[str], None], watch: FolderWatch | None = None) -> None:
        self._host, self._say, self._watch = host, say, watch
        folder = folder_of(host.project.settings)
        self._submitted = SubmittedQueries(folder)
        self._requests = Requests(folder)
        self._requests.serve()
        self._server: RequestServer | None = None
        self._doing = threading.Lock()
        self._refused: dict[str, KaicepError] = {}

    @property
    def refused(self) -> Mapping[str, str]:
        """The queries that were submitted to earlier engines and that this one refuses, with the reasons."""
        return {label: f"refused since this start: {error.message}" for label, error in self._refused.copy().items()}

    def begin(self) -> None:
        """Register what was submitted to earlier engines, and answer requests from now on.

        What is refused now, since kaicep, the project or its knowledge is another one, is parked.
        """
        if self._server is not None:
            return
        for document in self._submitted.documents():
            try:
                self._register(document)
            except KaicepError as error:
                self._park(document, error)
        self._server = RequestServer(
            self._requests, lambda content, _: self._answered(content), "kaicep-queries", self._watch
        )

    def submit(self, name: str, text: str) -> None:
        """Register a query as if another process had submitted it; if it has this text already, nothing happens.

        Raises:
            QuerySyntaxError, QueryTypeError: it is refused.
            PipelineError: there is another one of that name, or the engine begins or ends.
        """
        with self._asking():
            if not any(one.label == name and one.text == text for one in self._submitted.documents()):
                self._submit(text, name, None)

    def withdraw(self, name: str) -> None:
        """Withdraw a query likewise; if there is none that was submitted, nothing happens.

        Raises:
            PipelineError: the engine begins or ends.
        """
        with self._asking():
            if any(name in document.queries for document in self._submitted.documents()):
                self._withdraw(name)

    def close(self) -> None:
        """Answer no more."""
        if self._server is not None:
            self._server.close()
        with self._doing:
            self._server = None
            self._requests.lock.release()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        with self._doing:
            if self._server is None:
                raise PipelineError("the engine begins or ends", hint="it is asked again")
            yield

    def _register(self, document: SubmittedDocument) -> None:
        found = self._host.registrations(document.text, label=document.label, retention=document.retention)
        self._host.register(document.left(found), collect=False)

    def _park(self, document: SubmittedDocument, error: KaicepError) -> None:
        for label in document.queries:
            self._refused[label] = error
            self._say(f"queries: {label} is parked; it was submitted earlier, and is refused now: {error}")

    def _answered(self, content: Mapping[str, Any]) -> object:
        try:
            with self._doing:
                return self._asked(content)
        except KaicepError as error:
            self._say(f"queries: refused: {error}")
            return error
        except Exception as error:  # noqa: BLE001 - whoever asked has to hear of it, and the engine goes on
            return PipelineError(f"the engine cannot do it: {error!r}", hint="what was registered goes on")

    def _asked(self, content: Mapping[str, Any]) -> object:
        match content:
            case {"submit": str(text), "label": label, "retention": seconds}:
                return self._submit(text, label, None if seconds is None else timedelta(seconds=seconds))
            case {"withdraw": str(name)}:
                return self._withdraw(name)
            case {"park": str(name), "by": str() | None as by}:
                return self._park_for(name, by)
            case {"resume": str(name)}:
                return self._resume(name)
            case _:
                return self._listed()

    def _submit(self, text: str, label: str | None, retention: timedelta | None) -> list[str]:
        label = label or free_label([*(handle.name for handle in self._host.handles), *self._refused])
        registrations = self._host.registrations(text, label=label, retention=retention)
        parked = next((one.label for one in registrations if one.label in self._refused), None)
        if parked is not None:
            raise PipelineError(
                f"a query named '{parked}' is parked",
                hint=f"kaicep withdraw {parked} first, or give the new one another name with CREATE QUERY … AS",
            )
        self._host.register(registrations, collect=False)
        queries = tuple(registration.label for registration in registrations)
        self._submitted.add(SubmittedDocument(label, text, retention, queries))
        for query in queries:
            self._say(f"queries: {query} was submitted")
        said = [f"{one.label}: {_ACTS if one.query.rule is not None else _ANSWERED}" for one in registrations]
        return [*idle_warnings(self._host.project, self._host.registered, registrations), *said]

    def _withdraw(self, name: str) -> list[str]:
        self._submitted.document_of(name)
        if name not in self._refused:
            check_withdrawal(self._host.project, self._submitted.documents(), name)
            self._host.withdraw(name)
        self._refused.pop(name, None)
        self._submitted.withdraw(name)
        self._say(f"queries: {name} was withdrawn")
        return [f"{name}: withdrawn"]

    def _origin(self, name: str, submitted: Collection[str]) -> str:
        if name in submitted:
            return "submitted"
        return "read" if name in self._host.brought else "run"

    def _park_for(self, name: str, by: str | None) -> list[str]:
        if name in self._refused:
            raise parked_already(name)
        self._host.park(name, by)
        warnings = parking_warnings(self._host.project.settings)
        return [*warnings, f"{name}: parked from the next batch on, with what reads it, until it is resumed"]

    def _resume(self, name: str) -> list[str]:
        if name in self._refused:
            return self._accept(self._submitted.document_of(name))
        labels = self._host.resume(name)
        self._say(f"queries: {', '.join(labels)} was resumed")
        return [f"{label}: goes on with what it has missed, from the next batch on" for label in labels]

    def _accept(self, document: SubmittedDocument) -> list[str]:
        """Register what was refused at the start."""
        self._register(document)
        for label in document.queries:
            del self._refused[label]
            self._say(f"queries: {label} was resumed")
        return [f"{label}: answered from the next batch on, as if it were submitted now" for label in document.queries]

    def _listed(self) -> list[dict[str, Any]]:
        submitted = {query for document in self._submitted.documents() for query in document.queries}
        progress = self._host.progress
        parked = {known.label: known for known in self._host.parked}
        answered = [
            {
                "query": handle.name,
                "state": parked[handle.name].state if handle.name in parked else handle.state,
                "matches": progress.given(handle.name),
                "from": self._origin(handle.name, submitted - self._refused.keys()),
                "now": None if handle.now is None else handle.now.isoformat(),
                "parked": str(parked[handle.name]) if handle.name in parked else None,
            }
            for handle in self._host.handles
        ]
        refused = {"state": "parked", "matches": None, "from": "submitted", "now": None}
        answered += [{"query": label, **refused, "parked": why} for label, why in self.refused.items()]
        return [*answered, *_withdrawn_rows(self._host.withdrawn)]


def _withdrawn_rows(withdrawn: Iterable[Registration]) -> list[dict[str, Any]]:
    """What is listed of queries that are answered no more, and whose changes of contexts count on."""
    return [
        {
            "query": one.label if one.withdrawal is None else one.withdrawal.label,
            "state": "withdrawn",
            "matches": None,
            "from": None,
            "now": None if one.now is None else one.now.isoformat(),
            "parked": None,
        }
        for one in withdrawn
    ]
