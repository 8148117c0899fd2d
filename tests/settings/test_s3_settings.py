"""`[s3]`: where buckets are."""

from __future__ import annotations

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError
from kaicep.storage import S3Options


def test_options_are_those_of_the_file() -> None:
    assert Settings.parse({}).s3.options == S3Options()
    table = {"endpoint": "http://storage:9000", "region": "eu-central-1", "allow_http": True}
    assert Settings.parse({"s3": table}).s3.options == S3Options("http://storage:9000", "eu-central-1", allow_http=True)


@pytest.mark.parametrize(
    ("endpoint", "message"),
    [
        ("https://user:secret@storage", "a user or a password in it; set AWS_ACCESS_KEY_ID"),
        ("storage:9000", "endpoint is no URL: 'storage:9000'; write one such as"),
        ("http://storage:9000", "endpoint is without TLS; write https, or allow it"),
    ],
)
def test_an_endpoint_is_an_address_without_secrets(endpoint: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        Settings.parse({"s3": {"endpoint": endpoint}})
    assert "secret@" not in str(refused.value)
