"""The driver between tasks: order of arrival, what counts, and where it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sharding.hosted_queries import HostingPlan
from kaicep.pipeline.sharding.sharded_flow import HostedBatch, ShardedFlow, run_here
from kaicep.storage import SharedFolder, is_transient
from kaicep.storage.shared import bucket_client
from support.buckets import ObjectStorage
from support.keyed import keyed_batches
from support.sharded import SideBySide, plan_of
from support.shards import FOLLOWS, PROJECT, reading, split_of


def pairs(batch: HostedBatch) -> list[tuple[str, str]]:
    return [(row["a"], row["b"]) for row in batch.matches["follows"].to_pylist()]


def test_splits_count_in_the_order_of_arrival(tmp_path: Path) -> None:
    """And not in that in which they are given; the last one is late behind the others."""
    flow = ShardedFlow(plan_of(PROJECT, FOLLOWS, 2), tmp_path)
    splits = [
        split_of(tmp_path, 2, [reading("late", 1)]),
        split_of(tmp_path, 1, [reading("c", 8)]),
        split_of(tmp_path, 0, [reading("a", 3), reading("a", 3)]),
    ]
    found = flow.process(splits)
    assert (found.streams["P"].late, found.streams["P"].duplicates, found.streams["P"].events) == (1, 1, 2)
    assert pairs(flow.process([], ends=True)) == [("a", "c")]


def test_identities_are_asked_for_only_where_one_may_come_again_or_late(tmp_path: Path) -> None:
    """Else what was seen is written while shards answer: a batch is one job less."""
    jobs: list[str] = []

    def noting(plan: HostingPlan, part: Any, work: Sequence[Any], folder: SharedFolder, name: str) -> list[Any]:
        jobs.extend([name.partition("-")[2]] if work else [])
        return run_here(plan, part, work, folder, name)

    flow = ShardedFlow(plan_of(PROJECT, FOLLOWS, 2), tmp_path, noting)
    in_order = [split_of(tmp_path, 0, [reading("a", 1), reading("b", 3)]), split_of(tmp_path, 1, [reading("c", 4)])]
    assert flow.process(in_order).streams["P"].events == 3
    assert jobs == ["split", "shard"]
    jobs.clear()
    again = flow.process([split_of(tmp_path, 0, [reading("b", 3), reading("c", 4), reading("d", 5)])])
    assert (again.streams["P"].duplicates, again.streams["P"].events) == (2, 1)  # what was seen had been written
    assert jobs == ["split", "identity", "shard"]


def test_a_batch_that_does_not_count_is_done_again(tmp_path: Path) -> None:
    """Whatever a task has left that failed, and wherever the driver begins anew."""
    plan = plan_of(PROJECT, FOLLOWS, 2)
    ShardedFlow(plan, tmp_path).process([split_of(tmp_path, 0, [reading("a", 1)])])

    def failing(plan: HostingPlan, part: Any, work: Sequence[Any], folder: SharedFolder, name: str) -> list[Any]:
        reports = run_here(plan, part, work, folder, name)
        if "shard" in name:
            raise ZeroDivisionError
        return reports

    splits = [split_of(tmp_path, 0, [reading("b", 2), reading("c", 9)])]
    broken = ShardedFlow(plan, tmp_path, failing)
    with pytest.raises(ZeroDivisionError):
        broken.process(splits)
    again = ShardedFlow(plan, tmp_path)
    assert again.state.batch == 0
    assert pairs(again.process(splits)) == [("a", "b")]
    assert again.state.batch == 1
    assert pairs(ShardedFlow(plan, tmp_path).process([], ends=True)) == [("a", "c"), ("b", "c")]


def test_files_that_no_longer_count_are_removed(tmp_path: Path) -> None:
    flow = ShardedFlow(plan_of(PROJECT, FOLLOWS, 2), tmp_path)
    for second in range(6):
        flow.process([split_of(tmp_path, 0, [reading("a", second)])])
    assert len(list(tmp_path.glob("*.parts"))) < 12
    assert flow.state.files <= {path.name for path in tmp_path.glob("*.parts")}


def test_a_silent_stream_is_moved_on(tmp_path: Path) -> None:
    flow = ShardedFlow(plan_of(PROJECT, FOLLOWS, 2), tmp_path)
    first = flow.process([split_of(tmp_path, 0, [reading("a", 1), reading("b", 2)])])
    assert pairs(first) == []
    moved = flow.process([], advances={"P": datetime(2024, 1, 1, 0, 0, 9, tzinfo=UTC)})
    assert pairs(moved) == [("a", "b")]
    assert flow.process([split_of(tmp_path, 0, [reading("c", 5)])]).streams["P"].late == 1


RUNS = """
    CREATE QUERY runs AS SELECT ?a.id AS a, COUNT(?b) AS n FROM (?a, P), (?b, P)
    WHERE { SEQ (?a -> ?b{1,2; ->}) FILTER (?a.v > 6) FILTER (?b.v < 6) WINDOW (?a, ?b, 30s) } PARTITION BY car
