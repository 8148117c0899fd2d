"""One event is found in the log by its IRI."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from kaicep import PipelineError, Project
from kaicep.archive import Archive
from kaicep.explain.archived_event import archived_event
from support.archives import NINE
from support.batches import processed
from support.command_line import write_project

AT_NINE = "urn:kaicep:event:air/s1/1336381200000000"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Readings at nine and a second later, archived."""
    loaded = Project.load(write_project(tmp_path))
    readings = [{"sensor": "s1", "at": (NINE + timedelta(seconds=n)).isoformat(), "flow": float(n)} for n in range(2)]
    with Archive(loaded.settings, loaded.knowledge, loaded.shapes) as archive:
        steps = processed(loaded.dataflow(), {"air": readings}).streams
        archive.append(0, {name: step.archived for name, step in steps.items()})
    return loaded


def test_the_event_is_one_row(project: Project) -> None:
    found = archived_event(project, "air", AT_NINE)
    assert found.num_rows == 1
    assert (found["_id"][0].as_py(), found["flow"][0].as_py()) == (AT_NINE, 0.0)


def test_columns_that_the_annotation_did_not_have_then_are_unbound(project: Project) -> None:
    file = project.settings.root / "kaicep.toml"
    file.write_text(file.read_text() + 'more = { property = "ex:more", datatype = "xsd:integer" }\n')
    found = archived_event(Project.load(file), "air", AT_NINE)
    assert found["more"].to_pylist() == [None]


@pytest.mark.parametrize("event", [AT_NINE.replace("s1", "s2"), "urn:kaicep:event:air/s1/soon"])
def test_an_unknown_event_is_told_with_what_there_is(project: Project, event: str) -> None:
    with pytest.raises(PipelineError, match=f"the archive has no event <{event}>: of stream air it has 2"):
        archived_event(project, "air", event)


def test_without_an_archive_there_is_no_event(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="of stream air it has 0"):
        archived_event(Project.load(write_project(tmp_path)), "air", AT_NINE)
