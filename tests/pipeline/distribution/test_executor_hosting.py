"""Which files a batch has, in which order; what is gone; what executors have to reach."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.archive.log import Position
from kaicep.archive.sync import KeptEvents, Spool
from kaicep.config import Settings
from kaicep.errors import PipelineError
from kaicep.pipeline.catalog import Catalog
from kaicep.pipeline.distribution.distributed_flow import DistributedFlow
from kaicep.pipeline.distribution.executor_hosting import ExecutorHosting
from kaicep.pipeline.distribution.replayed_flow import ReplayedFlow
from kaicep.pipeline.distribution.split_batch import SplitIntake
from kaicep.pipeline.durability.flow_state import RestoredState
from kaicep.pipeline.durability.intake.batch_hosting import BatchIntake
from kaicep.pipeline.durability.journal.batch_journal import BatchFiles
from kaicep.pipeline.sharding import LoggedBefore
from kaicep.pipeline.sharding.split_reading import read_split
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch
from kaicep.storage import BucketFolder, LocalFolder, S3Options, is_transient
from support.hostings import TasksHere, catalog_in, written
from support.keyed import STREAMS
from support.shards import reading

BASE = Project.parse({"streams": STREAMS})


def hosting_in(folder: Path, **engine: Any) -> ExecutorHosting:
    return ExecutorHosting(catalog_in(folder, BASE.settings, BASE, **engine), None, TasksHere)


def of_splits(intake: BatchIntake) -> SplitIntake:
    assert isinstance(intake, SplitIntake)
    return intake


def intake_of(hosting: ExecutorHosting, *paths: Path, without: tuple[Path, ...] = ()) -> SplitIntake:
    urls = {"P": [f"file://{path}" for path in paths]}
    files = BatchFiles({}, {"P": [f"file://{path}" for path in without]}, urls, {})
    return of_splits(hosting.intake(1, files, lambda _: {}))


def test_files_come_by_time_and_path_without_those_that_were_taken(tmp_path: Path) -> None:
    first, second, third, taken = (written(tmp_path, "P", number, []) for number in (4, 2, 3, 1))
    os.utime(first, (1_000_000, 1_000_000))
    os.utime(third, (1_000_002, 1_000_002))
    found = intake_of(hosting_in(tmp_path), taken, second, third, first, without=(taken,))
    assert [split.records for split in found.splits] == [first, second, third]
    assert [(split.place, split.form) for split in found.splits] == [(0, "source"), (1, "source"), (2, "source")]


def test_a_file_that_is_gone_is_noted(tmp_path: Path) -> None:
    there, gone = written(tmp_path, "P", 1, []), tmp_path / "in/P/00002.json"
    found = intake_of(hosting_in(tmp_path), there, gone)
    assert [split.records for split in found.splits] == [there]
    assert [file.path for file in found.unreadable["P"]] == [str(gone)]


def test_executors_look_for_the_folders(tmp_path: Path) -> None:
    hosting = hosting_in(tmp_path, shards=3)
    hosting.begin()
    assert (hosting.place.tasks, hosting.place.shards, hosting.place.log) == (2, 3, None)
    assert hosting.place.folder == LocalFolder(tmp_path / "var/state/hosting")
    assert (tmp_path / "var/state/hosting").is_dir()


def test_what_an_archiver_has_kept_is_looked_for_and_given(tmp_path: Path) -> None:
    """Where it lies; where what tasks share is in a bucket, in that. Then late events are compared with the log."""
    project = catalog_in(tmp_path, BASE.settings, BASE)
    with Archive(project.settings, project.knowledge, project.shapes) as archive:
        hosting = ExecutorHosting(project, archive, TasksHere)
        files = BatchFiles({}, {}, {}, {})
        assert of_splits(hosting.intake(4, files, lambda _: {})).before is None
        spool = Spool(archive.path)
        events = {"P": project.annotators["P"].annotate(raw_table([reading("r", 1)])).events}
        spool.append(events)
        spool.close()
        hosting.begin()
        intake = of_splits(hosting.intake(4, files, lambda _: {}))
        assert intake.before == LoggedBefore(archive.log.path.absolute(), Position(0, 4))
        (piece,) = intake.spooled(KeptEvents(spool, {}, {"P": 1}, 10))
        (split,) = piece.splits
        assert (split.form, split.records) == ("kept", archive.path.absolute() / "intake/P/000000-000000000001.parquet")
        spool.path.rename(tmp_path / "away")
        with pytest.raises(PipelineError, match=r"does not reach .*000000000001\.parquet") as gone:
            read_split(project, split, hosting.place.folder)
        assert is_transient(gone.value)


def test_what_the_log_has_of_a_topic_is_read_from_there(tmp_path: Path) -> None:
    """Nobody asks Spark for rows that the brokers may have no more."""
    kafka = {"kafka": {"servers": "broker:9092", "topics": ["p"]}}
    streams = {"P": {**STREAMS["P"], "source": kafka}}
    project = Catalog.of_knowledge(Settings.parse({"streams": streams}, root=tmp_path), BASE.knowledge)
    events = project.annotators["P"].annotate(raw_table([reading("r", 1)])).events
    with Archive(project.settings, project.knowledge, project.shapes) as archive:
        archive.append(4, {"P": events})
        hosting = ExecutorHosting(project, archive, TasksHere)
        files = BatchFiles({}, {}, {}, {}, logged=frozenset("P"))
        intake = of_splits(hosting.intake(4, files, _never, lambda *_: [(tmp_path / "never", 0)]))
        assert [(split.stream, split.form) for split in intake.splits] == [("P", "log")]
        assert intake.logged == {"P"}
        asked = of_splits(hosting.intake(5, BatchFiles({}, {}, {}, {}), _never, lambda *_: [(tmp_path / "rows", 0)]))
        assert [split.form for split in asked.splits] == ["written"]


def _never(files: BatchFiles) -> dict[str, RawBatch]:
    raise AssertionError(files)


def test_executors_look_for_what_an_archiver_has_kept(tmp_path: Path) -> None:
    project = catalog_in(tmp_path, BASE.settings, BASE)
    with Archive(project.settings, project.knowledge, project.shapes) as archive:
        hosting = ExecutorHosting(project, archive, lambda: _Elsewhere(archive.path / "intake"))
        (archive.path / "intake").mkdir()
        with pytest.raises(PipelineError, match=r"does not reach .*intake: name a folder that all machines share"):
            hosting.begin()


class _Elsewhere(TasksHere):
    """Tasks of a machine that lacks a folder."""

    def __init__(self, lacks: Path) -> None:
        super().__init__()
        self.before = lacks.rmdir


def test_what_they_share_may_be_elsewhere(tmp_path: Path) -> None:
    """So may be a bucket, which the table `s3` says how to reach."""
    local = hosting_in(tmp_path, shared="parts").place.folder
    assert local == hosting_in(tmp_path, shared="parts").place.folder
    (own,) = (tmp_path / "parts").iterdir()
    assert local == LocalFolder(own)
    bucket = BucketFolder("lake", f"parts/{own.name}", S3Options())
    assert hosting_in(tmp_path, shared="s3://lake/parts").place.folder == bucket
    other = hosting_in(tmp_path / "other", shared="s3://lake/parts").place.folder
    assert isinstance(other, BucketFolder)
    assert other.prefix.startswith("parts/engine-")
    assert other != bucket


def test_a_state_that_is_lost_or_not_theirs_is_made_of_the_log(tmp_path: Path) -> None:
    """Without a log, what a driver has left after that very batch serves; with one that forgets, it is the better."""
    hosting, own, other = hosting_in(tmp_path), {"hosting": b"{}"}, {"query/a": b""}
    assert hosting.restored(RestoredState(0, {}, 0, {}), 0, None).batch == 0
    known, of_driver = RestoredState(3, own, 3, {}), RestoredState(3, other, 3, {"moments": b"{}"})
    assert hosting.restored(known, 3, None) is known
    assert hosting.restored(of_driver, 3, None) is of_driver
    for lost in (RestoredState(2, own, 3, {}), RestoredState(2, other, 3, {})):
        with pytest.raises(PipelineError, match="the state after batch 3 is lost, and there is no archive"):
            hosting.restored(lost, 3, None)
    project = catalog_in(tmp_path, BASE.settings, BASE)
    with Archive(project.settings, project.knowledge, project.shapes) as archive:
        assert hosting.restored(of_driver, 3, archive) == RestoredState(0, {}, 3, {"moments": b"{}"})
        assert hosting.restored(RestoredState(2, own, 3, {}), 3, archive) == RestoredState(0, {}, 3, {})
    settings = Settings.parse({"streams": STREAMS, "archive": {"log_age": "1h", "store": False}}, root=tmp_path)
    with Archive(settings, project.knowledge, project.shapes) as archive:
        assert hosting.restored(of_driver, 3, archive) is of_driver


def test_what_a_state_is_made_in_is_the_drivers(tmp_path: Path) -> None:
    hosting, project = hosting_in(tmp_path, shards=3), catalog_in(tmp_path, BASE.settings, BASE)
    for of_tasks in (RestoredState(0, {}, 0, {}), RestoredState(3, {"hosting": b"{}"}, 3, {})):
        flow = hosting.recovering(project, of_tasks)
        assert isinstance(flow, DistributedFlow)
        assert hosting.recovered(flow, of_tasks.batch) is flow
    made = hosting.recovering(project, RestoredState(0, {}, 3, {}))
    assert isinstance(made, ReplayedFlow)
    assert made.shards == 3
    found = hosting.recovered(made, 3)
    assert isinstance(found, DistributedFlow)
    assert found.begun
