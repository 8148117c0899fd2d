"""Those who send: a client of MQTT with QoS 1, and one that posts; each sends again what was not acknowledged.

The client of MQTT is our own, since the machine is shared with what is measured: a library of Python takes a quarter of
a core for so many messages, this one some hundredths. It writes what is due at once, and never more than so many
messages that are not acknowledged.
"""

from __future__ import annotations

import itertools
import select
import socket
import struct
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass

import urllib3

from .load_project import HTTP_STREAM, MQTT_STREAM, Workload

__all__ = ["Fed", "feed_http", "feed_mqtt"]

_TICK_S = 0.02
_POST_S = 0.1
_AWAY_S = 0.25
_MOST_UNACKNOWLEDGED = 5_000
_MOST_POSTED = 10_000
_CONNECT, _PUBLISH_QOS_1, _AGAIN, _ACKNOWLEDGED = 0x10, 0x32, 0x08, 0x40
_NUMBERS = 65_535


@dataclass(frozen=True, slots=True)
class Fed:
    """What became of the events of a stream.

    Attributes:
        acknowledged: how many; they are the first ones.
        again: how many were sent a second time, or more often.
        busy: how often the receiver said that it is behind.
        away: how often it could not be reached, or went in the middle.
        latest: seconds by which an event was sent behind its time, at most.
        ended: when the last one was acknowledged.
    """

    acknowledged: int
    again: int
    busy: int
    away: int
    latest: float
    ended: float


class _Publisher:
    """One connection after the other to a broker.

    Args:
        workload: whose events.
        port: of the broker on this machine.
    """

    def __init__(self, workload: Workload, port: int) -> None:
        self._workload, self._port = workload, port
        self._socket: socket.socket | None = None
        self._waiting: deque[int] = deque()
        self._read = b""
        self.next = self.again = self.away = 0

    @property
    def done(self) -> bool:
        """Whether all is acknowledged."""
        return self.next == self._workload.total and not self._waiting

    def turn(self) -> None:
        """Send what is due, and take what is acknowledged."""
        try:
            if self._socket is None:
                self._connect()
            room = _MOST_UNACKNOWLEDGED - len(self._waiting)
            until = min(self._workload.number_at(time.time()), self.next + room)
            self._send(range(self.next, until), again=False)
            self._take()
        except OSError:
            self.away += 1
            self._drop()
            time.sleep(_AWAY_S)

    def _connect(self) -> None:
        made = socket.create_connection(("127.0.0.1", self._port), timeout=5.0)
        name = b"load"
        body = b"\x00\x04MQTT\x04\x02" + struct.pack("!HH", 60, len(name)) + name
        made.sendall(bytes([_CONNECT, len(body)]) + body)
        answer = made.recv(4)
        if answer != b"\x20\x02\x00\x00":
            made.close()
            raise ConnectionError(answer)
        self._socket, self._read = made, b""
        self.again += len(self._waiting)
        waiting = list(self._waiting)
        self._waiting.clear()
        self._send(waiting, again=True)

    def _send(self, numbers: range | list[int], *, again: bool) -> None:
        assert self._socket is not None  # noqa: S101 - see `turn`
        if not numbers:
            return
        self._waiting.extend(numbers)  # first: what is sent in part may have come
        self.next = max(self.next, numbers[-1] + 1)
        self._socket.sendall(b"".join(self._packet(number, again=again) for number in numbers))

    def _packet(self, number: int, *, again: bool) -> bytes:
        topic = f"load/{self._workload.device(number)}".encode()
        payload = self._workload.line(MQTT_STREAM, number, device=False).encode()
        body = struct.pack("!H", len(topic)) + topic + struct.pack("!H", number % _NUMBERS + 1) + payload
        length = len(body)
        size = bytes([length]) if length < 128 else bytes([length % 128 | 128, length // 128])
        return bytes([_PUBLISH_QOS_1 | (_AGAIN if again else 0)]) + size + body

    def _take(self) -> None:
        """Mosquitto acknowledges in order."""
        assert self._socket is not None  # noqa: S101 - see `turn`
        while select.select([self._socket], [], [], 0)[0]:
            found = self._socket.recv(65_536)
            if not found:
                raise ConnectionError
            self._read += found
        whole = len(self._read) // 4 * 4
        for kind, _, number in struct.iter_unpack("!BBH", self._read[:whole]):
            if kind != _ACKNOWLEDGED or number != self._waiting[0] % _NUMBERS + 1:
                raise RuntimeError(f"{kind:x} {number} while {self._waiting[0]} is waited for")
            self._waiting.popleft()
        self._read = self._read[whole:]

    def _drop(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None


def feed_mqtt(workload: Workload, port: int, until: float) -> Fed:
    """Publish all events of the stream by MQTT.

    Args:
        workload: whose.
        port: of the broker.
        until: then it gives up, in seconds since 1970.
    """
    publisher = _Publisher(workload, port)
    latest = 0.0
    for tick in itertools.count():
        before = publisher.next
        publisher.turn()
        if publisher.next > before:
            latest = max(latest, time.time() - workload.due(before))
        if publisher.done or time.time() > until:
            break
        time.sleep(max(0.0, workload.start + tick * _TICK_S - time.time()) or _TICK_S / 4)
    acknowledged = publisher.next if publisher.done else 0
    return Fed(acknowledged, publisher.again, 0, publisher.away, latest, time.time())


def feed_http(workload: Workload, url: str, until: float) -> Fed:
    """Post all events of the other stream, in order.

    Args:
        workload: whose.
        url: of the server.
        until: then it gives up, in seconds since 1970.
    """
    pool = urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(total=30.0), maxsize=1)
    target = f"{url}/streams/{HTTP_STREAM}/events"
    headers = {"Content-Type": "application/x-ndjson"}
    done = again = busy = away = 0
    latest = 0.0
    while done < workload.total and time.time() < until:
        count = min(workload.number_at(time.time()) - done, _MOST_POSTED)
        if count > 0:
            latest = max(latest, time.time() - workload.due(done))
            lines = (workload.line(HTTP_STREAM, n, device=True) for n in range(done, done + count))
            body = "\n".join(lines).encode()
            while time.time() < until:
                with suppress(urllib3.exceptions.HTTPError):
                    answer = pool.request("POST", target, body=body, headers=headers)
                    if answer.status == 202:
                        done += count
                        break
                    if answer.status not in (429, 503):
                        raise RuntimeError(f"{answer.status}: {answer.data!r}")
                    busy += answer.status == 429
                    time.sleep(float(answer.headers.get("Retry-After", "1")))
                    continue
                away += 1
                again += count
                time.sleep(_AWAY_S)
        time.sleep(max(0.0, _POST_S - (time.time() - workload.due(done)) % _POST_S))
    return Fed(done, again, busy, away, latest, time.time())
