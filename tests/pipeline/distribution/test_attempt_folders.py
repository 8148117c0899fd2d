"""Where attempts may have left something: everywhere at first, then where the last batch was written."""

from __future__ import annotations

from pathlib import Path

from kaicep.pipeline.distribution.attempt_folders import AttemptFolders
from kaicep.pipeline.flow.answering import WrittenRows
from kaicep.pipeline.sharding.identity_part import EarlierEvents
from kaicep.pipeline.sharding.log_part import LogReport
from kaicep.pipeline.sharding.sharded_flow import HostedBatch


def batch(*streams: Path, matches: Path | None = None) -> HostedBatch:
    """What tasks tell that have written segments."""
    segments = {path.name: LogReport(path.name, path / ".tmp-segment-1", 1, 0) for path in streams}
    none = {"none": LogReport("none", None, 0, 0)}
    written = {} if matches is None else {"q": WrittenRows(1, (), matches / ".tmp-segment-2")}
    return HostedBatch({}, {}, written, (), {}, {}, {}, {**segments, **none}, {}, EarlierEvents())


def test_what_was_before_may_be_anywhere(tmp_path: Path) -> None:
    for name in ("log/P", "log/Q", "matches/q"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "log/format.json").write_text("{}")
    folders = AttemptFolders((tmp_path / "log", tmp_path / "matches", tmp_path / "nowhere"))
    assert {*folders} == {tmp_path / name for name in ("log/P", "log/Q", "matches/q")}


def test_then_it_is_where_the_last_batch_was_written(tmp_path: Path) -> None:
    """By any of its pieces."""
    one, other, rows = tmp_path / "P", tmp_path / "Q", tmp_path / "q"
    folders = AttemptFolders((tmp_path,))
    folders.note(batch(one), first=True)
    folders.note(batch(other, matches=rows), first=False)
    assert {*folders} == {one, other, rows}
    folders.note(batch(other), first=True)
    assert {*folders} == {other}
