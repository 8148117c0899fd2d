"""The mapping report as programs read it."""

from __future__ import annotations

import json
from pathlib import Path

from kaicep.explain import mapping_dict
from support.mapping import mapped, project_with_model, readings


def test_the_report_is_json(tmp_path: Path) -> None:
    text = "SELECT ?e.value FROM (?e, air) FILTER (?e.value > 9)"
    report = mapped(project_with_model(tmp_path), text, {"air": readings(1, 2, name="valeu")})
    found = json.loads(json.dumps(mapping_dict(report)))
    (stream,), (query,) = found["streams"], found["queries"]
    assert stream["missing"] == {"value": "did you mean 'valeu'?"}
    assert stream["undeclared"] == {"valeu": 2}
    assert stream["ids"][0]["classes"] == {"urn:m:CO2": 2}
    assert [(c["kind"], c["left"]) for c in query["variables"][0]["clauses"]] == [("stream", 2), ("FILTER", 0)]
    assert query["rows"] == {"found": 0, "standing": 0, "rows": 0, "reported": 0, "conditions": []}
    assert query["reasons"][0] == "?e: FILTER (?e.value > 9) is true of none of 2 events"
