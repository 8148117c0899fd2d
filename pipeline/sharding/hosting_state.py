"""What a hosted flow knows after a batch, as the manifest has it: names of files, and the time of the streams."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ...errors import PipelineError
from ...storage import write_atomically
from .hosted_queries import StatePlace

__all__ = ["HostingState", "QueryTold", "read_manifest", "state_of", "state_text", "write_manifest"]

_VERSION = 1
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class QueryTold:
    """What shards tell of one of their queries after a batch.

    Attributes:
        label: the query's.
        due: the next watermark that may bring rows without a further event; `None`: none will.
        ending: why no further row can come, in words; `None`: one can.
    """

    label: str
    due: datetime | None
    ending: str | None


@dataclass(frozen=True, slots=True)
class HostingState:
    """All that the next batch begins with. Files that it does not name count for nothing.

    Attributes:
        plan: the key of the plan.
        batch: the last one; -1: none.
        moments: by stream, its greatest time stamp, and where its watermark was moved by wall clock.
        states: of each shard of the queries that has one.
        seen: by stream and shard of its identities, the file that has those of earlier batches.
        told: of each query.
        kept: by label, the unit of those that answer each other.
        shards: into how many queries are cut; a state stays in its shard.
    """

    plan: str
    batch: int = -1
    moments: Mapping[str, tuple[datetime | None, datetime | None]] = field(default_factory=dict)
    states: tuple[StatePlace, ...] = ()
    seen: Mapping[tuple[str, int], str] = field(default_factory=dict)
    told: tuple[QueryTold, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)
    shards: int = 0

    @property
    def files(self) -> frozenset[str]:
        """The names of all its files."""
        return frozenset({*(place.file for place in self.states), *self.seen.values()} - {""})


def write_manifest(folder: Path, state: HostingState) -> None:
    """Let a batch count: durably, in one step."""
    with write_atomically(folder / _MANIFEST) as temporary:
        temporary.write_text(state_text(state), encoding="utf-8")


def read_manifest(folder: Path, plan: str) -> HostingState:
    """What the last batch that counts has left; without one, nothing.

    Raises:
        PipelineError: it is of other queries, or of another version.
    """
    path = folder / _MANIFEST
    if not path.exists():
        return HostingState(plan)
    state = state_of(path.read_text(encoding="utf-8"), str(path))
    if state.plan != plan:
        raise PipelineError(f"{path} is of other queries or of another kaicep", hint="begin with an empty folder")
    return state


def state_text(state: HostingState) -> str:
    """A state as JSON."""
    content = {
        "version": _VERSION,
        "plan": state.plan,
        "batch": state.batch,
        "moments": {name: [_text(moment) for moment in both] for name, both in state.moments.items()},
        "states": [[place.file, place.unit, place.shard] for place in state.states],
        "seen": [[stream, shard, file] for (stream, shard), file in state.seen.items()],
        "told": [[told.label, _text(told.due), told.ending] for told in state.told],
        "kept": dict(state.kept),
        "shards": state.shards,
    }
    return json.dumps(content)


def state_of(text: str, place: str) -> HostingState:
    """The state that `state_text` wrote; `place` is where it stood, for people.

    Raises:
        PipelineError: it is of another version.
    """
    content = json.loads(text)
    if content["version"] != _VERSION:
        raise PipelineError(f"{place} is of another kaicep", hint="begin with an empty folder")
    moments = {name: (_moment(one), _moment(other)) for name, (one, other) in content["moments"].items()}
    states = tuple(StatePlace(*of) for of in content["states"])
    seen = {(stream, shard): file for stream, shard, file in content["seen"]}
    told = tuple(QueryTold(label, _moment(due), ending) for label, due, ending in content["told"])
    return HostingState(
        content["plan"], content["batch"], moments, states, seen, told, content["kept"], content["shards"]
    )


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
