"""A large state is written now and then, a small one after each batch."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.durability.journal import BatchJournal
from kaicep.pipeline.durability.snapshots import snapshot_interval
from kaicep.pipeline.durability.snapshots.snapshot_interval import SnapshotDue, SnapshotInterval
from kaicep.pipeline.sources import RawBatch, raw_table
from support.air_engine import QUERIES, SETTINGS, run_air, snapshots_in

NOT, LATER, NOW = SnapshotDue


def test_a_small_state_is_written_after_each_batch() -> None:
    interval = SnapshotInterval()
    for _ in range(5):
        assert interval.due(10) is NOW
        interval.written(900_000)


def test_a_large_state_is_written_when_as_much_would_be_replayed() -> None:
    interval = SnapshotInterval()
    assert interval.due(1) is NOW
    interval.written(68_000_000)
    assert [interval.due(1) for _ in range(100)] == [*99 * [NOT], LATER]
    interval.written(68_000_000)
    assert [interval.due(170_000) for _ in range(4)] == [NOT, NOT, NOT, LATER]
    interval.written(68_000_000)
    interval.end()
    assert interval.due(1) is NOW


def test_batches_are_counted_from_the_one_whose_state_is_being_written() -> None:
    interval = SnapshotInterval()
    interval.written(68_000_000)
    assert [interval.due(1) for _ in range(100)][-1] is LATER
    interval.begun()
    assert [interval.due(1) for _ in range(3)] == [NOT, NOT, NOT]
    interval.written_later(200_000)
    assert interval.due(1) is NOW  # it has become small


def test_what_changed_while_a_state_is_written_is_written_with_the_next_batch() -> None:
    interval = SnapshotInterval()
    interval.written(68_000_000)
    interval.begun()
    interval.end()
    interval.written_later(68_000_000)
    assert interval.due(1) is NOW


def rows_in(folder: Path) -> str:
    return (folder / "rows.jsonl").read_text(encoding="utf-8")


@pytest.fixture
def always_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_interval, "_LARGE", 0)
    monkeypatch.setattr(snapshot_interval, "_ROW", 0)


@pytest.mark.usefixtures("always_large")
def test_a_start_goes_on_from_an_older_snapshot_and_the_log(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    progress = run_air(whole, 1, 40)
    for first in range(1, 41, 8):
        again = run_air(parts, first, first + 7)
    assert snapshots_in(whole) == [1]
    assert rows_in(parts) == rows_in(whole)
    assert len(rows_in(whole).splitlines()) > 60
    assert (again.batches, again.streams) == (progress.batches, progress.streams)
    assert again.streams["air"].rejected == 40


@pytest.mark.usefixtures("always_large")
def test_a_batch_that_was_cut_off_is_done_again_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run_air(whole, 1, 20)
    run_air(parts, 1, 9)
    with monkeypatch.context() as patched:
        patched.setattr(BatchJournal, "finish", lambda *_, **__: 1 / 0)  # its rows are with the sink already
        with pytest.raises(ZeroDivisionError):
            run_air(parts, 10, 10)
    run_air(parts, 10, 20)
    assert rows_in(parts) == rows_in(whole)


@pytest.mark.usefixtures("always_large")
def test_what_the_state_is_rebuilt_from_stays_in_the_log(tmp_path: Path) -> None:
    project = Project.parse(SETTINGS | {"archive": {"store": False, "log_age": "2s"}}, root=tmp_path)
    with Archive(project.settings, project.knowledge, project.shapes) as archive:
        flow = CheckpointedFlow(project, tmp_path / "state", [], archive)
        flow.queries.submit(project.registrations(QUERIES[0], label="q"))
        for number in range(1, 31):
            rows = [{"t": f"2026-03-01T00:00:{number:02}Z", "x": 1}]
            flow.run(number, {"air": RawBatch(raw_table(rows))})
            archive.tidy()
        held = [position.batch for position in archive.log.positions()]
        flow.close()
    assert held == list(range(2, 31))
