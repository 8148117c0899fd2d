"""What the load test sends, the project that it is sent to, and which rows have to come of it."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

__all__ = ["HTTP_STREAM", "MQTT_STREAM", "QUERIES", "STREAMS", "TOPIC", "Workload", "write_project"]

MQTT_STREAM, HTTP_STREAM = "sensor", "meter"
STREAMS = (MQTT_STREAM, HTTP_STREAM)
QUERIES = ("hot", "drawn", "pair")
TOPIC = "load/{device}"
DEVICES = 500
TAIL_S = 3
"""So long events follow that no query reports: they take the watermark past all others."""

_ODD = {MQTT_STREAM: 0, HTTP_STREAM: 1}
_HOT, _VERY_HOT = 100.0, 110.0
_JITTER_MS = 100
_PAIR_S = 1
_PROJECT = """
[prefixes]
l = "urn:load#"

[knowledge]
modules = ["load.ttl"]
cache = "var/cache"

[engine]
trigger = "500ms"
idle_timeout = "never"
spark = {{ "spark.ui.enabled" = "false" }}

[queries]
files = ["queries.chi"]

[server]
port = {port}

[sinks.rows]
sql = {{ url = "sqlite:///{rows}" }}
"""
_STREAM = """
[streams.{name}]
event_type = "l:{kind}"
time = {{ attribute = "t", property = "l:at" }}
identity = ["n"]
lateness = "{jitter}ms"
source = {source}

[streams.{name}.attributes]
n = {{ property = "l:number", datatype = "xsd:integer" }}
device = {{ property = "l:by", individual = "l:{{}}" }}
value = {{ property = "l:value", datatype = "xsd:double" }}
"""
_MQTT = '{{ mqtt = {{ server = "mqtt://127.0.0.1:{broker}", topics = "load/{{device}}" }} }}'
_HTTP = '{ format = "json", path = "var/inbox/meter/", cleanSource = "delete" }'
_ONTOLOGY = """@prefix l: <urn:load#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
l:Reading a owl:Class . l:Draw a owl:Class . l:Lab a owl:Class ; rdfs:subClassOf l:Room . l:Room a owl:Class .
l:by a owl:ObjectProperty . l:in a owl:ObjectProperty .
l:at a owl:DatatypeProperty . l:number a owl:DatatypeProperty . l:value a owl:DatatypeProperty .
l:lab a l:Lab . l:hall a l:Room .
"""
_FILTER = """CREATE QUERY {name} AS SELECT ?e.n AS n FROM (?e, {stream})
  PATH {{ ?e l:by ?d . ?d l:in ?r . ?r a l:Lab }} FILTER (?e.value > {least});
"""
_PAIR = """CREATE QUERY pair AS SELECT ?a.n AS n, ?b.n AS second FROM (?a, {first}), (?b, {second})
  FILTER (?a.value > {least}) FILTER (?b.value > {least}) SEQ (?a, ?b) WINDOW (?a, ?b, {seconds}s)
