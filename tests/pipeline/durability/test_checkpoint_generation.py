"""A checkpoint of Spark's serves as long as the sources stay the same; batches are counted over all of them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kaicep.config import Settings
from kaicep.pipeline.durability.checkpoint_generation import begun_batch, current_generation, planned_at


def settings(root: Path, **sources: str) -> Settings:
    streams: dict[str, Any] = {
        name: {"event_type": "<urn:R>", "time": {"attribute": "at"}, "source": {"format": "json", "path": path}}
        for name, path in sources.items()
    }
    return Settings.parse({"streams": streams}, root=root)


def test_the_same_sources_go_on_with_their_checkpoint(tmp_path: Path) -> None:
    first = current_generation(settings(tmp_path, air="in"), tmp_path, None)
    assert (first.base, first.checkpoint) == (1, tmp_path / "generation-000000" / "checkpoint")
    assert current_generation(settings(tmp_path, air="in"), tmp_path, 7) == first


def test_other_sources_begin_a_generation_that_counts_on(tmp_path: Path) -> None:
    current_generation(settings(tmp_path, air="in"), tmp_path, None)
    second = current_generation(settings(tmp_path, air="in", door="doors"), tmp_path, 7)
    assert (second.base, second.checkpoint.parent.name) == (8, "generation-000001")
    assert second.heartbeats == tmp_path / "generation-000001" / "heartbeats"


def test_what_spark_has_planned_may_have_begun(tmp_path: Path) -> None:
    generation = current_generation(settings(tmp_path, air="in"), tmp_path, 4)
    assert begun_batch(generation) == 4
    offsets = generation.checkpoint / "offsets"
    offsets.mkdir(parents=True)
    for name in ("0", "1", "10", ".10.crc"):
        (offsets / name).touch()
    assert begun_batch(generation) == generation.base + 10


def test_when_a_batch_was_planned_is_what_spark_has_noted(tmp_path: Path) -> None:
    generation = current_generation(settings(tmp_path, air="in"), tmp_path, 4)
    offsets = generation.checkpoint / "offsets"
    offsets.mkdir(parents=True)
    (offsets / "1").write_text('v1\n{"batchWatermarkMs":0,"batchTimestampMs":1767225600500}\n{"logOffset":0}\n')
    (offsets / "2").touch()
    assert planned_at(generation, generation.base + 1) == datetime(2026, 1, 1, microsecond=500_000, tzinfo=UTC)
    before = datetime.now(UTC)
    for unknown in (2, 3):
        assert before <= planned_at(generation, generation.base + unknown) <= datetime.now(UTC)
