"""Spark's checkpoint is believed only where it is as Spark wrote it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from kaicep.pipeline.durability.generations.spark_checkpoint import SparkCheckpoint
from support.recorded_spark import RecordedSpark

_Damage = Callable[[Path], object]


def checkpoint(root: Path, batches: int = 3) -> Path:
    """One of two sources; each batch has a file of both, and the last one is not done."""
    for name in ("air", "door", "beats"):
        (root / name).mkdir(parents=True)
    spark = RecordedSpark(root / "checkpoint", [root / "air", root / "door", root / "beats"])
    for number in range(batches):
        for name in ("air", "door"):
            (root / name / f"{number} ü.json").touch()
        spark.plan()
        if number < batches - 1:
            spark.commit()
    return root / "checkpoint"


def test_it_says_what_was_planned_and_done_with_which_files(tmp_path: Path) -> None:
    of = SparkCheckpoint(checkpoint(tmp_path))
    assert (of.planned, of.committed, of.damage(2)) == (2, 1, None)
    assert of.offsets(2) == [2, 2, None]
    name = f"file://{tmp_path}/{{}}/2%20%C3%BC.json"
    assert of.files(2) == [[name.format("air")], [name.format("door")], []]
    assert len(list(of.all_files(0))) == 3


def test_a_note_that_is_put_together_with_earlier_ones_gives_the_files_of_its_batch(tmp_path: Path) -> None:
    of = SparkCheckpoint(checkpoint(tmp_path, 12))
    assert (tmp_path / "checkpoint/sources/0/9.compact").exists()
    assert [path[-len("9%20%C3%BC.json") :] for path in of.files(9)[0]] == ["9%20%C3%BC.json"]
    assert len(list(of.all_files(0))) == 12
    assert of.damage(2) is None


def test_where_nothing_is_spark_begins(tmp_path: Path) -> None:
    of = SparkCheckpoint(tmp_path / "none")
    assert (of.planned, of.committed, of.damage(1)) == (-1, -1, None)


def test_files_that_are_noted_and_not_planned_are_in_the_next_batch(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path)
    (folder / "offsets/2").unlink()
    of = SparkCheckpoint(folder)
    assert (of.planned, of.damage(2)) == (1, None)
    with pytest.raises(FileNotFoundError):
        of.files(2)


def test_a_note_that_has_lost_its_files_is_damaged(tmp_path: Path) -> None:
    """One that is put together with all before it, and none of its own lines."""
    note = checkpoint(tmp_path, 12) / "sources/0/9.compact"
    note.write_text("\n".join(note.read_text(encoding="utf-8").splitlines()[:-1]), encoding="utf-8")
    note.with_name(".9.compact.crc").unlink()
    with pytest.raises(ValueError, match="note 9 has none of its files"):
        SparkCheckpoint(tmp_path / "checkpoint").files(9)


def _remove(*paths: Path) -> None:
    for path in paths:
        path.unlink()


def _replace(path: Path, text: str) -> None:
    """Another text, as no power cut makes it: its checksums are none."""
    _remove(path.with_name(f".{path.name}.crc"))
    path.write_text(text)


DAMAGES: dict[str, _Damage] = {
    "empty plan": lambda of: (of / "offsets/2").write_bytes(b""),
    "lost plans": lambda of: _remove(*(of / "offsets").iterdir()),
    "empty plan before": lambda of: (of / "offsets/1").write_bytes(b""),
    "empty commit": lambda of: (of / "commits/1").write_bytes(b""),
    "lost commits": lambda of: _remove(*(of / "commits").iterdir()),
    "empty note": lambda of: (of / "sources/0/2").write_bytes(b""),
    "half a note": lambda of: (of / "sources/1/1").write_bytes((of / "sources/1/1").read_bytes()[:-9]),
    "lost note": lambda of: _remove(of / "sources/0/1"),
    "lost last note": lambda of: _remove(of / "sources/0/2"),
    "flipped bit": lambda of: (of / "sources/0/1").write_text((of / "sources/0/1").read_text().replace("1%", "3%")),
    "empty checksums": lambda of: (of / "offsets/.2.crc").write_bytes(b""),
    "empty id": lambda of: (of / "metadata").write_bytes(b""),
    "no text": lambda of: (of / "offsets/2").write_bytes(b"\xff\xfe"),
    "other version": lambda of: _replace(of / "offsets/2", "v2\n{}\n-\n-\n-"),
    "other sources": lambda of: _replace(of / "offsets/2", "v1\n{}\n-"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_what_a_power_cut_may_leave_is_found(tmp_path: Path, damage: _Damage) -> None:
    folder = checkpoint(tmp_path)
    damage(folder)
    assert SparkCheckpoint(folder).damage(2) is not None
