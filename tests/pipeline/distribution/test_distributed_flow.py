"""A data flow in tasks: queries come, go, fail, and are judged anew as on the driver; the rest is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from kaicep import Project
from kaicep.archive.read_view import ReadView
from kaicep.errors import PipelineError
from kaicep.pipeline.catalog import Catalog
from kaicep.pipeline.control.knowledge_admin import KnowledgeAdmin
from kaicep.pipeline.distribution.executor_hosting import ExecutorHosting
from kaicep.pipeline.distribution.split_batch import SplitBatch
from kaicep.pipeline.durability import HOSTING
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.sharding import shard_of
from kaicep.pipeline.sharding.split_reading import Split
from kaicep.pipeline.sources.memory_source import raw_table
from support import hostings
from support.clock import Clock
from support.hostings import BothHostings, TasksHere, catalog_in, lines_in, written
from support.keyed import STREAMS
from support.shards import reading

BASE = Project.parse({"streams": STREAMS})
COUNT = "CREATE QUERY busy AS SELECT ?e.car AS car, COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 10s) GROUP BY ?e.car"
PAIRS = (
    "CREATE QUERY pairs AS SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, Q) "
    "JOIN (?a.car = ?b.car) WINDOW (?a, ?b, 9s)"
)
RUNS = (
    "CREATE QUERY runs AS SELECT ?a.id AS a, COUNT(?b) AS n FROM (?a, P), (?b, P) WHERE { SEQ (?a -> ?b{1,2; ->}) "
    "FILTER (?a.v > 6) FILTER (?b.v < 6) WINDOW (?a, ?b, 30s) } PARTITION BY car"
)
MAYBE = (
    "CREATE QUERY maybe AS SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P) WHERE { SEQ (?a -> ?b{0,1; ->}) "
    "FILTER (?a.v = 7) FILTER (?b.v = 1) WINDOW (?a, ?b, 6s) } PARTITION BY car"
)
FAST = "CREATE QUERY fast AS SELECT ?e.id AS id, ?e.v AS v FROM (?e, P) FILTER (?e.v > 3)"
READS = "CREATE QUERY reads AS SELECT ?f.id AS id FROM (?f, fast) FILTER (?f.v > 4)"


@pytest.fixture
def opened() -> Iterator[list[BothHostings]]:
    """Engines that are stopped at the end."""
    found: list[BothHostings] = []
    yield found
    for both in found:
        both.stop()


def both_of(folder: Path, opened: list[BothHostings], text: str, **engine: Any) -> BothHostings:
    opened.append(BothHostings(folder, BASE, text, Random(3), shards=2, **engine))
    return opened[-1]


def seconds(*of: float, car: int = 1, v: int = 5) -> list[dict[str, object]]:
    return [reading(f"r{second}", second, car, v) for second in of]


def test_queries_are_submitted_and_withdrawn_between_batches(tmp_path: Path, opened: list[BothHostings]) -> None:
    """Those that stay keep their state, whatever else changes; one that comes again begins anew."""
    both = both_of(tmp_path, opened, COUNT)
    both.take({"P": seconds(1, 2), "Q": seconds(1.5)})
    both.submit(PAIRS)
    both.take({"P": seconds(3), "Q": seconds(3.5)})
    both.submit(f"{FAST};\n{READS}")
    both.take({"P": seconds(4), "Q": seconds(4.5)})
    both.withdraw("reads")
    both.withdraw("pairs")
    both.take({"P": seconds(5), "Q": seconds(5.5)})
    both.submit(PAIRS)
    both.restart()
    both.take({"P": seconds(6, 12), "Q": seconds(6.5)})
    both.end()
    (row,) = [line for line in lines_in(both.engines[1].rows) if '"n": 6' in line or '"n":6' in line]
    assert "busy" in row or "car" in row


def grown(start: float) -> list[dict[str, object]]:
    """What may still grow of one car; of two others, behind it, what is decided."""
    decided = [
        row
        for car in (2, 3)
        for row in (*seconds(start + car, car=car, v=7), *seconds(start + car + 0.3, start + car + 0.6, car=car))
    ]
    return [*seconds(start, v=7), *seconds(start + 0.1), *decided]


def waiting_of(both: BothHostings) -> dict[str, str]:
    """What the snapshot of the engine with tasks says of rows that wait."""
    state = json.loads(both.engines[1].flow.dataflow.snapshot()[HOSTING])
    return dict(state["waiting"])


def test_rows_that_wait_for_other_shards_are_in_the_snapshot(
    tmp_path: Path, opened: list[BothHostings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another process they are handed out in order; of a query that begins anew there are none."""
    monkeypatch.setattr("support.hostings.RESTARTS", 0)  # a process that has just begun knows no state yet
    both = both_of(tmp_path, opened, RUNS)
    assert len({shard_of([pl.Series([car])], 2)[0] for car in (1, 2, 3)}) == 2
    both.take({"P": [*grown(1), *seconds(20, car=4, v=0)]})
    assert both.rows == 0
    assert waiting_of(both).keys() == {"runs"}
    both.restart()
    both.submit(COUNT)
    both.take({"P": seconds(21, car=4, v=0)})
    assert waiting_of(both).keys() == {"runs"}
    both.take({"P": [*seconds(22), *seconds(35, car=4, v=0)]})
    assert both.rows >= 3
    assert not waiting_of(both)
    both.take({"P": [*grown(36), *seconds(55, car=4, v=0)]})
    assert waiting_of(both).keys() == {"runs"}
    both.withdraw("runs")
    both.submit(RUNS)
    both.take({"P": seconds(56, car=4, v=0)})
    assert not waiting_of(both)
    both.end()


