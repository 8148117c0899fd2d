"""Sources that Spark alone delivers, records in order of time: rows, log and dead letters are those of the driver."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep import Engine, JsonLinesSink, Project
from pyarrow import orc
from pyspark.sql import SparkSession
from support.keyed import STREAMS, keyed_batches

PAIRS = "SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, Q) JOIN (?a.car = ?b.car) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"
BUSY = "SELECT ?e.car AS car, COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 4s) GROUP BY ?e.car"
TEXT = f"CREATE QUERY busy AS {BUSY};\nCREATE QUERY pairs AS {PAIRS}"
Rows = list[dict[str, Any]]


def as_lines(rows: Rows, path: Path) -> None:
    path.with_suffix(".json").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def as_one_line(rows: Rows, path: Path) -> None:
    path.with_suffix(".json").write_text(";".join(json.dumps(row) for row in rows), encoding="utf-8")


def as_orc(rows: Rows, path: Path) -> None:
    columns = ("id", "t", "speed", "seg", "v", "car")
    orc.write_table(pa.table({name: [row.get(name) for row in rows] for name in columns}), path.with_suffix(".orc"))


def left(folder: Path, source: dict[str, Any], hosting: str, spark: SparkSession) -> dict[str, list[str]]:
    """What an engine leaves: rows, events of the log, dead letters."""
    sources = {"P": source, "Q": {"format": "json", "maxFilesPerTrigger": 2}}
    streams = {name: {**STREAMS[name], "source": {**of, "path": f"{folder}/in/{name}"}} for name, of in sources.items()}
    root = folder / hosting
    root.mkdir()
    content = {"streams": streams, "archive": {"store": False}, "engine": {"hosting": hosting}}
    with Engine(Project.parse(content, root=root), spark=spark, sinks=[JsonLinesSink(root / "rows.jsonl")]) as engine:
        assert engine.hosting == hosting
        engine.submit(TEXT, collect=False)
        engine.run_available()
        engine.finish()
    rows = (root / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    segments = sorted((root / "var/archive/log").glob("*/*.parquet"))
    events = [f"{path.parent.name} {one}" for path in segments for one in pq.read_table(path)["_id"].to_pylist()]
    letters = [line for path in sorted((root / "var/state/dead-letters").glob("*/*")) for line in path.open()]
    return {"rows": rows, "events": events, "letters": letters}


@pytest.mark.spark
@pytest.mark.parametrize(
    ("source", "write"),
    [
        pytest.param(
            {"format": "orc", "schema": "id string, t string, speed double, seg int, v int, car int"},
            as_orc,
            marks=pytest.mark.long,
        ),
        ({"format": "json", "order": "time"}, as_lines),
        pytest.param({"format": "json", "lineSep": ";"}, as_one_line, marks=pytest.mark.long),
    ],
    ids=["orc", "order", "lineSep"],
)
def test_what_spark_delivers_is_answered_by_executors(
    source: dict[str, Any], write: Callable[[Rows, Path], None], spark: SparkSession, tmp_path: Path
) -> None:
    for name in "PQ":
        (tmp_path / "in" / name).mkdir(parents=True)
    for number, batch in enumerate(keyed_batches(Random(5))):
        write([*batch["P"], {"id": "x", "t": "soon"}], tmp_path / "in/P" / f"{number:03}")
        as_lines(batch["Q"], tmp_path / "in/Q" / f"{number:03}")
    driver, executors = (
        left(tmp_path, {**source, "maxFilesPerTrigger": 2}, hosting, spark) for hosting in ("driver", "executors")
    )
    assert len(driver["rows"]) > 5
    assert len(driver["letters"]) > 3
    assert executors == driver
