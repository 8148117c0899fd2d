"""What a hosted flow knows after a batch, as the manifest has it: names of files, and the time of the streams."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ...errors import PipelineError
from ...storage import SharedFolder
from .hosted_queries import StatePlace

__all__ = [
    "PARTS",
    "HostingState",
    "QueryTold",
    "SetTold",
    "commit",
    "left_behind",
    "read_manifest",
    "require_newest",
    "sets_together",
    "state_of",
    "state_text",
    "told_together",
]

_VERSION = 4
_PREFIX = "manifest-"
_MANIFEST = re.compile(rf"{_PREFIX}(\d+)\.json")
PARTS = ".parts"
"""How the names of the files end that tasks write, and with their batch they begin."""


@dataclass(frozen=True, slots=True)
class QueryTold:
    """What shards tell of one of their queries after a batch.

    Attributes:
        label: the query's.
        due: the next watermark that may bring rows without a further event; `None`: none will.
        ending: why no further row can come, in words; `None`: one can.
        watermark: how far it has been answered; `None`: one of its streams has not begun.
        held: what no `_time` of rows that are held back lies below; `None`: none are.
    """

    label: str
    due: datetime | None
    ending: str | None
    watermark: datetime | None = None
    held: datetime | None = None


@dataclass(frozen=True, slots=True)
class SetTold:
    """What shards tell of a set of contexts after a batch.

    Attributes:
        name: the set's.
        text: its own, normalised.
        now: the moment of its registration; `None`: before the first event.
        known: the changes below that are known; `None`: none is.
    """

    name: str
    text: str
    now: datetime | None
    known: datetime | None


def told_together(told: Iterable[QueryTold]) -> tuple[QueryTold, ...]:
    """What is told of queries, all shards of each together: one has ended when it has in all of them."""
    found: dict[str, list[QueryTold]] = {}
    for one in told:
        found.setdefault(one.label, []).append(one)
    return tuple(_of_query(label, of) for label, of in found.items())


def _of_query(label: str, told: Sequence[QueryTold]) -> QueryTold:
    due = min((one.due for one in told if one.due is not None), default=None)
    held = min((one.held for one in told if one.held is not None), default=None)
    ended = all(one.ending is not None for one in told)
    return QueryTold(label, due, told[0].ending if ended else None, _least([one.watermark for one in told]), held)


def sets_together(told: Iterable[SetTold]) -> tuple[SetTold, ...]:
    """What is told of sets of contexts: the changes of one are known as far as they are in all shards."""
    found: dict[str, list[SetTold]] = {}
    for one in told:
        found.setdefault(one.name, []).append(one)
    return tuple(replace(of[0], known=_least([one.known for one in of])) for of in found.values())


def _least(moments: Sequence[datetime | None]) -> datetime | None:
    """The first of moments; `None` where one is not known."""
    known = [moment for moment in moments if moment is not None]
    return min(known) if len(known) == len(moments) else None


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
        waiting: by label of a query, the file with its rows that wait for those of other shards.
        sets: of each set of contexts that queries speak of.
    """

    plan: str
    batch: int = -1
    moments: Mapping[str, tuple[datetime | None, datetime | None]] = field(default_factory=dict)
    states: tuple[StatePlace, ...] = ()
    seen: Mapping[tuple[str, int], str] = field(default_factory=dict)
    told: tuple[QueryTold, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)
    shards: int = 0
    waiting: Mapping[str, str] = field(default_factory=dict)
    sets: tuple[SetTold, ...] = ()

    @property
    def files(self) -> frozenset[str]:
        """The names of all its files."""
        named = (*(place.file for place in self.states), *self.seen.values(), *self.waiting.values())
        return frozenset(named) - {""}


def commit(folder: SharedFolder, state: HostingState, driver: str) -> None:
    """Let a batch count, durably, for the driver that comes first; remove what counted before it.

    Args:
        folder: of the flow.
        state: after the batch, which has a manifest of its own.
        driver: tells this driver from all others.

    Raises:
        PipelineError: another driver has gone on.
    """
    content = {**_content(state), "driver": driver}
    first = folder.create(_manifest(state.batch), json.dumps(content).encode())
    names = folder.names()
    if not first or _newest(names) != state.batch:  # it may be there no more, where others have gone on further
        raise _overtaken(folder, state.batch)
    folder.remove(_swept(names, state.batch, {*state.files, _manifest(state.batch)}))


def left_behind(folder: SharedFolder, batch: int, files: Collection[str]) -> list[str]:
    """The names of the files that count no more, and can be removed.

    Args:
        folder: that has them.
        batch: the last one that counts.
        files: those that count.
    """
    return _swept(folder.names(), batch, files)


def _swept(names: Iterable[str], batch: int, files: Collection[str]) -> list[str]:
    """Files of earlier batches that do not count: of this one there may be some that others are about to name."""
    ours = [name for name in names if name.endswith(PARTS) or _MANIFEST.fullmatch(name)]
    return [name for name in ours if name not in files and name.removeprefix(_PREFIX) < f"{batch:09}"]


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
    state = state_of(str(folder.read(name), "utf-8"), f"{folder}/{name}")
    if state.plan != plan:
        raise PipelineError(
            f"{folder}/{name} is of other queries or of another kaicep", hint="begin with an empty folder"
        )
    return state


def state_text(state: HostingState) -> str:
    """A state as JSON."""
    return json.dumps(_content(state))


def _content(state: HostingState) -> dict[str, Any]:
    return {
        "version": _VERSION,
        "plan": state.plan,
        "batch": state.batch,
        "moments": {name: [_text(moment) for moment in both] for name, both in state.moments.items()},
        "states": [[place.file, place.unit, place.shard] for place in state.states],
        "seen": [[stream, shard, file] for (stream, shard), file in state.seen.items()],
        "told": [
            [told.label, _text(told.due), told.ending, _text(told.watermark), _text(told.held)] for told in state.told
        ],
        "kept": dict(state.kept),
        "shards": state.shards,
        "waiting": dict(state.waiting),
        "sets": [[told.name, told.text, _text(told.now), _text(told.known)] for told in state.sets],
    }


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
    told = tuple(
        QueryTold(label, _moment(due), ending, _moment(watermark), _moment(held))
        for label, due, ending, watermark, held in content["told"]
    )
    sets = tuple(SetTold(name, of, _moment(now), _moment(known)) for name, of, now, known in content["sets"])
    of_queries = told, content["kept"], content["shards"], content["waiting"], sets
    return HostingState(content["plan"], content["batch"], moments, states, seen, *of_queries)


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
