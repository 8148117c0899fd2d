"""Engines over files of reports that a gateway drops, with queries of every kind."""

from __future__ import annotations

import json
import os
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kaicep import Engine, Project
from kaicep.pipeline.sinks import JsonLinesSink

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

START = datetime(2026, 3, 1, tzinfo=UTC)
FILES = 6
ROWS = 40
QUERIES = {
    "high": "SELECT ?e.sensor, ?e.flow FILTER (?e.flow > 70)",
    "rise": """CREATE QUERY rise AS SELECT ?a.sensor, ?b.flow - ?a.flow AS by
               FROM (?a, air), (?b, air) JOIN (?a.sensor = ?b.sensor) JOIN (?b.flow - ?a.flow > 40)
               SEQ (?a, ?b) WINDOW (?a, ?b, 20s)""",
    "mean": "SELECT AVG(?e.flow) AS mean, COUNT(?e) AS n WINDOW (?e, batch, 10s) GROUP BY ?e.sensor",
    "rises": "SELECT COUNT(?r) AS rises FROM (?r, rise) WINDOW (?r, batch, 30s)",
}


def tuples(seed: int) -> list[list[dict[str, Any]]]:
    """Raw tuples by file: out of order within the lateness, some duplicates, some missing flows."""
    source = random.Random(seed)
    files: list[list[dict[str, Any]]] = []
    for file in range(FILES):
        rows = []
        for row in range(ROWS):
            second = file * ROWS + row + source.choice([0, 0, 0, -2, -3])
            moment = (START + timedelta(seconds=max(0, second))).isoformat()
            flow = source.choice([None, 10.0, 30.5, 75.0, 90.0])
            rows.append({"sensor": source.choice("abc"), "at": moment} | ({} if flow is None else {"flow": flow}))
        rows.append(rows[-1])
        files.append(rows)
    return files


def write(folder: Path, files: list[list[dict[str, Any]]]) -> None:
    """Drop the files that are not there yet one after the other, as a gateway would, a second apart."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(files):
        target = folder / f"{number:04d}.json"
        if not target.exists():
            part = folder / f".{number}.part"
            part.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            os.utime(part, (1_700_000_000 + number, 1_700_000_000 + number))
            part.replace(target)


def settings(*, archive: bool = False) -> dict[str, Any]:
    return {
        "streams": {"air": {
            "event_type": "<urn:Report>",
            "time": {"attribute": "at"},
            "identity": ["sensor", "at"],
            "lateness": "4s",
            "source": {"format": "json", "path": "in", "maxFilesPerTrigger": 1},
            "attributes": {"sensor": {"datatype": "xsd:string"}, "flow": {"datatype": "xsd:double"}},
        }},
        "archive": {"enabled": archive},
        "engine": {"trigger": "0s"},
    }  # fmt: skip


def submit_all(engine: Engine) -> None:
    for label, text in QUERIES.items():
        engine.submit(text, label=label, collect=False)


def rows_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows of a JSON lines sink by query."""
    found: dict[str, list[dict[str, Any]]] = {label: [] for label in QUERIES}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[row["_query"]].append(row)
    return found


def run(folder: Path, spark: SparkSession, *, archive: bool = False) -> Path:
    """One whole run; gives the file of rows."""
    out = folder / "rows.jsonl"
    project = Project.parse(settings(archive=archive), root=folder)
    with Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        submit_all(engine)
        engine.run_available()
        engine.finish()
    return out
