"""docs/server.md is right: its lines of curl are answered as it shows."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from kaicep.config import Settings
from support.archives import archived_project
from support.servers import serving

PAGE = Path(__file__).parents[1] / "docs" / "server.md"
CALLS = re.findall(
    r"^```sh\n((?:curl|printf) .*?)^```\n(?:\n```(?:json|text|csv|turtle)\n(.*?)^```$)?",
    PAGE.read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)


def shown(text: str) -> object:
    """What is printed; JSON as its value, however it is laid out."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def test_calls_are_answered_as_shown(tmp_path: Path) -> None:
    assert len(CALLS) >= 6
    archived_project(tmp_path)
    source = {"format": "json", "path": "var/inbox/", "cleanSource": "delete"}
    stream = {
        "event_type": "e:AirflowReport",
        "time": {"attribute": "timestamp", "property": "e:time"},
        "source": source,
        "attributes": {
            "sensorID": {"property": "e:sensor", "datatype": "xsd:string"},
            "flowrate": {"property": "e:flow", "datatype": "xsd:double"},
        },
    }
    project = {
        "prefixes": {"e": "http://e/"},
        "streams": {"airflowReport": stream},
        "server": {"datasets": {"notes": {"update": True}}},
    }
    with serving(Settings.parse(project, root=tmp_path)) as url:
        for call, answer in CALLS:
            line = call.replace("http://127.0.0.1:8080", url)
            done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True)
            assert shown(done.stdout) == shown(answer), call
