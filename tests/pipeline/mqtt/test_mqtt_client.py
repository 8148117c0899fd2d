"""What the library of MQTT is told, and what is said where something of it is not there."""

from __future__ import annotations

import socket
import ssl
import sys
from pathlib import Path
from typing import Any

import pytest
from kaicep.errors import ConfigError
from kaicep.pipeline.mqtt import broker_client, told_of, unreachable
from kaicep.settings.mqtt import BrokerSettings
from paho.mqtt.client import Client
from paho.mqtt.enums import MQTTProtocolVersion


def made(folder: Path, client_id: str = "", **table: str) -> Client:
    settings = BrokerSettings.model_validate({"server": "mqtt://b", **table})
    return broker_client(settings, "streams.air.source.mqtt", folder, "kaicep.toml", client_id=client_id)


def test_a_client_of_each_version(tmp_path: Path) -> None:
    assert made(tmp_path).protocol == MQTTProtocolVersion.MQTTv5
    assert made(tmp_path, version="3.1.1").protocol == MQTTProtocolVersion.MQTTv311


def test_users_are_found_where_the_project_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQTT_USER", "me")
    (tmp_path / "word").write_text("secret\n")
    where = {"password": "file:word"}
    found = made(tmp_path, user="env:MQTT_USER", **where)
    assert (found.username, found.password) == ("me", "secret")


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"user": "env:NOBODY_HAS_THIS"}, "streams.air.source.mqtt.user: the environment has no variable"),
        ({"user": "u", "password": "file:none"}, "streams.air.source.mqtt.password: cannot read none"),
        ({"server": "mqtts://b", "ca": "none.pem"}, "certificates cannot be read: No such file or directory"),
    ],
)
def test_what_is_not_there_is_said(tmp_path: Path, table: dict[str, str], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        made(tmp_path, **table)


def test_without_the_library_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "paho.mqtt", None)
    with pytest.raises(ConfigError, match="the library of MQTT is not installed") as caught:
        made(tmp_path)
    assert "pip install 'kaicep[mqtt]'" in str(caught.value)


def test_sentences_name_the_broker() -> None:
    table: dict[str, Any] = {"server": "mqtts://b.example"}
    assert told_of(BrokerSettings.model_validate(table))("has gone") == "the broker b.example:8883 has gone"


def test_why_a_broker_cannot_be_reached_is_said() -> None:
    distrusted = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] …")
    distrusted.verify_message = "Hostname mismatch, certificate is not valid for 'b'."
    unspoken = ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] …")
    unspoken.reason = "WRONG_VERSION_NUMBER"
    said = {
        ConnectionRefusedError(111, "Connection refused"): "cannot be reached: Connection refused",
        socket.gaierror(-2, "Name or service not known"): "cannot be reached: Name or service not known",
        TimeoutError("timed out"): "cannot be reached: timed out",
        distrusted: "cannot be reached: its certificate is not trusted: "
        "Hostname mismatch, certificate is not valid for 'b'",
        unspoken: "cannot be reached: no encrypted connection: wrong version number",
        None: "cannot be reached",
    }
    assert {error: unreachable(error) for error in said} == said
