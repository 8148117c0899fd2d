"""Splits of raw records and registered queries in; rows out, as one data flow has them, found in shards by tasks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .keys import shard_of, sharding_key, why_one_shard, why_one_shard_together
from .query_unit import QueryUnit, units_of

if TYPE_CHECKING:
    from .hosted_queries import Failures, HostedQueries, HostingPlan, StatePlace, hosted
    from .hosting_state import PARTS, HostingState, QueryTold, SetTold, left_behind, state_of, state_text, told_together
    from .identity_part import EarlierEvents, LoggedBefore, seen_parts
    from .log_part import LogReport
    from .part_file import Part, PartName, write_parts
    from .row_merge import with_moments
    from .shard_part import ShardReport, read_state, state_parts, told_of_query, told_of_sets
    from .sharded_flow import (
        FEW_ROWS,
        WRITTEN_KNOWLEDGE,
        HostedBatch,
        ShardedFlow,
        StreamCounts,
        Sweep,
        TaskRunner,
        run_here,
    )
    from .split_part import SplitReport, of_shard
    from .split_reading import Split, collected_parts, handed_parts, read_split, told_records

_LATER = {
    "FEW_ROWS": ".sharded_flow",
    "collected_parts": ".split_reading",
    "EarlierEvents": ".identity_part",
    "Failures": ".hosted_queries",
    "handed_parts": ".split_reading",
    "hosted": ".hosted_queries",
    "HostedBatch": ".sharded_flow",
    "HostedQueries": ".hosted_queries",
    "HostingPlan": ".hosted_queries",
    "HostingState": ".hosting_state",
    "LoggedBefore": ".identity_part",
    "LogReport": ".log_part",
    "of_shard": ".split_part",
    "Part": ".part_file",
    "PartName": ".part_file",
    "PARTS": ".hosting_state",
    "QueryTold": ".hosting_state",
    "read_split": ".split_reading",
    "read_state": ".shard_part",
    "run_here": ".sharded_flow",
    "seen_parts": ".identity_part",
    "SetTold": ".hosting_state",
    "ShardedFlow": ".sharded_flow",
    "ShardReport": ".shard_part",
    "Split": ".split_reading",
    "SplitReport": ".split_part",
    "left_behind": ".hosting_state",
    "state_of": ".hosting_state",
    "state_parts": ".shard_part",
    "state_text": ".hosting_state",
    "StatePlace": ".hosted_queries",
    "StreamCounts": ".sharded_flow",
    "Sweep": ".sharded_flow",
    "TaskRunner": ".sharded_flow",
    "told_of_query": ".shard_part",
    "told_of_sets": ".shard_part",
    "told_records": ".split_reading",
    "told_together": ".hosting_state",
    "with_moments": ".row_merge",
    "write_parts": ".part_file",
    "WRITTEN_KNOWLEDGE": ".sharded_flow",
}

__all__ = [
    "FEW_ROWS",
    "PARTS",
    "WRITTEN_KNOWLEDGE",
    "EarlierEvents",
    "Failures",
    "HostedBatch",
    "HostedQueries",
    "HostingPlan",
    "HostingState",
    "LogReport",
    "LoggedBefore",
    "Part",
    "PartName",
    "QueryTold",
    "QueryUnit",
    "SetTold",
    "ShardReport",
    "ShardedFlow",
    "Split",
    "SplitReport",
    "StatePlace",
    "StreamCounts",
    "Sweep",
    "TaskRunner",
    "collected_parts",
    "handed_parts",
    "hosted",
    "left_behind",
    "of_shard",
    "read_split",
    "read_state",
    "run_here",
    "seen_parts",
    "shard_of",
    "sharding_key",
    "state_of",
    "state_parts",
    "state_text",
    "told_of_query",
    "told_of_sets",
    "told_records",
    "told_together",
    "units_of",
    "why_one_shard",
    "why_one_shard_together",
    "with_moments",
    "write_parts",
]


def __getattr__(name: str) -> object:
    """What answers in shards, on first use: who asks by what queries are cut needs no part, no log, no folder."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
