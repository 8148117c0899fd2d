"""Runs of an engine whose every operation of the file system was recorded, and engines that start on what cuts left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from .cut_engine import QUERIES, Handed, Remains, drop_files, file_number, remains, run_engine
from .disk_states import DiskStates, RestoredFolder
from .power_cuts import DiskRecorder, DiskState

__all__ = ["Moment", "Recording", "differences", "of_spark", "record"]

_AHEAD = 2


class Moment(NamedTuple):
    """How far a run was.

    Attributes:
        batches: that were done.
        calls: that were handed on.
    """

    batches: int
    calls: int


@dataclass(frozen=True)
class Recording:
    """A run whose every operation was recorded.

    Attributes:
        root: its folder.
        most: files of a stream that a batch had.
        queries: its document.
        expected: what it had left when each of its batches was done.
        handed: the calls of rules, all of them.
        calls: how many of them were handed on when each of its batches was done.
        states: those that a cut may have left, each with the place of its moment.
        moments: how far the run was then.
        syncs: of each batch.
    """

    root: Path
    most: int
    queries: str
    expected: Sequence[Remains]
    handed: Handed
    calls: Sequence[int]
    states: DiskStates
    moments: Sequence[Moment]
    syncs: Sequence[int]


def record(
    root: Path,
    batches: int,
    *,
    archive: bool = True,
    most: int = 1,
    queries: str = QUERIES,
    unsynced: Callable[[str], bool] = lambda _: False,
) -> Recording:
    """Run an engine over files.

    Args:
        root: its folder.
        batches: how many.
        archive: whether there is one.
        most: files of a stream that a batch has.
        queries: its document.
        unsynced: of which paths an `fsync` counts for nothing.
    """
    root.mkdir()
    drop_files(root, range(batches * most))
    expected, calls, states, syncs = list[Remains](), list[int](), DiskStates(), [0]
    handed, moments = Handed(), list[Moment]()

    def on_state(_: int, state: DiskState) -> None:
        states.add(len(moments), state)
        moments.append(Moment(min(len(expected), batches - 1), len(handed.calls)))

    def on_batch(_: int) -> None:
        expected.append(remains(root, archive=archive))
        calls.append(len(handed.calls))
        syncs.append(recorder.syncs)

    recorder = DiskRecorder(root, on_state, careless=of_spark, unsynced=unsynced)
    with recorder.recording():
        run_engine(root, most, archive=archive, queries=queries, handed=handed, on_batch=on_batch)
    assert len(expected) == batches
    of_each = [after - before for before, after in pairwise(syncs)]
    return Recording(root, most, queries, expected, handed, calls, states, moments, of_each)


def of_spark(path: str) -> bool:
    """Whether a file is Spark's, which syncs nothing."""
    return "/checkpoint/" in path


def differences(
    recording: Recording, states: Iterable[tuple[int, DiskState]], most: int | None = None, *, archive: bool = True
) -> Iterator[Sequence[str]]:
    """Start an engine on each of some states: what of its answers is not that of the uninterrupted one.

    Of the files of readings those are there by then that the batch at work has and two more batches. A cut comes once:
    the engine itself need not wait for the disk. Whoever is called has noted what it was called with before the cut.

    Args:
        recording: of the uninterrupted one.
        states: each with the place of its moment.
        most: files of a stream that a batch has now; `None`: all.
        archive: whether there is one.
    """
    folder = RestoredFolder(recording.root)
    for place, state in states:
        done, count = recording.moments[place]
        last = min(done + _AHEAD, len(recording.expected) - 1)
        folder.put(
            {path: content for path, content in state.items() if file_number(path) < (last + 1) * recording.most}
        )
        handed = recording.handed.upto(count)
        with patch("os.fsync"):
            try:
                told = run_engine(recording.root, most, archive=archive, queries=recording.queries, handed=handed)
                found = remains(recording.root, archive=archive)
            except Exception as error:  # noqa: BLE001 - an engine that does not start is looked for, and a broken file
                yield [repr(error)]
                continue
        expected = recording.expected[last]
        names = [part.name for part in fields(Remains) if getattr(found, part.name) != getattr(expected, part.name)]
        if handed.by_rule() != recording.handed.upto(recording.calls[last]).by_rule():
            names.append("calls")
        yield [*names, *told] if names else []
