"""After a power cut at any moment no call of a batch that is done is lost, and calls go out in order still."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from kaicep.pipeline.actions import Lane, Outbox
from kaicep.pipeline.flow.rules import CALLS
from support.disk_states import DiskStates, RestoredFolder
from support.power_cuts import DiskRecorder
from support.receivers import calls_table
from support.sampling import some_of

BATCHES, OF_EACH = 3, 3
LANE = Lane("ops", "r")


class Known(NamedTuple):
    """How far somebody is who survives the cut: the engine's snapshot, and the receiver."""

    done: int
    taken: int


def calls_of(batch: int) -> list[int]:
    return [10 * batch + place for place in range(OF_EACH)]


def recorded(root: Path, unsynced: str) -> list[tuple[Known, dict[str, bytes]]]:
    """What cuts may leave of an outbox that three batches go through; a call of each fails, and is tried again."""
    root.mkdir()
    known, states, moments = Known(0, 0), DiskStates(), list[Known]()

    def note(_: int, state: dict[str, bytes]) -> None:
        states.add(len(moments), state)
        moments.append(known)

    with DiskRecorder(root, note, unsynced=lambda path: fnmatch(path, unsynced)).recording():
        box = Outbox(root)
        for batch in range(1, BATCHES + 1):
            box.put(batch, calls_table(calls_of(batch)))
            known = known._replace(done=batch)
            box.release(batch)
            for size in (1, OF_EACH):
                piece = box.take(LANE, size)
                assert piece is not None
                known = known._replace(taken=known.taken + len(piece.calls))
                if size == 1:
                    box.fail(piece, 1, "away", 10)
                else:
                    box.acknowledge(piece)
        box.retry(lambda _: True, CALLS)
    return [(moments[at], state) for at, state in states]


def drained(root: Path, done: int) -> Iterator[int]:
    """The numbers of the calls that go out in the end, of each lane in order; the batch at work is done again."""
    box = Outbox(root)
    for batch in range(done + 1, BATCHES + 1):
        box.put(batch, calls_table(calls_of(batch)))
    box.release(BATCHES)
    box.retry(lambda _: True, CALLS)
    for lane in sorted(box.counts()):
        last = 0
        while (piece := box.take(lane, 2)) is not None:
            numbers = [int(call.id.removeprefix("r-")) for call in piece.calls]
            assert all(before < after for before, after in pairwise([last, *numbers]))
            last = numbers[-1]
            yield from numbers
            box.acknowledge(piece)


def faults(root: Path, unsynced: str = "") -> list[str]:
    """What is wrong after each of the cuts."""
    folder, every = RestoredFolder(root), [n for batch in range(1, BATCHES + 1) for n in calls_of(batch)]
    found = []
    for known, state in recorded(root, unsynced):
        folder.put(state)
        acknowledged = {n for place, n in enumerate(every) if place < known.taken and n % 10}
        lost = set(every) - acknowledged - set(drained(root, known.done))
        found += [f"{known}: {sorted(lost)}"] if lost else []
    return found


def test_no_call_is_lost(tmp_path: Path) -> None:
    assert faults(tmp_path / "outbox") == []


@pytest.mark.parametrize("path", some_of(["*batch-*", "*failed*", "*retry-*", "."], 1))
def test_a_sync_that_is_left_out_is_found(path: str, tmp_path: Path) -> None:
    assert faults(tmp_path / "outbox", path) != []