"""


@dataclass(frozen=True, slots=True)
class Workload:
    """Events of each stream, known by their number: what they say, when they are due, and which rows come of them.

    Attributes:
        start: of the first event, in seconds since 1970.
        rate: events a second of each stream.
        seconds: how long they come.
    """

    start: float
    rate: int
    seconds: float

    @property
    def total(self) -> int:
        """How many each stream has."""
        return int((self.seconds + TAIL_S) * self.rate)

    @property
    def counted(self) -> int:
        """How many of them queries may report."""
        return int(self.seconds * self.rate)

    def due(self, number: int) -> float:
        """When an event is sent, in seconds since 1970, unless its receiver is away."""
        return self.start + number / self.rate

    def number_at(self, moment: float) -> int:
        """How many events are due by then."""
        return max(0, min(self.total, int((moment - self.start) * self.rate) + 1))

    def micros(self, stream: str, number: int) -> int:
        """The time stamp, in microseconds since 1970: a little out of order, and never that of the other stream."""
        stamp = int((self.due(number) - number * 7919 % _JITTER_MS / 1000) * 1e6)
        return stamp - stamp % 2 + _ODD[stream]

    def device(self, number: int) -> str:
        """Of which device it is; the even ones are in a lab."""
        return f"d{_mixed(number, 3) % DEVICES}"

    def value(self, stream: str, number: int) -> float:
        """One of 500 is hot, of these one in five very hot."""
        mixed = _mixed(number, 7 + _ODD[stream])
        if number >= self.counted or mixed % 500:
            return mixed % 1000 / 10
        return _HOT + 1 if mixed // 500 % 5 else _VERY_HOT + 1

    def line(self, stream: str, number: int, *, device: bool) -> str:
        """An event as JSON; of one by MQTT the topic names the device."""
        moment = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=self.micros(stream, number))
        own = f'"device":"{self.device(number)}",' if device else ""
        stamp = moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return f'{{"n":{number},{own}"t":"{stamp}","value":{self.value(stream, number)}}}'

    def expected(self) -> dict[str, set[tuple[int, ...]]]:
        """By query, the numbers of the events of each row."""
        hot = {s: [n for n in range(self.counted) if self.value(s, n) > _HOT] for s in STREAMS}
        found: dict[str, set[tuple[int, ...]]] = {
            name: {(n,) for n in hot[stream] if int(self.device(n)[1:]) % 2 == 0}
            for name, stream in zip(QUERIES, STREAMS, strict=False)
        }
        very = {s: [n for n in numbers if self.value(s, n) > _VERY_HOT] for s, numbers in hot.items()}
        found["pair"] = set(self._pairs(very[MQTT_STREAM], very[HTTP_STREAM]))
        return found

    def sent(self, row: tuple[int, ...]) -> float:
        """When the last event of a row was due."""
        return max(map(self.due, row))

    def _pairs(self, first: list[int], second: list[int]) -> Iterator[tuple[int, int]]:
        stamps = sorted((self.micros(HTTP_STREAM, n), n) for n in second)
        for number in first:
            stamp = self.micros(MQTT_STREAM, number)
            begin = bisect.bisect_right(stamps, (stamp, self.total))
            end = bisect.bisect_right(stamps, (stamp + _PAIR_S * 10**6, self.total))
            yield from ((number, other) for _, other in stamps[begin:end])


def write_project(folder: Path, *, port: int, broker: int) -> None:
    """Write a project into a folder.

    Args:
        folder: it is made.
        port: of its server.
        broker: the port of the broker, on this machine.
    """
    folder.mkdir(parents=True, exist_ok=True)
    filters = [_FILTER.format(name=n, stream=s, least=_HOT) for n, s in zip(QUERIES, STREAMS, strict=False)]
    pair = _PAIR.format(first=MQTT_STREAM, second=HTTP_STREAM, least=_VERY_HOT, seconds=_PAIR_S)
    (folder / "queries.chi").write_text("".join([*filters, pair]), encoding="utf-8")
    rooms = "\n".join(f"l:d{n} l:in l:{'hall' if n % 2 else 'lab'} ." for n in range(DEVICES))
    (folder / "load.ttl").write_text(f"{_ONTOLOGY}{rooms}\n", encoding="utf-8")
    streams = [
        _STREAM.format(name=MQTT_STREAM, kind="Reading", jitter=_JITTER_MS, source=_MQTT.format(broker=broker)),
        _STREAM.format(name=HTTP_STREAM, kind="Draw", jitter=_JITTER_MS, source=_HTTP),
    ]
    project = _PROJECT.format(port=port, rows=folder / "rows.db")
    (folder / "kaicep.toml").write_text(project + "".join(streams), encoding="utf-8")


def _mixed(number: int, by: int) -> int:
    """A number that looks random, and is the same each time."""
    mixed = (number * 2654435761 + by * 40503) & 0xFFFFFFFF
    mixed = ((mixed ^ mixed >> 16) * 0x45D9F3B) & 0xFFFFFFFF
    return mixed ^ mixed >> 16
