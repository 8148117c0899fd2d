"""The files that a path means."""

from __future__ import annotations

from pathlib import Path

from kaicep.pipeline.sources.file_listing import list_files, record_files, with_objects
from support.buckets import ObjectStorage


def test_a_folder_means_its_files_of_events(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv.gz", ".hidden.csv", "_SUCCESS", "README.md"):
        (tmp_path / name).touch()
    (tmp_path / "more").mkdir()
    assert list_files(tmp_path) == [tmp_path / "a.csv.gz", tmp_path / "b.csv"]


def test_a_pattern_means_the_files_that_have_it(tmp_path: Path) -> None:
    for name in ("a1.csv", "a2.csv", "b.csv"):
        (tmp_path / name).touch()
    assert list_files(tmp_path / "a*.csv") == [tmp_path / "a1.csv", tmp_path / "a2.csv"]
    assert list_files(tmp_path / "x*.csv") == [tmp_path / "x*.csv"]


def test_a_file_means_itself_whatever_its_name(tmp_path: Path) -> None:
    odd = tmp_path / "a[1]*.csv"
    odd.touch()
    (tmp_path / "a1.csv").touch()
    assert list_files(odd) == [odd]
    assert list_files(tmp_path / "none.csv") == [tmp_path / "none.csv"]


def test_partitions_stay_one_table(tmp_path: Path) -> None:
    (tmp_path / "day=2026-01-01").mkdir()
    (tmp_path / "x.parquet").touch()
    assert list_files(tmp_path) == [tmp_path]


def test_an_empty_folder_means_itself(tmp_path: Path) -> None:
    assert list_files(tmp_path) == [tmp_path]


def test_urls_become_the_objects_that_they_mean(object_storage: ObjectStorage) -> None:
    """Paths beside them stay, and so does what is no path."""
    lake = object_storage.folder("in")
    for name in ("b.json", "a.json.gz", "_SUCCESS", "README.md"):
        lake.write(name, [b"{}"])
    found = with_objects([f"{lake}/", "c.json"], object_storage.options)
    assert [str(file) for file in found] == [f"{lake}/a.json.gz", f"{lake}/b.json", "c.json"]
    assert record_files(found) == [*found[:2], Path("c.json")]
    assert [str(file) for file in with_objects(f"{lake}/README.md", object_storage.options)] == [f"{lake}/README.md"]
    for other in ("c.json", [{"a": 1}], [], {"a": [1]}, None):
        assert with_objects(other, object_storage.options) is other
