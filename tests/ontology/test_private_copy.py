"""A private copy and its files."""

from __future__ import annotations

from pathlib import Path

from kaicep.ontology import PrivateCopy
from pyoxigraph import Store


def test_files_are_there_as_long_as_the_copy_is(tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    copy = PrivateCopy(Store(str(folder)), folder)
    assert not copy.in_memory
    assert folder.is_dir()
    del copy
    assert not folder.exists()


def test_a_copy_in_memory_has_no_files() -> None:
    assert PrivateCopy(Store()).in_memory
