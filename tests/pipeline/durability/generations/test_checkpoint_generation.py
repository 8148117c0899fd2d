"""A checkpoint of Spark's serves as long as the sources stay the same; batches are counted over all of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.errors import PipelineError
from kaicep.pipeline.durability.generations import checkpoint_generation
from kaicep.pipeline.durability.generations.checkpoint_generation import Generation, current_generation, planned_at
from support.recorded_spark import RecordedSpark


def settings(root: Path, **sources: str) -> Settings:
    streams: dict[str, Any] = {
        name: {"event_type": "<urn:R>", "time": {"attribute": "at"}, "source": {"format": "json", "path": path}}
        for name, path in sources.items()
    }
    return Settings.parse({"streams": streams}, root=root)


def plan(generation: Generation, root: Path, batches: int, *, done: bool = True) -> None:
    """Let Spark plan batches of a file each."""
    (root / "in").mkdir(exist_ok=True)
    generation.heartbeats.mkdir(exist_ok=True)
    spark = RecordedSpark(generation.checkpoint, [root / "in", generation.heartbeats])
    for number in range(batches):
        (root / f"in/{number}.json").touch()
        spark.plan()
        if done or number < batches - 1:
            spark.commit()


def begun(root: Path, batches: int = 3, *, done: bool = True) -> Generation:
    """A generation that Spark has done batches of."""
    generation = current_generation(settings(root, air="in"), root, None)
    plan(generation, root, batches, done=done)
    return generation


def test_the_same_sources_go_on_with_their_checkpoint(tmp_path: Path) -> None:
    first = begun(tmp_path)
    assert (first.base, first.checkpoint) == (1, tmp_path / "generation-000000" / "checkpoint")
    assert current_generation(settings(tmp_path, air="in"), tmp_path, 3) == first


def test_sources_may_change_before_spark_has_planned_anything(tmp_path: Path) -> None:
    first = current_generation(settings(tmp_path, s="in"), tmp_path, None)
    assert first.base == 1
    assert current_generation(settings(tmp_path, s="in"), tmp_path, 0) == first
    second = current_generation(settings(tmp_path, s="other"), tmp_path, 4)
    assert second.base == 5
    assert second.checkpoint != first.checkpoint


def test_a_batch_that_was_planned_and_not_done_is_delivered_again(tmp_path: Path) -> None:
    first = begun(tmp_path, done=False)
    for last in (2, 3):  # it may have been begun, or not
        assert current_generation(settings(tmp_path, air="in"), tmp_path, last) == first
    assert first.begun == 3


def test_other_sources_begin_a_generation_that_counts_on(tmp_path: Path) -> None:
    begun(tmp_path, 7)
    second = current_generation(settings(tmp_path, air="in", door="doors"), tmp_path, 7)
    assert (second.base, second.checkpoint.parent.name) == (8, "generation-000001")
    assert second.heartbeats == tmp_path / "heartbeats"
    assert second.begun == 7


def _lose_the_last(root: Path) -> None:
    for folder in ("offsets", "commits"):
        (root / f"generation-000000/checkpoint/{folder}/2").unlink()


def _move(root: Path) -> None:
    content = json.loads((root / "generation-000000/generation.json").read_text())
    assert content["root"] == str(root)
    (root / "generation-000000/generation.json").write_text(json.dumps(content | {"root": "/elsewhere"}))


REASONS: dict[str, tuple[Callable[[Path], object], str]] = {
    "damaged": (
        lambda root: (root / "generation-000000/checkpoint/offsets/2").write_bytes(b""),
        "Spark's checkpoint is damaged (",
    ),
    "behind": (_lose_the_last, "Spark's checkpoint ends with batch 2, and batch 3 was begun"),
    "moved": (_move, "the project was moved from /elsewhere"),
    "unreadable": (
        lambda root: (root / "generation-000000/generation.json").write_bytes(b""),
        "generation-000000/generation.json cannot be read",
    ),
}


@pytest.mark.parametrize(("harm", "reason"), REASONS.values(), ids=list(REASONS))
def test_a_checkpoint_that_serves_no_more_is_begun_anew_and_that_is_said(
    tmp_path: Path, harm: Callable[[Path], object], reason: str
) -> None:
    begun(tmp_path)
    harm(tmp_path)
    told: list[str] = []
    anew = current_generation(settings(tmp_path, air="in"), tmp_path, 3, told.append)
    assert (anew.base, anew.begun, anew.checkpoint.parent.name) == (4, 3, "generation-000001")
    (line,) = told
    assert reason in line
    assert line.endswith(": the sources are listed anew, and what was read is passed over")
    assert current_generation(settings(tmp_path, air="in"), tmp_path, 3, told.append) == anew
    assert len(told) == 1


def test_a_checkpoint_that_has_done_what_is_lost_is_begun_anew(tmp_path: Path) -> None:
    """The archive was restored from a backup: what Spark has read since is read again."""
    begun(tmp_path)
    told: list[str] = []
    anew = current_generation(settings(tmp_path, air="in"), tmp_path, 2, told.append)
    assert anew.base == 3
    assert told[0].startswith("recovery: Spark's checkpoint has batch 3, and what is kept ends with 2: ")


def test_an_archiver_counts_on_by_itself(tmp_path: Path) -> None:
    begun(tmp_path)
    (tmp_path / "generation-000000/checkpoint/metadata").write_bytes(b"")
    assert current_generation(settings(tmp_path, air="in"), tmp_path, None).base == 4


def test_a_batch_s_files_have_names_that_may_move_with_the_project(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/ü 1.json").touch()
    of = begun(tmp_path, 1)
    assert of.files(1, settings(tmp_path, air="in")) == {
        "air": {
            "in/0.json": f"file://{tmp_path}/in/0.json",
            "in/ü 1.json": f"file://{tmp_path}/in/%C3%BC%201.json",
        }
    }


def test_of_a_batch_that_is_not_noted_nobody_says_which_files_it_has(tmp_path: Path) -> None:
    """Who takes it for one without files would lose them."""
    of = begun(tmp_path, 1)
    with pytest.raises(PipelineError, match=r"which files batch 2 has cannot be read .*: start again: where it is dam"):
        of.files(2, settings(tmp_path, air="in"))


def test_a_checkpoint_that_remembers_too_much_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Spark remembers of files is bounded by the files that are there."""
    monkeypatch.setattr(checkpoint_generation, "_MANY_FILES", 6)
    of = begun(tmp_path, 8)
    for number in range(5):
        (tmp_path / f"in/{number}.json").unlink()
    assert not of.is_worn()
    assert current_generation(settings(tmp_path, air="in"), tmp_path, 8) == of
    (tmp_path / "in/5.json").unlink()
    assert of.is_worn()
    told: list[str] = []
    anew = current_generation(settings(tmp_path, air="in"), tmp_path, 8, told.append)
    assert (anew.base, anew.is_worn()) == (9, False)
    assert told[0].startswith("recovery: 6 files that Spark remembers are gone: ")


