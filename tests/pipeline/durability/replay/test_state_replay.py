"""What queries need of the log when no snapshot has their state, and that no more of it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from kaicep.archive import Archive
from kaicep.archive.log import Manifest, Position, plain_table, segment_name, write_compacted
from kaicep.pipeline.durability.replay.state_replay import StateReplay, is_bounded
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.flow.source_streams import StreamMoments
from kaicep.pipeline.knowledge.knowledge_store import KnowledgeStore
from kaicep.pipeline.knowledge.knowledge_versions import KnowledgeVersions
from kaicep.pipeline.sinks.row_values import rows
from kaicep.pipeline.sources.memory_source import raw_table
from support.batches import processed
from support.sampling import some_of
from support.station import START, project_of

BATCHES, IN_ONE = 10_000, 1_000
PAIRS = "SELECT ?a.x AS a, ?b.x AS b FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 1min)"
COUNT = "SELECT COUNT(?e) AS n FROM (?e, air) WINDOW (?e, hopping, 1min, 30s)"
DISTINCT = "SELECT DISTINCT ?e.x % 50 AS x FROM (?e, air)"
OFTEN = "CREATE QUERY often AS SELECT ?e.x AS x FROM (?e, air) FILTER (?e.x % 2 = 0)"
MEAN = "SELECT COUNT(?o) AS n FROM (?o, often) WINDOW (?o, sliding, 1min)"

OPEN = (
    "CREATE CONTEXTS hours (closed DEFAULT, open DURING '00:00-23:59')",
    "SELECT COUNT(?e) AS n FROM (?e, air) IN CONTEXT open, closed WINDOW (?e, hopping, 1min, 30s)",
)


def at(second: float) -> datetime:
    return START + timedelta(seconds=second)


class Log:
    """An archive whose log has a batch a second, of one event each, put together as time goes on."""

    def __init__(self, folder: Path, batches: int = BATCHES, **stream: object) -> None:
        self.project = project_of(folder, air=stream)
        self.archive = Archive(self.project.settings, self.project.knowledge, self.project.shapes)
        self.versions = KnowledgeVersions(self.project, KnowledgeStore(folder / "ontology"))
        air, generation = Path(str(self.archive.log.path)) / "air", self.archive.log.generation
        air.mkdir(parents=True)
        for first in range(1, batches + 1, IN_ONE):
            seconds = range(first, min(first + IN_ONE, batches + 1))
            events = plain_table(self.events(seconds))
            held = {Position(generation, n): events.slice(n - first, 1) for n in seconds}
            write_compacted(air / segment_name(min(held), max(held)), held)
        self.moments: StreamMoments = {"air": (at(batches), None)}

    def events(self, seconds: Sequence[int]) -> pa.Table:
        raw = raw_table([{"t": at(s).isoformat(), "x": s} for s in seconds])
        return live_batch(self.project.annotators, {"air": raw}).events["air"].events

    def dataflow(self, *texts: str, now: datetime | None = None) -> Dataflow:
        made = self.project.dataflow()
        for number, query in enumerate(self.project.compile(";".join(texts))):
            made.register(Registration(query, f"q{number}", now))
        return made

    def replayed(self, dataflow: Dataflow, last: int = BATCHES) -> int:
        """How many events the data flow was given."""
        events = 0
        for batch in StateReplay(dataflow, self.archive, self.versions, self.moments, last).batches():
            assert batch.past is not None
            events += sum(table.num_rows for table in batch.past.events.values())
            _ = dataflow.process(batch).matches
        return events


@pytest.fixture
def opened() -> Iterator[list[Archive]]:
    archives: list[Archive] = []
    yield archives
    for archive in archives:
        archive.close()


@pytest.fixture
def log(tmp_path: Path, opened: list[Archive]) -> Log:
    made = Log(tmp_path)
    opened.append(made.archive)
    return made


@pytest.mark.parametrize(
    ("texts", "minutes"), some_of([((PAIRS,), 2), ((COUNT,), 2), ((OFTEN, MEAN), 2), (OPEN, 2)], 2)
)
def test_a_window_of_a_minute_needs_the_last_minutes(
    texts: tuple[str, ...], minutes: int, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 10,000 batches; and what comes then has the rows of one that has seen them all."""
    read: list[Path] = []
    whole = Manifest.read

    def noted(self: Manifest, path: Path, *more: object, **others: object) -> pa.Table:
        read.append(path)
        return whole(self, path, *more, **others)  # type: ignore[arg-type] # whatever it was called with

    monkeypatch.setattr(Manifest, "read", noted)
    dataflow, other = log.dataflow(*texts), log.dataflow(*texts)
    assert all(is_bounded(dataflow, label) for label in dataflow.flows)
    assert log.replayed(dataflow) == 60 * minutes + 1
    assert len(set(read)) == 1
    processed(other, {"air": raw_table([{"t": at(s).isoformat(), "x": s} for s in range(9_000, BATCHES + 1)])})
    more = {"air": raw_table([{"t": at(BATCHES + s).isoformat(), "x": s} for s in range(0, 100, 7)])}
    found, expected = (processed(each, more).matches for each in (dataflow, other))
    label = list(dataflow.flows)[-1]
    assert rows(found[label]) == rows(expected[label])
    assert found[label].num_rows


