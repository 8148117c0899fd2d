"""How far ahead of the wall clock an event may be: one of the year 9999 would make all that follow late.

Source: `message.timestamp.after.max.ms` of Kafka's topics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import AnnotatedBatch
from ...config import StreamSettings
from ...planner import duration_in_words

__all__ = ["refuse_ahead"]


def refuse_ahead(
    events: Mapping[str, AnnotatedBatch], streams: Mapping[str, StreamSettings], now: datetime, latest: datetime | None
) -> dict[str, AnnotatedBatch]:
    """Refuse the events of streams that are more than `max_ahead` ahead of the wall clock.

    A clock that was put back says nothing of the time: it bounds nothing until it is where it was.

    Args:
        events: annotated tuples by stream.
        streams: their settings.
        now: wall clock, when the batch was planned: a batch that is delivered again is judged as it was.
        latest: the latest wall clock of the batches before; `None`: there was none.
    """
    back = timedelta(0) if latest is None else latest - now
    bounded = {name for name in events if timedelta.max > streams[name].max_ahead >= back}
    return {n: _bounded(batch, streams[n], now) if n in bounded else batch for n, batch in events.items()}


def _bounded(batch: AnnotatedBatch, stream: StreamSettings, now: datetime) -> AnnotatedBatch:
    times = batch.events["_time"]
    try:
        ahead = pc.greater(times, pa.scalar(now + stream.max_ahead, times.type))
    except OverflowError:
        return batch  # the bound lies beyond the calendar
    if not pc.any(ahead).as_py():
        return batch
    why = f"more than {duration_in_words(stream.max_ahead)} ahead of the wall clock, {_text(now)} (max_ahead)"
    found = batch.events.filter(ahead).select(["_row", "_time"])
    reasons = [f"{stream.time.attribute}: {_text(time)} is {why}" for time in found["_time"].to_pylist()]
    refused = pa.table({"row": found["_row"], "reason": pa.array(reasons, pa.string())})
    return replace(
        batch,
        events=batch.events.filter(pc.invert(ahead)),
        rejected=pa.concat_tables([batch.rejected, refused]).sort_by("row"),
    )


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