"""


def test_rows_wait_for_what_may_still_grow_in_another_shard(tmp_path: Path) -> None:
    """Also where the driver begins anew meanwhile; each row once, in order."""
    plan = plan_of(PROJECT, RUNS, 8)
    long = [reading("a", 1, car=1, v=7), reading("b", 2, car=1)]
    short = [reading("c", 3, car=2, v=7), reading("d", 4, car=2), reading("e", 5, car=2)]
    first = ShardedFlow(plan, tmp_path).process([split_of(tmp_path, 0, [*long, *short, reading("x", 20, car=3, v=0)])])
    assert first.matches["runs"].num_rows == 0
    waiting = ShardedFlow(plan, tmp_path)
    assert waiting.state.waiting.keys() == {"runs"}
    assert waiting.state.waiting["runs"] in {path.name for path in tmp_path.glob("*.parts")}
    last = waiting.process([split_of(tmp_path, 0, [reading("f", 21, car=1), reading("y", 40, car=3, v=0)])])
    assert [row["a"] for row in last.matches["runs"].to_pylist()] == ["c", "a"]
    assert not waiting.state.waiting
    assert ShardedFlow(plan, tmp_path).process([], ends=True).matches["runs"].num_rows == 0


def test_of_two_drivers_one_goes_on(tmp_path: Path) -> None:
    """The other one is told, whether it comes second or finds the files of its state removed."""
    plan = plan_of(PROJECT, FOLLOWS, 2)
    ShardedFlow(plan, tmp_path).process([split_of(tmp_path, 0, [reading("a", 1)])])
    one, two, three = (ShardedFlow(plan, tmp_path) for _ in range(3))
    splits = [split_of(tmp_path, 0, [reading("b", 2), reading("c", 9)])]

    def late(plan: HostingPlan, part: Any, work: Sequence[Any], folder: SharedFolder, name: str) -> list[Any]:
        reports = run_here(plan, part, work, folder, name)
        if "shard" in name:
            assert pairs(one.process(splits)) == [("a", "b")]
        return reports

    two._run = late
    with pytest.raises(PipelineError, match=r"another driver has done batch 1 in .*: let one of them run"):
        two.process(splits)
    with pytest.raises(PipelineError, match=r"another driver has done batch 1 in "):
        three.process(splits)
    assert pairs(one.process([], ends=True)) == [("a", "c"), ("b", "c")]


@pytest.mark.parametrize("seed", [1, 2])
def test_in_a_bucket_it_is_the_same(tmp_path: Path, object_storage: ObjectStorage, seed: int) -> None:
    """Rows, their order, calls, watermarks and counts, also where the driver begins anew."""
    both = SideBySide(plan_of(PROJECT, FOLLOWS, 3), tmp_path, Random(seed), parts=object_storage.folder("flow"))
    for batch in keyed_batches(Random(seed)):
        both.take(batch)
    both.take({}, ends=True)
    assert both.rows


def test_a_bucket_may_be_away_for_a_while(tmp_path: Path, object_storage: ObjectStorage) -> None:
    folder = object_storage.folder("flow")
    flow = ShardedFlow(plan_of(PROJECT, FOLLOWS, 2), folder)
    flow.process([split_of(tmp_path, 0, [reading("a", 1)])])
    object_storage.stop()
    back = Timer(1.0, object_storage.start)
    back.start()
    found = flow.process([split_of(tmp_path, 0, [reading("b", 2), reading("c", 9)])])
    back.join()
    assert pairs(found) == [("a", "b")]


def test_a_bucket_that_stays_away_ends_the_batch(
    tmp_path: Path, object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As what passes; whoever begins again goes on from the batch before."""
    folder, plan = object_storage.folder("flow"), plan_of(PROJECT, FOLLOWS, 2)
    flow = ShardedFlow(plan, folder)
    flow.process([split_of(tmp_path, 0, [reading("a", 1)])])
    monkeypatch.setattr(bucket_client, "PATIENCE_S", 0.5)
    splits = [split_of(tmp_path, 0, [reading("b", 2), reading("c", 9)])]

    def failing(plan: HostingPlan, part: Any, work: Sequence[Any], folder: SharedFolder, name: str) -> list[Any]:
        if "shard" in name:
            object_storage.stop()
        return run_here(plan, part, work, folder, name)

    flow._run = failing
    with pytest.raises(PipelineError, match=r"s3://.*does not answer: .*see to the storage and begin again") as told:
        flow.process(splits)
    assert is_transient(told.value)
    object_storage.start()
    again = ShardedFlow(plan, folder)
    assert again.state.batch == 0
    assert pairs(again.process(splits)) == [("a", "b")]
    assert pairs(again.process([], ends=True)) == [("a", "c"), ("b", "c")]
