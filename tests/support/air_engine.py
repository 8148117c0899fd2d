"""An engine without Spark that sums and pairs readings of the air: a batch has two, and one without a time stamp."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from kaicep import Project
from kaicep.archive import Archive
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.durability.progress import Progress
from kaicep.pipeline.sinks import JsonLinesSink
from kaicep.pipeline.sources import RawBatch, raw_table

__all__ = ["QUERIES", "SETTINGS", "AirEngine", "run_air", "snapshots_in"]

SETTINGS = {
    "streams": {
        "air": {"event_type": "<urn:E>", "time": {"attribute": "t"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
    },
    "archive": {"store": False},
}
QUERIES = (
    "SELECT SUM(?a.x) AS total FROM (?a, air) WINDOW (?a, sliding, 8s)",
    "SELECT ?a.x AS low, ?b.x AS high FROM (?a, air), (?b, air) JOIN (?b.x > ?a.x + 6) WINDOW (?a, ?b, 9s)",
    "SELECT ?a.x AS low, MAX(?b.x) AS m FROM (?a, air), (?b, air) SEQ (?a, ?b+) JOIN (?b.x > ?a.x) WINDOW (?a, ?b, 5s)",
)


class AirEngine:
    """One process after the other goes on in a folder.

    Attributes:
        flow: what answers the queries.
        archive: where events go.
        said: the lines of its log.
        rows: the file of rows.
    """

    def __init__(self, folder: Path) -> None:
        self.said, self.rows = list[str](), folder / "rows.jsonl"
        project = Project.parse(SETTINGS, root=folder)
        self.archive = Archive(project.settings, project.knowledge, project.shapes)
        sinks = [JsonLinesSink(self.rows)]
        self.flow = CheckpointedFlow(project, folder / "state", sinks, self.archive, say=self.said.append)
        for number, text in enumerate(QUERIES):
            self.flow.queries.submit(project.registrations(text, label=f"q{number}"))

    def run(self, first: int, last: int) -> None:
        """Do batches."""
        for number in range(first, last + 1):
            events = [{"t": f"2026-03-01T00:00:{number + n:02}Z", "x": 7 * number % 12 + n} for n in range(2)]
            self.flow.run(number, {"air": RawBatch(raw_table([*events, {"x": 1}]))})

    def close(self) -> None:
        """End it in order."""
        self.flow.close()
        self.archive.close()


def run_air(folder: Path, first: int, last: int) -> Progress:
    """Do batches in a process of its own; one that fails does not end in order."""
    engine = AirEngine(folder)
    with closing(engine.archive):
        engine.run(first, last)
        progress = engine.flow.progress
        engine.flow.close()
    return progress


def snapshots_in(folder: Path) -> list[int]:
    """The batches whose states are there."""
    return sorted(int(path.stem) for path in (folder / "state/snapshots").glob("*.snapshot"))
