"""A small project on disk, and the command line as a function."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from kaicep.cli import app
from typer.testing import CliRunner, Result

__all__ = [
    "HANGING_SECONDS",
    "HIGH",
    "PROJECT",
    "PROPERTIES",
    "call",
    "drop",
    "kaicep",
    "line",
    "rights_of_others",
    "wait_for",
    "write_project",
]

PROJECT = """\
[prefixes]
ex = "urn:ex:"

[queries]
files = ["queries/*.chi"]

[engine]
trigger = "100ms"

[streams.air]
event_type = "ex:Reading"
time = { attribute = "at", property = "ex:at" }
identity = ["sensor", "at"]
source = { format = "json", path = "incoming/" }

[streams.air.attributes]
sensor = { property = "ex:sensor", individual = "ex:{}" }
flow = { property = "ex:flow", datatype = "xsd:double" }
"""
PROPERTIES = "".join(
    f"<urn:ex:{p}> a <http://www.w3.org/2002/07/owl#DatatypeProperty> . " for p in ("at", "sensor", "flow")
)
HIGH = "SELECT ?e.ex:sensor AS sensor, ?e.flow AS flow FILTER (?e.flow > 50)"
HANGING_SECONDS = 600.0


def rights_of_others(folder: Path) -> set[Path]:
    """The files and folders below one that others than its user may read, or more."""
    return {path for path in folder.rglob("*") if path.stat().st_mode & 0o077}


def line(second: int, flow: object, sensor: str = "s1") -> str:
    """A reading as it arrives, at that second."""
    return json.dumps({"sensor": sensor, "at": f"2026-01-01T00:00:{second:02d}Z", "flow": flow}) + "\n"


def write_project(folder: Path) -> Path:
    """One stream of readings, one query, recorded events in `events.jsonl`."""
    (folder / "kaicep.toml").write_text(PROJECT)
    (folder / "queries").mkdir()
    (folder / "queries" / "high.chi").write_text(HIGH)
    (folder / "events.jsonl").write_text(line(1, 40.0) + line(2, 60.5) + line(3, 70, "s2"))
    return folder


def call(*arguments: str | Path, stdin: str | None = None) -> Result:
    """Run a command in this process."""
    return CliRunner(env={"COLUMNS": "200", "TERM": "dumb"}).invoke(app, [str(a) for a in arguments], input=stdin)


def kaicep(*arguments: str | Path) -> list[str]:
    """The words that run a command in a process of its own."""
    return [sys.executable, "-m", "kaicep", *map(str, arguments)]


def drop(project: Path, name: str, content: str) -> None:
    """Let a whole file appear among the sources."""
    folder = project / "incoming"
    folder.mkdir(exist_ok=True)
    (folder / f".{name}").write_text(content)
    (folder / f".{name}").replace(folder / name)


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is so; only what hangs takes too long."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < HANGING_SECONDS, "it hangs"
        time.sleep(0.05)
