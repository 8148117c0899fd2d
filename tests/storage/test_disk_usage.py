"""The bytes of a folder."""

from __future__ import annotations

from pathlib import Path

from kaicep.storage import folder_size


def test_the_size_of_a_folder_is_that_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "x").write_bytes(b"12345")
    (tmp_path / "a" / "b" / "y").write_bytes(b"678")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    assert folder_size(tmp_path) == 8
    assert folder_size(tmp_path / "none") == 0
