"""An engine without Spark over the streams of `timer_queries`, that is asked for states between its batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kaicep import Project
from kaicep.archive import Archive
from kaicep.config import Settings
from kaicep.pipeline.control.state_admin import StateAdmin
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.results import Rows
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch

from .timer_queries import CONTENT

__all__ = ["ASKED", "BASE", "TEXT", "AskedEngine", "batches", "event", "stopped_engine"]

BASE = datetime(2024, 1, 1, tzinfo=UTC)
TEXT = """
CREATE CONTEXTS mood (calm DEFAULT, busy) BY x;
INITIATE CONTEXT busy FROM (?e, P) FILTER (?e.k = 'a');
TERMINATE CONTEXT busy FROM (?e, P) FILTER (?e.k = 'b');
CREATE QUERY pairs AS SELECT ?e.id FROM (?e, S), (?f, S) SEQ (?e -> ?f) JOIN (?e.k = ?f.k) WINDOW (?e, ?f, 4s);
CREATE QUERY moody AS SELECT ?e.id FROM (?e, S), (?f, S) IN CONTEXT busy SEQ (?e, ?f) WINDOW (?e, ?f, 1h);
CREATE QUERY counts AS SELECT COUNT(?e) AS n FROM (?e, S) WINDOW (?e, sliding, 3s);
CREATE QUERY late AS SELECT COUNT(?e) AS n FROM (?e, S) WINDOW (?e, sliding, 2 events);
CREATE QUERY chain AS SELECT ?c.n FROM (?c, counts), (?d, counts) SEQ (?c, ?d) JOIN (?d.n = ?c.n) WINDOW (?c, ?d, 5s);
CREATE QUERY paired AS SELECT ?e.id FROM (?e, S), (?f, P) JOIN (?e.x = ?f.x) SEQ (?e, ?f) POLICY chronicle KEEP ?e: 3s;
CREATE QUERY again AS SELECT ?e.id FROM (?e, S), (?f, P) JOIN (?e.x = ?f.x) SEQ (?e, EVERY 2s UNTIL ?f);
CREATE QUERY named AS SELECT ?e.id FROM (?e, S), (?f, P) IN CONTEXT busy FOR ?e SEQ (?e, ?f) WINDOW (?e, ?f, 4s);
CREATE QUERY beside AS SELECT ?e.id FROM (?e, S), (?f, S), (?g, P) JOIN (?g.x = ?e.x) SEQ (?e -> ?f)
WINDOW (?e, ?f, ?g, 4s);
CREATE QUERY both AS SELECT ?e.id FROM (?e, S), (?f, P) JOIN (?e.x = ?f.x)
WINDOW (?e, sliding, 3s) WINDOW (?f, sliding, 9s)
"""
ASKED = [
    *(f"SELECT ?x.id FROM (?x, STATE({name}))" for name in ("pairs", "moody", "counts", "late", "both")),
    *(f"SELECT ?x.id FROM (?x, STATE({name}))" for name in ("paired", "again", "named", "beside")),
    "SELECT ?p._bound AS b, ?p._until AS u FROM (?p, PARTIAL(again)) ORDER BY ?p.e_id",
    "SELECT ?c.context, ?c.x FROM (?c, CONTEXTS(mood))",
    "SELECT ?x.n FROM (?x, STATE(chain))",
    "SELECT ?p._bound AS b, ?p.e_id AS id, ?p._until AS u FROM (?p, PARTIAL(pairs)) ORDER BY DESC(?p.e_id)",
    "SELECT COUNT(?x) AS n, COUNT(DISTINCT ?y.id) AS m FROM (?x, STATE(pairs)), (?y, STATE(late)) JOIN (?x.k = ?y.k)",
]


def batches() -> Iterator[dict[str, list[dict[str, Any]]]]:
    """Events of both streams, some a little late, in pieces; the second stream is behind at times."""
    for first in range(0, 12, 3):
        seconds = [first, first + 2, first + 1]
        yield {
            "S": [event("s", second, "ab"[second % 2], second % 3) for second in seconds],
            "P": [event("p", second - 0.5, "aab"[second % 3], second % 2) for second in sorted(seconds) if second != 4],
        }


def event(prefix: str, second: float, kind: str, x: int) -> dict[str, Any]:
    return {"id": f"{prefix}{second}", "t": (BASE + timedelta(seconds=second)).isoformat(), "k": kind, "x": x}


class AskedEngine:
    """A process whose state lies in a folder.

    Attributes:
        project: its.
        queries: as they are registered.
        states: asks for them.
        flow: what answers the queries.
    """

    def __init__(self, folder: Path, text: str, of: Mapping[str, Any] = CONTENT, **archive: object) -> None:
        content = {**of, "archive": {"enabled": True, "store": False, "path": "archive", **archive}}
        (folder / "q.chi").write_text(text, encoding="utf-8")
        queries = {"files": ["q.chi"]}
        self.project = Project.parse({**content, "engine": {"state": "state"}, "queries": queries}, root=folder)
        self.queries: Sequence[Registration] = self.project.registrations(text, "q")
        self._open = ExitStack()
        self.start()

    def start(self) -> None:
        """Begin where the folder is."""
        project = self.project
        archive = self._open.enter_context(Archive(project.settings, project.knowledge, project.shapes))
        self.flow = CheckpointedFlow(project, project.settings.path("state"), (), archive, say=_silent)
        self._open.callback(self.flow.close)
        self.flow.queries.submit(self.queries)
        self.states = StateAdmin(self.flow, lambda: self.queries, _silent)
        self._open.callback(self.states.close)

    def stop(self) -> None:
        """End the process."""
        self._open.close()

    def deliver(self, **events: Sequence[Mapping[str, Any]]) -> None:
        """One batch of raw tuples by stream."""
        number = (self.flow.last or 0) + 1
        self.flow.run(number, {name: RawBatch(raw_table(list(rows))) for name, rows in events.items() if rows})


def stopped_engine(folder: Path, asked: str) -> tuple[Settings, Rows]:
    """The project of an engine that has answered all batches and ended, and what it said when it was asked."""
    engine = AskedEngine(folder, TEXT)
    for batch in batches():
        engine.deliver(**batch)
    rows = engine.states.ask(asked)
    engine.stop()
    return engine.project.settings, rows


def _silent(_line: str) -> None:
    pass
