"""Where a broker is, and as whom it is spoken to."""

from __future__ import annotations

import pytest
from kaicep.settings.mqtt import BrokerSettings


@pytest.mark.parametrize(
    ("server", "address", "encrypted"),
    [
        ("mqtt://broker", ("broker", 1883), False),
        ("mqtts://broker.example", ("broker.example", 8883), True),
        ("mqtt://127.0.0.1:1884/", ("127.0.0.1", 1884), False),
        ("mqtt://[::1]:1884", ("::1", 1884), False),
    ],
)
def test_where_a_broker_is(server: str, address: tuple[str, int], *, encrypted: bool) -> None:
    found = BrokerSettings.model_validate({"server": server})
    assert (found.address, found.encrypted) == (address, encrypted)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"server": "broker:1883"}, "'broker:1883' is no broker of MQTT"),
        ({"server": "mqtt://broker:65536/"}, "has no port"),
        ({"server": "mqtts://broker:0"}, "has no port"),
        ({"server": "mqtt://me:secret@broker"}, "keys of their own: user, password"),
        ({"server": "mqtt://b", "ca": "ca.pem"}, "'ca' is for encrypted connections"),
        ({"server": "mqtts://b", "certificate": "c.pem"}, "a certificate has a key"),
        ({"server": "mqtt://b", "password": "env:P"}, "a password is that of a user"),
        ({"server": "mqtt://b", "user": "u", "password": "secret"}, "secrets do not stand in the project file"),
        ({"server": "mqtt://b", "version": "3.1"}, "Input should be '3.1.1' or '5'"),
    ],
)
def test_what_is_refused(table: dict[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        BrokerSettings.model_validate(table)
    assert "me:secret" not in str(caught.value.args)
