"""Repair: what was set aside comes back, from the file itself, a backup or the store."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from kaicep.archive import backup, repair, verify
from kaicep.archive.log import EventLog, check_segment
from kaicep.archive.sync import Spool, compact_archive
from kaicep.cli import app
from kaicep.config import Settings
from kaicep.errors import ArchiveError
from support.archives import PROJECT, STREAM, archived_project, opened, readings, rows
from support.found import QUERY, fill_with_matches
from typer.testing import CliRunner

ATTRIBUTES = f"""
[streams.{STREAM}.attributes]
sensorID = {{ property = "e:sensor", datatype = "xsd:string" }}
flowrate = {{ property = "e:flow", datatype = "xsd:double" }}
"""
COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


@pytest.fixture(name="settings")
def _settings(tmp_path: Path) -> Settings:
    return project_of(tmp_path)


def project_of(root: Path) -> Settings:
    """An archived project that declares what its events have."""
    archived_project(root)
    (root / "kaicep.toml").write_text(PROJECT + ATTRIBUTES)
    return Settings.load(root)


def call(*arguments: object) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, [str(a) for a in arguments])
    return found.exit_code, found.stdout, found.stderr


def segments(root: Path, log: str = "log", stream: str = STREAM) -> list[Path]:
    return sorted((root / "var/archive" / log / stream).iterdir())


def damage(path: Path) -> None:
    """Break its pages; what its footer says is known still."""
    content = bytearray(path.read_bytes())
    content[40:60] = bytes(20)
    path.write_bytes(content)


def set_aside(root: Path, path: Path, *, footer: bool = False) -> None:
    """Break a segment, and let an engine find it."""
    if footer:
        path.write_bytes(path.read_bytes()[:-30])
    else:
        damage(path)
    with opened(root) as archive:
        assert archive.flush()
        archive.log.read(STREAM)
        for query in archive.matches.log.streams():
            archive.matches.log.read(query)
    assert not path.exists()


def events(root: Path) -> pa.Table:
    with opened(root) as archive:
        return archive.log.read(STREAM, columns=["_time", "_id", "flowrate"]).sort_by("_id")


@pytest.mark.parametrize("footer", [False, True])
@pytest.mark.parametrize("compacted", [False, True])
@pytest.mark.parametrize("source", ["store", "backup"])
def test_events_come_back(settings: Settings, tmp_path: Path, source: str, *, compacted: bool, footer: bool) -> None:
    before = events(tmp_path)
    backup(settings, tmp_path / "copy")
    if compacted:
        compact_archive(settings)
    set_aside(tmp_path, segments(tmp_path)[0], footer=footer)
    code, _, wrong = call("verify", tmp_path)
    assert code == 1
    assert "broken, and in quarantine: the log is without " in wrong
    assert "`kaicep repair` brings them back from the store, or with --from from a backup" in wrong
    found = repair(settings, tmp_path / "copy" if source == "backup" else None)
    assert [(each.rows, each.source) for each in found] == [(120 if compacted else 30, source)]
    assert verify(settings).log_faults == ()
    assert verify(settings).store_faults == ()
    assert events(tmp_path).equals(before)
    assert repair(settings) == []


def test_a_batch_comes_back_into_the_middle_of_a_compacted_segment(settings: Settings, tmp_path: Path) -> None:
    before = events(tmp_path)
    set_aside(tmp_path, segments(tmp_path)[1])
    compact_archive(settings)
    assert len(segments(tmp_path)) == 2
    lost = "batch 000000-000000000001 of airflowReport (30 rows, 2012-05-07T09:00:30Z to 2012-05-07T09:00:59Z)"
    assert call("repair", tmp_path) == (0, f"{lost}: 30 rows came back from the store\n", "")
    assert events(tmp_path).equals(before)
    with opened(tmp_path) as archive:
        assert [p.batch for p in archive.log.positions()] == [0, 1, 2, 3, 4]


def test_what_a_backup_brings_back_is_in_the_store(settings: Settings, tmp_path: Path) -> None:
    """The store had passed over the batch as one without events."""
    with opened(tmp_path, store=False) as archive:
        archive.append(5, {STREAM: readings(30, first=150)})
        archive.append(6, {STREAM: readings(30, first=180)})
    backup(settings, tmp_path / "copy")
    set_aside(tmp_path, segments(tmp_path)[5])
    with opened(tmp_path) as archive:
        assert archive.flush()
        assert rows(archive, COUNT) == [(180,)]
    assert [each.source for each in repair(settings, tmp_path / "copy")] == ["backup"]
    with opened(tmp_path) as archive:
        assert archive.flush()
        assert rows(archive, COUNT) == [(210,)]
    assert verify(settings).store_faults == ()


def test_the_store_gives_late_events_back_as_such(tmp_path: Path) -> None:
    settings = project_of(tmp_path)
    late = readings(4, first=10).append_column("_late", pa.array([True, False, True, False]))
    late = late.set_column(1, "_id", pa.array([f"urn:kaicep:event:{STREAM}/s9/{n}" for n in range(4)]))
    with opened(tmp_path) as archive:
        archive.append(5, {STREAM: late})
        archive.append(6, {STREAM: readings(1, first=500)})
        assert archive.flush()
    set_aside(tmp_path, segments(tmp_path)[5])
    assert [each.rows for each in repair(settings)] == [4]
    with opened(tmp_path) as archive:
        back = archive.log.read(STREAM).sort_by("_id")
    assert back.filter(pc.equal(back["_late"], True))["_id"].to_pylist() == [
        f"urn:kaicep:event:{STREAM}/s9/{n}" for n in (0, 2)
    ]


def test_a_segment_that_is_sound_again_goes_back(settings: Settings, tmp_path: Path) -> None:
    broken = segments(tmp_path)[2]
    sound = broken.read_bytes()
    set_aside(tmp_path, broken)
    (tmp_path / "var/archive/quarantine/log" / STREAM / broken.name).write_bytes(sound)
    code, said, _ = call("repair", tmp_path)
    assert code == 0
    assert said.endswith("30 rows came back from the segment, which is sound\n")


def test_what_is_nowhere_stays_in_quarantine(settings: Settings, tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        archive.append(5, {STREAM: readings(30, first=500)})
        archive.append(6, {STREAM: readings(30, first=600)})
    set_aside(tmp_path, segments(tmp_path)[5])
    code, _, wrong = call("repair", tmp_path)
    assert code == 1
    (aside,) = (tmp_path / "var/archive/quarantine/log" / STREAM).iterdir()
    assert wrong == (
        "batch 000000-000000000005 of airflowReport (30 rows, 2012-05-07T09:08:20Z to 2012-05-07T09:08:49Z): "
        f"nothing was found; to do without it, delete {aside}\n"
    )
    aside.unlink()
    assert call("repair", tmp_path) == (0, "nothing is lost\n", "")
    assert verify(settings).log_faults == ()


def test_matches_come_back_from_a_backup(tmp_path: Path) -> None:
    settings = project_of(tmp_path)
    with opened(tmp_path) as archive:
        fill_with_matches(archive, range(10, 13), each=20)
        assert archive.flush()
        before = archive.matches.log.count(QUERY)
    backup(settings, tmp_path / "copy")
    set_aside(tmp_path, segments(tmp_path, "matches", QUERY)[0])
    assert call("repair", tmp_path)[0] == 1
    assert call("repair", tmp_path, "--from", tmp_path / "copy")[0] == 0
    with opened(tmp_path) as archive:
        assert archive.matches.log.count(QUERY) == before


@pytest.mark.parametrize("source", ["store", "backup"])
def test_segments_that_are_gone_come_back(settings: Settings, tmp_path: Path, source: str) -> None:
    before = events(tmp_path)
    backup(settings, tmp_path / "copy")
    for lost in segments(tmp_path)[1:3]:
        lost.unlink()
    code, _, wrong = call("verify", tmp_path)
    assert code == 3
    assert "events, the log only" in wrong
    assert wrong.endswith("`kaicep repair` brings back what the log has lost\n")
    code, said, _ = call("repair", tmp_path, *(["--from", tmp_path / "copy"] if source == "backup" else []))
    what = "events of airflowReport" if source == "store" else "2 batches of airflowReport"
    assert (code, said) == (0, f"{what}: 60 rows came back from the {source}\n")
    assert events(tmp_path).equals(before)
    assert verify(settings).store_faults == ()


def test_what_has_left_the_log_by_age_is_not_lost(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "kaicep.toml").write_text(PROJECT + ATTRIBUTES + "[archive]\nlog_age = '1d'\n")
    segments(tmp_path)[0].unlink()
    assert call("repair", tmp_path) == (0, "nothing is lost\n", "")


def test_events_come_back_from_a_store_that_was_set_aside(settings: Settings, tmp_path: Path) -> None:
    """The new one was built from a log that had lost them; one that cannot be opened is passed over."""
    root = tmp_path / "var/archive"
    before = events(tmp_path)
    broken = segments(tmp_path)[2]
    broken.write_bytes(broken.read_bytes()[:-20])
    (root / "store").rename(root / "store.damaged-1")
    (root / "store.damaged-2").mkdir()
    (root / "store.damaged-2/CURRENT").write_bytes(b"junk")
    with opened(tmp_path) as archive:
        assert archive.flush(60)
    assert events(tmp_path).num_rows < before.num_rows
    (done,) = repair(settings)
    assert done.source == "damaged store"
    assert events(tmp_path) == before
    assert verify(settings).log_faults == ()
    assert verify(settings).store_faults == ()


def test_what_an_archiver_had_kept_comes_back_into_the_intake(settings: Settings, tmp_path: Path) -> None:
    """As if it were kept now, behind what the engine has taken; what is nowhere is said, with its source."""
    root = tmp_path / "var/archive"
    spool = Spool(root)
    for first in (1000, 1010, 1020):
        spool.append({STREAM: readings(10, first=first)})
    spool.close()
    backup(settings, tmp_path / "copy")
    spool.settle({STREAM: 2})
    kept = sorted((root / "intake" / STREAM).glob("*.parquet"))
    assert len(kept) == 1
    damage(kept[0])
    with pytest.raises(ArchiveError):
        check_segment(kept[0])
    with closing(Spool(root)) as spool:
        spool.lock()
    EventLog(root / "intake", keeper=True).read(STREAM)
    with (tmp_path / "kaicep.toml").open("a") as file:
        file.write(f'[streams.{STREAM}.source]\nformat = "json"\npath = "in"\n')
    code, _, said = call("repair", tmp_path)
    assert code == 1
    assert "of the intake: nothing was found; they came from json in, and the next engine reads what is there" in said
    code, told, _ = call("repair", tmp_path, "--from", tmp_path / "copy")
    assert (code, told.count("of the intake: 10 rows came back from the backup")) == (0, 1)
    assert Spool(root).rows() == {STREAM: 10}
    assert verify(settings).log_faults == ()
