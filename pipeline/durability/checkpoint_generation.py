"""Checkpoint generations: one Spark checkpoint for as long as the sources stay the same (docs/decisions/071)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ...config import Settings
from ...storage import make_folder, write_atomically

_FILE = "generation.json"


@dataclass(frozen=True, slots=True)
class Generation:
    """A Spark checkpoint and the number of its first batch in the count that goes on over all generations.

    Attributes:
        checkpoint: Spark's checkpoint folder.
        base: Spark's batch 0 is batch `base`.
        heartbeats: the folder of the source that makes batches without data.
    """

    checkpoint: Path
    base: int
    heartbeats: Path


def current_generation(settings: Settings, state: Path, last: int | None) -> Generation:
    """The generation of these sources: the latest one if it was made for them, else a new one.

    A new generation reads its sources from the start. What was read before is recognised event by event: it is a
    duplicate or late, so it changes no answer.

    Args:
        settings: the project's, whose stream sources decide.
        state: folder of the engine's state.
        last: the last batch that has a snapshot; `None` when there is none. Batches are counted from 1.
    """
    sources = _describe(settings)
    folders = sorted(file.parent for file in state.glob(f"generation-*/{_FILE}"))
    if folders:
        known = json.loads((folders[-1] / _FILE).read_text(encoding="utf-8"))
        if known["sources"] == sources:
            return _in(folders[-1], known["base"])
    base = 1 if last is None else last + 1
    folder = state / f"generation-{len(folders):06d}"
    make_folder(folder)
    with write_atomically(folder / _FILE) as temporary:
        temporary.write_text(json.dumps({"base": base, "sources": sources}, indent=1), encoding="utf-8")
    return _in(folder, base)


def _in(folder: Path, base: int) -> Generation:
    return Generation(folder / "checkpoint", base, folder / "heartbeats")


def begun_batch(generation: Generation) -> int:
    """The last batch that Spark has planned: it may have been done in part, and is delivered again in that case.

    Returns:
        Its number in our count; one less than the generation's first if there is none.
    """
    planned = [int(file.name) for file in (generation.checkpoint / "offsets").glob("[0-9]*") if file.name.isdigit()]
    return generation.base + max(planned, default=-1)


def planned_at(generation: Generation, batch: int) -> datetime:
    """The wall clock when Spark has planned a batch, by its number in our count; of now if nobody knows any more."""
    note = generation.checkpoint / "offsets" / str(batch - generation.base)
    try:
        _version, head, *_sources = note.read_text(encoding="utf-8").splitlines()
        return datetime.fromtimestamp(json.loads(head)["batchTimestampMs"] / 1000, UTC)
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return datetime.now(UTC)


def _describe(settings: Settings) -> dict[str, object]:
    """What Spark must find unchanged in a checkpoint: the streams, their formats and paths, in order; heartbeats."""
    streams = {
        name: {"format": stream.source.format, "path": stream.source.path}
        for name, stream in settings.streams.items()
        if stream.source is not None
    }
    return {"streams": streams, "heartbeats": True}
