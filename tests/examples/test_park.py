"""A park that speaks three standards: from recorded documents to rows, and from a broker and posts to the same."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kaicep import Engine, Project
from kaicep.examples import park
from kaicep.examples.park import prepare
from kaicep.pipeline.sinks import CallbackSink
from support.brokers import free_port, mosquitto, published
from support.servers import ask, serving

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLE = Path(park.__file__).parent
QUERIES = sorted((EXAMPLE / "queries").glob("*.chi"))
STREAMS = ("soil", "weather", "valve")
POND, SLOPE = "urn:ngsi-ld:Bed:pond", "urn:ngsi-ld:Bed:slope"
THIRST = [
    {"bed": POND, "plant": "https://example.org/park#hydrangea", "moisture": moisture, "valve": "urn:ngsi-ld:Valve:1"}
    for moisture in (22.5, 24.0)
]
WASTE = [{"bed": SLOPE, "rain": 3.5, "valve": "urn:ngsi-ld:Valve:2"}]


def items(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What queries select, in no order."""
    found = [{name: value for name, value in row.items() if not name.startswith("_")} for row in rows]
    return sorted(found, key=json.dumps)


def recorded(stream: str) -> Path:
    return EXAMPLE / "recorded" / f"{stream}.jsonl"


def test_its_queries_find_what_they_say(tmp_path: Path) -> None:
    """Of recorded documents, without broker and server; lavender is not thirsty, and an hour after rain is long ago."""
    project = Project.load(prepare(tmp_path))
    for query, expected in zip(QUERIES, (THIRST, WASTE), strict=True):
        text = query.read_text(encoding="utf-8")
        assert items(project.evaluate(text, {stream: recorded(stream) for stream in STREAMS})) == expected


@pytest.mark.spark
def test_a_broker_and_posts_lead_to_the_same_rows(tmp_path: Path, spark: SparkSession) -> None:
    """Also where all of it is sent twice; a pack that is none costs nothing else."""
    port = free_port()
    project = Project.load(prepare(tmp_path, f"mqtt://127.0.0.1:{port}"))
    rows = list[dict[str, Any]]()
    with (
        mosquitto(tmp_path, port) as broker,
        serving(project.settings, stores=False) as url,
        Engine(project, spark=spark, sinks=[CallbackSink(lambda _, row: rows.append(row))]) as engine,
    ):
        for query in QUERIES:
            engine.submit(query.read_text(encoding="utf-8"), label=query.stem)
        engine.run_available()  # topics are subscribed to
        for _ in range(2):
            published(broker, *(("park/804ff1/soil", pack) for pack in recorded("soil").read_text().splitlines()))
            published(broker, ("park/804ff1/soil", '[{"n": "urn:x", "v": "dry"}]'))
            published(broker, *(("park/weather", one) for one in recorded("weather").read_text().splitlines()))
            body = recorded("valve").read_bytes()
            answer = ask(f"{url}/streams/valve/events", "POST", body, Content_Type="application/x-ndjson")
            assert (answer.status, answer.json) == (202, {"accepted": 4})
        engine.run_available()
        engine.finish()
        assert items(rows) == items([*THIRST, *WASTE])
        streams = {name: (of.events, of.duplicates) for name, of in engine.status.streams.items()}
    assert streams == {"soil": (13, 13), "weather": (5, 5), "valve": (5, 5)}
    letters = "".join(file.read_text() for file in (tmp_path / "var/state/dead-letters/soil").glob("*"))
    assert letters.count("'v' is 'dry'") == 2
