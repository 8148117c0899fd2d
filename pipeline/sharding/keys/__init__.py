"""Checked queries in; out by which values what they look at may be cut into shards, or why it may not."""

from __future__ import annotations

from .key_claims import is_calendar
from .repeated_identities import first_ones
from .shard_key import ShardKey, sharding_key, why_one_shard
from .unit_key import UnitKey, common_key, why_one_shard_together
from .value_hash import shard_of

__all__ = [
    "ShardKey",
    "UnitKey",
    "common_key",
    "first_ones",
    "is_calendar",
    "shard_of",
    "sharding_key",
    "why_one_shard",
    "why_one_shard_together",
]