def test_rules_come_and_go_together(tmp_path: Path, opened: list[BothHostings]) -> None:
    """They are one unit, whose queries keep their states while others join it and leave it."""
    count = COUNT.replace("busy", "many").replace("10s", "5s")
    one, other = (
        f"{text};\nCREATE RULE of{name} ON {name} DO EMIT e{name} (?row.n AS n)"
        for name, text in (("busy", COUNT), ("many", count))
    )
    both = both_of(tmp_path, opened, one)
    both.take({"P": seconds(1, 2)})
    both.submit(other)
    both.take({"P": seconds(3, 4)})
    both.withdraw("ofbusy")
    both.withdraw("busy")
    both.take({"P": seconds(6)})
    both.submit(one)
    both.take({"P": seconds(12, 25)})
    both.end()


def test_a_past_is_answered_and_goes_on_in_one_shard(tmp_path: Path, opened: list[BothHostings]) -> None:
    """Over restarts, too; withdrawn and submitted again, it begins anew."""
    both = both_of(tmp_path, opened, COUNT)
    both.take({"P": seconds(1, 2, 3), "Q": seconds(1.5)})
    both.submit(PAIRS.replace(" JOIN", " WITHIN [now - 1h, ) JOIN"))
    both.take({"P": seconds(4), "Q": seconds(4.5)})
    both.restart()
    both.take({"P": seconds(5), "Q": seconds(5.5)})
    assert kept_in(both) == {"pairs": "pairs+"}
    both.withdraw("pairs")
    both.submit(PAIRS)
    both.take({"P": seconds(6), "Q": seconds(6.5)})
    assert kept_in(both) == {}
    both.end()


def kept_in(both: BothHostings) -> dict[str, str]:
    """What the snapshot of the engine with tasks says of queries that have one shard."""
    return dict(json.loads(both.engines[1].flow.dataflow.snapshot()[HOSTING])["kept"])


def test_the_stream_does_not_wait_for_a_past(tmp_path: Path, opened: list[BothHostings]) -> None:
    """It is with the stream some batches later; all rows come, those of the time between among them, each once."""
    both = both_of(tmp_path, opened, COUNT)
    both.take({"P": seconds(1, 2, 3), "Q": seconds(1.5)})
    both.submit(PAIRS.replace(" JOIN", " WITHIN [now - 1h, ) JOIN"))
    clock = Clock()
    for engine in both.engines:
        idle = IdleStreams(engine.project.settings.idle_timeouts(), clock)
        number = engine.next
        while number < 6 or engine.flow.queries.backfilled:
            at = number + 3.0
            paths = {name: [written(engine.folder, name, 50 + number, seconds(at))] for name in "PQ"}
            engine.note(number, paths if number < 6 else {})
            assert engine.deliver(number, idle) is not None
            if number == 3:
                engine.stop()
                engine.start()
            number += 1
        engine.flow.finish()
    rows = [[json.loads(line) for line in lines_in(engine.rows)] for engine in both.engines]
    driver, tasks = ([{**row, "_source": None} for row in of] for of in rows)  # how fast a past goes by is chance
    assert driver == tasks
    assert any(row.get("a") == "r1" for row in tasks)


