"""The queries of docs/alarms.md give what the page says that they give; each block goes on from those before it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from kaicep import Project

PAGE = (Path(__file__).parents[1] / "docs" / "alarms.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```chi\n(.*?)```\n```(?:rows|calls)\n(.*?)```\n", PAGE, re.DOTALL)


def stream(attribute: str, datatype: str) -> dict[str, Any]:
    attributes = {"room": {"datatype": "xsd:string"}, attribute: {"datatype": datatype}}
    identity = {"event_type": "<urn:Event>", "time": {"attribute": "at"}, "identity": ["room", "at"]}
    return {**identity, "attributes": attributes}


def events() -> dict[str, list[dict[str, Any]]]:
    """Those of the table at the top of the page."""
    lines = (line.split("|")[2:-1] for line in PAGE.splitlines() if line.startswith("| `"))
    head, *rows = [[cell.strip() for cell in line] for line in lines]
    found: dict[str, list[dict[str, Any]]] = {"air": [], "desk": []}
    for at, room, value in zip(*rows, strict=True):
        kind = {"co2": int(value)} if value.isdigit() else {"says": value}
        found["air" if "co2" in kind else "desk"].append({"at": f"2026-01-01T{at}:00Z", "room": room, **kind})
    assert len(head) == len(found["air"]) + len(found["desk"])
    return found


@pytest.mark.parametrize("place", range(len(BLOCKS)))
def test_each_pattern_gives_what_the_page_says(place: int) -> None:
    project = Project.parse({"streams": {"air": stream("co2", "xsd:integer"), "desk": stream("says", "xsd:string")}})
    text = ";\n".join(query.strip() for query, _ in BLOCKS[: place + 1])
    found = project.evaluate(text, events())
    rows = [
        " ".join([f"{row['_time']:%H:%M}", *(str(row[name]) for name in row if not name.startswith("_"))])
        for row in found
    ]
    calls = [f"{call['_time']:%H:%M} {call['action']} {call['arguments']['room']}" for call in found.calls]
    assert rows + calls == BLOCKS[place][1].splitlines()


def test_the_page_has_every_pattern() -> None:
    assert len(BLOCKS) == 6
