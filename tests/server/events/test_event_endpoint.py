"""Events are posted: 202 when they are durable."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest
from kaicep import Engine, Project
from kaicep.config import Settings
from kaicep.pipeline.sinks import JsonLinesSink
from kaicep.server.events import event_endpoint
from kaicep.server.events.posted_records import DOCUMENT_TYPES, RECORD_TYPES
from support.servers import ask, serving

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SOURCE = {"format": "json", "path": "in", "cleanSource": "delete"}
JSON = {"Content_Type": "application/json"}
ATTRIBUTES = {"sensor": {"datatype": "xsd:string"}, "flow": {"datatype": "xsd:double"}}


def test_events_are_files_when_they_are_acknowledged(settings: Settings) -> None:
    stream = {"event_type": "<urn:Reading>", "time": {"attribute": "at"}, "source": SOURCE}
    served = Settings.parse({"streams": {"air": stream}, "server": {"backlog": "1 kB"}}, root=settings.root)
    with serving(served) as url:
        address = f"{url}/streams/air/events"
        found = ask(address, "POST", '[{"at": 1}, {"at": 2}]', **JSON)
        assert (found.status, found.json) == (202, {"accepted": 2})
        (file,) = (settings.root / "in").iterdir()
        assert file.read_text() == '{"at":1}\n{"at":2}\n'
        assert ask(address, "POST", "[]", **JSON).json == {"accepted": 0}
        refused = ask(address, "POST", '[{"at": 3}, 4]', **JSON)
        assert (refused.status, refused.json["detail"]) == (400, "record 2: a record is an object")
        assert ask(f"{url}/streams/water/events", "POST", "{}", **JSON).status == 404
        assert ask(address, "POST", '{"at": "' + 1000 * "x" + '"}', **JSON).status == 202
        behind = ask(address, "POST", '{"at": 5}', **JSON)
        assert (behind.status, behind.headers["retry-after"]) == (429, "5")
        assert len(list((settings.root / "in").iterdir())) == 2


def test_others_are_answered_while_records_are_read(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = {"event_type": "<urn:Reading>", "time": {"attribute": "at"}, "source": SOURCE}
    reads, may_go_on = threading.Event(), threading.Event()

    def slowly(*_: object, **__: object) -> list[bytes]:
        reads.set()
        assert may_go_on.wait(60.0)
        return []

    monkeypatch.setattr(event_endpoint, "json_lines", slowly)
    with serving(Settings.parse({"streams": {"air": stream}}, root=settings.root)) as url:
        posting = threading.Thread(target=ask, args=(f"{url}/streams/air/events", "POST", "[]"))
        posting.start()
        assert reads.wait(60.0)
        assert ask(f"{url}/health").status == 200
        may_go_on.set()
        posting.join()


@pytest.mark.spark
def test_an_event_that_is_posted_twice_counts_once(settings: Settings, spark: SparkSession) -> None:
    """In a post, and in a batch, of its own, in another form, beside others: who has heard nothing sends it again."""
    identified = {"time": {"attribute": "at"}, "identity": ["sensor", "at"], "attributes": ATTRIBUTES}
    stream = {"event_type": "<urn:Reading>", "source": {**SOURCE, "maxFilesPerTrigger": 1}, **identified}
    project = Project.parse({"streams": {"air": stream}, "archive": {"store": False}}, root=settings.root)
    first, second = '{"sensor": "s1", "at": "2026-01-01T00:00:00Z", "flow": 1.5}', "s1,2026-01-01T00:00:00Z,1.5"
    with serving(project.settings) as url:
        address = f"{url}/streams/air/events"
        for body in (first, f"[{first}, {first}]"):
            assert ask(address, "POST", body, **JSON).status == 202
        rows = f"sensor,at,flow\n{second}\ns2,2026-01-01T00:00:01Z,2.5\n"
        assert ask(address, "POST", rows, Content_Type="text/csv").json == {"accepted": 2}
    rows_file = settings.root / "rows.jsonl"
    with Engine(project, spark=spark, sinks=[JsonLinesSink(rows_file)]) as engine:
        engine.submit("SELECT ?e.sensor AS sensor, ?e.flow AS flow FROM (?e, air)", collect=False)
        engine.run_available()
        engine.finish()
        assert engine.progress.batches > 2
    found = [json.loads(row) for row in rows_file.read_text().splitlines()]
    assert [(row["sensor"], row["flow"]) for row in found] == [("s1", 1.5), ("s2", 2.5)]


def test_every_form_that_is_taken_is_described(plain_url: str) -> None:
    described = ask(f"{plain_url}/openapi.json").json["paths"]["/streams/{name}/events"]["post"]
    assert described["requestBody"]["content"].keys() == {*RECORD_TYPES, *DOCUMENT_TYPES}
