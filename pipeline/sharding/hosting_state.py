"""What a hosted flow knows after a batch, as the manifest has it: names of files, and the time of the streams."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ...errors import PipelineError
from ...storage import SharedFolder
from .hosted_queries import StatePlace

__all__ = ["PARTS", "HostingState", "commit", "read_manifest", "require_newest"]

_VERSION = 2
_PREFIX = "manifest-"
_MANIFEST = re.compile(rf"{_PREFIX}(\d+)\.json")
PARTS = ".parts"
"""How the names of the files end that tasks write, and with their batch they begin."""


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


def commit(folder: SharedFolder, state: HostingState, driver: str) -> None:
    """Let a batch count, durably, for the driver that comes first; remove what counted before it.

    Each batch has a manifest of its own. What none names is removed if it is of an earlier batch: of this one, and of
    those behind it, there may be what others are about to name.

    Args:
        folder: of the flow.
        state: after the batch.
        driver: tells this driver from all others.

    Raises:
        PipelineError: another driver has gone on.
    """
    moments = {name: [_text(moment) for moment in both] for name, both in state.moments.items()}
    content = {
        "version": _VERSION,
        "plan": state.plan,
        "batch": state.batch,
        "driver": driver,
        "moments": moments,
        "states": [[place.file, place.unit, place.shard] for place in state.states],
        "seen": [[stream, shard, file] for (stream, shard), file in state.seen.items()],
        "waiting": state.waiting,
    }
    first = folder.create(_manifest(state.batch), json.dumps(content).encode())
    names = folder.names()
    if not first or _newest(names) != state.batch:  # it may be there no more, where others have gone on further
        raise _overtaken(folder, state.batch)
    kept, now = {*state.files, _manifest(state.batch)}, f"{state.batch:09}"
    ours = [name for name in names if _MANIFEST.fullmatch(name) or name.endswith(PARTS)]
    folder.remove(name for name in ours if name not in kept and name.removeprefix(_PREFIX) < now)


def require_newest(folder: SharedFolder, batch: int) -> None:
    """Make sure that a batch is the last one that counts.

    Raises:
        PipelineError: another driver has gone on.
    """
    if _newest(folder.names()) != batch:
        raise _overtaken(folder, batch + 1)


def read_manifest(folder: SharedFolder, plan: str) -> HostingState:
    """What the last batch that counts has left; without one, nothing.

    Raises:
        PipelineError: it is of other queries, or of another version.
    """
    batch = _newest(folder.names())
    if batch < 0:
        return HostingState(plan)
    name = _manifest(batch)
    content = json.loads(bytes(folder.read(name)))
    if content["version"] != _VERSION or content["plan"] != plan:
        raise PipelineError(
            f"{folder}/{name} is of other queries or of another kaicep", hint="begin with an empty folder"
        )
    moments = {name: (_moment(one), _moment(other)) for name, (one, other) in content["moments"].items()}
    states = tuple(StatePlace(*place) for place in content["states"])
    seen = {(stream, shard): file for stream, shard, file in content["seen"]}
    return HostingState(plan, content["batch"], moments, states, seen, content["waiting"])


def _manifest(batch: int) -> str:
    return f"{_PREFIX}{batch:09}.json"


def _newest(names: Iterable[str]) -> int:
    """The last batch that has a manifest; -1: none has."""
    return max((int(found[1]) for name in names if (found := _MANIFEST.fullmatch(name))), default=-1)


def _overtaken(folder: SharedFolder, batch: int) -> PipelineError:
    return PipelineError(
        f"another driver has done batch {batch} in {folder}",
        hint="let one of them run: end the other one and begin again, or give each a folder of its own",
    )


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
