"""Snapshots are durable, whole or absent, and few."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.errors import PipelineError
from kaicep.pipeline.durability.checkpoint_generation import current_generation
from kaicep.pipeline.durability.operator_snapshots import OperatorSnapshots


def test_a_snapshot_comes_back_as_it_was(tmp_path: Path) -> None:
    snapshots = OperatorSnapshots(tmp_path)
    snapshots.write(7, {"stream/a": b"\x00\x01", "query/q": b""})
    assert snapshots.read(7) == {"stream/a": b"\x00\x01", "query/q": b""}
    assert snapshots.read(6) is None
    assert snapshots.latest() == 7


def test_only_the_last_ones_are_kept(tmp_path: Path) -> None:
    snapshots = OperatorSnapshots(tmp_path)
    for batch in range(6):
        snapshots.write(batch, {"a": b"x"})
    assert [snapshots.read(b) is not None for b in range(6)] == [False, False, False, True, True, True]


def test_an_unfinished_file_is_no_snapshot(tmp_path: Path) -> None:
    (tmp_path / "000000000004.part").write_bytes(b"half")
    assert OperatorSnapshots(tmp_path).latest() is None


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "000000000003.snapshot"
    path.write_bytes(b"no zip")
    with pytest.raises(PipelineError) as error:
        OperatorSnapshots(tmp_path).read(3)
    assert str(error.value) == f"{path}: the snapshot is damaged: remove it; it is rebuilt from the archive"


def project(path: str) -> Settings:
    stream = {"event_type": "<urn:E>", "time": {"attribute": "t"}, "source": {"format": "json", "path": path}}
    return Settings.parse({"streams": {"s": stream}})


def test_the_generation_changes_with_the_sources_and_goes_on_counting(tmp_path: Path) -> None:
    first = current_generation(project("in"), tmp_path, None)
    assert first.base == 1
    assert current_generation(project("in"), tmp_path, 4) == first
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
