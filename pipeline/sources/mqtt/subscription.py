"""A client of a broker for one stream: what comes is kept first, and acknowledged then.

The session lasts: the broker keeps what comes with QoS 1 while nobody listens, and sends again what was not
acknowledged. A message that was taken over an earlier connection is never acknowledged over a later one, in which its
number may be that of another message.

Source: MQTT 5.0, §3.1.2.4 (Clean Start), §4.1 (session state), §4.4 (delivery retry).
"""

from __future__ import annotations

import json
import logging
import secrets
import select
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ....settings.mqtt import MqttSourceSettings
from ....storage import write_atomically
from ...mqtt import told_of, unreachable
from .message_inbox import Message, MessageInbox
from .topic_overlap import TopicOverlap

if TYPE_CHECKING:
    from paho.mqtt.client import Client

__all__ = ["Subscription"]

_LOG = logging.getLogger("kaicep")
_AT_ONCE = 1000
_GATHERED, _GATHERING_S, _SILENCE_S = 500, 0.02, 0.002
"""To keep some messages together costs hardly more than one: so many at most, so long, and while others follow at once:
a broker may send no more than twenty until these are acknowledged."""
_MOST_WAITING = 100_000
_LOOKED_S, _LISTENING_S = 0.5, 0.1
_PAUSES_S = (1.0, 30.0)
_QOS = 1
_REFUSED = 128
"""Reason codes from here on say that something was refused."""


