"""The archiver over Spark: it keeps what comes while no engine runs, for the next engine, here or elsewhere."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from kaicep import Engine, PipelineError, Project
from kaicep.archive.sync import Spool
from kaicep.archive.sync import spool as spool_module
from kaicep.errors import ArchiveError
from kaicep.pipeline.control.requests import Requests
from kaicep.pipeline.control.submitted_queries import folder_of
from kaicep.pipeline.durability import current_generation
from kaicep.pipeline.hosting import archiver as archiver_module
from kaicep.pipeline.hosting.archiver import Archiver
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from pyspark.errors import StreamingQueryException
from support.command_line import HANGING_SECONDS, wait_for
from support.hostings import spark_notes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RISES = """CREATE QUERY rises AS SELECT ?a.at AS a, ?b.at AS b FROM (?a, air), (?b, air)
JOIN (?a.sensor = ?b.sensor) JOIN (?b.flow > ?a.flow) SEQ (?a, ?b) WINDOW (?a, ?b, 15s)"""
FILES, ROWS = 6, 10


def project(folder: Path, *, archive: bool = True) -> Project:
    """One stream of files, each read by who comes first."""
    stream = {
        "event_type": "<urn:Report>",
        "time": {"attribute": "at"},
        "identity": ["sensor", "at"],
        "source": {"format": "json", "path": "in", "maxFilesPerTrigger": 1, "cleanSource": "delete"},
        "attributes": {"sensor": {"datatype": "xsd:string"}, "flow": {"datatype": "xsd:double"}},
    }
    content = {"streams": {"air": stream}, "engine": {"trigger": "0s"}, "archive": {"enabled": archive}}
    return Project.parse(content, root=folder)


def drop(folder: Path, files: Sequence[int]) -> None:
    (folder / "in").mkdir(parents=True, exist_ok=True)
    for file in files:
        seconds = range(file * ROWS, (file + 1) * ROWS)
        lines = [{"sensor": "ab"[s % 2], "at": f"2026-01-01T00:00:{s:02d}Z", "flow": s * 7 % 13} for s in seconds]
        part = folder / "part"
        part.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        os.utime(part, (1_700_000_000 + file, 1_700_000_000 + file))
        part.replace(folder / "in" / f"{file:04d}.json")


def answer(folder: Path, spark: SparkSession, *, end: bool) -> None:
    with Engine(project(folder), spark=spark, sinks=[JsonLinesSink(folder / "rows.jsonl")]) as engine:
        engine.submit(RISES, collect=False)
        engine.run_available()
        if end:
            engine.finish()


def rows(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    return [{k: v for k, v in json.loads(line).items() if k not in ("_source", "_recovered")} for line in lines]


@pytest.mark.spark
def test_what_was_archived_during_an_outage_is_answered_on_another_machine(tmp_path: Path, spark: SparkSession) -> None:
    """The source delivers nothing twice; of the engine only the archive and its queries are left."""
    whole, first, second = (tmp_path / name for name in ("whole", "first", "second"))
    drop(whole, range(FILES))
    answer(whole, spark, end=True)
    drop(first, (0, 1))
    answer(first, spark, end=False)
    shutil.rmtree(first / "in")
    drop(first, (2, 3))
    archiver = Archiver(project(first), spark=spark)
    archiver.run_available()
    archiver.close()
    assert archiver.events == 2 * ROWS
    for kept in ("var/archive", "var/state/queries", "rows.jsonl"):
        copy = shutil.copytree if (first / kept).is_dir() else shutil.copy
        (second / kept).parent.mkdir(parents=True, exist_ok=True)
        copy(first / kept, second / kept)
    answer(second, spark, end=False)
    drop(second, (4, 5))
    answer(second, spark, end=True)
    assert rows(second) == rows(whole)
    assert rows(whole)


@pytest.mark.spark
def test_an_archiver_keeps_no_file_twice_when_its_checkpoint_is_begun_anew(tmp_path: Path, spark: SparkSession) -> None:
    told: list[str] = []
    for file, events in ((0, ROWS), (1, ROWS)):
        drop(tmp_path, range(file + 1))
        archiver = Archiver(project(tmp_path), spark=spark, say=told.append)
        archiver.run_available()
        archiver.close()
        assert archiver.events == events
        (checkpoint,) = (tmp_path / "var/state/archiver").glob(f"generation-{file:06d}/checkpoint")
        (checkpoint / "metadata").write_bytes(b"")
    (line,) = told
    assert line.startswith("recovery: Spark's checkpoint is damaged (")


@pytest.mark.spark
def test_an_archiver_keeps_what_can_be_read_and_reads_a_mended_file(tmp_path: Path, spark: SparkSession) -> None:
    """The broken file is among its dead letters, with a copy: the source removes what was read."""
    drop(tmp_path, (0, 1))
    broken = tmp_path / "in" / "0002.json.gz"
    broken.write_bytes(b"no gzip, and long enough")
    told: list[str] = []
    for events in (2 * ROWS, 1):
        archiver = Archiver(project(tmp_path), spark=spark, say=told.append)
        archiver.run_available()
        archiver.close()
        assert archiver.events == events
        line = '{"sensor":"a","at":"2026-01-01T00:10:00Z","flow":1}'
        broken.write_bytes(gzip.compress(line.encode()))
    assert [line.partition(":")[0] for line in told] == ["streams.air", "recovery"]
    letters = tmp_path / "var/state/archiver/dead-letters/air"
    (kept,) = (letters / "files").iterdir()
    assert kept.read_bytes() == b"no gzip, and long enough"
    (letter,) = letters.glob("*.jsonl")
    assert json.loads(letter.read_text(encoding="utf-8"))["record"] == str(broken)


@pytest.mark.spark
def test_an_archiver_that_stands_by_reads_only_while_no_engine_runs(tmp_path: Path, spark: SparkSession) -> None:
    engine = Requests(folder_of(project(tmp_path).settings))
    assert not engine.engine_runs()
    drop(tmp_path, (0,))
    archiver = Archiver(project(tmp_path), spark=spark)
    with pytest.raises(ArchiveError, match="writes this archive"):
        _impatient(tmp_path)
    over = threading.Event()
    thread = threading.Thread(target=lambda: archiver.follow(over.is_set, standby=True))
    thread.start()
    reading = Spool(tmp_path / "var/archive").reading
    assert reading.acquire()
    engine.lock.release()
    reading.release()
    _until(lambda: archiver.events == ROWS, thread)
    engine.serve()
    assert reading.acquire(HANGING_SECONDS)
    reading.release()
    drop(tmp_path, (1,))
    engine.lock.release()
    _until(lambda: archiver.events == 2 * ROWS, thread)
    over.set()
    thread.join(HANGING_SECONDS)
    archiver.close()
    assert not thread.is_alive()


def _impatient(folder: Path) -> None:
    spool = Spool(folder / "var/archive")
    spool._log.lock()


def _until(holds: Callable[[], bool], thread: threading.Thread) -> None:
    wait_for(lambda: holds() or not thread.is_alive())
    assert holds()


def test_without_an_archive_there_is_nothing_to_keep(tmp_path: Path) -> None:
    with pytest.raises(PipelineError) as refused:
        Archiver(project(tmp_path, archive=False))
    assert str(refused.value) == "the project's archive is switched off: set archive.enabled"


def test_an_archiver_that_is_refused_leaves_the_rights_of_files_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool_module, "_LOCK_TIMEOUT_S", 0.0)
    other = Spool(tmp_path / "var" / "archive")
    other.lock()
    before = os.umask(0o022)
    try:
        with pytest.raises(ArchiveError) as refused:
            Archiver(project(tmp_path))
        assert os.umask(0o022) == 0o022
        assert "writes this archive" in str(refused.value)
    finally:
        os.umask(before)
        other.close()


class Reading:
    """A streaming query of Spark's that delivers a batch at once, and fails by what that raises."""

    def __init__(self, keep: Callable[[], None]) -> None:
        self.error: Exception | None = None
        self.isActive = True
        try:
            keep()
        except OSError as error:
            self.error, self.isActive = error, False

    def stop(self) -> None:
        """Nothing is at work."""

    def exception(self) -> StreamingQueryException | None:
        """What Spark says of it."""
        return None if self.error is None else StreamingQueryException(f"java: {self.error}", "STREAM_FAILED")


