"""Calls wait in the outbox until they were handed on, over restarts, in order."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.pipeline.actions.delivery.outbox import Lane, Outbox
from kaicep.pipeline.flow.rules import CALLS
from support.receivers import calls_table

LANE = Lane("ops", "r")


def ids(outbox: Outbox, lane: Lane = LANE, most: int = 100) -> list[str]:
    piece = outbox.take(lane, most)
    return [] if piece is None else [call.id for call in piece.calls]


def hand_on(outbox: Outbox, most: int, lane: Lane = LANE) -> None:
    piece = outbox.take(lane, most)
    assert piece is not None
    outbox.acknowledge(piece)


def test_nothing_goes_out_before_its_batch_is_durable(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    outbox.put(1, calls_table([1, 2]))
    assert ids(outbox) == []
    assert outbox.release(1) == [LANE]
    assert ids(outbox) == ["r-1", "r-2"]


def test_lanes_are_in_order_over_batches_and_restarts(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    outbox.put(1, calls_table([1, 2, 3]))
    outbox.put(2, calls_table([4]))
    outbox.release(2)
    hand_on(outbox, 2)
    again = Outbox(tmp_path)
    assert again.counts() == {LANE: 2}
    assert again.release(2) == [LANE]
    assert ids(again) == ["r-3", "r-4"]
    hand_on(again, 2)
    assert again.counts() == {}
    assert list(tmp_path.glob("*.parquet")) == []


def test_a_batch_again_does_not_send_what_was_handed_on(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    outbox.put(7, calls_table([1, 2, 3]))
    outbox.release(7)
    hand_on(outbox, 2)
    again = Outbox(tmp_path)
    again.put(7, calls_table([1, 2, 3]))
    again.release(7)
    assert ids(again) == ["r-3"]


def test_a_batch_again_may_have_called_nothing(tmp_path: Path) -> None:
    """It was given up, and its number is another one's now: none of it had gone out."""
    outbox = Outbox(tmp_path)
    outbox.put(1, calls_table([1]))
    again = Outbox(tmp_path)
    again.put(1, CALLS.empty_table())
    assert again.release(1) == []
    assert list(tmp_path.glob("*.parquet")) == []


def test_dead_letters_wait_again_beside_their_lane(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    outbox.put(1, calls_table([1, 2]))
    outbox.release(1)
    piece = outbox.take(LANE, 2)
    assert piece is not None
    outbox.fail(piece, 1, "no room", 10)
    assert ids(outbox) == ["r-2"]
    again = Outbox(tmp_path)
    [failed] = again.failed.calls()
    assert (failed.id, failed.reason, failed.tries) == ("r-1", "no room", 10)
    [retried] = again.retry(lambda _: True, CALLS)
    assert ids(again, retried) == ["r-1"]
    assert again.failed.calls() == []
    assert Outbox(tmp_path).counts() == {LANE: 1, retried: 1}
    hand_on(again, 1, retried)
    assert again.counts() == {LANE: 1}


def test_rules_and_actions_have_lanes_of_their_own(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    outbox.put(1, calls_table([1], rule="a"))
    outbox.put(2, calls_table([2], rule="b"))
    outbox.put(3, calls_table([3], rule="a", action="other"))
    assert set(outbox.release(3)) == {Lane("ops", "a"), Lane("ops", "b"), Lane("other", "a")}


def test_of_a_damaged_file_the_mirror_counts_and_both_are_set_aside(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    outbox.put(1, calls_table([1]))
    outbox.put(2, calls_table([2]))
    [file], [mirror] = tmp_path.glob("batch-*1.parquet"), tmp_path.glob(".batch-*1.parquet.copy")
    file.write_bytes(file.read_bytes()[:-8] + b"\0" * 8)
    once = Outbox(tmp_path)
    once.release(2)
    assert ids(once) == ["r-1", "r-2"]
    mirror.write_bytes(b"")
    again = Outbox(tmp_path)
    again.release(2)
    assert ids(again) == ["r-2"]
    assert [path.name for path in tmp_path.glob("*.damaged")] == [file.with_suffix(".damaged").name]


def test_many_acknowledgements_are_put_together(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    outbox.put(1, calls_table(range(1500)))
    outbox.release(1)
    for _ in range(1400):
        hand_on(outbox, 1)
    assert len((tmp_path / "delivered.jsonl").read_bytes().splitlines()) < 1100
    again = Outbox(tmp_path)
    again.release(1)
    assert again.counts() == {LANE: 100}


def test_calls_of_many_batches_go_out_at_once_and_wait_cheaply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a receiver has been away for long; of a damaged file nothing goes out, and what is behind it does."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    box, lane = Outbox(tmp_path), Lane("ops", "r")
    for batch in range(1, 121):
        box.put(batch, calls_table([batch]))
    box.put(119, calls_table([119]))  # done again
    box.release(119)
    for batch in range(51, 110):
        for name in (f"batch-{batch:012d}.parquet", f".batch-{batch:012d}.parquet.copy"):
            (tmp_path / name).write_bytes(b"damaged")
    taken: list[list[str]] = []
    while (piece := box.take(lane, 30)) is not None:
        taken.append([call.id for call in piece.calls])
        box.acknowledge(piece)
    assert [len(ids) for ids in taken] == [30, 20, 10]
    assert [call for ids in taken for call in ids] == [f"r-{n}" for n in (*range(1, 51), *range(110, 120))]
    assert box.counts() == {lane: 1}
