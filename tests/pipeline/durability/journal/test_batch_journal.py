"""The journal knows which files were taken and how far the rows are, whatever a power cut or a disk makes of it."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from kaicep.pipeline.durability.journal.batch_journal import BatchJournal
from kaicep.pipeline.sources import UnreadableFile, file_state

FILES = {"in/1.json": "file:///p/in/1.json", "in/2.json": "file:///p/in/2.json"}


def journal(root: Path) -> BatchJournal:
    (root / "in").mkdir(exist_ok=True)
    for number in (1, 2, 3):
        if not (root / f"in/{number}.json").exists():
            (root / f"in/{number}.json").touch()
    return BatchJournal(root / "queries/batches.jsonl", root)


def test_a_file_that_another_batch_took_is_passed_over(tmp_path: Path) -> None:
    first = journal(tmp_path)
    assert first.sorted_out(1, {"air": FILES}).new == {"air": FILES.keys()}
    first.take(1, {"air": FILES, "door": []})
    for known in (first, journal(tmp_path)):
        again = known.sorted_out(1, {"air": FILES})
        assert (again.new, again.passed_over) == ({"air": FILES.keys()}, {})
        later = known.sorted_out(2, {"air": FILES | {"in/3.json": "x"}, "door": FILES})
        assert later.new == {"air": {"in/3.json"}, "door": FILES.keys()}
        assert later.passed_over == {"air": set(FILES.values())}


def test_a_batch_that_was_begun_is_known_also_when_its_files_are_others_again(tmp_path: Path) -> None:
    first = journal(tmp_path)
    assert first.begun is None
    first.take(1, {"air": ["in/1.json"]})
    first.finish(1, {})
    first.take(2, {"air": ["in/2.json"]})
    assert journal(tmp_path).begun == 2
    assert first.streams(2) == ["air"]
    first.give_back(2, ["air"])
    for known in (first, journal(tmp_path)):
        assert (known.begun, known.files) == (2, 1)


def test_the_last_batch_that_was_done_is_known(tmp_path: Path) -> None:
    first = journal(tmp_path)
    assert first.delivered() is None
    first.finish(1, {"sink/0": b'{"bytes": 7}'})
    first.take(2, {"air": ["in/1.json"]})
    first.finish(2, {"sink/0": b'{"bytes": 9}', "late/q": b"{}"})
    for known in (first, journal(tmp_path)):
        assert known.delivered() == (2, {"sink/0": b'{"bytes": 9}', "late/q": b"{}"})


def refuse_reading(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def read_bytes(path: Path) -> bytes:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(Path, "read_bytes", read_bytes)


def test_a_journal_on_a_bad_sector_is_told_and_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    journal(tmp_path).finish(1, {"sink/0": b"{}"})
    refuse_reading(monkeypatch, errno.EIO)
    known = journal(tmp_path)
    assert known.delivered() is None
    (told,) = caplog.records
    said = f"recovery: {tmp_path}/queries/batches.jsonl cannot be read (Input/output error)"
    assert told.getMessage() == f"{said}: its files come again, and are recognised"
    known.finish(2, {})
    monkeypatch.undo()
    assert journal(tmp_path).delivered() == (2, {})


def test_a_journal_that_cannot_be_opened_now_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal(tmp_path).finish(1, {})
    refuse_reading(monkeypatch, errno.EMFILE)
    with pytest.raises(OSError, match="Too many open files"):
        journal(tmp_path)
    monkeypatch.undo()
    assert journal(tmp_path).delivered() == (1, {})


@pytest.mark.parametrize("damage", ["torn", "flipped", "zeros"])
def test_a_line_that_is_not_whole_counts_for_nothing(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "queries/batches.jsonl"
    first = journal(tmp_path)
    first.take(1, {"air": ["in/1.json"]})
    first.finish(1, {"sink/0": b"1"})
    whole = path.read_bytes()
    first.take(2, {"air": ["in/2.json"]})
    content = path.read_bytes()
    broken = {
        "torn": content[:-5],
        "flipped": content.replace(b"2.json", b"3.json"),
        "zeros": whole + bytes(len(content) - len(whole)),
    }
    path.write_bytes(broken[damage])
    after = journal(tmp_path)
    assert after.delivered() == (1, {"sink/0": b"1"})
    assert after.sorted_out(9, {"air": FILES}).new == {"air": {"in/2.json"}}
    after.take(3, {"air": ["in/3.json"]})  # what was torn swallows no later line
    assert journal(tmp_path).sorted_out(9, {"air": FILES | {"in/3.json": "x"}}).new == {"air": {"in/2.json"}}


def test_what_is_remembered_is_bounded_by_the_files_that_are_there(tmp_path: Path) -> None:
    of = journal(tmp_path)
    of.take(0, {"air": ["in/1.json"]})
    for number in range(1, 3000):
        of.take(number, {"air": [f"in/gone-{number}.json"]})
        of.finish(number, {"sink/0": b"1"})
    assert of.files < 1500
    assert len((tmp_path / "queries/batches.jsonl").read_bytes().splitlines()) < 4000
    of.forget_missing()
    assert of.files == 1
    assert journal(tmp_path).sorted_out(9, {"air": FILES}).new == {"air": {"in/2.json"}}
    assert of.delivered() == journal(tmp_path).delivered() == (2999, {"sink/0": b"1"})


def test_what_an_earlier_version_noted_is_known(tmp_path: Path) -> None:
    path = tmp_path / "queries/position.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"batch": 7, "parts": {"sink/0": {"bytes": 1}}}))
    assert journal(tmp_path).delivered() == (7, {"sink/0": b'{"bytes": 1}'})
    path.write_text("")
    assert journal(tmp_path).delivered() is None


def unreadable(root: Path, name: str) -> UnreadableFile:
    return UnreadableFile(str(root / name), "broken", file_state(root / name))


def test_a_file_that_could_not_be_read_is_not_taken(tmp_path: Path) -> None:
    """It is known over a restart, passed over while it is as it was, and new when it is another one."""
    first = journal(tmp_path)
    broken = unreadable(tmp_path, "in/2.json")
    first.take(1, {"air": FILES}, {"air": [broken], "door": []})
    for known in (first, journal(tmp_path)):
        again = known.sorted_out(1, {"air": FILES})
        assert (again.new, again.unreadable) == ({"air": {"in/1.json"}}, {"air": [broken]})
        later = known.sorted_out(2, {"air": FILES})
        assert (later.new, later.unreadable) == ({"air": set()}, {})
        assert later.passed_over == {"air": set(FILES.values())}
        assert {stream: set(urls) for stream, urls in later.listed.items()} == {"air": set(FILES.values())}
    (tmp_path / "in/2.json").write_text("mended")
    known = journal(tmp_path)
    assert (known.mended(), known.sorted_out(2, {"air": FILES}).new) == (["in/2.json"], {"air": {"in/2.json"}})
    known.take(2, {"air": ["in/2.json"]})
    assert (known.mended(), journal(tmp_path).mended(), known.files) == ([], [], 2)


def test_a_file_that_is_listed_anew_is_tried_again(tmp_path: Path) -> None:
    first = journal(tmp_path)
    first.take(1, {"air": FILES}, {"air": [unreadable(tmp_path, "in/2.json")]})
    (tmp_path / "in/2.json").write_text("mended")
    first.try_again(first.mended())
    for known in (first, journal(tmp_path)):
        assert (known.mended(), known.sorted_out(2, {"air": FILES}).new) == ([], {"air": {"in/2.json"}})


def test_what_a_batch_gives_back_may_be_tried_again(tmp_path: Path) -> None:
    first = journal(tmp_path)
    first.take(1, {"air": FILES}, {"air": [unreadable(tmp_path, f"in/{number}.json") for number in (1, 2)]})
    first.take(2, {"door": FILES}, {"door": [unreadable(tmp_path, "in/1.json")]})
    assert (first.streams(1), first.streams(2)) == (["air"], ["door"])
    first.give_back(2, [])
    first.give_back(1, ["air"])
    for known in (first, journal(tmp_path)):
        found = known.sorted_out(3, {"air": FILES, "door": FILES})
        assert found.new == {"air": FILES.keys(), "door": set()}


def read_to(offset: int) -> dict[str, dict[str, dict[str, int]]]:
    return {"air": {"topic": {"0": offset}}}


def test_up_to_where_topics_are_read_is_known(tmp_path: Path) -> None:
    first = journal(tmp_path)
    first.begin_topics(1, read_to(3))
    first.take(1, {}, {}, read_to(5))
    first.finish(1, {})
    first.take(2, {"door": ["in/1.json"]}, {}, read_to(8))
    for known in (first, journal(tmp_path)):
        assert known.read == read_to(8)
        assert known.begun == 2
        assert set(known.streams(2)) == {"air", "door"}
    first.forget_missing()
    assert journal(tmp_path).read == read_to(8)


def test_a_batch_without_new_records_is_no_line(tmp_path: Path) -> None:
    first = journal(tmp_path)
    first.take(1, {}, {}, read_to(5))
    size = (tmp_path / "queries/batches.jsonl").stat().st_size
    first.take(2, {}, {}, read_to(5))
    assert (tmp_path / "queries/batches.jsonl").stat().st_size == size


@pytest.mark.parametrize(("begun", "wanted"), [(read_to(3), read_to(3)), ({}, {})])
def test_topics_that_are_given_back_are_read_again_from_where_they_began(
    begun: dict[str, dict[str, dict[str, int]]], wanted: object, tmp_path: Path
) -> None:
    first = journal(tmp_path)
    first.begin_topics(1, begun)
    first.take(1, {}, {}, read_to(5))
    first.give_back(1, first.streams(1))
    for known in (first, journal(tmp_path)):
        assert known.read == wanted


def test_topics_begin_once(tmp_path: Path) -> None:
    first = journal(tmp_path)
    first.take(1, {}, {}, read_to(5))
    first.begin_topics(2, read_to(0))
    assert journal(tmp_path).read == read_to(5)


def test_a_line_about_topics_that_is_torn_lets_their_records_come_again(tmp_path: Path) -> None:
    first = journal(tmp_path)
    first.take(1, {}, {}, read_to(5))
    first.take(2, {}, {}, read_to(8))
    path = tmp_path / "queries/batches.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    assert journal(tmp_path).read == read_to(5)
