"""Snapshots are durable, whole or absent, and few."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.errors import PipelineError
from kaicep.pipeline.durability.generations.checkpoint_generation import current_generation
from kaicep.pipeline.durability.operator_snapshots import OperatorSnapshots


def test_a_snapshot_comes_back_as_it_was(tmp_path: Path) -> None:
    snapshots = OperatorSnapshots(tmp_path)
    snapshots.write(7, {"stream/a": b"\x00\x01", "query/q": b""})
    assert snapshots.newest(7) == (7, {"stream/a": b"\x00\x01", "query/q": b""})
    assert snapshots.newest(6) is None
    assert snapshots.latest() == 7


def test_only_the_last_ones_are_kept(tmp_path: Path) -> None:
    snapshots = OperatorSnapshots(tmp_path)
    for batch in range(6):
        snapshots.write(batch, {"a": b"x"})
    assert [snapshots.newest(b) is not None for b in range(6)] == [False, False, False, True, True, True]


def test_an_unfinished_file_is_no_snapshot(tmp_path: Path) -> None:
    (tmp_path / "000000000004.part").write_bytes(b"half")
    assert OperatorSnapshots(tmp_path).latest() is None


@pytest.mark.parametrize("damage", [lambda _: b"", lambda whole: whole[:-30], lambda whole: whole.replace(b"x", b"y")])
def test_a_damaged_file_is_told_and_put_aside_for_the_one_before(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    told: list[str] = []
    snapshots = OperatorSnapshots(tmp_path, told.append)
    for batch in (2, 3):
        snapshots.write(batch, {"a": b"x" * batch})
    path = tmp_path / "000000000003.snapshot"
    path.write_bytes(damage(path.read_bytes()))
    assert snapshots.newest(3) == (2, {"a": b"xx"})
    (line,) = told
    assert line.startswith("recovery: the snapshot of batch 3 is damaged (")
    assert line.endswith("), and is put aside as 000000000003.damaged")
    assert snapshots.latest() == 2
    assert snapshots.newest(3) == (2, {"a": b"xx"})
    assert told == [line]


def project(path: str) -> Settings:
    stream = {"event_type": "<urn:E>", "time": {"attribute": "t"}, "source": {"format": "json", "path": path}}
    return Settings.parse({"streams": {"s": stream}})


def test_the_generation_changes_with_the_sources_and_goes_on_counting(tmp_path: Path) -> None:
    first = current_generation(project("in"), tmp_path, None)
    assert first.base == 1
    assert current_generation(project("in"), tmp_path, 0) == first
    second = current_generation(project("other"), tmp_path, 4)
    assert second.base == 5
    assert second.checkpoint != first.checkpoint


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    with pytest.raises(PipelineError) as caught:
        OperatorSnapshots(tmp_path / "state" / "snapshots")
    assert str(caught.value) == (
        f"{tmp_path}/state/snapshots: cannot make the engine's state: Not a directory: "
        "choose another path with state under [engine]"
    )
