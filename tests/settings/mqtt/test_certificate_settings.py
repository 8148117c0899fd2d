"""Certificates are for connections that are encrypted, and one of one's own has a key."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.settings import MqttSettings
from kaicep.settings.mqtt import BrokerSettings, CertificateSettings
from pydantic import ValidationError

PLAIN: dict[type[CertificateSettings], tuple[dict[str, Any], str]] = {
    BrokerSettings: ({"server": "mqtt://b"}, 'write server = "mqtts://…"'),
    MqttSettings: ({"broker": "b", "topic": "t"}, "write tls = true"),
}
ENCRYPTED: dict[type[CertificateSettings], dict[str, Any]] = {
    BrokerSettings: {"server": "mqtts://b"},
    MqttSettings: {"broker": "b", "topic": "t", "tls": True},
}


@pytest.mark.parametrize("kind", PLAIN)
def test_a_plain_connection_has_none(kind: type[CertificateSettings]) -> None:
    table, hint = PLAIN[kind]
    assert not kind.model_validate(table).encrypted
    with pytest.raises(ValidationError, match=f"'ca' is for encrypted connections; {hint}"):
        kind.model_validate({**table, "ca": "ca.pem"})


@pytest.mark.parametrize("kind", ENCRYPTED)
def test_a_certificate_has_a_key(kind: type[CertificateSettings]) -> None:
    found = kind.model_validate({**ENCRYPTED[kind], "ca": "ca.pem", "certificate": "c.pem", "key": "k.pem"})
    assert (found.encrypted, found.ca, found.certificate, found.key) == (True, "ca.pem", "c.pem", "k.pem")
    for lone in ("certificate", "key"):
        with pytest.raises(ValidationError, match="a certificate has a key: write both"):
            kind.model_validate({**ENCRYPTED[kind], lone: "c.pem"})
