"""A log in a bucket is that of a folder: whatever is done to both, both say the same; and so does an archive of it."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from kaicep import Project
from kaicep.archive import Archive, backup, open_read_view, repair, restore, verify
from kaicep.archive.log import EventLog, Position, PreparedSegment, write_segment
from kaicep.archive.log.segment import plain_table
from kaicep.archive.sync.compaction import CompactionPolicy, compact, compact_archive
from kaicep.archive.sync.retention import RetentionPolicy, drop_segments
from kaicep.config import Settings
from kaicep.errors import ArchiveError
from kaicep.storage import BucketPath, path_at
from support.archives import NINE, PROJECT, SECOND, STREAM, readings, rows
from support.buckets import ObjectStorage

COUNT = "SELECT (COUNT(?e) AS ?n) WHERE { ?e a e:AirflowReport }"
LATER = NINE + timedelta(hours=3)


class BothLogs:
    """One in a folder, and one in a bucket, to which the same is done.

    Args:
        root: of the folder, and of what the bucket's writer needs.
        place: in the bucket.
    """

    def __init__(self, root: Path, place: BucketPath) -> None:
        self._root, self._place, self._prepared = root, place, 0
        self.logs = self._opened()

    def _opened(self) -> tuple[EventLog, EventLog]:
        folder, bucket = EventLog(self._root / "log"), EventLog(self._place.anew(), locks=self._root / "locks")
        for log in (folder, bucket):
            log.lock()
        return folder, bucket

    def restart(self) -> None:
        """Their processes end, and others write on."""
        for log in self.logs:
            log.close()
        self.logs = self._opened()
        assert self.logs[0].newest == self.logs[1].newest

    def append(self, batch: int, stream: str, count: int, *, task: bool) -> None:
        """A batch, perhaps written by a task; perhaps again."""
        self._prepared += 1
        for log in self.logs:
            events = readings(count, first=10 * batch)
            if task:
                path = log.path / stream / f".tmp-segment-{self._prepared}"
                write_segment(path, plain_table(events))
                log.append(stream, batch, PreparedSegment(path, count))
            else:
                log.append(stream, batch, events)

    def tidy(self, files: int) -> None:
        """Put segments together."""
        one, other = (compact(log, CompactionPolicy(files=files)) for log in self.logs)
        assert one == other

    def drop(self, newest: int, seconds: int) -> None:
        """Let what is old go."""
        limits = RetentionPolicy(seconds * SECOND)
        one, other = (drop_segments([(log, Position(0, newest))], limits, LATER) for log in self.logs)
        assert one == other

    def compare(self) -> None:
        """Both say the same, to their writers and to others."""
        folder, bucket = self.logs
        assert told(folder) == told(bucket) == told(EventLog(self._place.anew()))


def told(log: EventLog) -> object:
    """What a log says."""
    streams = log.streams()
    return (
        {name: log.read(name).to_pydict() for name in streams},
        {name: [one.path.name for one in log.manifest(name).segments()] for name in streams},
        list(log.rows_by_batch()),
        {name: log.read(name, NINE + 12 * SECOND, NINE + 31 * SECOND, ["_id"]).to_pydict() for name in streams},
        log.extent(),
    )


def check_logs(root: Path, place: BucketPath, rng: Random, steps: int) -> None:
    """Do something to both, and compare."""
    both, batch = BothLogs(root, place), 0
    for _ in range(steps):
        match rng.randrange(10):
            case 0:
                both.restart()
            case 1:
                both.tidy(rng.choice((2, 4)))
            case 2 if batch > 8:
                both.drop(batch - rng.randrange(4), rng.choice((100, 60)))
            case 3 if batch:
                both.append(batch - min(rng.randrange(6), batch), STREAM, rng.randrange(11), task=rng.random() < 0.5)
            case _:
                batch += 1
                for stream in (STREAM, "other")[: rng.choice((1, 1, 2))]:
                    both.append(batch, stream, rng.randrange(1, 11), task=rng.random() < 0.5)
    both.compare()


def test_a_bucket_s_log_says_what_a_folder_s_says(tmp_path: Path, object_storage: ObjectStorage) -> None:
    check_logs(tmp_path, path_at(str(object_storage.folder("lake")), object_storage.options), Random(1), 30)


@pytest.mark.long
def test_logs_in_the_long_run(tmp_path: Path, object_storage: ObjectStorage) -> None:
    for seed in range(2, 30):
        place = path_at(str(object_storage.folder("lake")), object_storage.options)
        check_logs(tmp_path / str(seed), place, Random(seed), 120)


def project_of(root: Path, object_storage: ObjectStorage, log: str) -> Settings:
    """A project whose log is in a bucket."""
    options = object_storage.options
    table = f'[s3]\nendpoint = "{options.endpoint}"\nregion = "{options.region}"\nallow_http = true\n'
    root.mkdir(exist_ok=True)
    (root / "kaicep.toml").write_text(f'{PROJECT}\n[archive]\nlog = "{log}"\n{table}')
    return Settings.load(root)


def archive_of(settings: Settings) -> Archive:
    """Its archive, open for writing."""
    project = Project.of(settings)
    return Archive(settings, project.knowledge, project.shapes)


def test_an_archive_has_its_store_in_a_folder_and_its_log_in_a_bucket(
    tmp_path: Path, object_storage: ObjectStorage
) -> None:
    """What the folder had is made again from the log; what the log has lost comes back from the store, or a backup."""
    log = str(object_storage.folder("kept"))
    settings = project_of(tmp_path / "one", object_storage, log)
    with archive_of(settings) as archive:
        for batch in range(5):
            archive.append(batch, {STREAM: readings(30, first=30 * batch)})
        archive.flush()
        assert rows(archive, COUNT) == [(150,)]
        assert archive.size > 1_000
        with pytest.raises(ArchiveError, match=r"process \d+ writes this archive"):
            compact_archive(settings)
    assert compact_archive(settings).after == 1
    with open_read_view(settings) as view:
        assert rows(view, COUNT) == [(150,)]
    health = verify(settings)
    assert (health.events, health.log_faults, health.store_faults) == ({STREAM: 150}, (), ())
    assert backup(settings, tmp_path / "backup") == 150
    with pytest.raises(ArchiveError, match="a backup is put back into a folder"):
        restore(settings, tmp_path / "backup")

    shutil.rmtree(tmp_path / "one")  # the machine is lost
    settings = project_of(tmp_path / "two", object_storage, log)
    with archive_of(settings) as archive:
        archive.append(5, {STREAM: readings(30, first=150)})
        archive.flush()
        assert rows(archive, COUNT) == [(180,)]

    whole, *_ = sorted((path_at(log, object_storage.options) / "log" / STREAM).iterdir())
    content = whole.read_bytes()
    whole.write_bytes(content[:99] + b"?" + content[100:])
    assert len(verify(settings).log_faults) == 1
    with archive_of(settings) as archive:
        assert archive.log.read(STREAM).num_rows == 60
    (done,) = repair(settings, tmp_path / "backup")
    assert (done.rows, done.source) == (120, "backup")
    assert verify(settings).events == {STREAM: 180}
