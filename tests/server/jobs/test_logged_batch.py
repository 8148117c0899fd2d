"""Events of the log are counted as those that arrive: what is declared, and what came beside it."""

from __future__ import annotations

import pyarrow as pa
from kaicep import Project
from kaicep.config import Settings
from kaicep.server.jobs.logged_batch import batch_of_log, columns_of_log


def test_events_of_the_log_are_counted(plain: Settings) -> None:
    annotator = Project.of(plain).annotators["air"]
    raw = [
        {"sensor": "s1", "at": "2026-01-01T00:00:00Z", "flow": 1.0, "mood": "good"},
        {"sensor": "s2", "at": "2026-01-01T00:00:01Z", "mood": "bad", "hue": 3},
    ]
    arrived = annotator.annotate(pa.Table.from_pylist(raw))
    logged = batch_of_log(annotator, arrived.events)
    assert arrived.names is not None
    assert dict(logged.names or {}) == {name: count for name, count in arrived.names.items() if count}
    assert {"sensor", "flow", "at", "_extra", "urn:ex:sensor"} <= columns_of_log(annotator)
