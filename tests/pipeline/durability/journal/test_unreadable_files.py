"""Files that could not be read are passed over until they are other ones."""

from __future__ import annotations

import os
from pathlib import Path

from kaicep.pipeline.durability.journal.unreadable_files import UnreadableFiles
from kaicep.pipeline.sources import UnreadableFile, file_state


def broken(path: Path) -> UnreadableFile:
    return UnreadableFile(str(path), "broken", file_state(path))


def files(root: Path, *names: str) -> UnreadableFiles:
    of = UnreadableFiles(root)
    for number, name in enumerate(names, 1):
        (root / name).write_text(name)
        of.note(number, {"air": [broken(root / name)]})
    return of


def test_a_file_is_passed_over_until_it_is_another_one(tmp_path: Path) -> None:
    of = files(tmp_path, "a", "b")
    assert of.passed_over(1, "air", "a")
    assert of.passed_over(7, "air", "a")
    assert not of.passed_over(7, "door", "a")
    (tmp_path / "a").write_text("mended")
    assert of.passed_over(1, "air", "a"), "the batch that had nothing of it has nothing of it again"
    assert not of.passed_over(7, "air", "a")
    assert (of.mended(), of.batches) == (["a"], {1, 2})
    of.try_again(["a"])
    assert (of.mended(), of.passed_over(1, "air", "a"), of.of(2)) == ([], False, {"air": [broken(tmp_path / "b")]})


def test_a_file_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    of = files(tmp_path, "a")
    (tmp_path / "a").write_text("half of it")
    assert (of.mended(quiet=True), of.mended()) == ([], ["a"])
    os.utime(tmp_path / "a", (1000, 1000))
    assert of.mended(quiet=True) == ["a"]


def test_a_file_that_is_gone_may_come_back(tmp_path: Path) -> None:
    of = UnreadableFiles(tmp_path)
    of.note(1, {"air": [UnreadableFile(str(tmp_path / "a"), "gone", None)]})
    assert (of.mended(), of.passed_over(2, "air", "a")) == ([], True)
    of.forget_gone()
    (tmp_path / "a").touch()
    assert of.mended() == ["a"]


def test_of_many_that_are_gone_the_oldest_are_forgotten(tmp_path: Path) -> None:
    of = UnreadableFiles(tmp_path)
    for number in range(1100):
        of.note(number, {"air": [UnreadableFile(str(tmp_path / str(number)), "gone", None)]})
    of.forget_gone()
    assert of.batches == set(range(100, 1100))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """Also of files that lie elsewhere, and when the project was moved."""
    of = files(tmp_path, "a")
    elsewhere = UnreadableFile("/elsewhere/b", "gone", None, fleeting=True)
    of.note(1, {"door": [elsewhere]})
    line = of.line(1)
    assert line["air"]["a"] == ["broken", file_state(tmp_path / "a"), False]
    again = UnreadableFiles(tmp_path)
    again.read(1, line)
    assert again.of(1) == {"air": [broken(tmp_path / "a")], "door": [elsewhere]}
    moved = UnreadableFiles(tmp_path / "moved")
    moved.read(1, line)
    assert moved.of(1)["air"][0].path == str(tmp_path / "moved" / "a")
