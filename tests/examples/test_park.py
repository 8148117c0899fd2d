"""A park that speaks three standards: from recorded documents to rows, and from a broker and posts to the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import requests
from kaicep import Project
from kaicep.examples import park
from kaicep.examples.park import prepare
from support.brokers import free_port, mosquitto, published
from support.command_line import kaicep, wait_for

EXAMPLE = Path(park.__file__).parent
STREAMS = ("soil", "weather", "valve")
POND, SLOPE = "urn:ngsi-ld:Bed:pond", "urn:ngsi-ld:Bed:slope"
THIRST = [
    {"bed": POND, "plant": "https://example.org/park#hydrangea", "moisture": moisture, "valve": "urn:ngsi-ld:Valve:1"}
    for moisture in (22.5, 24.0)
]
WASTE = [{"bed": SLOPE, "rain": 3.5, "valve": "urn:ngsi-ld:Valve:2"}]


def items(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What queries select, in no order."""
    found = [{name: value for name, value in row.items() if not name.startswith("_")} for row in rows]
    return sorted(found, key=json.dumps)


def recorded(stream: str) -> Path:
    return EXAMPLE / "recorded" / f"{stream}.jsonl"


def test_its_queries_find_what_they_say(tmp_path: Path) -> None:
    """Of recorded documents, without broker and server; lavender is not thirsty, and an hour after rain is long ago."""
    project = Project.load(prepare(tmp_path))
    for query, expected in (("1_thirst", THIRST), ("2_waste", WASTE)):
        text = (EXAMPLE / "queries" / f"{query}.chi").read_text(encoding="utf-8")
        assert items(project.evaluate(text, {stream: recorded(stream) for stream in STREAMS})) == expected


@pytest.mark.spark
def test_a_broker_and_posts_lead_to_the_same_rows(tmp_path: Path) -> None:
    """Also when all of it is sent again; a pack that is none costs nothing else."""
    port = free_port()
    home = tmp_path / "park"
    file = prepare(home, f"mqtt://127.0.0.1:{port}")
    file.write_text(file.read_text(encoding="utf-8") + "\n[server]\nport = 0\n", encoding="utf-8")
    log = tmp_path / "log"
    with mosquitto(tmp_path, port) as broker, log.open("w") as out:
        server = subprocess.Popen(kaicep("serve", home), stdout=out, stderr=out, start_new_session=True)
        try:
            wait_for(lambda: "kaicep answers at " in log.read_text())
            url = log.read_text().partition("kaicep answers at ")[2].split()[0]
            sessions = [home / f"var/state/inbox/{stream}.session" for stream in ("soil", "weather")]
            wait_for(lambda: all(session.exists() and "park/" in session.read_text() for session in sessions))
            for _ in range(2):
                published(broker, *(("park/804ff1/soil", line) for line in recorded("soil").read_text().splitlines()))
                published(broker, ("park/804ff1/soil", '[{"n": "urn:x", "v": "dry"}]'))
                published(broker, *(("park/weather", line) for line in recorded("weather").read_text().splitlines()))
                headers = {"Content-Type": "application/x-ndjson"}
                body = recorded("valve").read_bytes()
                answer = requests.post(f"{url}/streams/valve/events", data=body, headers=headers, timeout=60)
                assert (answer.status_code, answer.json()) == (202, {"accepted": 4})

            def rows(query: str) -> list[dict[str, Any]]:
                found: list[dict[str, Any]] = requests.get(f"{url}/queries/{query}/matches", timeout=60).json()["rows"]
                return items(found)

            wait_for(lambda: len(rows("thirst")) >= 2 and len(rows("waste")) >= 1)
            wait_for(lambda: requests.get(f"{url}/status", timeout=60).json()["streams"]["soil"]["duplicates"] > 0)
            assert rows("thirst") == THIRST
            assert rows("waste") == WASTE
            letters = "".join(one.read_text() for one in (home / "var/state/dead-letters/soil").glob("*"))
            assert letters.count("'v' is 'dry'") == 2
        finally:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
