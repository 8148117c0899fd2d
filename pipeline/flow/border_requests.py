"""What is asked of queries while a batch is at work: it is done at the next border, and nobody waits for it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence

from ...errors import PipelineError
from ...language.nodes import Query
from .queries import QueryRuntime, Registration

__all__ = ["BorderRequests"]


class BorderRequests:
    """Queries to be registered, withdrawn, parked and resumed at the next batch border."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._submitted: list[Registration] = []
        self._withdrawn: set[str] = set()
        self._resumed: list[str] = []
        self._parked: dict[str, str | None] = {}
        self._compiled: dict[str, QueryRuntime] = {}

    def __bool__(self) -> bool:
        """Whether something is to be done."""
        return bool(self._submitted or self.concern_registered)

    @property
    def concern_registered(self) -> bool:
        """Whether something is to be done with queries that are registered."""
        return bool(self._withdrawn or self._resumed or self._parked)

    @property
    def submitted(self) -> tuple[Registration, ...]:
        """The queries to be registered."""
        with self._lock:
            return tuple(self._submitted)

    def submit(self, registrations: Sequence[Registration], compiled: Iterable[QueryRuntime] = ()) -> None:
        """Register queries; `compiled` has those whose PATHs need not be compiled at the border."""
        with self._lock:
            self._submitted += registrations
            self._compiled |= {runtime.registration.label: runtime for runtime in compiled}

    def withdraw(self, label: str, registered: Mapping[str, Query]) -> None:
        """Stop answering a query.

        Args:
            label: of the query.
            registered: the queries that a batch has registered, by label.

        Raises:
            PipelineError: another query reads its output.
        """
        with self._lock:
            left = {other: query for other, query in registered.items() if other not in self._withdrawn}
            left |= {registration.label: registration.query for registration in self._submitted}
            readers = _readers(label, left)
            if readers:
                raise PipelineError(f"'{label}' is read by {', '.join(readers)}", hint="stop the readers first")
            self._submitted = [r for r in self._submitted if r.label != label]
            self._withdrawn.add(label)
            self._parked.pop(label, None)

    def resume(self, labels: Iterable[str]) -> None:
        """Let parked queries go on."""
        with self._lock:
            self._resumed = list(dict.fromkeys([*self._resumed, *labels]))

    @property
    def resumed(self) -> tuple[str, ...]:
        """The parked queries that are to go on."""
        with self._lock:
            return tuple(self._resumed)

    def park(self, asked: Mapping[str, str | None]) -> None:
        """Park queries; by label, who asked, if that is known."""
        with self._lock:
            self._parked |= asked

    @property
    def parked(self) -> tuple[str, ...]:
        """The queries that are to be parked."""
        with self._lock:
            return tuple(self._parked)

    def spare(self, label: str) -> bool:
        """Do not park a query after all; tell whether it was to be."""
        with self._lock:
            found = label in self._parked
            self._parked.pop(label, None)
            return found

    def take(self) -> tuple[frozenset[str], list[Registration]]:
        """What is to be withdrawn, and then registered; it is forgotten here."""
        with self._lock:
            withdrawn, submitted = frozenset(self._withdrawn), self._submitted
            self._withdrawn, self._submitted = set(), []
            return withdrawn, submitted

    def take_resumed(self) -> list[str]:
        """What is to go on; it is forgotten here."""
        with self._lock:
            resumed, self._resumed = self._resumed, []
            return resumed

    def take_parked(self) -> dict[str, str | None]:
        """What is to be parked, and who asked; it is forgotten here."""
        with self._lock:
            parked, self._parked = self._parked, {}
            return parked

    def take_compiled(self, label: str) -> QueryRuntime | None:
        """What a query was compiled to when it was submitted; it is forgotten here."""
        with self._lock:
            return self._compiled.pop(label, None)


def _readers(label: str, queries: Mapping[str, Query]) -> list[str]:
    """The queries that read what only one of some gives: what others add to, rules do, goes on without it."""
    own = set(queries[label].streams) if label in queries else set[str]()
    own -= {name for other, query in queries.items() if other != label for name in query.streams}
    read = {other: {s.stream.name: s.stream for s in query.sources} for other, query in queries.items()}
    own = {name for name in own if all(of[name].event_type is None for of in read.values() if name in of)}
    return [other for other, of in read.items() if other != label and own & of.keys()]