def test_one_that_remembers_for_ever_needs_what_it_has_looked_at(log: Log) -> None:
    """From its registration on, and no further back."""
    dataflow = log.dataflow(DISTINCT, now=at(9_500))
    log.replayed(dataflow)
    assert not is_bounded(dataflow, "q0")
    again = log.dataflow(DISTINCT, now=at(9_500))
    assert log.replayed(again) == 500
    more = {"air": raw_table([{"t": at(BATCHES + 60).isoformat(), "x": 7}])}
    assert rows(processed(again, more).matches["q0"]) == []


def test_nothing_is_needed_where_nothing_has_begun(log: Log) -> None:
    log.moments = {}
    dataflow = log.dataflow(PAIRS)
    assert log.replayed(dataflow) == 0
    assert is_bounded(dataflow, "q0")


def test_identities_are_known_that_may_come_again(log: Log) -> None:
    """Those at or above the watermark; one below it is late, whoever knows it."""
    dataflow = log.dataflow(PAIRS)
    log.replayed(dataflow)
    again = {"air": raw_table([{"t": at(s).isoformat(), "x": s} for s in (BATCHES, BATCHES - 1)])}
    stream = processed(dataflow, again).streams["air"]
    assert (stream.events.num_rows, stream.late.num_rows, stream.duplicates) == (0, 1, 1)


def test_identities_without_time_are_as_many_as_are_remembered(tmp_path: Path, opened: list[Archive]) -> None:
    log = Log(tmp_path, 3_000, identity=["x"])
    opened.append(log.archive)
    dataflow = log.dataflow(PAIRS)
    assert log.replayed(dataflow, 3_000) == 121
    again = {"air": raw_table([{"t": at(5_000 + s).isoformat(), "x": s} for s in (1, 2_999, 3_001)])}
    stream = processed(dataflow, again).streams["air"]
    assert (stream.events["x"].to_pylist(), stream.duplicates) == ([3_001], 2)


def test_what_the_log_has_lost_is_known(tmp_path: Path, opened: list[Archive], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Archive, "forgets", True)
    log = Log(tmp_path, 3_000)
    opened.append(log.archive)
    assert StateReplay(log.dataflow(DISTINCT), log.archive, log.versions, log.moments, 3_000).whole
    for segment in log.archive.log.manifest("air").segments()[:1]:
        segment.path.unlink()
    for text, whole in ((DISTINCT, False), (PAIRS, True)):
        assert StateReplay(log.dataflow(text), log.archive, log.versions, log.moments, 3_000).whole is whole