class Subscription:
    """Takes the messages of a stream's topics, on a thread of its own, from `start` to `stop`.

    That thread does all that the library's own would do: what goes from one thread to another costs more than all else
    that becomes of a message.

    Args:
        name: of the stream.
        settings: of its source.
        inbox: where messages are kept; opened by this, so another process may have it for a while.
        make: a client, by its id, that acknowledges nothing by itself.
        say: takes a line of the log.
        pauses: seconds from one try to reach a broker to the next, the first, and the longest of ever longer ones.

    Attributes:
        received: how many messages were kept since it began.
        latest: when something happened last, by the monotonic clock.
    """

    def __init__(
        self,
        name: str,
        settings: MqttSourceSettings,
        inbox: MessageInbox,
        make: Callable[[str], Client],
        say: Callable[[str], None] = _LOG.info,
        *,
        pauses: tuple[float, float] = _PAUSES_S,
    ) -> None:
        self._name, self._settings, self._inbox, self._make, self._say = name, settings, inbox, make, say
        self._note = inbox.folder.with_name(f"{inbox.folder.name}.session")
        self._filters = sorted({pattern.filter for pattern in settings.patterns})
        self._overlap = TopicOverlap(self._filters)
        self._taken: list[tuple[int, int, Message | None]] = []
        self._came = 0
        self._ready, self._stopping = False, threading.Event()
        self._answered = False
        self._trouble: str | None = "nobody has connected to its broker yet"
        self._told = False
        self._full, self._looked = False, 0.0
        self._about = told_of(settings)
        self._pauses = pauses
        self._pause, self._next_try = pauses[0], 0.0
        self._pending: dict[int, str] = {}
        self.received, self.latest = 0, time.monotonic()
        self._thread = threading.Thread(target=self._run, name=f"kaicep-mqtt-{name}", daemon=True)

    @property
    def trouble(self) -> str | None:
        """Why no messages come, for people; `None`: they may."""
        return self._trouble

    @property
    def ready(self) -> bool:
        """Whether the broker has taken the subscriptions."""
        return self._ready

    @property
    def idle(self) -> bool:
        """Whether all that came is in the folder that the stream reads."""
        return not self._taken and self._inbox.due is None

    def start(self) -> None:
        """Begin, as soon as the broker is there."""
        self._thread.start()

    def stop(self) -> None:
        """Keep what has come, and listen no more; the session goes on without a client."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                if self._inbox.open():
                    break
                self._wait(f"streams.{self._name}: another process takes its messages")
            except OSError as error:
                self._wait(f"streams.{self._name}: {error}")
        else:
            return
        client: Client | None = None
        try:
            client = self._made()
            while not self._stopping.is_set():
                self._turn(client)
            self._keep(client)
        except Exception as error:  # noqa: BLE001 - a thread has nobody to raise it to: whoever asks is told
            self._report(f"its messages are taken no more: {error}")
            _LOG.exception("streams.%s: its messages are taken no more", self._name)
        finally:
            if client is not None:
                client.disconnect()
            self._close_inbox()

    def _close_inbox(self) -> None:
        try:
            self._inbox.close()
        except OSError as error:
            self._say(f"streams.{self._name}: {error}; what was kept is read after the next start")

    def _wait(self, trouble: str) -> None:
        self._report(trouble)
        self._stopping.wait(1.0)

    def _made(self) -> Client:
        """A client that is to connect."""
        client = self._make(self._client_id())
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_subscribe = self._on_subscribe
        client.on_unsubscribe = self._on_unsubscribe
        client.on_message = self._on_message
        host, port = self._settings.address
        client.connect_timeout = 10.0
        keep_alive = max(1, round(self._settings.keep_alive.total_seconds()))
        if self._settings.version == "5":
            client.connect_async(host, port, keep_alive, clean_start=False, properties=self._session())
        else:
            client.connect_async(host, port, keep_alive)
        return client

    def _turn(self, client: Client) -> None:
        """Take what has come, keep it, and acknowledge it."""
        if client.socket() is not None:
            self._gather(client)
        elif (wait := self._next_try - time.monotonic()) > 0.0:
            self._stopping.wait(min(wait, self._quiet()))
        else:
            self._connect(client)
        self._keep(client)

    def _connect(self, client: Client) -> None:
        """Reach for the broker."""
        try:
            client.reconnect()
        except OSError as error:
            self._report(self._about(unreachable(error)))
            self._try_later()

    def _try_later(self) -> None:
        """Reach for the broker after a pause that is longer each time, until it has taken the connection."""
        self._next_try = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, self._pauses[1])

    def _gather(self, client: Client) -> None:
        """Take what comes: wait for the first message, and then as long as others follow at once."""
        self._receive(client, self._quiet())
        until, before = time.monotonic() + _GATHERING_S, -1
        while self._taken and before < self._came and len(self._taken) < _GATHERED and time.monotonic() < until:
            before = self._came
            self._receive(client, _SILENCE_S)

    def _receive(self, client: Client, seconds: float) -> None:
        """Do what the connection asks for, when it does within so many seconds."""
        connection: Any = client.socket()
        if connection is None:
            return
        # What has been decrypted already, `select` does not see.
        pending = isinstance(connection, ssl.SSLSocket) and connection.pending()
        writing = [connection] if client.want_write() else []
        readable, writable, _ = select.select([connection], writing, [], 0.0 if pending else seconds)
        if writable:
            client.loop_write()
        if readable or pending:
            for _ in range(_GATHERED):
                before = self._came
                client.loop_read()
                if self._came == before:
                    break
        client.loop_misc()

    def _session(self) -> Any:
        from paho.mqtt.packettypes import PacketTypes  # noqa: PLC0415 - an extra; see `mqtt_client`
        from paho.mqtt.properties import Properties  # noqa: PLC0415 - likewise

        found: Any = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # the library says no types here
        found.ReceiveMaximum = _AT_ONCE
        found.SessionExpiryInterval = min(2**32 - 1, round(self._settings.session.total_seconds()))
        return found

    def _client_id(self) -> str:
        """The name of the session: as it is set, else made once, of those letters that every broker takes."""
        if self._settings.client_id is not None:
            return self._settings.client_id
        known = self._noted().get("client")
        if known is None:
            known = f"kaicep{secrets.token_hex(8)}"
            self._write_note(str(known))
        return str(known)

    def _noted(self) -> dict[str, Any]:
        try:
            found = json.loads(self._note.read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write_note(self, client: str, filters: Sequence[str] = (), asked: Sequence[str] = ()) -> None:
        """Note what the session has: topics that the broker has taken, and such as it may have when we are killed."""
        noted = {"client": client, "filters": list(filters), "asked": list(asked)}
        with write_atomically(self._note) as temporary:
            temporary.write_text(json.dumps(noted), encoding="utf-8")

    def _on_connect(self, client: Client, _data: object, flags: Any, reason: Any, properties: Any) -> None:
        self._answered = True
        if reason.is_failure:
            self._report(self._about(f"refuses the connection: {str(reason).lower()}"))
            return
        noted = self._noted() if flags.session_present else {}
        before, asked = set(noted.get("filters", [])), set(noted.get("asked", []))
        self._pause = self._pauses[0]
        self._pending.clear()
        self._overlap.begin()
        if sorted(before) != self._filters or asked:
            with suppress(OSError):  # a full disk is told when messages are kept
                self._write_note(self._client_id(), sorted(before), sorted({*before, *asked, *self._filters}))
        for old in sorted((before | asked) - set(self._filters)):
            self._await(client.unsubscribe(old), old)
        for wanted in self._filters:
            self._subscribe(client, wanted, properties, known=wanted in before)
        if not self._pending:
            self._listens()

    def _subscribe(self, client: Client, wanted: str, properties: Any, *, known: bool) -> None:
        """Ask for topics. What is asked for a second time, a broker sends what it has retained of.

        One of MQTT 5 sends it only if it has forgotten the topics, if it is told to: it may have been killed before it
        wrote them down.

        Args:
            client: that is connected.
            wanted: the topics.
            properties: with which the broker has taken the connection.
            known: whether it has taken these topics before, in this session.
        """
        if self._settings.version != "5":
            if not known:
                self._await(client.subscribe(wanted, _QOS), wanted)
            return
        from paho.mqtt.packettypes import PacketTypes  # noqa: PLC0415 - an extra; see `mqtt_client`
        from paho.mqtt.properties import Properties  # noqa: PLC0415 - likewise
        from paho.mqtt.subscribeoptions import SubscribeOptions  # noqa: PLC0415 - likewise

        handling = SubscribeOptions.RETAIN_SEND_IF_NEW_SUB if known else SubscribeOptions.RETAIN_SEND_ON_SUBSCRIBE
        options: Any = SubscribeOptions(_QOS, retainHandling=handling)
        own: Any = Properties(PacketTypes.SUBSCRIBE)  # type: ignore[no-untyped-call]  # the library says no types here
        identifier = self._overlap.identifier(wanted)
        if identifier is not None and getattr(properties, "SubscriptionIdentifierAvailable", True):
            own.SubscriptionIdentifier = identifier
        self._await(client.subscribe(wanted, options=options, properties=own), wanted)

    def _await(self, sent: tuple[Any, int | None], wanted: str) -> None:
        """Listen only when the broker has answered."""
        if sent[1] is not None:
            self._pending[sent[1]] = wanted

    def _on_subscribe(self, _client: Client, _data: object, number: int, reasons: Any, _properties: object) -> None:
        wanted = self._pending.get(number)
        if wanted is not None and any(reason.value >= _REFUSED for reason in reasons):
            self._report(self._about(f"refuses the topics '{wanted}': {str(reasons[0]).lower()}"))
            self._overlap.refuse(wanted)
            self._pending[-1] = wanted
        self._answer(number)

    def _on_unsubscribe(self, _client: Client, _data: object, number: int, *_: object) -> None:
        self._answer(number)

    def _answer(self, number: int) -> None:
        """The broker has answered what was asked; perhaps that was the last."""
        if self._pending.pop(number, None) is not None and not self._pending:
            with suppress(OSError):  # what is not noted is asked for again, with the next connection
                self._write_note(self._client_id(), self._filters)
            self._listens()

    def _listens(self) -> None:
        self._ready, self._trouble = True, None
        self.latest = time.monotonic()
        if self._told:
            self._say(f"streams.{self._name}: its messages are taken again")
        self._told = False

    def _on_disconnect(self, _client: Client, _data: object, _flags: object, reason: Any, _properties: object) -> None:
        self._taken.clear()  # the broker sends them again
        self._ready = False
        answered, self._answered = self._answered, False
        if self._stopping.is_set():
            return
        self._try_later()
        if not answered:
            self._report(self._about("ends the connection at once: it may want it encrypted, or a certificate"))
        elif self._trouble is None:
            self._report(self._about(f"has gone: {str(reason).lower()}"))

    def _on_message(self, _client: Client, _data: object, found: Any) -> None:
        self._came += 1
        if found.qos == 0 and len(self._taken) >= _MOST_WAITING:  # the broker does not wait for these
            self._report(f"streams.{self._name}: more comes with QoS 0 than can be kept, and some of it is lost")
            return
        topic, payload = found.topic, bytes(found.payload)
        identifiers = getattr(found.properties, "SubscriptionIdentifier", ())
        copy = self._overlap.is_copy(topic, payload, identifiers, retained=found.retain)
        message = None if copy else Message(topic, payload, datetime.now(UTC))
        self._taken.append((found.mid, found.qos, message))

    def _keep(self, client: Client) -> None:
        """Keep what has come, and acknowledge it."""
        taken = [] if self._full else self._taken[:_AT_ONCE]
        try:
            if messages := [message for *_, message in taken if message is not None]:
                self._inbox.put(messages)
            if self._inbox.due == 0.0 or (self._stopping.is_set() and self._inbox.due is not None):
                self._inbox.hand_over()
            self._look()
        except OSError as error:
            self._wait(f"streams.{self._name}: messages cannot be kept: {error}")
            return
        self._acknowledge(client, taken)
        if self._ready and not self._full and self._trouble is not None:
            self._listens()

    def _quiet(self) -> float:
        """Seconds that nothing has to be done, unless a message comes."""
        due = self._inbox.due
        return _LISTENING_S if due is None else min(due, _LISTENING_S)

    def _acknowledge(self, client: Client, taken: Sequence[tuple[int, int, Message | None]]) -> None:
        """Tell the broker; no message of an earlier connection, since one that is lost takes them along."""
        if not taken:
            return
        del self._taken[: len(taken)]
        for number, qos, _ in taken:
            client.ack(number, qos)
        self.received += sum(message is not None for *_, message in taken)
        self.latest = time.monotonic()

    def _look(self) -> None:
        """See now and then how much waits for the engine."""
        if time.monotonic() < self._looked + _LOOKED_S:
            return
        self._looked = time.monotonic()
        waiting = self._inbox.waiting()
        full = waiting > self._settings.backlog
        if full and not self._full:
            self._report(
                f"streams.{self._name}: {waiting:,} bytes of messages wait for the engine, so no more are taken"
            )
        self._full = full

    def _report(self, trouble: str) -> None:
        """Note why no messages come, and say it once."""
        self._trouble = trouble
        if not self._told:
            self._say(trouble if trouble.startswith("streams.") else f"streams.{self._name}: {trouble}")
        self._told = True
