"""Commands on an archive: asked, compacted, verified, copied and put back."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kaicep.archive.sync import StoreWriter
from kaicep.commands.progress_bar import ProgressBar
from kaicep.config import Settings
from kaicep.pipeline.control import Requests, folder_of
from kaicep.pipeline.monitoring import ArchiveStatus, status_bytes, status_file
from support.archives import PROJECT, STREAM, archived_project, opened, readings
from support.command_line import call, rights_of_others
from support.linked_archives import LINKED, shrunk
from support.statuses import busy_engine

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


@pytest.fixture
def archived(tmp_path: Path) -> Path:
    """A project whose archive has 90 events in three batches, the last of which its store lacks."""
    (tmp_path / "kaicep.toml").write_text(PROJECT)
    with opened(tmp_path) as archive:
        for batch in range(3):
            archive.append(batch, {STREAM: readings(30, first=30 * batch)})
        archive.flush()
    return tmp_path


@pytest.mark.slow
def test_sparql_prints_rows_graphs_and_truth(archived: Path) -> None:
    assert json.loads(call("sparql", COUNT, "-p", archived).stdout) == {"n": 90}
    assert call("sparql", "ASK { ?e a e:AirflowReport }", "-p", archived).stdout == "true\n"
    graph = call("sparql", "CONSTRUCT { ?e a ?t } { ?e a ?t } LIMIT 1", "-p", archived).stdout
    assert graph.endswith(" a e:AirflowReport .\n")


def test_sparql_adds_first_what_a_run_has_left_to_the_store(archived: Path) -> None:
    with opened(archived, store=False) as archive:
        archive.append(3, {STREAM: readings(30, first=90)})
    asked = call("sparql", COUNT, "-p", archived)
    assert (json.loads(asked.stdout), asked.stderr) == ({"n": 120}, "")


def test_sparql_builds_a_damaged_store_again_where_no_engine_does(
    archived: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (archived / "var/archive/store/CURRENT").write_bytes(b"junk")
    asked = call("sparql", COUNT, "-p", archived)
    assert (asked.exit_code, json.loads(asked.stdout)) == (0, {"n": 90})
    assert (archived / "var/archive/store.damaged-1/CURRENT").read_bytes() == b"junk"
    (line,) = (record.getMessage() for record in caplog.records)
    assert line.endswith("store.damaged-1 now, and is built again from the log")


def test_a_store_that_is_switched_off_is_left_as_it_is(archived: Path) -> None:
    with (archived / "kaicep.toml").open("a") as file:
        file.write("[archive]\nstore = false\n")
    with opened(archived, store=False) as archive:
        archive.append(3, {STREAM: readings(30, first=90)})
    assert json.loads(call("sparql", COUNT, "-p", archived).stdout) == {"n": 90}


def test_sparql_says_what_the_store_lacks_where_an_engine_adds_it(
    archived: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StoreWriter, "_next", lambda _: None)  # a store that takes its time
    with opened(archived) as archive:
        archive.append(3, {STREAM: readings(30, first=90)})
        asked = call("sparql", COUNT, "-p", archived)
    lacks = "the archive's store lacks the latest 30 events: an engine adds them while it runs\n"
    assert (json.loads(asked.stdout), asked.stderr) == ({"n": 90}, lacks)


def test_sparql_says_why_an_engine_builds_the_store_again_and_how_far_it_is(
    archived: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StoreWriter, "_next", lambda _: None)
    why = "the store cannot be used: Corruption: …; it lies in store.damaged-1 now, and is built again from the log"
    status = replace(busy_engine(datetime.now(UTC)), archive=ArchiveStatus(5, 30, 0, why))
    state = archived / "var/state"
    state.mkdir(parents=True)
    status_file(state).write_bytes(status_bytes(status))
    engine = Requests(folder_of(Settings.load(archived)))
    with opened(archived) as archive:
        archive.append(3, {STREAM: readings(30, first=90)})
        engine.serve()
        asked = call("sparql", COUNT, "-p", archived)
        engine.lock.release()
        later = call("sparql", COUNT, "-p", archived)
    built = f"{why}: it has 90 of 120 events by now, and the answer is of these\n"
    assert (json.loads(asked.stdout), asked.stderr) == ({"n": 90}, built)
    assert later.stderr == "the archive's store lacks the latest 30 events: an engine adds them while it runs\n"


def test_sparql_asks_about_a_time_and_says_where_the_archive_begins(archived: Path) -> None:
    asked = call("sparql", COUNT, "-p", archived, "--start", "2012-05-07")
    assert json.loads(asked.stdout) == {"n": 90}
    assert asked.stderr.startswith("the archive's first event is of 2012-05-07T09:00:00Z")
    refused = call("sparql", COUNT, "-p", archived, "--start", "soon")
    assert refused.exit_code == 1
    assert "TIME" in refused.stderr


def test_compact_and_verify_say_what_there_is(archived: Path) -> None:
    assert call("compact", archived).stdout == "2 segments became 1\n"
    found = call("verify", archived)
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout.splitlines()[0] == f"{STREAM}: 90 events"


def test_verify_tells_a_damaged_log(archived: Path) -> None:
    segment = next((archived / "var/archive/log" / STREAM).iterdir())
    segment.write_bytes(segment.read_bytes()[:100])
    found = call("verify", archived)
    assert found.exit_code == 1
    assert segment.name in found.stderr


def test_verify_tells_how_long_it_takes_by_the_events_of_the_log(
    archived: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[float | None] = []
    computing = ProgressBar.computing

    def noted(bar: ProgressBar, what: str, seconds: float | None) -> ProgressBar:
        told.append(seconds)
        return computing(bar, what, seconds)

    monkeypatch.setattr(ProgressBar, "computing", noted)
    assert call("verify", archived).exit_code == 0
    assert told == [pytest.approx(90 * 7e-6)]
    next((archived / "var/archive/log" / STREAM).iterdir()).write_bytes(b"")
    assert call("verify", archived).exit_code == 1
    assert told[1:] == [None]


def test_a_backup_is_put_back(archived: Path) -> None:
    copy, other = archived / "copy", archived / "other"
    assert call("backup", archived, copy).stdout == f"90 events in {copy}\n"
    other.mkdir()
    (other / "kaicep.toml").write_text(PROJECT)
    assert call("restore", copy, other).stdout == f"90 events in {other / 'var/archive'}\n"
    assert rights_of_others(other / "var") == set()
    refused = call("restore", copy, other)
    assert refused.exit_code == 1
    assert refused.stdout == ""


def said(*arguments: str | Path) -> tuple[int, str, str]:
    found = call(*arguments)
    return found.exit_code, found.stdout, found.stderr


def test_commands_say_what_they_did(tmp_path: Path) -> None:
    settings = archived_project(tmp_path)
    assert said("compact", tmp_path) == (0, "4 segments became 1\n", "")
    assert said("backup", tmp_path, tmp_path / "copy") == (0, f"150 events in {tmp_path / 'copy'}\n", "")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/kaicep.toml").write_text(PROJECT)
    commands: list[tuple[str | Path, ...]] = [("compact",), ("verify",), ("backup", tmp_path / "other")]
    for command in commands:
        code, _, wrong = said(command[0], tmp_path / "empty", *command[1:])
        assert (code, wrong) == (1, f"{tmp_path / 'empty/var/archive'}: there is no archive: run the project first\n")
    assert settings.streams


@pytest.mark.slow
def test_the_command_says_what_it_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "kaicep.toml").write_text(LINKED)
    shrunk(tmp_path).close()

    def asked(*options: str) -> tuple[int, str, str]:
        return said("sparql", COUNT, "-p", tmp_path, *options)

    window = (
        "the archive's store has events from 2012-05-07T09:07:00Z on; --start brings earlier ones back from the log\n"
    )
    assert asked() == (0, '{"n": 180}\n', window)
    assert asked("--start", "2012-05-07T09:00Z", "--end", "2012-05-07T11:02+02:00") == (0, '{"n": 120}\n', "")
    assert asked("--start", "now - 150s") == (0, '{"n": 180}\n', "")
    first = "the archive's first event is of 2012-05-07T09:00:00Z\n"
    assert asked("--start", "2012-05-06") == (0, '{"n": 600}\n', first)
    assert asked("--end", "2012-05-07T09:01") == (0, '{"n": 60}\n', "")
    way_out = "write 2021-09-07, 2021-09-07T08:00+08:00, now, or now - 1h"
    assert asked("--start", "yesterday") == (1, "", f"TIME: 'yesterday' is no moment: {way_out}\n")
    ends = "the time range ends before it begins: give the earlier moment as start\n"
    assert asked("--start", "now", "--end", "now - 1min") == (1, "", ends)


def test_a_question_without_a_solution_is_told_what_the_archive_holds(archived: Path) -> None:
    asked = call("sparql", "SELECT ?e { ?e a e:Nothing }", "-p", archived, "--format", "json")
    assert (asked.exit_code, asked.stdout) == (0, "")
    assert asked.stderr.splitlines()[-1].startswith(
        f"no solution: the archive holds 90 of {STREAM}, from 2012-05-07T09:00:00Z to "
    )
    assert "no solution" not in call("sparql", COUNT, "-p", archived).stderr


def test_a_question_to_an_empty_archive_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "kaicep.toml").write_text(PROJECT)
    with opened(tmp_path):
        pass
    asked = call("sparql", "SELECT ?e { ?e a e:AirflowReport }", "-p", tmp_path)
    assert asked.stderr.splitlines()[-1] == "no solution: the archive holds no event; kaicep run reads some"
