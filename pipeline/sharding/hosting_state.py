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

__all__ = ["HostingState", "read_manifest", "write_manifest"]

_VERSION = 2
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class HostingState:
    """All that the next batch begins with. Files that it does not name count for nothing.

    Attributes:
        plan: the key of the plan.
        batch: the last one; -1: none.
        moments: by stream, its greatest time stamp, and where its watermark was moved by wall clock.
        states: of each shard of the queries that has one.
        seen: by stream and shard of its identities, the file that has those of earlier batches.
        waiting: the file with the rows that wait for those of other shards; empty: none does.
    """

    plan: str
    batch: int = -1
    moments: Mapping[str, tuple[datetime | None, datetime | None]] = field(default_factory=dict)
    states: tuple[StatePlace, ...] = ()
    seen: Mapping[tuple[str, int], str] = field(default_factory=dict)
    waiting: str = ""

    @property
    def files(self) -> frozenset[str]:
        """The names of all its files."""
        return frozenset({*(place.file for place in self.states), *self.seen.values(), self.waiting} - {""})


def write_manifest(folder: Path, state: HostingState) -> None:
    """Let a batch count: durably, in one step."""
    moments = {name: [_text(moment) for moment in both] for name, both in state.moments.items()}
    content = {
        "version": _VERSION,
        "plan": state.plan,
        "batch": state.batch,
        "moments": moments,
        "states": [[place.file, place.unit, place.shard] for place in state.states],
        "seen": [[stream, shard, file] for (stream, shard), file in state.seen.items()],
        "waiting": state.waiting,
    }
    with write_atomically(folder / _MANIFEST) as temporary:
        temporary.write_text(json.dumps(content), encoding="utf-8")


def read_manifest(folder: Path, plan: str) -> HostingState:
    """What the last batch that counts has left; without one, nothing.

    Raises:
        PipelineError: it is of other queries, or of another version.
    """
    path = folder / _MANIFEST
    if not path.exists():
        return HostingState(plan)
    content = json.loads(path.read_text(encoding="utf-8"))
    if content["version"] != _VERSION or content["plan"] != plan:
        raise PipelineError(f"{path} is of other queries or of another kaicep", hint="begin with an empty folder")
    moments = {name: (_moment(one), _moment(other)) for name, (one, other) in content["moments"].items()}
    states = tuple(StatePlace(*place) for place in content["states"])
    seen = {(stream, shard): file for stream, shard, file in content["seen"]}
    return HostingState(plan, content["batch"], moments, states, seen, content["waiting"])


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
