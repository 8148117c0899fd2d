"""Events are posted: 202 when they are durable."""

from __future__ import annotations

import threading

import pytest
from kaicep.config import Settings
from kaicep.server.events import event_endpoint
from kaicep.server.events.posted_records import DOCUMENT_TYPES, RECORD_TYPES
from support.servers import ask, serving

SOURCE = {"format": "json", "path": "in", "cleanSource": "delete"}
JSON = {"Content_Type": "application/json"}


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


def test_every_form_that_is_taken_is_described(plain_url: str) -> None:
    described = ask(f"{plain_url}/openapi.json").json["paths"]["/streams/{name}/events"]["post"]
    assert described["requestBody"]["content"].keys() == {*RECORD_TYPES, *DOCUMENT_TYPES}