def test_queries_read_what_was_answered_in_shards(tmp_path: Path, opened: list[BothHostings]) -> None:
    """Its state is made of the log again, and is in one place from then on; so is what is read by both of two."""
    both = both_of(tmp_path, opened, f"{COUNT};\n{FAST};\n{COUNT.replace('busy', 'many').replace('10s', '4s')}")
    both.take({"P": [*seconds(1, 2), *seconds(2.5, car=2)]})
    both.submit("CREATE QUERY sums AS SELECT SUM(?b.n) AS s FROM (?b, busy) WINDOW (?b, batch, 20s)")
    both.submit("CREATE QUERY cars AS SELECT ?m.car AS car, ?m.n AS n FROM (?m, many)")
    both.submit(READS)
    both.take({"P": [*seconds(3, 11), *seconds(11.5, car=2)]})
    assert {*kept_in(both).values()} == {"busy+", "many+", "fast+"}
    both.submit("CREATE QUERY pair AS SELECT ?b.n AS b, ?m.n AS m FROM (?b, busy), (?m, many) WINDOW (?b, ?m, 30s)")
    both.take({"P": [*seconds(14), *seconds(14.5, car=2)]})
    assert kept_in(both)["many"] == kept_in(both)["busy"] == kept_in(both)["pair"]
    both.restart()
    both.take({"P": [*seconds(31), *seconds(31.5, car=2)]})
    assert both.rows > 8
    both.end()


def without_log(folder: Path) -> tuple[Catalog, ExecutorHosting]:
    """A project without an archive, in two shards."""
    project = catalog_in(folder, BASE.settings, BASE, shards=2)
    settings = project.settings.model_copy(
        update={"archive": project.settings.archive.model_copy(update={"enabled": False})}
    )
    project = Catalog.of_knowledge(settings, BASE.knowledge)
    return project, ExecutorHosting(project, None, TasksHere)


def batch_of(folder: Path, number: int, *files: list[dict[str, object]]) -> SplitBatch:
    """A batch of `P`."""
    paths = [written(folder, "P", 10 * number + place, rows) for place, rows in enumerate(files)]
    return SplitBatch(splits=[Split("P", place, path, "source") for place, path in enumerate(paths)], number=number)


def test_states_in_shards_are_not_brought_together_without_a_log(tmp_path: Path) -> None:
    project, hosting = without_log(tmp_path)
    flow = hosting.dataflow(project)
    (busy,) = project.registrations(COUNT, "busy")
    flow.register(busy)
    flow.process(batch_of(tmp_path, 1, seconds(1, 2)))
    reads = project.registrations("SELECT ?b.n FROM (?b, busy)", "reads", [busy.query])
    with pytest.raises(PipelineError, match="'reads' reads or decides what 'busy' gives, which is answered in shards"):
        hosting.check_submitted(flow, reads)
    hosting.check_submitted(flow, project.registrations(FAST, "fast"))


