"""The files that a path means."""

from __future__ import annotations

from pathlib import Path

from kaicep.pipeline.sources.file_listing import list_files


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
