"""Both forms together: the log first, the store behind it by an exactly known lag."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from kaicep.archive import Archive, Counts, open_read_view
from kaicep.archive.sync import Lag
from kaicep.errors import ArchiveError
from kaicep.ontology import KnowledgeBase
from support.archives import NINE, STREAM, opened, project, readings, rows

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


def test_events_and_knowledge_answer_together(archive: Archive) -> None:
    archive.append(0, {STREAM: readings(8)})
    assert archive.flush()
    text = "SELECT ?t ?f { ?e e:sensor 's0' ; e:flow ?f ; e:time ?t . e:s0 e:in e:Room1 } ORDER BY ?t"
    assert rows(archive, text) == [(NINE, 0.0), (NINE + timedelta(seconds=4), 2.0)]


def test_a_batch_that_comes_again_changes_nothing(archive: Archive) -> None:
    for _ in range(2):
        archive.append(0, {STREAM: readings(8)})
        archive.append(1, {STREAM: readings(8, first=8)})
        archive.flush()
    assert rows(archive, COUNT) == [(16,)]
    assert archive.counts == Counts(events=16, late=0)
    assert archive.log.count(STREAM) == 16
    quads = archive.quads()
    archive.append(1, {STREAM: readings(8, first=8)})
    archive.flush()
    assert archive.quads() == quads


def test_late_events_are_marked_and_counted(archive: Archive) -> None:
    archive.append(0, {STREAM: readings(4).append_column("_late", pa.array([False, True, False, True]))})
    archive.flush()
    assert archive.counts == Counts(events=4, late=2)
    assert rows(archive, "SELECT ?f { ?e <urn:kaicep:late> true ; e:flow ?f } ORDER BY ?f") == [(0.5,), (1.5,)]


@pytest.mark.parametrize("other", ["a", "z"])
def test_a_batch_torn_between_its_streams_is_completed(tmp_path: Path, other: str) -> None:
    whole = {other: readings(3), STREAM: readings(5)}
    first = min(whole)
    with opened(tmp_path) as archive:
        archive.append(0, {first: whole[first]})
        archive.flush()
    with opened(tmp_path) as archive:
        archive.append(0, whole)
        archive.flush()
        assert rows(archive, COUNT) == [(5,)]
        assert archive.lag == Lag(0, 0)


def test_new_knowledge_replaces_the_old(tmp_path: Path) -> None:
    opened(tmp_path).close()
    newer = KnowledgeBase.of_turtle("@prefix e: <http://e/> . e:s0 e:in e:Room9 .", reasoner="none")
    with Archive(project(tmp_path), newer, {}) as archive:
        assert rows(archive, "SELECT ?s ?r { ?s e:in ?r }") == [("http://e/s0", "http://e/Room9")]
    with opened(tmp_path) as archive:
        assert len(rows(archive, "SELECT ?s ?r { ?s e:in ?r }")) == 2


def test_streams_without_a_shape_are_in_the_log_alone(archive: Archive) -> None:
    archive.append(0, {"q": readings(2)})
    archive.flush()
    assert archive.log.count("q") == 2
    assert rows(archive, COUNT) == [(0,)]


def test_one_process_has_an_archive(archive: Archive, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError) as error:
        opened(tmp_path)
    assert str(error.value) == (
        f"{tmp_path}/var/archive/log: process {os.getpid()} writes this archive: "
        "stop it first, or choose another path under [archive]"
    )


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("log", "{}: the log cannot be written: File exists: choose another path under [archive]"),
        (
            "snapshots",
            "{}: no copy of the store can be made: File exists: a reader needs write access to that folder",
        ),
    ],
)
def test_a_file_in_the_way_is_named(tmp_path: Path, folder: str, message: str) -> None:
    place = tmp_path / "var/archive" / folder
    opened(tmp_path).close()
    shutil.rmtree(place, ignore_errors=True)
    place.write_text("a file")
    with pytest.raises(ArchiveError) as error:
        opened(tmp_path) if folder == "log" else open_read_view(project(tmp_path))
    assert str(error.value) == message.format(place)