def test_an_archiver_waits_for_room_and_says_so_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    of = project(tmp_path)
    archiver = Archiver(of, spark=cast("SparkSession", object()), say=told.append, pause=0)
    generation = current_generation(of.settings, tmp_path / "state", None)
    for number in (0, 1):
        spark_notes(generation.checkpoint, ["air"], number, {"air": []})
    raised: list[OSError] = [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EIO, "Input/output error")]

    def append(_events: object) -> int:
        if raised:
            raise raised.pop(0)
        return 0

    monkeypatch.setattr(archiver._spool, "append", append)
    monkeypatch.setattr(archiver_module, "unpack", lambda *_: {})

    def begin(**_: object) -> Reading:
        archiver._stopping.clear()
        return Reading(lambda: archiver._keep(generation, cast("DataFrame", None), 1))

    monkeypatch.setattr(archiver, "_begin", begin)
    archiver.follow(lambda: told[-1:] == ["the streams are read on"])
    assert told[0].startswith("the streams wait: the archiver stopped reading: [Errno 28] No space left on device")
    assert len(told) == 2
    archiver._spool.close()


def test_what_is_in_a_bucket_the_engine_alone_lists(tmp_path: Path) -> None:
    of = project(tmp_path)
    (name, stream), *_ = of.settings.streams.items()
    assert stream.source is not None
    source = type(stream.source)(format="json", path="s3://lake/in")
    streams = {name: stream.model_copy(update={"source": source})}
    lake = Project.of(of.settings.model_copy(update={"streams": streams}))
    with pytest.raises(PipelineError, match=f"streams.{name}.source is in a bucket, whose objects the engine lists"):
        Archiver(lake, spark=cast("SparkSession", object()))
