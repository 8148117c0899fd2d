"""What a server answers, as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, TypeVar

__all__ = [
    "RemoteCheck",
    "RemoteFault",
    "RemoteJob",
    "RemoteQuery",
    "RemoteRow",
    "RemoteRows",
    "RemoteSubmission",
    "RemoteTrial",
    "answer_of",
]

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class RemoteQuery:
    """A registered query.

    Attributes:
        label: that it is asked by.
        kind: `query`, `rule`, or `contexts`.
        state: `registered`, `running`, `ended`, `parked`, `behind`; `waits` for an engine.
        matches: rows so far.
        submitted: whether it can be withdrawn.
        text: χ-CEP; `None`: nobody knows.
        named: whether its rows are kept.
        columns: the items of its rows.
        reads: streams and queries.
        reason: why it is parked.
        latency: seconds that its rows may take.
        priority: of its answers.
    """

    label: str
    kind: Literal["query", "rule", "contexts"]
    state: str
    matches: int
    submitted: bool
    text: str | None = None
    named: bool = False
    columns: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    reason: str | None = None
    latency: float | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True)
class RemoteSubmission:
    """What has become of a document: the labels of its queries, and what may be wrong with it."""

    labels: tuple[str, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RemoteRow:
    """A row as it comes.

    Attributes:
        id: its place; `after` of those that come behind it.
        row: items, `_time`, `_events`, `_id`; times are ISO 8601.
    """

    id: str
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RemoteRows:
    """Some rows.

    Attributes:
        columns: names, in order.
        rows: by column.
        next: the place behind them; `None`: there is none.
    """

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class RemoteFault:
    """What is wrong with a text: from a line and column, counted from 1, to where it is right again."""

    message: str
    hint: str | None
    line: int
    column: int
    end_line: int
    end_column: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class RemoteCheck:
    """What a check has found; `asked`: the text asks states, and is for `Client.ask`."""

    valid: bool
    asked: bool = False
    problems: tuple[RemoteFault, ...] = ()
    warnings: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self:
        """From JSON."""
        found = answer_of(cls, content)
        problems = tuple(answer_of(RemoteFault, one) for one in content.get("problems", ()))
        return cls(found.valid, found.asked, problems, found.warnings, found.columns)


@dataclass(frozen=True, slots=True)
class RemoteTrial:
    """What a query would have found.

    Attributes:
        query: its label.
        columns: of its rows.
        rows: the first 1,000.
        count: of all.
        calls: that rules would make, by action.
        events: that were read, by stream.
        mapping: the mapping report.
        warnings: what may be wrong with the text.
    """

    query: str
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    count: int
    calls: Mapping[str, int] = field(default_factory=dict)
    events: Mapping[str, int] = field(default_factory=dict)
    mapping: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RemoteJob:
    """Long work.

    Attributes:
        id: that it is asked by.
        kind: such as `try`.
        state: `waiting`, `running`, `done`, `failed`, `cancelled`.
        created: when it was asked for, ISO 8601.
        progress: from 0 to 1; `None`: nobody knows.
        result: what came of it; of a document `media_type` and `bytes`.
        problem: why it failed.
        stage: what it is at, such as `reasoning`; `None`: it does not say.
        about: what it is about: a graph, a query.
    """

    id: str
    kind: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    created: str
    progress: float | None = None
    result: Any = None
    problem: Mapping[str, Any] | None = None
    stage: str | None = None
    about: str | None = None


def answer_of(kind: Callable[..., Answer], content: Mapping[str, Any]) -> Answer:
    """A value of a kind from JSON; what a newer server says beyond it is passed over."""
    known = {one.name for one in fields(kind)}  # type: ignore[arg-type] # all kinds are dataclasses
    return kind(**{name: _frozen(value) for name, value in content.items() if name in known})


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
