"""MQTT, against a real Mosquitto."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kaicep.errors import ConfigError
from kaicep.pipeline.actions import DeliveryError
from support.brokers import free_port, guarded, listener, mosquitto
from support.certificates import self_signed, wanting_certificates
from support.receivers import action, call, eventually


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    with mosquitto(tmp_path, free_port()) as address:
        yield address


def test_calls_are_published_in_order(broker: str, tmp_path: Path) -> None:
    with listener(broker) as found:
        publisher = action(tmp_path, mqtt={"broker": broker, "topic": "alarms/{room}"})
        publisher.send([call(n, room="B1") for n in range(100)])
        assert eventually(lambda: len(found) == 100)
        publisher.close()
    assert [given["_id"] for _, given in found] == [f"r-{n}" for n in range(100)]
    assert {topic for topic, _ in found} == {"alarms/B1"}


def test_values_make_no_levels_and_no_wildcards(broker: str, tmp_path: Path) -> None:
    with listener(broker) as found:
        publisher = action(tmp_path, mqtt={"broker": broker, "topic": "alarms/{room}"})
        publisher.send([call(n, room=room) for n, room in enumerate(["büro/+/#%", "a\0\x85\ufdd0\U0001ffffb"])])
        assert eventually(lambda: len(found) == 2)
        publisher.close()
    assert [topic for topic, _ in found] == [
        "alarms/büro%2F%2B%2F%23%25",
        "alarms/a%00%C2%85%EF%B7%90%F0%9F%BF%BFb",
    ]


def test_a_value_makes_no_topic_of_the_broker(broker: str, tmp_path: Path) -> None:
    with listener(broker, "#") as found:
        publisher = action(tmp_path, mqtt={"broker": broker, "topic": "{room}/v1"})
        publisher.send([call(1, room="$CONTROL")])
        assert eventually(lambda: len(found) == 1)
        publisher.close()
    assert found[0][0] == "%24CONTROL/v1"


@pytest.mark.parametrize("room", ["", "x" * 70_000], ids=["empty", "endless"])
def test_what_no_broker_could_be_given_fails_by_itself(room: str, broker: str, tmp_path: Path) -> None:
    publisher = action(tmp_path, mqtt={"broker": broker, "topic": "{room}"})
    with pytest.raises(DeliveryError, match="no broker could be given this") as caught:
        publisher.send([call(1, room="B1"), call(2, room=room), call(3, room="B3")])
    publisher.close()
    assert (caught.value.delivered, caught.value.hopeless) == (1, True)


def test_one_that_the_broker_does_not_like_is_narrowed_down(broker: str, tmp_path: Path) -> None:
    """It ends the connection, and takes the others."""
    publisher = action(tmp_path, mqtt={"broker": broker, "topic": "t"})
    with pytest.raises(DeliveryError, match="the broker breaks the connection") as caught:
        publisher.send([call(1, room="x" * 200_000), call(2)])
    assert (caught.value.delivered, caught.value.refused) == (0, True)
    publisher.send([call(2)])
    publisher.close()


def test_calls_before_one_that_cannot_be_filled_are_delivered(broker: str, tmp_path: Path) -> None:
    publisher = action(tmp_path, mqtt={"broker": broker, "topic": "alarms/{room}"})
    with pytest.raises(DeliveryError) as caught:
        publisher.send([call(1, room="B1"), call(2), call(3, room="B3")])
    publisher.close()
    assert (caught.value.delivered, caught.value.hopeless) == (1, True)


def test_connections_are_encrypted_with_an_authority_of_one_s_own(tmp_path: Path) -> None:
    for name in ("own", "other"):
        self_signed(tmp_path, name)
    port = free_port()
    with mosquitto(
        tmp_path, port, f"certfile {tmp_path}/own.pem", f"keyfile {tmp_path}/own.key", "user root"
    ) as broker:
        own: dict[str, Any] = {"broker": broker, "topic": "t", "tls": True}
        publisher = action(tmp_path, mqtt={**own, "ca": "own.pem"})
        publisher.send([call()])
        publisher.close()
        with pytest.raises(DeliveryError, match="the broker cannot be reached: its certificate is not trusted"):
            action(tmp_path, mqtt={**own, "ca": "other.pem"}).send([call()])
    with pytest.raises(ConfigError, match=r"actions.ops.mqtt: certificates cannot be read: No such file"):
        action(tmp_path, mqtt={**own, "ca": "none.pem"})


def test_a_broker_that_wants_a_certificate_is_shown_one(tmp_path: Path) -> None:
    for name in ("own", "client"):
        self_signed(tmp_path, name)
    with mosquitto(tmp_path, free_port(), *wanting_certificates(tmp_path)) as broker:
        own: dict[str, Any] = {"broker": broker, "topic": "t", "tls": True, "ca": "own.pem"}
        publisher = action(tmp_path, mqtt={**own, "certificate": "client.pem", "key": "client.key"})
        publisher.send([call()])
        publisher.close()
        with pytest.raises(DeliveryError, match="the broker"):
            action(tmp_path, mqtt=own, timeout="2s").send([call()])


def test_users_are_let_in_and_nobody_hears_of_their_passwords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    who = {"user": "me", "password": "env:WORD"}
    with mosquitto(tmp_path, free_port(), *guarded(tmp_path, "b/#"), anonymous=False) as broker:
        monkeypatch.setenv("WORD", "wrongword")
        with pytest.raises(DeliveryError, match="the broker refuses the connection: Not authorized") as refused:
            action(tmp_path, mqtt={"broker": broker, "topic": "t", **who}).send([call()])
        monkeypatch.setenv("WORD", "secret")
        monkeypatch.setenv("USER_THERE", "me")
        for name in ("me", "env:USER_THERE"):
            publisher = action(tmp_path, mqtt={"broker": broker, "topic": "t", **who, "user": name})
            publisher.send([call()])
            publisher.close()
    assert "wrongword" not in caplog.text + repr(refused.value)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"ca": "own.pem"}, "'ca' is for encrypted connections; write tls = true"),
        ({"tls": True, "key": "own.key"}, "a certificate has a key: write both"),
    ],
)
def test_certificates_that_are_of_no_use(table: dict[str, Any], why: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=why):
        action(tmp_path, mqtt={"broker": "b", "topic": "t", **table})


def test_no_broker(tmp_path: Path) -> None:
    with pytest.raises(DeliveryError, match="the broker cannot be reached"):
        action(tmp_path, mqtt={"broker": "127.0.0.1:9", "topic": "t"}).send([call()])


def unwritable(folder: Path, topic: str) -> tuple[str, ...]:
    """Lines for a broker at which nobody may publish but to some topics."""
    rights = folder / "rights"
    rights.write_text(f"topic read #\ntopic write {topic}\n")
    rights.chmod(0o644)
    return (f"acl_file {rights}", *(("user root",) if os.geteuid() == 0 else ()))


def test_what_a_broker_refuses_was_not_handed_on(tmp_path: Path) -> None:
    """It acknowledges it all the same: in MQTT 5 with the reason, and in 3.1.1 without a word."""
    with mosquitto(tmp_path, free_port(), *unwritable(tmp_path, "alarms/B1")) as broker, listener(broker) as found:
        publisher = action(tmp_path, mqtt={"broker": broker, "topic": "alarms/{room}"})
        with pytest.raises(DeliveryError, match="the broker refuses what is published: not authorized") as caught:
            publisher.send([call(1, room="B1"), call(2, room="B2")])
        assert (caught.value.delivered, caught.value.refused, caught.value.hopeless) == (1, True, False)
        publisher.send([call(3, room="B1")])
        publisher.close()
        older = action(tmp_path, mqtt={"broker": broker, "topic": "alarms/{room}", "version": "3.1.1"})
        older.send([call(4, room="B2"), call(5, room="B1")])
        older.close()
        assert eventually(lambda: len(found) == 3)
    assert [given["_id"] for _, given in found] == ["r-1", "r-3", "r-5"]
