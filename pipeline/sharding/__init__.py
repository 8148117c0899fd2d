"""Splits of raw records and registered queries in; rows out, as one data flow has them, found in shards by tasks."""

from __future__ import annotations

from .hosted_queries import Failures, HostedQueries, HostingPlan, hosted
from .hosting_state import HostingState, QueryTold, state_of, state_text, sweep
from .keys import shard_of, sharding_key, why_one_shard, why_one_shard_together
from .log_part import HIDDEN, LogReport
from .query_unit import QueryUnit, units_of
from .shard_part import ShardReport
from .sharded_flow import WRITTEN_KNOWLEDGE, HostedBatch, ShardedFlow, StreamCounts, TaskRunner, run_here
from .split_part import SplitReport
from .split_reading import Split, told_records

__all__ = [
    "HIDDEN",
    "WRITTEN_KNOWLEDGE",
    "Failures",
    "HostedBatch",
    "HostedQueries",
    "HostingPlan",
    "HostingState",
    "LogReport",
    "QueryTold",
    "QueryUnit",
    "ShardReport",
    "ShardedFlow",
    "Split",
    "SplitReport",
    "StreamCounts",
    "TaskRunner",
    "hosted",
    "run_here",
    "shard_of",
    "sharding_key",
    "state_of",
    "state_text",
    "sweep",
    "told_records",
    "units_of",
    "why_one_shard",
    "why_one_shard_together",
]
