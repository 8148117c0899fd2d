"""What is seen of an engine, without Spark: its batches run through the durable flow."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.pipeline.durability import CheckpointedFlow
from kaicep.pipeline.hosting.engine_observer import EngineObserver
from kaicep.pipeline.monitoring import ExecutorStatus, RecentRates, read_status
from kaicep.pipeline.sources import Malformed, RawBatch, raw_table

START = datetime(2026, 3, 1, tzinfo=UTC)
GENEROUS_S = 60.0
SETTINGS: dict[str, dict[str, object]] = {
    "streams": {
        "air": {
            "event_type": "<urn:E>",
            "time": {"attribute": "t"},
            "identity": ["x", "t"],
            "lateness": "5s",
            "attributes": {"x": {"datatype": "xsd:integer"}},
        }
    },
    "archive": {"store": False},
    "monitoring": {"metrics": "kaicep.prom"},
}


class Handle:
    """A query's."""

    name = "big"
    state = "running"
    reason: str | None = None


class Observed:
    """An engine whose batches the test does."""

    handles = (Handle(),)
    refused: Mapping[str, str] = MappingProxyType({"old": "refused since this start: unknown attribute 'flwo'"})
    failure: Exception | None = None
    waits_for: str | None = None
    troubles: Mapping[str, str] = MappingProxyType({})
    running = True
    hosting: Literal["driver", "executors"] = "driver"
    executors: Mapping[str, ExecutorStatus] = MappingProxyType({})

    def __init__(self, folder: Path, **streams: object) -> None:
        project = Project.parse({**SETTINGS, "streams": {**SETTINGS["streams"], **streams}}, root=folder)
        self.archive = Archive(project.settings, project.knowledge, project.shapes)
        self.flow = CheckpointedFlow(project, folder / "var" / "state", (), self.archive)
        self.flow.queries.submit(project.registrations("SELECT ?e.x FROM (?e, air) FILTER (?e.x > 10)", "big"))
        (folder / "var" / "state").mkdir(parents=True, exist_ok=True)
        self.observer = EngineObserver(self, self.flow, self.archive, project.settings)

    def deliver(self, *seconds: int, malformed: int = 0) -> None:
        records = raw_table([{"t": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in seconds])
        bad = tuple(Malformed("{", "no JSON", "r.json") for _ in range(malformed))
        number = (self.flow.last or 0) + 1
        with self.observer.batch(number):
            self.flow.run(number, {"air": RawBatch(records, bad)})

    def close(self) -> None:
        self.observer.close()
        self.flow.close()
        self.archive.close()


class Starting(Observed):
    """One that reads no streams yet."""

    running = False


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Observed]:
    observed = Observed(tmp_path)
    yield observed
    observed.close()


def test_streams_queries_and_stages_are_told(engine: Observed) -> None:
    engine.deliver(0, 20, 30, 30, malformed=2)
    engine.deliver(10, 40)
    engine.observer._measure_again = 0.0  # the thread that writes the status may have measured before
    status = engine.observer.status()
    assert (status.state, status.process, status.batches, status.records) == ("running", os.getpid(), 2, 8)
    air = status.streams["air"]
    assert (air.events, air.late, air.duplicates, air.malformed) == (4, 1, 1, 2)
    assert (air.newest, air.watermark) == (START + timedelta(seconds=40), START + timedelta(seconds=35))
    assert air.lag == pytest.approx((status.at - START).total_seconds() - 40)
    assert (status.queries["big"].state, status.queries["big"].matches) == ("running", 2)
    assert list(status.stages) == ["prepare", "annotate", "admit", "archive", "sinks", "queries", "snapshot"]
    assert all(stage.total > 0 for stage in status.stages.values())
    assert status.archive is not None
    assert status.archive.size > 0 < status.state_size
    assert status.memory > 10_000_000
    assert status.threads["kaicep-status"]


def test_a_stream_may_be_called_as_the_total_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Observed(tmp_path, records=SETTINGS["streams"]["air"])
    monkeypatch.setattr(RecentRates, "note", lambda _, counts: dict(counts))
    engine.deliver(0, 10, 20)
    status = engine.observer.status()
    engine.close()
    assert (status.records, status.rate) == (3, 3)
    assert {name: stream.rate for name, stream in status.streams.items()} == {"air": 3, "records": 0}


