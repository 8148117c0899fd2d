"""Events to a server: the one of kaicep, and one that is behind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from kaicep.commands.replaying.http_target import HttpTarget
from kaicep.commands.replaying.replay_target import TargetSpec
from kaicep.config import Settings
from kaicep.errors import PipelineError
from support.brokers import free_port
from support.receivers import Request, web_receiver
from support.servers import serving

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "source": {"format": "json", "path": "in", "cleanSource": "delete"},
}


def test_events_lie_in_the_inbox_of_their_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings.parse({"streams": {"air": STREAM}}, root=tmp_path)
    with serving(settings) as url:
        target = HttpTarget(TargetSpec(f"{url}/streams/air/events"))
        target.send([{"at": "2026-01-01T00:00:00Z", "n": 1}, {"at": "2026-01-01T00:00:01Z", "n": 2}])
        target.close()
        lost = HttpTarget(TargetSpec(f"{url}/streams/water/events"))
        with pytest.raises(PipelineError, match="the server answers 404: the project has no stream 'water'"):
            lost.send([{"n": 1}])
    (file,) = (tmp_path / "in").iterdir()
    assert [json.loads(line)["n"] for line in file.read_text().splitlines()] == [1, 2]


def test_a_server_that_is_behind_is_waited_for() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> tuple[int, Mapping[str, str]]:
        asked.append(request)
        return (202, {}) if len(asked) > 2 else (429, {"Retry-After": "0"})

    with web_receiver() as receiver:
        receiver.answer = answer
        HttpTarget(TargetSpec(receiver.url)).send([{"n": 1}])
    assert len(asked) == 3
    assert len(receiver.requests) == 1


def test_tokens_are_found_where_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPS_TOKEN", "secret")
    with web_receiver() as receiver:
        HttpTarget(TargetSpec(receiver.url, token="env:OPS_TOKEN")).send([{"n": 1}])  # noqa: S106 - where it is found
    assert receiver.requests[0].headers["Authorization"] == "Bearer secret"


def test_a_server_that_is_away_is_waited_for_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaicep.commands.replaying.http_target._PATIENCE_S", 0.0)
    with pytest.raises(PipelineError, match="cannot be reached"):
        HttpTarget(TargetSpec(f"http://127.0.0.1:{free_port()}/")).send([{"n": 1}])


@pytest.mark.parametrize(
    "url", ["http://", "https:///streams/air/events", "http://[::bad/x", "http://127.0.0.1:99999/"]
)
def test_what_is_no_address_is_told_at_once(url: str) -> None:
    with pytest.raises(PipelineError, match="is no address of a server"):
        HttpTarget(TargetSpec(url))


def test_a_server_without_a_certificate_is_not_waited_for() -> None:
    with web_receiver() as receiver:
        target = HttpTarget(TargetSpec(receiver.url.replace("http:", "https:")))
        with pytest.raises(PipelineError, match="no encrypted connection"):
            target.send([{"n": 1}])
