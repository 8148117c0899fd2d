"""What executors have done adds up, report by report."""

from __future__ import annotations

from pathlib import Path

from kaicep.pipeline.executors.executor_figures import counted
from kaicep.pipeline.monitoring import ExecutorStatus
from kaicep.pipeline.sharding.hosted_queries import StatePlace
from kaicep.pipeline.sharding.log_part import LogReport
from kaicep.pipeline.sharding.shard_part import ShardReport
from kaicep.pipeline.sharding.split_part import SplitReport
from kaicep.pipeline.sharding.split_reading import Split


def test_each_kind_of_work_is_counted() -> None:
    status = ExecutorStatus()
    split = SplitReport(Split("P", 0, Path("1.json")), "a.parts", 7, None, 0, 0, 0, ())
    states = (StatePlace("b.parts", "q", 0), StatePlace("b.parts", "q", 1))
    for report in (split, ShardReport("b.parts", states, {}, {}, (), {}, {}), LogReport("P", None, 5, 0), None):
        status = counted(status, report, 0.5)
    assert status == ExecutorStatus(tasks=4, splits=1, records=7, shards=2, logged=5, seconds=2.0)
