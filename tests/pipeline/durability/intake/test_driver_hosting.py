"""What a driver is given of batches, and what it does with the state of another hosting."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.errors import PipelineError
from kaicep.pipeline.durability.flow_state import RestoredState
from kaicep.pipeline.durability.intake.driver_hosting import CollectedRecords, DriverHosting
from kaicep.pipeline.durability.journal.batch_journal import BatchFiles
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch
from kaicep.pipeline.sources.unreadable import UnreadableFile
from support.station import START, project_of

SOURCE = {"kafka": {"servers": "broker:9092", "topics": ["air"]}}
TORN = UnreadableFile("/in/1.json", "it is torn", (3, 4))


def test_records_are_read_and_annotated_here(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    raw = RawBatch(raw_table([{"t": START.isoformat(), "x": 1}]))
    intake = DriverHosting(project).intake(1, BatchFiles({}, {}, {}, {"door": [TORN]}), lambda _: {"air": raw})
    taken = intake.taken({})
    assert list(taken["door"].unreadable) == [TORN]
    batch = intake.batch(project.dataflow(), datetime(2020, 1, 1, tzinfo=UTC), None)
    assert batch.events["air"].events.num_rows == 0  # it is years ahead of the clock
    assert batch.events["air"].rejected.num_rows == 1
    assert CollectedRecords(project, {"air": raw}).batch(project.dataflow(), None, None).events["air"].events.num_rows


def test_the_state_of_executors_is_made_of_the_log_again(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    hosting = DriverHosting(project)
    own, theirs = RestoredState(3, {}, 3, {}), RestoredState(3, {"hosting": b"{}"}, 3, {"moments": b"{}"})
    assert hosting.restored(own, 3, None) is own
    with Archive(project.settings, project.knowledge, project.shapes) as archive:
        assert hosting.restored(theirs, 3, archive) == RestoredState(0, {}, 3, {"moments": b"{}"})
    with pytest.raises(PipelineError, match="no archive to rebuild it from: go on with hosting"):
        hosting.restored(theirs, 3, None)


def test_what_the_log_has_of_a_batch_no_source_is_asked_for(tmp_path: Path) -> None:
    """It may have nothing of it any more, or end the stream by that."""
    streams = {
        name: {"event_type": "<urn:R>", "time": {"attribute": "at"}, "source": SOURCE} for name in ("air", "door")
    }
    hosting, asked = DriverHosting(Project.parse({"streams": streams}, root=tmp_path)), list[BatchFiles]()

    def read(files: BatchFiles) -> dict[str, RawBatch]:
        asked.append(files)
        return {}

    hosting.intake(1, BatchFiles({}, {}, {}, {}, logged=frozenset(["air"])), read)
    assert [files.only for files in asked] == [{"door"}]
    hosting.intake(1, BatchFiles({}, {}, {}, {}, logged=frozenset(streams)), read)
    assert len(asked) == 1
