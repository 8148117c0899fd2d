"""Whatever a batch is interrupted at, an engine whose tasks answer goes on to what it gives when nothing happens.

Tasks and writes fail at seeded places, the process ends there, and the next one is delivered the batch again; or what
Spark knew is gone with it, and the batch is done from what the log has.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kaicep.archive.log.event_log import EventLog
from kaicep.archive.matches import MatchLog
from kaicep.errors import KaicepError
from kaicep.pipeline.durability.generations.checkpoint_generation import Generation
from kaicep.pipeline.durability.journal.batch_journal import BatchJournal
from kaicep.pipeline.durability.snapshots.operator_snapshots import OperatorSnapshots
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from kaicep.storage import BucketFolder
from support.buckets import ObjectStorage
from support.sampling import some_of
from support.tried_engine import engine, noted, question, told, undisturbed


class _EndedError(Exception):
    """The process ends here."""


WRITES = (
    (EventLog, "append"),
    (BatchJournal, "take"),
    (BatchJournal, "finish"),
    (OperatorSnapshots, "write"),
    (JsonLinesSink, "take"),
    (JsonLinesSink, "flush"),
    (MatchLog, "append"),
)
"""What makes a batch durable, step by step."""


def check_ends(folder: Path, seed: int, patch: pytest.MonkeyPatch, lake: BucketFolder | None = None) -> int:
    """Let processes end at seeded places; how many have."""
    text, cut = question(seed)
    expected = undisturbed(folder / "undisturbed", text, cut)
    rng, own, ended = Random(f"ends {seed}"), engine(folder / "ended", text, lake), 0
    for number, batch in enumerate(cut, 1):
        noted(own, number, batch)
        while own.next == number:
            with patch.context() as context:
                countdown = _Countdown(rng.randrange(60) if rng.random() < 0.7 else None)
                assert own.tasks is not None
                own.tasks.before = countdown
                for of, name in WRITES:
                    context.setattr(of, name, _counted(getattr(of, name), countdown, rng.random() < 0.5))
                try:
                    own.deliver(number)
                except (_EndedError, KaicepError):
                    ended += 1
            own.tasks.before = lambda: None
            if countdown.over:
                own.stop()
                own.start()
                own.flow.begin(own.generation)
    own.flow.finish()
    assert told(own) == expected
    own.stop()
    return ended


class _Countdown:
    """Ends the process at a step."""

    def __init__(self, steps: int | None) -> None:
        self._left, self.over = steps, False

    def __call__(self) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                self._left, self.over = None, True
                raise _EndedError


def _counted(done: Callable[..., Any], countdown: _Countdown, after: bool) -> Callable[..., Any]:
    """A write that may be the last thing that a process does, or the first that it does not."""

    def write(*args: Any, **kwargs: Any) -> Any:
        if not after:
            countdown()
        found = done(*args, **kwargs)
        if after:
            countdown()
        return found

    return write


@pytest.mark.parametrize("seed", some_of(range(4), 1))
def test_a_batch_that_is_delivered_again_gives_what_it_gives(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check_ends(tmp_path, seed, monkeypatch)


@pytest.mark.long
def test_so_does_one_whose_log_and_parts_are_in_a_bucket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, object_storage: ObjectStorage
) -> None:
    assert check_ends(tmp_path, 5, monkeypatch, object_storage.folder("lake"))


@pytest.mark.long
def test_those_over_a_bucket_in_the_long_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, object_storage: ObjectStorage
) -> None:
    ended = [
        check_ends(_made(tmp_path / str(seed)), seed, monkeypatch, object_storage.folder("lake"))
        for seed in range(60, 100)
    ]
    assert sum(ended) > 50


@pytest.mark.long
def test_batches_are_delivered_again_in_the_long_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(check_ends(_made(tmp_path / str(seed)), seed, monkeypatch) for seed in range(4, 60)) > 100


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.mark.long
def test_a_batch_that_nobody_delivers_again_is_done_from_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its events are in the log, its rows are not with the sinks, and Spark's checkpoint is gone."""
    text, cut = question(1)
    expected = undisturbed(tmp_path / "undisturbed", text, cut)
    own = engine(tmp_path / "ended", text)
    for number, batch in enumerate(cut, 1):
        noted(own, number, batch)
        if number == len(cut):
            with monkeypatch.context() as context:
                context.setattr(JsonLinesSink, "flush", _counted(JsonLinesSink.flush, _Countdown(0), after=False))
                with pytest.raises((_EndedError, KaicepError)):
                    own.deliver(number)
            own.stop()
            own.start()
            another = Generation(own.folder / "state" / "another", number + 1, own.folder / "heartbeats")
            assert own.flow.begin(another) is not None
        else:
            own.deliver(number)
    own.flow.finish()
    log, letters, rows, _, matches = told(own)
    assert (log, letters, rows, matches) == (*expected[:3], expected[4])
    own.stop()


def test_files_that_are_gone_are_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is delivered again whose files have been cleaned away: the log has their events."""
    text, cut = question(3)
    expected = undisturbed(tmp_path / "undisturbed", text, cut)
    own = engine(tmp_path / "ended", text)
    for number, batch in enumerate(cut, 1):
        noted(own, number, batch)
        if number == 2:
            with monkeypatch.context() as context:
                context.setattr(JsonLinesSink, "flush", _counted(JsonLinesSink.flush, _Countdown(0), after=False))
                with pytest.raises((_EndedError, KaicepError)):
                    own.deliver(number)
            for path in own.folder.glob(f"in/*/{number * 10:05}.json"):
                path.unlink()
            own.stop()
            own.start()
            own.flow.begin(own.generation)
        own.deliver(number)
    own.flow.finish()
    log, letters, rows, _, matches = told(own)
    assert (log, letters, rows, matches) == (*expected[:3], expected[4])
    own.stop()
