"""How a Kafka is named in the project file."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError
from kaicep.settings import secret_option


def parsed(**kafka: Any) -> Any:
    own = {"servers": "b:9092", "topic": "t", **kafka}
    return Settings.parse({"actions": {"ops": {"kafka": own}}}).actions["ops"].kafka


def test_options_are_texts() -> None:
    options = parsed(options={"linger.ms": 5, "enable.ssl.certificate.verification": False}).options
    assert options == {"linger.ms": "5", "enable.ssl.certificate.verification": "false"}


@pytest.mark.parametrize("servers", ["b", "b:9092", "one.example:9092,10.0.0.1:9093"])
def test_servers(servers: str) -> None:
    assert parsed(servers=servers).servers == servers


@pytest.mark.parametrize(
    ("kafka", "message"),
    [
        ({"servers": "kafka://b"}, "names no servers of Kafka"),
        ({"servers": ""}, "names no servers of Kafka"),
        ({"options": {"acks": "0"}}, "'acks' is kaicep's to set"),
        (
            {"options": {"sasl.password": "hush"}},
            "'sasl.password' is a secret, which does not stand",
        ),
    ],
)
def test_what_is_refused(kafka: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        parsed(**kafka)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("sasl.password", True),
        ("ssl.key.password", True),
        ("ssl.key.pem", True),
        ("sasl.oauthbearer.client.secret", True),
        ("ssl.ca.pem", False),
        ("ssl.certificate.pem", False),
        ("security.protocol", False),
    ],
)
def test_which_options_are_secrets(name: str, secret: bool) -> None:
    assert secret_option(name) is secret
