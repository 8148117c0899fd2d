"""What of a flow goes into a snapshot, and what is known of it after a restart."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from ..flow import StreamMoments

__all__ = ["HOSTING", "MOMENTS", "FlowState", "RestoredState", "moments_of", "moments_part"]

MOMENTS = "moments"
"""What a snapshot and the journal call where the streams were."""

HOSTING = "hosting"
"""What a snapshot calls where executors have left the state of queries."""


@dataclass(frozen=True, slots=True)
class FlowState:
    """What of a flow goes into a snapshot, by name.

    Attributes:
        operators: of streams and queries, counts, the version of the knowledge: a replay of the log gives it again,
            `None`: and will.
        later: gives these from any thread, if they are to be written beside the next batches.
        noted: of queries that are with their past still, counts, where the streams are: it is small, is noted with each
            batch, and says what of the log gives the rest.
    """

    operators: Mapping[str, bytes] | None
    noted: Mapping[str, bytes]
    later: Callable[[], Mapping[str, bytes]] | None = None


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


def moments_part(moments: StreamMoments) -> bytes:
    """Where streams are, for the checkpoint."""
    return json.dumps({s: [None if m is None else m.isoformat() for m in of] for s, of in moments.items()}).encode()


def moments_of(parts: Mapping[str, bytes]) -> StreamMoments | None:
    """Where streams were, among the parts of a checkpoint; `None`: an earlier version has not noted it."""
    if MOMENTS not in parts:
        return None
    content = json.loads(parts[MOMENTS])
    return {stream: (_moment(greatest), _moment(floor)) for stream, (greatest, floor) in content.items()}


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
