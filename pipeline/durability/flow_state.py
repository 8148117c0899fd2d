"""What of a flow goes into a snapshot, and what is known of it after a restart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["FlowState", "RestoredState"]


@dataclass(frozen=True, slots=True)
class FlowState:
    """What of a flow goes into a snapshot, by name.

    Attributes:
        operators: of streams and queries, counts, the version of the knowledge: a replay of the log gives it again,
            `None`: and will.
        backfilled: of queries that are with their past still, and counts: no replay gives it.
    """

    operators: Mapping[str, bytes] | None
    backfilled: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class RestoredState:
    """What is known of the end of a batch.

    Attributes:
        batch: the last one up to it that has a snapshot; 0: none has.
        operators: the parts of that snapshot.
        reported: the last batch whose rows the sinks have.
        delivered: where sinks and backfilled queries were then.
    """

    batch: int
    operators: Mapping[str, bytes]
    reported: int
    delivered: Mapping[str, bytes]
