"""An outage in the middle of a stream: what was only archived meanwhile is answered by the next engine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.simulation.outage_simulation import Outage, simulate_outage
from kaicep.pipeline.sources.memory_source import raw_table

STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
START = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
EVENTS = [{"at": (START + s * SECOND).isoformat(), "x": s} for s in range(12)]
PAIRS = "SELECT ?b.x AS x FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 2s)"


@pytest.mark.parametrize("snapshots", [True, False])
@pytest.mark.parametrize("archive", [{}, {"delta": "lake", "endpoint": "http://127.0.0.1:9/query"}])
def test_an_outage_changes_no_row(tmp_path: Path, archive: dict[str, str], *, snapshots: bool) -> None:
    """Nor does it leave anything where the project's own archive does."""
    project = Project.parse({"streams": {"air": STREAM}, "archive": archive}, root=tmp_path)
    raw = {"air": raw_table(EVENTS)}
    (query,) = project.compile(PAIRS)
    outage = Outage(START + 4 * SECOND, START + 8 * SECOND, 2 * SECOND, SECOND, snapshots)
    streams = raw, live_batch(project.annotators, raw).events
    asked = [Registration(query, "q")]
    tables = simulate_outage(project, asked, streams, outage, calls=[], registered_at=None, strategy=None)
    expected = [row["x"] for row in project.evaluate(PAIRS, {"air": EVENTS})]
    assert [x for table in tables for x in table["x"].to_pylist()] == expected
    assert set(expected) == set(range(1, 12))
    assert list(tmp_path.iterdir()) == []
