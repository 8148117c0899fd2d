"""docs/payloads.md: what it shows is read as it says, from its documents to rows."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from kaicep import Project

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "payloads.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```json\n(.*?)```\n\n```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(
    ("number", "query", "rows"),
    [
        (0, "SELECT ?e.v AS v, ?e.u AS u FROM (?e, senml)", [{"v": 1.2, "u": "A"}, {"v": 120.1, "u": "V"}]),
        (1, "SELECT ?e.hasSimpleResult AS v FROM (?e, sosa)", [{"v": 21.5}]),
        (2, "SELECT ?e.temperature AS t, ?e.floor AS floor FROM (?e, room)", [{"t": 21.5, "floor": 2}]),
    ],
)
def test_its_documents_are_events(tmp_path: Path, number: int, query: str, rows: list[dict[str, object]]) -> None:
    document, settings = SHOWN[number]
    project = Project.parse(tomllib.loads(settings), root=tmp_path)
    (stream,) = project.settings.streams
    (tmp_path / "given.json").write_text(json.dumps(json.loads(document)))
    found = project.evaluate(query, {stream: tmp_path / "given.json"})
    assert [{name: row[name] for name in rows[0]} for row in found] == rows
