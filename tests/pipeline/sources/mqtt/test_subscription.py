"""A subscription, against a real Mosquitto."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kaicep.pipeline.mqtt import broker_client
from kaicep.pipeline.sources.mqtt.message_inbox import MessageInbox
from kaicep.pipeline.sources.mqtt.subscription import Subscription
from kaicep.settings.mqtt import MqttSourceSettings
from support.brokers import free_port, guarded, lasting, mosquitto, published
from support.certificates import self_signed, wanting_certificates
from support.receivers import eventually

if TYPE_CHECKING:
    from paho.mqtt.client import Client


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    with mosquitto(tmp_path, free_port()) as address:
        yield address


def subscription(folder: Path, broker: str, say: Callable[[str], None] = lambda _: None, **mqtt: Any) -> Subscription:
    settings = MqttSourceSettings.model_validate({"server": f"mqtt://{broker}", "topics": "a/{x}", **mqtt})

    def make(client_id: str) -> Client:
        return broker_client(settings, "mqtt", folder, "kaicep.toml", client_id=client_id, manual=True)

    return Subscription("air", settings, MessageInbox(folder / "inbox" / "air", age=0.05), make, say, pauses=(0.5, 0.5))


@contextmanager
def started(one: Subscription) -> Iterator[Subscription]:
    one.start()
    try:
        yield one
    finally:
        one.stop()


def listening(one: Subscription) -> bool:
    return eventually(lambda: one.ready)


def has_received(one: Subscription, messages: int) -> bool:
    return one.received == messages


def is_troubled(one: Subscription, why: str) -> bool:
    return one.trouble == why


def payloads(folder: Path) -> list[str]:
    files = sorted((folder / "inbox" / "air").glob("mqtt-*.jsonl"))
    return [json.loads(line)["payload"] for file in files for line in file.read_text().splitlines()]


@pytest.mark.parametrize("version", ["3.1.1", "5"])
def test_what_comes_while_nobody_listens_comes_later(version: str, broker: str, tmp_path: Path) -> None:
    """Each message once, in order: those that were kept were acknowledged."""
    with started(subscription(tmp_path, broker, version=version)) as one:
        assert listening(one)
        published(broker, *((f"a/{n}", str(n)) for n in range(30)), ("b/1", "other"))
        assert eventually(lambda: one.received == 30)
    published(broker, *((f"a/{n}", str(n)) for n in range(30, 60)))
    with started(subscription(tmp_path, broker, version=version)) as one:
        assert eventually(lambda: one.received == 30)
    assert payloads(tmp_path) == [str(n) for n in range(60)]


def test_of_a_burst_each_message_is_kept_in_order(broker: str, tmp_path: Path) -> None:
    """Also what comes while others are written to the disk."""
    with started(subscription(tmp_path, broker)) as one:
        assert listening(one)
        for burst in range(3):
            published(broker, *((f"a/{n}", str(n)) for n in range(500 * burst, 500 * burst + 500)))
            assert eventually(partial(has_received, one, 500 * burst + 500))
    assert payloads(tmp_path) == [str(n) for n in range(1500)]


def test_what_is_not_durable_is_not_acknowledged(broker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk: the messages wait at the broker, and whoever asks is told."""
    told: list[str] = []
    with monkeypatch.context() as refusing:
        refusing.setattr(MessageInbox, "put", partial(_refuse))
        with started(subscription(tmp_path, broker, told.append)) as one:
            assert listening(one)
            published(broker, ("a/1", "1"), ("a/2", "2"))
            assert eventually(lambda: "No space left" in (one.trouble or ""))
        assert one.received == 0
    assert told == ["streams.air: messages cannot be kept: [Errno 28] No space left on device"]
    with started(subscription(tmp_path, broker)) as one:
        assert eventually(lambda: one.received == 2)
        assert one.trouble is None
    assert payloads(tmp_path) == ["1", "2"]


