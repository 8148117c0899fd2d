"""The log gives the batches that were done, with what judged them and where idle streams were moved."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from kaicep.archive.log import Position
from kaicep.pipeline.durability.replay.log_replay import logged_batches
from kaicep.pipeline.flow.batch import BatchSource
from kaicep.pipeline.knowledge.knowledge_store import KnowledgeStore
from kaicep.pipeline.knowledge.knowledge_versions import KnowledgeVersions
from support.batches import processed
from support.living import archive_of, batch, project

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_batches_come_in_order_with_what_was_moved_without_events(tmp_path: Path) -> None:
    asked = project(tmp_path, archive=True)
    versions = KnowledgeVersions(asked, KnowledgeStore(tmp_path / "ontology"))
    dataflow = asked.dataflow()
    with archive_of(asked) as archive:
        for number in (1, 2, 4):
            raw = {name: records.table for name, records in batch(number).items()}
            streams = processed(dataflow, raw).streams
            archive.append(number, {name: stream.archived for name, stream in streams.items()})
        archive.idle_watermarks.write(Position(archive.log.generation, 3), {"air": NOON})
        found = dict(logged_batches(archive, versions, last=4))
        assert list(found) == [1, 2, 3, 4]
        assert {batch.source for batch in found.values()} == {BatchSource.LOG}
        assert (found[3].events, found[3].advances) == ({}, {"air": NOON})
        assert found[2].events["air"].events["sensor"].to_pylist() == ["s1", "s2", "s3", "none"]
        assert found[2].judged_by == asked.judgement
        assert [number for number, _ in logged_batches(archive, versions, last=3, after=1)] == [2, 3]


def test_without_an_archive_there_is_nothing(tmp_path: Path) -> None:
    versions = KnowledgeVersions(project(tmp_path), KnowledgeStore(tmp_path / "ontology"))
    assert list(logged_batches(None, versions, last=9)) == []