def test_what_looks_at_each_event_is_read_later_without_a_log(tmp_path: Path) -> None:
    """What waits for the watermark in its shards waits in one place from then on."""
    project, hosting = without_log(tmp_path)
    flow, driver = hosting.dataflow(project), project.dataflow()
    (fast,) = project.registrations(FAST, "fast")
    (reads,) = project.registrations(READS, "reads", [fast.query])
    batches = (
        [seconds(1, 2, 9), seconds(7.5, 9.5, v=4), seconds(8.5)],
        [seconds(10, 11), seconds(10.5)],
        [seconds(20)],
    )
    found: dict[str, int] = {}
    for number, files in enumerate(batches, 1):
        for one in (flow, driver):
            if number == 1:
                one.register(fast)
            if number == 2:
                one.register(reads)
        hosting.check_submitted(flow, [reads] if number == 1 else [])
        rows = flow.process(batch_of(tmp_path, number, *files)).matches
        events = raw_table([row for of in files for row in of])
        expected = driver.process(live_batch(driver.annotators, {"P": events})).matches
        assert {label: of.to_pylist() for label, of in rows.items() if of.num_rows} == {
            label: of.to_pylist() for label, of in expected.items() if of.num_rows
        }
        found |= {label: found.get(label, 0) + of.num_rows for label, of in rows.items()}
    assert found["reads"] > 4
    assert found["fast"] > found["reads"]


def test_a_query_that_fails_is_parked_and_the_others_go_on(tmp_path: Path, opened: list[BothHostings]) -> None:
    both = both_of(tmp_path, opened, f"{COUNT};\n{PAIRS}", rows_per_batch=3)
    both.take({"P": seconds(1), "Q": seconds(1)})
    both.take({"P": seconds(*range(2, 9)), "Q": seconds(*range(2, 9))})
    driver, tasks = ([(p.label, p.batch, p.failure.message) for p in e.flow.queries.parked] for e in both.engines)
    assert driver == tasks
    assert [label for label, *_ in tasks] == ["pairs"]
    both.restart()
    both.take({"P": seconds(12), "Q": seconds(12)})
    assert [p.label for p in both.engines[1].flow.queries.parked] == ["pairs"]
    both.withdraw("pairs")
    both.submit(PAIRS)
    both.take({"P": seconds(13), "Q": seconds(13)})
    both.end()


@pytest.mark.parametrize("text", [COUNT, f"{FAST};\n{READS}"])
def test_a_query_that_takes_too_long_is_parked(text: str, tmp_path: Path, opened: list[BothHostings]) -> None:
    """By itself, or among those that it is answered with."""
    both = both_of(tmp_path, opened, text, query_timeout="0s")
    both.note({"P": seconds(1, 12)})
    for engine in both.engines:
        assert engine.deliver(1) is not None
    driver, tasks = ([(p.label, p.failure.message) for p in e.flow.queries.parked] for e in both.engines)
    assert driver
    assert driver == tasks
    assert any("takes longer than 0s" in message or "0 s" in message for _, message in tasks), tasks


