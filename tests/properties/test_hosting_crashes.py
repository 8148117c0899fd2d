"""Whatever a batch is interrupted at, an engine whose tasks answer goes on to what it gives when nothing happens.

Tasks and writes fail at seeded places, the process ends there, and the next one is delivered the batch again; or what
Spark knew is gone with it, and the batch is done from what the log has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kaicep import Project
from kaicep.archive.log.event_log import EventLog
from kaicep.archive.matches import MatchLog
from kaicep.errors import KaicepError
from kaicep.pipeline.durability.generations.checkpoint_generation import Generation
from kaicep.pipeline.durability.journal.batch_journal import BatchJournal
from kaicep.pipeline.durability.operator_snapshots import OperatorSnapshots
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from support.hostings import FilesEngine, TasksHere, catalog_in, lines_in, written
from support.keyed import STREAMS, keyed_batches, keyed_question
from support.sharded import split_anywhere

BASE = Project.parse({"streams": STREAMS})
Cut = Sequence[Mapping[str, Sequence[Sequence[Mapping[str, Any]]]]]


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
MANY = 1_000_000


def question(seed: int) -> tuple[str, Cut]:
    """A document, and batches of files; some records are none."""
    rng = Random(seed)
    text = ";\n".join(f"CREATE QUERY q{i} AS {keyed_question(rng)}" for i in range(3))
    cut = [split_anywhere(rng, batch) for batch in keyed_batches(rng)]
    for batch in cut:
        for files in batch.values():
            files[0] = [*files[0], {"id": "x", "t": "soon"}]
    return text, cut


def engine(folder: Path, text: str, few: int = 0) -> FilesEngine:
    """One in tasks, which write the rows of two of its queries, if they are more than a few; see `FilesEngine`."""
    folder.mkdir()
    project = catalog_in(folder, BASE.settings, BASE, shards=2)
    queries = project.registrations(text, "q")
    return FilesEngine(folder, project, queries, TasksHere(), collected=lambda label: label == "q0", few=few)


def noted(own: FilesEngine, number: int, batch: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]]) -> None:
    """Write the files of a batch, and what Spark notes of them."""
    files = {
        name: [written(own.folder, name, 10 * number + place, rows) for place, rows in enumerate(several)]
        for name, several in batch.items()
    }
    own.note(number, files)


def told(own: FilesEngine) -> tuple[Any, ...]:
    """All that is left of it."""
    progress = own.flow.progress
    return own.log, own.letters, (lines_in(own.rows), own.found), progress.streams, progress.matches


def undisturbed(folder: Path, text: str, cut: Cut) -> tuple[Any, ...]:
    """What an engine has left that nothing has met, and whose rows all went through the driver."""
    own = engine(folder, text, few=MANY)
    for number, batch in enumerate(cut, 1):
        noted(own, number, batch)
        own.deliver(number)
    own.flow.finish()
    found = told(own)
    own.stop()
    return found


def check_ends(folder: Path, seed: int, patch: pytest.MonkeyPatch) -> int:
    """Let processes end at seeded places; how many have."""
    text, cut = question(seed)
    expected = undisturbed(folder / "undisturbed", text, cut)
    rng, own, ended = Random(f"ends {seed}"), engine(folder / "ended", text), 0
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


@pytest.mark.parametrize("seed", range(4))
def test_a_batch_that_is_delivered_again_gives_what_it_gives(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check_ends(tmp_path, seed, monkeypatch)


@pytest.mark.long
def test_batches_are_delivered_again_in_the_long_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(check_ends(_made(tmp_path / str(seed)), seed, monkeypatch) for seed in range(4, 60)) > 100


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


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