def test_generations_that_serve_no_more_go(tmp_path: Path) -> None:
    for number in range(4):
        current_generation(settings(tmp_path, air=f"in{number}"), tmp_path, number)
    assert sorted(path.name for path in tmp_path.glob("generation-*")) == ["generation-000002", "generation-000003"]


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


def with_topic(root: Path, topic: str, servers: str = "b:1") -> Settings:
    kafka = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "source": {"kafka": {"servers": servers}}}
    kafka["source"]["kafka"]["topics"] = topic  # type: ignore[index]  # of the tables above
    files = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "source": {"format": "json", "path": "in"}}
    return Settings.parse({"streams": {"air": kafka, "door": files}}, root=root)


def plan_topic(generation: Generation, *offsets: int) -> None:
    """What Spark notes of batches of a topic and of files; the notes of its own connector are not about files."""
    notes = {"metadata": '{"id":"1"}', "sources/0/0": '\0v1\n{"air":{"0":0}}'}
    for number, offset in enumerate(offsets):
        notes |= {f"offsets/{number}": f'v1\n{{}}\n{{"air":{{"0":{offset}}}}}\n-\n-', f"commits/{number}": "v1\n{}"}
    for name, text in notes.items():
        (generation.checkpoint / name).parent.mkdir(parents=True, exist_ok=True)
        (generation.checkpoint / name).write_text(text)


def test_up_to_where_a_batch_reads_topics_is_what_spark_has_noted(tmp_path: Path) -> None:
    own = with_topic(tmp_path, "air")
    generation = current_generation(own, tmp_path, None)
    plan_topic(generation, 3, 9)
    assert generation.offsets(1, own) == {"air": {"air": {"0": 3}}}
    assert generation.offsets(2, own) == {"air": {"air": {"0": 9}}}
    assert generation.offsets(3, own) == {}
    assert generation.files(2, own) == {"air": {}, "door": {}}
    assert current_generation(own, tmp_path, 2) == generation


def test_a_checkpoint_of_other_topics_is_begun_anew_and_one_of_other_servers_is_not(tmp_path: Path) -> None:
    first = current_generation(with_topic(tmp_path, "air"), tmp_path, None)
    plan_topic(first, 3)
    assert current_generation(with_topic(tmp_path, "air", "other:1"), tmp_path, 1) == first
    assert current_generation(with_topic(tmp_path, "wind"), tmp_path, 1).base == 2


def test_where_a_generation_begins_topics_is_noted_beside_its_checkpoint(tmp_path: Path) -> None:
    own = with_topic(tmp_path, "air")
    generation = replace(current_generation(own, tmp_path, None), read={"air": {"air": {"0": 7}}})
    assert generation.began(own) == {}
    (start,) = generation.starts(own).values()
    assert (start.note.parent.parent, start.read) == (generation.checkpoint.parent, {"air": {"0": 7}})
    start.note.parent.mkdir()
    start.note.write_text('{"air": {"0": 7}}')
    assert generation.began(own) == {"air": {"air": {"0": 7}}}
