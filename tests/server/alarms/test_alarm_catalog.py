"""The alarms of a project: in their order, and of the queries that are registered now."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.server.alarms import AlarmCatalog
from kaicep.server.problem import ProblemError
from kaicep.server.queries import ProjectProcesses, QueryCatalog
from support.alarming import alarming_project, keep_changes, write_queries
from support.servers import processes_here


def test_alarms_of_the_queries_that_are_registered(tmp_path: Path) -> None:
    settings = alarming_project(tmp_path)
    keep_changes(settings, ("B1", "raised", "started"), ("B1", "raised", "ended"), ("B2", "raised", "started"))
    processes: ProjectProcesses = processes_here(settings)
    catalog = AlarmCatalog(settings, processes, QueryCatalog(settings, processes))
    assert [(alarm.key["room"], alarm.state) for _, alarm in catalog.alarms()] == [("B2", "raised"), ("B1", "cleared")]
    first = catalog.alarms()[0][1]
    assert catalog.alarm(first.id)[1] == first
    with pytest.raises(ProblemError):
        catalog.alarm("none")
    write_queries(tmp_path, "raised", "loud")
    assert catalog.alarms() == []
