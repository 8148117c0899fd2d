"""Splits of raw records and registered queries in; rows out, as one data flow has them, found in shards by tasks."""

from __future__ import annotations

from .hosted_queries import HostedQueries, HostingPlan, hosted
from .keys import shard_of, sharding_key, why_one_shard, why_one_shard_together
from .query_unit import QueryUnit, units_of
from .sharded_flow import HostedBatch, ShardedFlow, TaskRunner
from .split_part import Split

__all__ = [
    "HostedBatch",
    "HostedQueries",
    "HostingPlan",
    "QueryUnit",
    "ShardedFlow",
    "Split",
    "TaskRunner",
    "hosted",
    "shard_of",
    "sharding_key",
    "units_of",
    "why_one_shard",
    "why_one_shard_together",
]
