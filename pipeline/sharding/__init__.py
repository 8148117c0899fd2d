"""Splits of raw records and registered queries in; rows out, as one data flow has them, found in shards by tasks."""

from __future__ import annotations

from .hosted_queries import HostedQueries, HostingPlan, hosted
from .shard_key import shard_of, sharding_key, why_one_shard
from .sharded_flow import HostedBatch, ShardedFlow, TaskRunner
from .split_part import Split

__all__ = [
    "HostedBatch",
    "HostedQueries",
    "HostingPlan",
    "ShardedFlow",
    "Split",
    "TaskRunner",
    "hosted",
    "shard_of",
    "sharding_key",
    "why_one_shard",
]