def test_what_an_earlier_engine_has_counted_is_no_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RecentRates, "note", lambda _, counts: dict(counts))
    engine = Observed(tmp_path)
    engine.deliver(0, 10, 20)
    engine.close()
    again = Observed(tmp_path)
    again.deliver(30)
    status = again.observer.status()
    again.close()
    assert (status.records, status.rate) == (4, 1)


def test_a_batch_that_hangs_is_told_while_it_hangs(engine: Observed, tmp_path: Path) -> None:
    begun, ends = threading.Event(), threading.Event()

    def hang() -> None:
        with engine.observer.batch(7), engine.flow.clock.stage("queries"):
            begun.set()
            assert ends.wait(GENEROUS_S)

    thread = threading.Thread(target=hang)
    thread.start()
    assert begun.wait(GENEROUS_S)
    status = engine.observer.status()
    ends.set()
    thread.join()
    assert status.batch is not None
    assert (status.batch.number, status.batch.stage) == (7, "queries")
    assert engine.observer.status().batch is None


def test_the_last_words_are_kept(tmp_path: Path) -> None:
    engine = Observed(tmp_path)
    engine.deliver(0)
    engine.close()
    status = read_status(tmp_path / "var" / "state")
    assert status is not None
    assert (status.state, status.records, status.threads) == ("stopped", 1, {})
    assert "kaicep_up 0.0" in (tmp_path / "kaicep.prom").read_text()


def test_why_an_engine_failed_is_told(engine: Observed) -> None:
    engine.failure = RuntimeError("the disk is full")
    status = engine.observer.status()
    assert (status.state, status.reason) == ("failed", "the disk is full")


def test_since_when_streams_are_read_is_told(tmp_path: Path) -> None:
    """Before, Spark starts; when they have ended they were read."""
    engine = Starting(tmp_path)
    told = []
    for running in (False, True, False):
        engine.running = running
        told.append(engine.observer.status().reads)
    engine.close()
    assert told == [False, True, True]


def test_what_the_streams_wait_for_is_told(engine: Observed) -> None:
    assert engine.observer.status().waits_for is None
    engine.waits_for = "the disk is full"
    status = engine.observer.status()
    assert (status.state, status.waits_for) == ("running", "the disk is full")


def test_a_thread_that_dies_is_missed(engine: Observed) -> None:
    ends = threading.Event()
    thread = threading.Thread(target=ends.wait, name="kaicep-heartbeat", args=(GENEROUS_S,))
    thread.start()
    assert engine.observer.status().threads["kaicep-heartbeat"]
    ends.set()
    thread.join()
    assert not engine.observer.status().threads["kaicep-heartbeat"]
    engine.running = False
    assert "kaicep-heartbeat" not in engine.observer.status().threads, "nobody reads the streams"


@pytest.mark.parametrize("name", ["kaicep-past-high", "kaicep-endpoint"])
def test_a_thread_that_has_done_its_work_is_not_missed(engine: Observed, name: str) -> None:
    ends = threading.Event()
    thread = threading.Thread(target=ends.wait, name=name, args=(GENEROUS_S,))
    thread.start()
    engine.observer.status()
    ends.set()
    thread.join()
    assert name not in engine.observer.status().threads


def test_streams_that_have_ended_have_no_newest_event(engine: Observed) -> None:
    engine.deliver(0, 40)
    engine.flow.finish()
    air = engine.observer.status().streams["air"]
    assert (air.newest, air.lag) == (None, None)


def test_batches_are_logged_with_what_they_brought(engine: Observed, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "kaicep"):
        engine.deliver(0, 20, 40)
        engine.deliver()
    done = [record for record in caplog.records if record.message == "batch done"]
    assert [(r.levelname, r.__dict__["records"], r.__dict__["matches"]) for r in done] == [
        ("INFO", 3, 1),
        ("DEBUG", 0, 0),
    ]
    assert json.dumps(done[0].__dict__["seconds"])
