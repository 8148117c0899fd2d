"""Streams are listed with what the engine has said last."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.pipeline.monitoring import status_bytes, status_file
from kaicep.server.problem import ProblemError
from kaicep.server.streams.stream_listing import listed_streams, newest_events, require_stream, source_text
from support.statuses import busy_engine


def test_streams_before_and_behind_an_engine(settings: Settings) -> None:
    (air,) = listed_streams(settings)
    assert (air["name"], air["class"], air["records"], air["newest"]) == ("air", "ex:Reading", 0, None)
    assert air["source"] == "json: incoming/"
    assert newest_events(settings) == {}
    file = status_file(settings.path(settings.engine.state))
    file.parent.mkdir(parents=True)
    status = busy_engine(datetime.now(UTC))
    file.write_bytes(status_bytes(status))
    (air,) = listed_streams(settings)
    told = status.streams["air"]
    assert newest_events(settings) == {"air": told.newest}
    assert (air["records"], air["late"], air["dead"]) == (told.events, told.late, told.rejected + told.malformed)


def test_a_stream_that_is_not_there(plain: Settings) -> None:
    with pytest.raises(ProblemError, match="the project has no stream 'ari'") as problem:
        require_stream(plain, "ari")
    assert (problem.value.status, problem.value.error.hint) == (404, "did you mean 'air'?")


INBOX = {"format": "json", "path": "var/inbox/", "cleanSource": "delete"}
BROKER = {"server": "mqtts://broker.example:8883", "user": "ada", "password": "env:SECRET", "topics": ["a/+/b", "c"]}
TOPICS = {
    "servers": "one:9092,two:9092",
    "topics": ["orders", "payments"],
    "options": {"sasl.username": "ada", "sasl.password": "env:SECRET"},
}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "none"),
        ({"format": "csv", "path": "in/*.csv"}, "csv: in/*.csv"),
        (INBOX, "json: var/inbox/, and POST /streams/air/events"),
        ({**INBOX, "path": "s3a://ada:hunter2@bucket/readings"}, "json: s3a://bucket/readings"),
        ({"mqtt": BROKER}, "mqtt: a/+/b, c of mqtts://broker.example:8883"),
        ({"kafka": TOPICS}, "kafka: the topics orders, payments of one:9092,two:9092"),
        ({"kafka": {"servers": "one:9092", "pattern": "or.*"}}, "kafka: the topics or.* of one:9092"),
        ({"format": "delta", "path": "tables/air"}, "delta: tables/air"),
        ({"format": "jdbc", "url": "jdbc:postgresql://ada:hunter2@db/air"}, "jdbc"),
        ({"format": "dataframe"}, "dataframe"),
    ],
)
def test_a_source_is_told_as_people_know_it(
    source: dict[str, Any] | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages of a broker lie in the engine's state until they are read: that is nobody's place to look."""
    monkeypatch.setenv("SECRET", "hunter2")
    stream: dict[str, Any] = {"event_type": "<urn:E>", "time": {"attribute": "at"}}
    settings = Settings.parse({"streams": {"air": stream if source is None else {**stream, "source": source}}})
    assert source_text("air", settings.streams["air"]) == said