@pytest.mark.parametrize("batches", [1, 2])
def test_a_parked_query_goes_on_with_what_it_has_missed(
    batches: int, tmp_path: Path, opened: list[BothHostings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are answered with it were parked, too, and go on with it."""
    monkeypatch.setattr("support.hostings.RESTARTS", 0)  # a process that has just begun knows of none
    of_pairs = "CREATE QUERY first AS SELECT ?p.a AS a FROM (?p, pairs)"
    both = both_of(tmp_path, opened, f"{COUNT};\n{PAIRS};\n{of_pairs}", rows_per_batch=3)
    for number in range(batches - 1):
        both.take({"P": seconds(number / 2), "Q": seconds(number / 2)})
    both.take({"P": seconds(*range(2, 9)), "Q": seconds(*range(2, 9))})
    both.take({"P": seconds(9), "Q": seconds(9)})
    assert {p.label for p in both.engines[1].flow.queries.parked} == {"pairs", "first"}
    both.stop()
    for engine in both.engines:
        more = engine.project.settings.engine.model_copy(update={"rows_per_batch": 1_000})
        settings = engine.project.settings.model_copy(update={"engine": more})
        engine.project = Catalog.of_knowledge(settings, engine.project.knowledge)
        engine.start()
    both.take({"P": seconds(10), "Q": seconds(10)})
    for engine in both.engines:
        assert set(engine.flow.queries.resume("pairs")) == {"pairs", "first"}
    before = both.rows
    both.take({"P": seconds(11), "Q": seconds(11)})
    assert both.rows > before + 20
    assert not list(both.engines[1].flow.queries.parked)
    both.take({"P": seconds(12), "Q": seconds(12)})
    both.end()


def test_queries_wait_and_come_back_with_what_they_have_missed(
    tmp_path: Path, opened: list[BothHostings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of low priority do while the engine is behind; over a restart, too."""
    monkeypatch.setattr("support.hostings.RESTARTS", 0)
    both = both_of(tmp_path, opened, f"{COUNT};\n{PAIRS}")
    tasks = both.engines[1]
    idle = IdleStreams(tasks.project.settings.idle_timeouts(), Clock())
    for number in range(1, 9):
        both.note({"P": seconds(number), "Q": seconds(number)})
        if number in (3, 6):
            tasks.flow.queries.demotion.send("pairs")
        if number == 5:
            tasks.flow.queries.demotion.call("pairs")
        tasks.deliver(number, idle)
        both.engines[0].deliver(number)
        if number in (3, 4):
            assert tasks.flow.queries.demotion.waiting == ("pairs",)
            tasks.stop()
            tasks.start()
    for engine in both.engines:
        engine.flow.finish()
    driver, found = ([json.loads(line) for line in lines_in(engine.rows)] for engine in both.engines)
    assert [row["_id"] for row in found] == [row["_id"] for row in driver]
    assert sum(row["_query"] == "pairs" for row in found) == 64


def test_time_goes_on_over_silent_streams(tmp_path: Path, opened: list[BothHostings]) -> None:
    """Also in a new process: what queries wait for is known there."""
    both = both_of(tmp_path, opened, COUNT)
    clock = Clock()
    idle = [IdleStreams(engine.project.settings.idle_timeouts(), clock) for engine in both.engines]
    both.take({"P": seconds(1, 2)}, idle)
    both.restart()
    clock.seconds += 60
    assert all(engine.flow.overdue(own) for engine, own in zip(both.engines, idle, strict=True))
    both.take({}, idle)  # it may have been begun by the process before: the clock moves nothing
    both.take({}, idle)
    assert both.rows == 1
    both.end()


def test_events_are_judged_by_the_knowledge_of_their_batch(tmp_path: Path) -> None:
    """States of queries go on; verdicts are those of the ontology that is in force."""
    before, after = tmp_path / "before.ttl", tmp_path / "after.ttl"
    before.write_text("<urn:1> a <urn:Fast> .", encoding="utf-8")
    after.write_text("<urn:2> a <urn:Fast> .", encoding="utf-8")
    car = {"property": "<urn:of>", "individual": "<urn:{}>", "datatype": "xsd:integer"}
    stream: dict[str, Any] = {**STREAMS["P"]}
    stream["attributes"] = {**stream["attributes"], "car": car}
    base = Project.parse({"streams": {"P": stream}, "knowledge": {"modules": [str(before)]}}, root=tmp_path)
    text = (
        "CREATE QUERY fast AS SELECT COUNT(?e) AS n FROM (?e, P) "
        "PATH { ?e <urn:of> ?c . ?c a <urn:Fast> } WINDOW (?e, batch, 10s)"
    )
    both = BothHostings(tmp_path, base, text, Random(1), shards=2)
    both.take({"P": [*seconds(1, 2), *seconds(1.5, car=2)]})
    for engine in both.engines:
        admin = KnowledgeAdmin(engine.flow, engine.said.append)
        admin.add(after)
        admin.close()
    both.take({"P": [*seconds(3), *seconds(3.5, 3.7, car=2)]})
    both.take({"P": seconds(21)})
    assert both.rows == 1
    assert '"n": 5' in both.engines[1].rows.read_text(encoding="utf-8").replace('"n":5', '"n": 5')
    both.end()


def test_the_end_of_the_streams_is_taken_back(tmp_path: Path, opened: list[BothHostings]) -> None:
    both = both_of(tmp_path, opened, COUNT)
    both.take({"P": seconds(1, 2)})
    for engine in both.engines:
        assert engine.flow.rows_at_end() == {"busy": 1}
        engine.flow.finish()
        assert [json.loads(line)["n"] for line in lines_in(engine.rows)] == [2]
    both.take({"P": seconds(3)})
    for engine in both.engines:
        engine.flow.finish()
        assert [json.loads(line)["n"] for line in lines_in(engine.rows)] == [3]


def test_more_cores_do_not_move_states(tmp_path: Path, opened: list[BothHostings]) -> None:
    """A state stays in its shard, whatever is set later."""
    both = both_of(tmp_path, opened, COUNT)
    both.take({"P": [*seconds(1), *seconds(1.5, car=2), *seconds(1.7, car=3)]})
    tasks = both.engines[1]
    tasks.stop()
    engine = tasks.project.settings.engine.model_copy(update={"shards": 7})
    settings = tasks.project.settings.model_copy(update={"engine": engine})
    tasks.project = type(tasks.project).of_knowledge(settings, tasks.project.knowledge)
    tasks.start()
    both.take({"P": [*seconds(2), *seconds(2.5, car=2), *seconds(2.7, car=3), *seconds(25)]})
    assert both.rows == 3
    both.end()


@pytest.mark.parametrize("forgets", [False, True])
def test_a_state_of_the_driver_goes_on_in_tasks(
    forgets: bool, tmp_path: Path, opened: list[BothHostings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In shards where the log gives it; where that forgets, as it is, each query in one."""
    monkeypatch.setattr("support.hostings.RESTARTS", 0)
    if forgets:
        monkeypatch.setattr(ReadView, "forgets", True)
    both = both_of(tmp_path, opened, COUNT)
    both.swap()
    both.take({"P": [*seconds(1, 2), *seconds(2.5, car=2)]})
    both.swap()
    both.take({"P": [*seconds(3, 15), *seconds(15.5, car=2)]})
    assert kept_in(both) == ({"busy": "busy+"} if forgets else {})
    assert both.rows == 2
    both.swap()
    both.take({"P": [*seconds(27)]})
    both.end()


def test_a_state_that_is_lost_is_made_in_shards(tmp_path: Path, opened: list[BothHostings]) -> None:
    both = both_of(tmp_path, opened, f"{COUNT};\n{RUNS};\n{FAST};\n{READS}")
    both.take({"P": grown(1)})
    both.lose()
    both.take({"P": seconds(7, 8)})
    assert {*kept_in(both)} == {"runs", "fast", "reads"}  # rows of runs may wait for others
    both.lose()
    both.take({"P": seconds(22, 44)})
    assert any("rebuilt" in line for line in both.engines[1].said)
    both.end()


def test_rows_that_wait_for_other_shards_are_not_lost_with_the_state(
    tmp_path: Path, opened: list[BothHostings]
) -> None:
    """One of at most one event as well: that of car 1 may still come, before those of the others."""
    both = both_of(tmp_path, opened, MAYBE)
    others = [reading(f"{n}{car}", second, car, v) for n, second, v in (("a", 11, 7), ("b", 12, 1)) for car in (2, 3)]
    both.take({"P": [reading("a1", 10, 1, 7), *others, *seconds(18, car=4)]})
    assert both.rows == 0
    both.lose()
    both.take({"P": seconds(19, 25, car=4)})
    assert both.rows == 3
    both.end()


def test_what_a_query_has_changed_counts_when_it_is_gone(tmp_path: Path, opened: list[BothHostings]) -> None:
    """Withdrawn, or left out at the next start: for those in its contexts, and for the past of those that come."""
    text = (
        "CREATE CONTEXTS mood (calm DEFAULT, busy);\n"
        "INITIATE CONTEXT busy FROM (?e, P) FILTER (?e.v > 4);\n"
        "TERMINATE CONTEXT busy FROM (?e, P) FILTER (?e.v < 2);\n"
        "CREATE QUERY then AS SELECT ?e.id AS id FROM (?e, P) IN CONTEXT busy"
    )
    both = both_of(tmp_path, opened, text)
    both.take({"P": seconds(1, 2)})
    both.withdraw("mood.busy.terminate")
    both.take({"P": [*seconds(3), *seconds(3.5, v=1), *seconds(4)]})
    both.submit("CREATE QUERY past AS SELECT ?e.id AS id FROM (?e, P) IN CONTEXT busy WITHIN [now - 1h, )")
    both.take({"P": seconds(5)})
    both.stop()
    for engine in both.engines:
        engine.registrations = [one for one in engine.registrations if one.label != "mood.busy.initiate"]
        engine.start()
    both.take({"P": seconds(6)})
    both.submit("CREATE QUERY later AS SELECT ?e.v AS v FROM (?e, P) IN CONTEXT busy WITHIN [now - 1h, )")
    both.take({"P": seconds(9, 20)})
    assert both.rows > 10
    both.end()


def test_a_file_that_cannot_be_read_is_told_and_read_when_it_is_mended(
    tmp_path: Path, opened: list[BothHostings]
) -> None:
    """The others of its batch are; it is a dead letter until it is another file."""
    tasks = both_of(tmp_path, opened, COUNT).engines[1]
    good, torn = written(tasks.folder, "P", 1, seconds(1)), tasks.folder / "in/P/00002.json.gz"
    torn.write_bytes(gzip.compress(good.read_bytes())[:30])
    gone = tasks.folder / "in/P/00003.json"
    tasks.note(1, {"P": [good, torn, gone]})
    found = tasks.deliver(1)
    assert found is not None
    assert found.streams["P"].tally.events == 1
    assert sorted(letter["place"] for letter in tasks.letters["P"]) == ["/in/P/00002.json.gz", "/in/P/00003.json"]
    assert [line for line in tasks.said if "00002.json.gz cannot be read: Compressed file ended before" in line]
    assert [line for line in tasks.said if "00003.json cannot be read: it was gone before it was read" in line]
    assert tasks.flow.progress.streams["P"].malformed == 2
    tasks.stop()
    tasks.start()
    torn.write_bytes(gzip.compress(written(tasks.folder, "P", 4, seconds(2)).read_bytes()))
    assert tasks.flow.journal.mended() == ["in/P/00002.json.gz"]
    tasks.flow.journal.try_again(["in/P/00002.json.gz"])
    tasks.note(2, {"P": [torn]})
    again = tasks.deliver(2)
    assert again is not None
    assert again.streams["P"].tally.events == 1


def test_a_batch_whose_files_are_not_known_is_not_taken_for_empty(tmp_path: Path, opened: list[BothHostings]) -> None:
    both = both_of(tmp_path, opened, COUNT)
    both.note({"P": seconds(1)})
    tasks = both.engines[1]
    note = next((tasks.generation.checkpoint / "sources").glob("*/0"))
    content = note.read_bytes()
    note.unlink()
    with pytest.raises(PipelineError, match=r"which files batch 1 has cannot be read .*: start again"):
        tasks.deliver(1)
    note.write_bytes(content)
    found = tasks.deliver(1)
    assert found is not None
    assert found.streams["P"].tally.events == 1


def test_what_attempts_have_left_goes_with_the_batch_that_follows(
    tmp_path: Path, opened: list[BothHostings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the folder that tasks share, in the log, and in that of matches; what is at work on a later batch stays."""
    monkeypatch.setattr(hostings, "RESTARTS", 0.0)
    monkeypatch.setattr(hostings, "ASKED_FOR", 0.0)
    both = both_of(tmp_path, opened, FAST)
    tasks = both.engines[1]
    tasks._few = 0
    both.restart()
    for number in range(1, 4):
        both.take({"P": seconds(4 * number, 4 * number + 1, 4 * number + 2)})
    last = tasks.flow.done
    archive = tmp_path / "tasks/var/archive"
    folders = [tmp_path / "tasks/var/state/hosting", archive / "log/P", archive / "matches/fast"]
    left = [f".tmp-segment-{last:09}-shard-1-ab.parts", f".tmp-31-{last:09}-split-1-ab.parts.part"]
    stays = f".tmp-31-{last + 2:09}-split-1-ab.parts.part"
    for folder in folders:
        for name in (*left, stays):
            (folder / name).write_bytes(b"")
    both.take({"P": seconds(17, 18, 19)})
    both.take({"P": seconds(22)})
    assert (
        sorted(path.name for folder in folders for path in folder.iterdir() if path.name.startswith(".tmp-"))
        == [stays] * 3
    )
