"""Which of the listed files are torn or gone, and whose they are."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from kaicep.pipeline.sources.unreadable.listed_files import by_stream, gone_files, path_of, torn_files
from kaicep.pipeline.sources.unreadable.unreadable_file import GONE, UnreadableFile


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


def test_what_was_listed_and_not_found_is_gone() -> None:
    listed = ["file:///in/a%20b", "file:///in/c", "file:///in/d"]
    assert gone_files(listed, ["file:///in/d"], ["/in/c"]) == [UnreadableFile("/in/a b", GONE, None)]
    assert path_of("/in/c") == "/in/c"


def test_a_file_belongs_to_each_stream_that_lists_it() -> None:
    file = UnreadableFile("/in/c", "broken", None)
    listed = {"air": ["file:///in/c"], "all": ["file:///in/c", "file:///in/d"], "door": ["file:///in/d"]}
    assert by_stream([file], listed) == {"air": [file], "all": [file], "door": []}
    assert by_stream([], listed) == {}
