"""What a source's settings say of its records is held against the stream's attributes."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError


def parse(**source: Any) -> Settings:
    stream = {
        "event_type": "<urn:E>",
        "time": {"attribute": "t"},
        "attributes": {"point": {}, "value": {}},
        "source": {"format": "csv", "path": "in/", **source},
    }
    return Settings.parse({"streams": {"s": stream}})


def test_other_keys_are_options_of_the_reader() -> None:
    source = parse(sep=";", header=False, file_name="point", order="time").streams["s"].source
    assert source is not None
    assert source.options() == {"sep": ";", "header": "false"}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"file_name": "pt"}, "source.file_name: 'pt' is no attribute of the stream; its attributes: point, value"),
        ({"unpivot": {"name": "pt", "value": "value"}}, "source.unpivot.name: 'pt' is no attribute of the stream"),
        ({"unpivot": {"name": "point", "value": "v"}}, "source.unpivot.value: 'v' is no attribute of the stream"),
        ({"unpivot": {"name": "point"}}, "streams.s.source.unpivot.value: is missing"),
        ({"unpivot": {"name": "point", "value": "value", "un": 1}}, "source.unpivot.un: unknown key 'un'"),
        ({"order": "random"}, "streams.s.source.order: takes 'arrival' or 'time', not 'random'"),
    ],
)
def test_what_a_source_cannot_say(source: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as found:
        parse(**source)
    assert message in str(found.value)


INBOX = {"format": "json", "path": "in/", "cleanSource": "delete"}


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ({}, None),
        ({"cleanSource": "archive"}, "keeps what it has read, so nobody knows what waits"),
        ({"path": "s3a://bucket/in"}, "reads no plain folder of JSON lines"),
        ({"format": "csv"}, "reads no folder of JSON"),
    ],
)
def test_what_events_can_be_posted_to(source: dict[str, Any], why: str | None) -> None:
    found = parse(**{**INBOX, **source}).streams["s"].source
    assert found is not None
    assert found.closed == why