def _refuse(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_broker_that_is_away_is_waited_for(tmp_path: Path) -> None:
    """Before the first connection and after it; it is told once when it goes, and once when it is there again."""
    port, told = free_port(), list[str]()
    with started(subscription(tmp_path, f"127.0.0.1:{port}", told.append)) as one:
        assert eventually(lambda: one.trouble == f"the broker 127.0.0.1:{port} cannot be reached: Connection refused")
        with mosquitto(tmp_path, port, *lasting(tmp_path)) as broker:
            assert listening(one)
            published(broker, ("a/1", "1"))
            assert eventually(lambda: one.received == 1)
        assert eventually(lambda: not one.ready and one.trouble is not None)
        with mosquitto(tmp_path, port, *lasting(tmp_path)) as broker:
            assert listening(one)
            published(broker, ("a/2", "2"))
            assert eventually(lambda: one.received == 2)
    assert payloads(tmp_path) == ["1", "2"]
    assert told[0] == f"streams.air: the broker 127.0.0.1:{port} cannot be reached: Connection refused"
    assert told[1] == told[3] == "streams.air: its messages are taken again"
    assert told[2].startswith(f"streams.air: the broker 127.0.0.1:{port} has gone: ")


def test_other_topics_take_the_place_of_those_before(broker: str, tmp_path: Path) -> None:
    """What is retained comes when topics are asked for, and not with each connection."""
    published(broker, ("a/1", "kept"), retain=True)
    with started(subscription(tmp_path, broker, topics=["a/{x}", "b/#"])) as one:
        assert eventually(lambda: one.received == 1)
    with started(subscription(tmp_path, broker, topics=["c/{x}", "b/#"])) as one:
        assert listening(one)
        published(broker, ("a/1", "no"), ("b/1", "b"), ("c/1", "c"))
        assert eventually(lambda: one.received == 2)
    with started(subscription(tmp_path, broker, topics=["c/{x}", "b/#"])) as one:
        assert listening(one)
        published(broker, ("c/1", "last"))
        assert eventually(lambda: one.received == 1)
    assert payloads(tmp_path) == ["kept", "b", "c", "last"]


@pytest.mark.parametrize("version", ["3.1.1", "5"])
def test_a_topic_that_is_added_brings_nothing_of_the_others_again(version: str, broker: str, tmp_path: Path) -> None:
    published(broker, ("a/1", "kept"), ("b/1", "new"), retain=True)
    with started(subscription(tmp_path, broker, version=version)) as one:
        assert eventually(lambda: one.received == 1)
    with started(subscription(tmp_path, broker, version=version, topics=["a/{x}", "b/{x}"])) as one:
        assert listening(one)
        published(broker, ("a/1", "last"))
        assert eventually(lambda: one.received == 2)
    with started(subscription(tmp_path, broker, version=version)) as one:  # and one that is removed brings nothing
        assert listening(one)
        published(broker, ("b/1", "no"), ("a/1", "end"))
        assert eventually(lambda: one.received == 1)
    assert payloads(tmp_path) == ["kept", "new", "last", "end"]


def test_topics_that_overlap_bring_a_message_once(broker: str, tmp_path: Path) -> None:
    """What is retained, too; in MQTT 5, where Mosquitto sends a copy for each."""
    topics = ["a/#", "+/x", "a/{x}", "a/x"]
    published(broker, ("a/x", "kept"), retain=True)
    with started(subscription(tmp_path, broker, topics=topics)) as one:
        assert listening(one)
        published(broker, ("a/x", "1"), ("a/y", "2"), ("b/x", "3"), ("a/x", "1"), ("a", "4"))
        assert eventually(lambda: one.received == 6)
    published(broker, ("a/x", "5"))
    with started(subscription(tmp_path, broker, topics=["c/+", *topics])) as one:
        assert listening(one)
        published(broker, ("c/1", "end"))
        assert eventually(lambda: "end" in payloads(tmp_path))
    assert payloads(tmp_path) == ["kept", "1", "2", "3", "1", "4", "5", "end"]


def test_of_topics_that_overlap_a_broker_may_have_forgotten_all_but_one(tmp_path: Path) -> None:
    """As Mosquitto does with what it restores; what fits several is still there."""
    port, topics = free_port(), ["a/#", "a/{x}"]
    with (
        mosquitto(tmp_path, port, *lasting(tmp_path)) as broker,
        started(subscription(tmp_path, broker, topics=topics)) as one,
    ):
        assert listening(one)
    with mosquitto(tmp_path, port, *lasting(tmp_path)) as broker:
        published(broker, *(("a/x", str(n)) for n in range(20)))
        with started(subscription(tmp_path, broker, topics=topics)) as one:
            assert eventually(lambda: one.received == 20)
            published(broker, ("a/x", "end"))
            assert eventually(lambda: "end" in payloads(tmp_path))
    assert payloads(tmp_path) == [*map(str, range(20)), "end"]


def test_topics_that_a_broker_has_forgotten_are_asked_for_again(tmp_path: Path) -> None:
    """It was killed before it wrote them down, but knows the session."""
    port = free_port()
    with mosquitto(tmp_path, port, *lasting(tmp_path)) as broker:
        with started(subscription(tmp_path, broker)) as one:
            assert listening(one)
            client = str(one._noted()["client"])
        host, _, number = broker.partition(":")
        forgetting = broker_client(
            MqttSourceSettings.model_validate({"server": f"mqtt://{broker}", "topics": "a/{x}"}),
            *("mqtt", tmp_path, "kaicep.toml"),
            client_id=client,
        )
        forgetting.connect(host, int(number), clean_start=False)
        forgetting.loop_start()
        assert eventually(forgetting.is_connected)
        gone: list[int] = []
        forgetting.on_unsubscribe = lambda *said: gone.append(said[2])
        forgotten = forgetting.unsubscribe("a/+")[1]
        assert eventually(lambda: forgotten in gone)
        forgetting.disconnect()
        forgetting.loop_stop()
        with started(subscription(tmp_path, broker)) as one:
            assert listening(one)
            published(broker, ("a/1", "there"))
            assert eventually(lambda: one.received == 1)


def test_topics_that_were_asked_for_before_a_kill_are_not_forgotten(
    broker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker has taken them, and nobody was left to note that."""
    with monkeypatch.context() as killed:
        killed.setattr(Subscription, "_on_subscribe", lambda *_: None)
        with started(subscription(tmp_path, broker)) as one:
            published(broker, ("a/1", "first"), retain=True)
            assert eventually(lambda: one.received == 1)
    with started(subscription(tmp_path, broker, topics="c/{x}")) as one:
        assert listening(one)
        published(broker, ("a/1", "no"), ("c/1", "c"))
        assert eventually(lambda: "c" in payloads(tmp_path))
    assert payloads(tmp_path) == ["first", "c"]


def test_topics_that_cannot_be_noted_are_listened_to(
    broker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk was full for a moment: they are asked for again with the next connection."""
    with monkeypatch.context() as full:
        full.setattr(Subscription, "_write_note", partial(_refuse))
        with started(subscription(tmp_path, broker, client_id="mine")) as one:
            assert listening(one)
            published(broker, ("a/1", "1"))
            assert eventually(lambda: one.received == 1)
            assert one.trouble is None


WHO: dict[str, Any] = {"user": "me", "password": "file:word"}


def test_users_and_rights(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Whom a broker does not let in is told, and nothing of the password is; what he may have, he gets."""
    caplog.set_level("DEBUG")
    word, told = tmp_path / "word", list[str]()
    with mosquitto(tmp_path, free_port(), *guarded(tmp_path, "b/#"), anonymous=False) as broker:
        word.write_text("wrongword\n")
        with started(subscription(tmp_path, broker, told.append, **WHO)) as one:
            assert eventually(lambda: one.trouble == f"the broker {broker} refuses the connection: not authorized")
        assert told == [f"streams.air: the broker {broker} refuses the connection: not authorized"]
        word.write_text("secret\n")
        with started(subscription(tmp_path, broker, told.append, topics=["b/{x}"], **WHO)) as one:
            assert listening(one)
            assert one.trouble is None
    assert not [text for text in (*told, caplog.text) if "wrongword" in text or "secret" in text]


@pytest.mark.parametrize("version", ["3.1.1", "5"])
def test_topics_that_a_broker_refuses_are_told(version: str, tmp_path: Path) -> None:
    """Also beside others that it does not refuse, and again after the next start: nothing would ever come of them."""
    (tmp_path / "word").write_text("secret\n")
    with mosquitto(tmp_path, free_port(), *guarded(tmp_path, "b/#"), anonymous=False) as broker:
        reason = "not authorized" if version == "5" else "unspecified error"
        why = f"the broker {broker} refuses the topics 'a/+': {reason}"
        for _ in range(2):
            told: list[str] = []
            topics = ["a/{x}", "b/{x}"]
            with started(subscription(tmp_path, broker, told.append, topics=topics, version=version, **WHO)) as one:
                assert eventually(partial(is_troubled, one, why))
                assert not one.ready
            assert told == [f"streams.air: {why}"]


@pytest.mark.parametrize("trusted", [True, False])
def test_connections_are_encrypted(tmp_path: Path, *, trusted: bool) -> None:
    """With the authority that is named; a broker that it does not vouch for is none."""
    for name in ("own", "other"):
        self_signed(tmp_path, name)
    lines = (f"certfile {tmp_path}/own.pem", f"keyfile {tmp_path}/own.key", "user root")
    port = free_port()
    with mosquitto(tmp_path, port, *lines):
        server, authority = f"mqtts://127.0.0.1:{port}", "own.pem" if trusted else "other.pem"
        with started(subscription(tmp_path, "", server=server, ca=authority)) as one:
            if trusted:
                assert listening(one)
            else:
                assert eventually(lambda: "cannot be reached: its certificate is not trusted" in (one.trouble or ""))
                assert not one.ready


def test_a_broker_that_wants_a_certificate_is_shown_one(tmp_path: Path) -> None:
    """One that it trusts; without one it ends the connection without a word."""
    for name in ("own", "client"):
        self_signed(tmp_path, name)
    port = free_port()
    with mosquitto(tmp_path, port, *wanting_certificates(tmp_path)):
        own: dict[str, Any] = {"server": f"mqtts://127.0.0.1:{port}", "ca": "own.pem"}
        with started(subscription(tmp_path, "", **own)) as one:
            assert eventually(lambda: "ends the connection at once" in (one.trouble or ""))
        with started(subscription(tmp_path, "", certificate="client.pem", key="client.key", **own)) as one:
            assert listening(one)
            assert one.trouble is None


def test_no_more_is_taken_than_may_wait(broker: str, tmp_path: Path) -> None:
    """The broker keeps the rest until the engine has taken what lies there."""
    with started(subscription(tmp_path, broker, backlog="2 kB")) as one:
        assert listening(one)
        published(broker, *((f"a/{n}", "x" * 500) for n in range(8)))
        assert eventually(lambda: "wait for the engine, so no more are taken" in (one.trouble or ""))
        published(broker, ("a/9", "last"))
        assert "last" not in payloads(tmp_path)
        assert eventually(lambda: removed(tmp_path, "last"))
        assert eventually(lambda: one.trouble is None)


def removed(folder: Path, last: str) -> bool:
    """Remove files as an engine does that has read them, up to one with a certain message; whether that is there."""
    for file in sorted((folder / "inbox" / "air").glob("mqtt-*.jsonl")):
        if f'"{last}"' in file.read_text():
            return True
        file.unlink()
    return False
