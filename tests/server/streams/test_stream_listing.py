"""Streams are listed with what the engine has said last."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from kaicep.config import Settings
from kaicep.pipeline.monitoring import status_bytes, status_file
from kaicep.server.problem import ProblemError
from kaicep.server.streams.stream_listing import listed_streams, newest_events, require_stream
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
