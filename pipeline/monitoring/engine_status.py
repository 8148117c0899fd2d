"""The status of an engine, as a value: what `kaicep status` prints, and what metrics are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from ...errors import PipelineError

__all__ = [
    "ActionStatus",
    "ArchiveStatus",
    "BatchAtWork",
    "EngineState",
    "EngineStatus",
    "ExecutorStatus",
    "QueryStatus",
    "ShedEvents",
    "StageStatus",
    "StreamStatus",
    "read_status",
    "status_bytes",
    "status_file",
    "status_of",
]

_FILE = "status.json"

EngineState = Literal["running", "stopped", "failed", "killed"]
"""What an engine is doing, or how it has ended."""


@dataclass(frozen=True, slots=True)
class StreamStatus:
    """One source stream.

    Attributes:
        events: that were admitted, over restarts; the counts below are of records that were not.
        late: archived, but no part of the stream.
        duplicates: ignored.
        rejected: in the dead letters: what the annotation cannot take.
        malformed: in the dead letters: what is no record.
        unlinked: values that name no individual.
        rate: records a second, lately.
        newest: the greatest time stamp; `None` before the first event.
        watermark: below it nothing is admitted any more.
        lag: seconds from the newest time stamp to the wall clock.
    """

    events: int = 0
    late: int = 0
    duplicates: int = 0
    rejected: int = 0
    malformed: int = 0
    unlinked: int = 0
    rate: float = 0.0
    newest: datetime | None = None
    watermark: datetime | None = None
    lag: float | None = None


@dataclass(frozen=True, slots=True)
class ContextEvents:
    """What a query in contexts was given since the engine began, over its event variables that have to lie in contexts.

    Attributes:
        read: events of their streams.
        given: those that lay in a window of its contexts.
        unplaced: those that lay in no context because a key was unbound.
    """

    read: int
    given: int
    unplaced: int


@dataclass(frozen=True, slots=True)
class ShedEvents:
    """What a query that looks at a share of the events has not looked at since the engine began.

    Attributes:
        share: of the events of source streams that it looks at.
        passed: events that it has not looked at.
        read: all that it was given.
    """

    share: float
    passed: int
    read: int


@dataclass(frozen=True, slots=True)
class QueryStatus:
    """One registered query.

    Attributes:
        state: as `QueryHandle.state` says it.
        matches: rows so far, over restarts.
        reason: why it is answered no more; `None`: it is.
        contexts: what it was given; `None`: it is in no context.
        shed: what it has not looked at; `None`: it looks at all.
    """

    state: str
    matches: int = 0
    reason: str | None = None
    contexts: ContextEvents | None = None
    shed: ShedEvents | None = None


@dataclass(frozen=True, slots=True)
class StageStatus:
    """Seconds that a stage of the data path took, by wall clock.

    Attributes:
        total: since the engine began.
        share: of the wall clock, lately: 1 is all of it.
    """

    total: float
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class ArchiveStatus:
    """The archive.

    Attributes:
        size: bytes of its folder, measured now and then.
        lag_events: events that the log has and the store lacks.
        lag_matches: matches likewise.
        rebuilding: why the store is being built again, and where the damaged one lies; `None`: it is not.
        delta_events: events that the log has and the tables of Delta Lake lack; `None`: there are no such tables.
        delta_matches: matches likewise.
        delta_reason: why these cannot be written now; `None`: they can.
    """

    size: int
    lag_events: int = 0
    lag_matches: int = 0
    rebuilding: str | None = None
    delta_events: int | None = None
    delta_matches: int | None = None
    delta_reason: str | None = None


@dataclass(frozen=True, slots=True)
class ActionStatus:
    """One action.

    Attributes:
        waiting: calls that it has not got yet.
        failed: dead letters.
        sent: handed on since the engine began.
        reason: why a call that waits was not taken; `None`: none was refused.
    """

    waiting: int = 0
    failed: int = 0
    sent: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ExecutorStatus:
    """What one executor has done of the batches since the engine began.

    Attributes:
        tasks: that it has done; one may be of several files or shards.
        splits: files that it has read.
        records: that stood in them.
        shards: of queries, each batch anew.
        logged: events that it has written to the log.
        seconds: that all that took, by wall clock.
    """

    tasks: int = 0
    splits: int = 0
    records: int = 0
    shards: int = 0
    logged: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class BatchAtWork:
    """The batch that is being done.

    Attributes:
        number: its own.
        seconds: since it began.
        stage: that it is in; `None`: between two.
    """

    number: int
    seconds: float
    stage: str | None = None

    def __str__(self) -> str:
        """For people."""
        stage = "" if self.stage is None else f" ({self.stage})"
        return f"batch {self.number:,} is at work, for {self.seconds:,.1f} s{stage}"


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """An engine at one moment.

    Attributes:
        state: what it is doing; `stopped` and `failed` are the last words of one that has ended,
            `killed` is said of one that left none.
        reason: why it failed.
        reads: whether it has begun to read its streams; until then, while Spark starts, what comes waits.
        waits_for: what passes, such as a full disk, and the streams wait for; `None`: they are read.
        troubles: by stream, why nothing comes from its broker.
        process: its process number.
        version: of kaicep.
        since: when it began.
        at: when this was written.
        batches: done since the first one ever.
        batch: the one at work.
        batch_seconds: what the last one took in the data path.
        records: of all streams, over restarts.
        rate: records a second, lately.
        streams: by name.
        stages: by name, in the order of the data path.
        queries: by label.
        windows: by set of contexts, how many windows of each context are open.
        actions: by name.
        archive: `None`: it is switched off.
        state_size: bytes of the engine's state folder, measured now and then.
        memory: bytes of the process that are resident; Java is a process of its own.
        threads: those that the engine has begun, and whether they are alive.
        hosting: who reads and answers batches.
        executors: by machine and process, where these do.
    """

    state: EngineState
    process: int
    version: str
    since: datetime
    at: datetime
    reason: str | None = None
    reads: bool = True
    waits_for: str | None = None
    troubles: Mapping[str, str] = field(default_factory=dict)
    batches: int = 0
    batch: BatchAtWork | None = None
    batch_seconds: float = 0.0
    records: int = 0
    rate: float = 0.0
    streams: Mapping[str, StreamStatus] = field(default_factory=dict)
    stages: Mapping[str, StageStatus] = field(default_factory=dict)
    queries: Mapping[str, QueryStatus] = field(default_factory=dict)
    windows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    actions: Mapping[str, ActionStatus] = field(default_factory=dict)
    archive: ArchiveStatus | None = None
    state_size: int = 0
    memory: int = 0
    threads: Mapping[str, bool] = field(default_factory=dict)
    hosting: Literal["driver", "executors"] = "driver"
    executors: Mapping[str, ExecutorStatus] = field(default_factory=dict)


_STATUS = TypeAdapter(EngineStatus)


def status_file(state: Path) -> Path:
    """Where the engine whose state lies in a folder writes its status."""
    return state / _FILE


def status_bytes(status: EngineStatus) -> bytes:
    """A status as JSON."""
    return _STATUS.dump_json(status, indent=2)


def status_of(content: Mapping[str, Any]) -> EngineStatus:
    """A status from JSON that another process has read.

    Raises:
        PipelineError: it is none of this version.
    """
    try:
        return _STATUS.validate_python(content)
    except ValueError as error:
        raise PipelineError(
            "the server tells no status of this version of kaicep", hint="let both be of one version"
        ) from error


def read_status(state: Path) -> EngineStatus | None:
    """The last status that the engine whose state lies in a folder has written; `None`: there is none.

    Raises:
        PipelineError: it is none of this version.
    """
    file = status_file(state)
    try:
        return _STATUS.validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise PipelineError(
            f"{file} is no status of this version of kaicep", hint="remove it; a running engine writes it anew"
        ) from error
