"""docs/server.md is right: its lines of curl are answered as it shows."""

from __future__ import annotations

import json
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kaicep.config import Settings
from kaicep.pipeline.monitoring import EngineStatus, StreamStatus, status_bytes, status_file
from support.archives import NINE, SECOND
from support.asked_engine import AskedEngine
from support.servers import serving

PAGE = Path(__file__).parents[1] / "docs" / "server.md"
CALLS = re.findall(
    r"^```sh\n((?:curl |printf |JOB=).*?)^```\n(?:\n```(?:json|text|csv|turtle)\n(.*?)^```$)?",
    PAGE.read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)
QUERIES = """CREATE CONTEXTS airflow (fine DEFAULT, raised, seen) BY sensorID;
SWITCH CONTEXT raised FROM (?e, airflowReport) IN CONTEXT fine FILTER (?e.flowrate = 74);
SWITCH CONTEXT seen FROM (?d, desk) IN CONTEXT raised FILTER (?d.says = 'seen');
CREATE QUERY alarms AS
SELECT ?c.sensorID, ?c.context, ?c.change FROM (?c, CONTEXTS(airflow)) FILTER (?c.context != 'fine');
CREATE QUERY acknowledged AS SELECT ?d.sensorID, ?d.who FROM (?d, desk) IN CONTEXT raised FILTER (?d.says = 'seen');
CREATE QUERY peak AS SELECT ?e.flowrate AS flow FROM (?e, airflowReport) FILTER (?e.flowrate = 74)"""
TEXT = {"datatype": "xsd:string"}
PROJECT: dict[str, Any] = {
    "prefixes": {"e": "http://e/"},
    "streams": {
        "airflowReport": {
            "event_type": "e:AirflowReport",
            "time": {"attribute": "timestamp", "property": "e:time"},
            "identity": ["sensorID", "timestamp"],
            "source": {"format": "json", "path": "var/inbox/", "cleanSource": "delete"},
            "attributes": {
                "sensorID": {"property": "e:sensor", "datatype": "xsd:string"},
                "flowrate": {"property": "e:flow", "datatype": "xsd:double"},
            },
        },
        "desk": {
            "event_type": "e:Entry",
            "time": {"attribute": "at"},
            "source": {"format": "json", "path": "var/desk/", "cleanSource": "delete"},
            "attributes": {"sensorID": TEXT, "says": TEXT, "who": TEXT},
        },
    },
    "server": {"datasets": {"notes": {"update": True}}},
}


def stopped_project(folder: Path) -> Settings:
    """The project of the page, whose engine has read 150 readings of four sensors, and has ended."""
    engine = AskedEngine(folder, QUERIES, PROJECT, store=True)
    readings = [
        {"sensorID": f"s{n % 4}", "timestamp": (NINE + n * SECOND).isoformat(), "flowrate": n / 2} for n in range(150)
    ]
    desk = [{"sensorID": "s0", "at": (NINE + n * SECOND).isoformat(), "says": "here", "who": "Ada"} for n in (0, 180)]
    engine.deliver(airflowReport=readings, desk=desk)
    engine.stop()
    settings = engine.project.settings
    now = datetime.now(UTC)
    streams = {"airflowReport": StreamStatus(150, newest=NINE + 149 * SECOND), "desk": StreamStatus(2)}
    status = EngineStatus("stopped", 1, "0", now, now, batches=1, records=152, streams=streams)
    status_file(settings.path(settings.engine.state)).write_bytes(status_bytes(status))
    return settings


def shown(text: str) -> object:
    """What is printed; JSON as its value, however it is laid out."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def test_calls_are_answered_as_shown(tmp_path: Path) -> None:
    assert len(CALLS) >= 25
    with serving(stopped_project(tmp_path)) as url:
        for call, answer in CALLS:
            line = call.replace("http://127.0.0.1:8080", url)
            done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True)
            assert shown(done.stdout) == shown(answer), call
