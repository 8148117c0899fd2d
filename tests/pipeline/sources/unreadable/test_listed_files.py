"""Which of the listed files are torn or gone, and whose they are."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from kaicep.pipeline.sources.unreadable.listed_files import arrived, by_stream, path_of, torn_files
from kaicep.pipeline.sources.unreadable.unreadable_file import UnreadableFile


def url(path: Path) -> str:
    return f"file://{quote(str(path))}"


def test_torn_files_are_found_by_stream(tmp_path: Path) -> None:
    empty, whole = tmp_path / "a ü%20.gz", tmp_path / "b.json"
    empty.touch()
    whole.touch()
    listed = {"air": [url(empty), url(whole)], "door": [url(empty)]}
    found = torn_files(listed, {"door": [url(empty)]})
    (file,) = found["air"].values()
    assert (list(found), list(found["air"]), file.path) == (["air"], [url(empty)], str(empty))
    assert (file.reason, file.state) == ("it breaks off at its beginning", (0, empty.stat().st_mtime_ns))


def test_files_arrive_by_their_times_in_milliseconds_then_by_path(tmp_path: Path) -> None:
    """One that is gone comes first, and is missed when it is read; one that is passed over comes not at all."""
    times = {"b ü%20": 1_000_000_999_999, "a": 1_000_001_000_000, "c": 1_000_000_000_001, "d": 5}
    for name, nanoseconds in times.items():
        (tmp_path / name).touch()
        os.utime(tmp_path / name, ns=(nanoseconds, nanoseconds))
    listed = [url(tmp_path / name) for name in (*times, "gone")]
    assert arrived(listed, [url(tmp_path / "d")]) == [str(tmp_path / name) for name in ("gone", "b ü%20", "c", "a")]
    assert path_of("/in/c") == "/in/c"


def test_a_file_belongs_to_each_stream_that_lists_it() -> None:
    file = UnreadableFile("/in/c", "broken", None)
    listed = {"air": ["file:///in/c"], "all": ["file:///in/c", "file:///in/d"], "door": ["file:///in/d"]}
    assert by_stream([file], listed) == {"air": [file], "all": [file], "door": []}
    assert by_stream([], listed) == {}
