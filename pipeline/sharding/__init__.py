"""Splits of raw records and registered queries in; rows out, as one data flow has them, found in shards by tasks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .keys import shard_of, sharding_key, why_one_shard, why_one_shard_together
from .query_unit import QueryUnit, units_of

if TYPE_CHECKING:
    from .hosted_queries import Failures, HostedQueries, HostingPlan, hosted
    from .hosting_state import HostingState, QueryTold, left_behind, state_of, state_text
    from .log_part import HIDDEN, LogReport
    from .shard_part import ShardReport
    from .sharded_flow import FEW_ROWS, WRITTEN_KNOWLEDGE, HostedBatch, ShardedFlow, StreamCounts, TaskRunner, run_here
    from .split_part import SplitReport
    from .split_reading import Split, told_records

_LATER = {
    "FEW_ROWS": ".sharded_flow",
    "Failures": ".hosted_queries",
    "HIDDEN": ".log_part",
    "HostedBatch": ".sharded_flow",
    "HostedQueries": ".hosted_queries",
    "HostingPlan": ".hosted_queries",
    "HostingState": ".hosting_state",
    "LogReport": ".log_part",
    "QueryTold": ".hosting_state",
    "ShardReport": ".shard_part",
    "ShardedFlow": ".sharded_flow",
    "Split": ".split_reading",
    "SplitReport": ".split_part",
    "StreamCounts": ".sharded_flow",
    "TaskRunner": ".sharded_flow",
    "WRITTEN_KNOWLEDGE": ".sharded_flow",
    "hosted": ".hosted_queries",
    "left_behind": ".hosting_state",
    "run_here": ".sharded_flow",
    "state_of": ".hosting_state",
    "state_text": ".hosting_state",
    "told_records": ".split_reading",
}

__all__ = [
    "FEW_ROWS",
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
    "left_behind",
    "run_here",
    "shard_of",
    "sharding_key",
    "state_of",
    "state_text",
    "told_records",
    "units_of",
    "why_one_shard",
    "why_one_shard_together",
]


def __getattr__(name: str) -> object:
    """What answers in shards, on first use: who asks by what queries are cut needs no part, no log, no folder."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
