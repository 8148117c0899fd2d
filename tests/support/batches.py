"""Batches of raw tuples and of the past, given to a data flow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa
from kaicep.pipeline.flow.backfill import Backfill
from kaicep.pipeline.flow.batch import Batch, live_batch
from kaicep.pipeline.flow.batch_result import BatchResult
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.sources.memory_source import RawTuples, raw_table

__all__ = ["at_end", "ended", "pieces", "processed"]


def processed(dataflow: Dataflow, tuples: Mapping[str, RawTuples]) -> BatchResult:
    """What a live batch of raw tuples brings."""
    return dataflow.process(live_batch(dataflow.annotators, {name: raw_table(own) for name, own in tuples.items()}))


def at_end(dataflow: Dataflow) -> BatchResult:
    """What the end of all streams brings."""
    return dataflow.process(Batch(ends=True))


def ended(dataflow: Dataflow) -> dict[str, pa.Table]:
    """The rows that the end of all streams makes certain, by label."""
    return at_end(dataflow).matches


def pieces(backfill: Backfill) -> Iterator[dict[str, pa.Table]]:
    """The rows of the past by label, piece by piece."""
    for batch in backfill.batches():
        yield backfill.dataflow.process(batch).matches
