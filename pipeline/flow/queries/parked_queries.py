"""Parked queries: what stopped each, and from which batch on its rows are missing (docs/decisions/170, 250, 366)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ....errors import KaicepError, PipelineError, error_fields, error_of
from .registration import Registration

__all__ = ["ParkedQueries", "ParkedQuery", "failure_of", "parked_notes", "parking_of"]

_PARKED = "parked/"


@dataclass(frozen=True, slots=True)
class ParkedQuery:
    """A query that is answered no more until it is resumed.

    Attributes:
        label: the query's.
        batch: the first that it was not answered for.
        failure: what stopped it, such as somebody who asked for that.
        normal: the normalised text of the query.
        now: the moment of its registration; `None`: before the first event of its streams, or not yet.
        time: the greatest time stamp of its streams then; `None`: they had no event.
        cause: the query whose output it reads and that was stopped; `None`: it was stopped for a reason of its own.
        handed: how many rows the sinks have got of what it is resumed with.
        live: it had gone on live, so that it is resumed from the state before `batch`; else it begins with its past.
        resuming: it was resumed, and has not caught up yet.
        moments: where its streams were before `batch`, as the checkpoint has it; `None`: unknown.
        missed: the last batch that was done before an engine went down without having given its rows; 0: it gave all.
        demoted: nothing stopped it: it waits until the engine is behind no more, and comes back by itself.
    """

    label: str
    batch: int
    failure: KaicepError
    normal: str
    now: datetime | None
    time: datetime | None
    cause: str | None = None
    handed: int = 0
    live: bool = True
    resuming: bool = False
    moments: str | None = None
    missed: int = 0
    demoted: bool = False

    def __str__(self) -> str:
        """Since when and why, in one line."""
        since = "" if self.time is None else f" ({self.time:%Y-%m-%dT%H:%M:%SZ})"
        if self.demoted:
            return f"behind since batch {self.batch}{since}, and catches up later"
        return f"parked since batch {self.batch}{since}: {self.failure.message}"

    @property
    def stands(self) -> bool:
        """Whether it stays parked until somebody resumes it."""
        return not (self.resuming or self.demoted)

    @property
    def state(self) -> Literal["parked", "behind"]:
        """What is told of it in a word."""
        return "behind" if self.demoted else "parked"

    def to_json(self) -> bytes:
        """For the checkpoint."""
        note = {name: getattr(self, name) for name in self.__slots__ if name != "label"}
        times = {name: None if note[name] is None else note[name].isoformat() for name in ("now", "time")}
        return json.dumps({**note, **times, "failure": error_fields(self.failure)}).encode()

    @classmethod
    def of_json(cls, label: str, note: bytes) -> ParkedQuery:
        """What `to_json` wrote."""
        content: dict[str, Any] = json.loads(note)
        for name in ("now", "time"):
            content[name] = None if content[name] is None else datetime.fromisoformat(content[name])
        return cls(label, **{**content, "failure": error_of(content["failure"])})


class ParkedQueries:
    """The parked queries of an engine, by label, in the order in which they were stopped."""

    def __init__(self) -> None:
        self._queries: dict[str, ParkedQuery] = {}

    def __iter__(self) -> Iterator[ParkedQuery]:
        return iter(tuple(self._queries.values()))

    def get(self, label: str) -> ParkedQuery | None:
        """What is known of a query; `None`: it is not parked."""
        return self._queries.get(label)

    def known(self, registration: Registration) -> ParkedQuery | None:
        """The same of a query that is registered again; one of another text under its label is another query."""
        parked = self._queries.get(registration.label)
        if parked is not None and parked.normal != registration.query.normal:
            del self._queries[registration.label]
            return None
        return parked

    def add(self, parked: ParkedQuery) -> None:
        """Park a query, or note what has changed."""
        self._queries[parked.label] = parked

    def forget(self, label: str) -> None:
        """Know no more of a query."""
        self._queries.pop(label, None)

    def together(self, label: str) -> list[ParkedQuery]:
        """Those that are resumed with one: what it was stopped for, and all that was stopped for these.

        Raises:
            PipelineError: it is not parked.
        """
        if label not in self._queries:
            parked = ", ".join(self._queries) or "none"
            raise PipelineError(f"'{label}' is not parked", hint=f"parked: {parked}")
        found = {label}
        while True:
            causes = {p.cause for p in self if p.label in found and p.cause in self._queries}
            grown = found | {c for c in causes if c is not None} | {p.label for p in self if p.cause in found}
            if grown == found:
                return [p for p in self if p.label in found]
            found = grown

    def snapshot(self) -> dict[str, bytes]:
        """By name, what a later process has to know."""
        return {_PARKED + parked.label: parked.to_json() for parked in self}

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Take what `snapshot` gave."""
        self._queries = parked_notes(state)


def parked_notes(state: Mapping[str, bytes]) -> dict[str, ParkedQuery]:
    """The parked queries among the parts of a checkpoint, by label."""
    notes = {name.removeprefix(_PARKED): note for name, note in state.items() if name.startswith(_PARKED)}
    return {label: ParkedQuery.of_json(label, note) for label, note in notes.items()}


def failure_of(label: str, error: BaseException) -> KaicepError:
    """What stopped a query, for people: whatever kaicep does not explain is named."""
    if isinstance(error, KaicepError):
        return error
    what = "memory ran out" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}".rstrip(": ")
    failure = PipelineError(
        f"'{label}' cannot be answered: {what}", hint="bound it, or report it if it asks for little"
    )
    failure.__cause__ = error
    return failure


def parking_of(label: str, by: str | None) -> PipelineError:
    """What stopped a query that somebody has parked.

    Args:
        label: the query's.
        by: who asked for it; `None`: nobody knows.
    """
    who = "on request" if by is None else f"by {by}"
    return PipelineError(f"'{label}' was parked {who}", hint=f"kaicep resume {label} lets it go on")
