"""The log is followed: what is old is answered once, and all of it anew where something older has come."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.annotator import AnnotatedBatch, Annotator
from kaicep.archive import open_read_view
from kaicep.config import Settings
from kaicep.pipeline import labelled, queries_read
from kaicep.server.jobs import batch_of_log
from kaicep.server.streams import context_follower
from kaicep.server.streams.context_follower import ContextFollower, FollowedQueries
from support.archives import NINE, PROJECT, SECOND, STREAM, opened, readings

CONTEXTS = """CREATE CONTEXTS air (calm DEFAULT, windy) BY sensorID;
INITIATE CONTEXT windy FROM (?e, airflowReport) FILTER (?e.flowrate >= 20 AND ?e.flowrate < 22);
TERMINATE CONTEXT windy FROM (?e, airflowReport) FILTER (?e.flowrate >= 30 AND ?e.flowrate < 31)"""
TOLD = "SELECT ?c.context AS context, ?c.change AS change, ?c.sensorID AS sensorID FROM (?c, CONTEXTS(air))"
ATTRIBUTES = """[streams.airflowReport.attributes]
flowrate = { datatype = "xsd:double" }
sensorID = { datatype = "xsd:string" }
"""


@pytest.fixture
def followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ContextFollower:
    """One that reads the events of the last ten seconds again, and no more than twenty at once."""
    monkeypatch.setattr(context_follower, "_AHEAD", timedelta(seconds=10))
    monkeypatch.setattr(context_follower, "_AT_ONCE", 20)
    (tmp_path / "air.chi").write_text(CONTEXTS)
    (tmp_path / "kaicep.toml").write_text('[queries]\nfiles = ["air.chi"]\n' + PROJECT + ATTRIBUTES)
    project = Project.of(Settings.load(tmp_path))
    read = labelled(queries_read(project, TOLD))
    (own,) = project.registrations(TOLD, "query", [one.query for one in read])
    (air,) = own.query.context_sets
    return ContextFollower(project, FollowedQueries((*read, own), {own.label: air}))


def keep(root: Path, batch: int, *numbers: int) -> None:
    """Append readings to the archive."""
    with opened(root) as archive:
        archive.append(batch, {STREAM: pa.concat_tables(readings(1, first=number) for number in numbers)})
        archive.flush()


def follow(follower: ContextFollower, root: Path, seconds: float = 60) -> float:
    project = follower._project
    with open_read_view(Settings.load(root), project.knowledge, project.shapes, store=False) as archive:
        return follower.follow(archive, seconds)


def windy(follower: ContextFollower) -> list[tuple[str, Any, Any]]:
    (air,) = follower.sets
    assert follower.newest is not None
    every = air.windows(NINE, follower.newest)
    return [(one["key"]["sensorID"], one["from"][14:19], one["to"]) for one in every if one["context"] == "windy"]


def test_old_events_are_read_once(followed: ContextFollower, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path, 1, *range(43))
    assert follow(followed, tmp_path) == 1
    assert windy(followed) == [(f"s{n}", f"00:4{n}", None) for n in (0, 1, 2)]
    assert (followed.first, followed.newest) == (NINE, NINE + 42 * SECOND)
    read: list[Any] = []

    def counted(annotator: Annotator, events: pa.Table) -> AnnotatedBatch:
        read.extend(events["_time"].to_pylist())
        return batch_of_log(annotator, events)

    monkeypatch.setattr(context_follower, "batch_of_log", counted)
    assert follow(followed, tmp_path) == 1
    assert read == [], "nothing new is there"
    keep(tmp_path, 2, 60, 61)
    assert follow(followed, tmp_path) == 1
    assert windy(followed)[0] == ("s0", "00:40", "2012-05-07T09:01:00Z")
    assert min(read) == NINE + 32 * SECOND


def test_an_event_of_long_ago_has_all_read_anew(followed: ContextFollower, tmp_path: Path) -> None:
    keep(tmp_path, 1, 0, 41, 100, 150)
    follow(followed, tmp_path)
    assert windy(followed) == [("s1", "00:41", None)]
    keep(tmp_path, 2, 40, 61)
    follow(followed, tmp_path)
    assert windy(followed) == [("s0", "00:40", None), ("s1", "00:41", "2012-05-07T09:01:01Z")]


def test_a_large_log_is_read_in_several_calls(followed: ContextFollower, tmp_path: Path) -> None:
    keep(tmp_path, 1, *range(150))
    done = [follow(followed, tmp_path, seconds=0)]
    while done[-1] < 1:
        assert followed.newest is None
        done.append(follow(followed, tmp_path, seconds=0))
    assert len(done) > 2
    assert done == sorted(done)
    assert windy(followed)[0] == ("s0", "00:40", "2012-05-07T09:01:00Z")
