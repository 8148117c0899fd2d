"""A batch on its way into the data flow: the one thing that is processed, wherever it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

import pyarrow as pa

from ...annotator import AnnotatedBatch, Annotator, EventShape, event_shape
from ...language.nodes import StreamType
from ...ontology import KnowledgeBase
from ...planner import BackfillChunk
from ...semfilter import SemanticFilter
from .idle_streams import IdleStreams

if TYPE_CHECKING:
    from .answering import RowTargets  # who only compiles queries answers none

__all__ = ["Batch", "BatchSource", "Judgement", "live_batch"]


class BatchSource(Enum):
    """Where a batch comes from."""

    LIVE = "live"
    SPOOL = "spool"
    """What was missed while no engine ran."""
    LOG = "log"
    """A replay of what was processed before."""
    BACKFILL = "backfill"
    STATE = "state"
    """What operators have to know of the past to go on; the sinks have its rows."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """By what events are judged.

    Attributes:
        annotators: by stream name, compiled against the knowledge.
        knowledge: what PATHs are evaluated against.
        filters: (label, event variable) → semantic filter over it, where there is one; the others are compiled.
    """

    annotators: Mapping[str, Annotator]
    knowledge: KnowledgeBase
    filters: Mapping[tuple[str, str], SemanticFilter] = field(default_factory=lambda: MappingProxyType({}))

    def shape(self, stream: StreamType) -> EventShape:
        """How the events of a stream, a source or the output of a query, become triples."""
        annotator = self.annotators.get(stream.name)
        return event_shape(stream, self.knowledge) if annotator is None else annotator.shape


@dataclass(frozen=True, slots=True)
class Batch:
    """What the data flow processes at once.

    Attributes:
        events: annotated tuples by stream, in order of arrival; in a replay the late ones among them.
        source: where it comes from.
        judged_by: what judges it and all after it; `None`: what is in force.
        idle: hears which streams bring events, and tells where the watermarks of the others are moved.
        advances: where they are moved instead, by stream: as it was recorded; `None`: as `idle` tells.
        past: a piece of the past, whose events were admitted when they came.
        ends: every stream ends with it; whatever comes later is late.
        number: its own among those of an engine; 0: it is none of them.
        targets: by query label, how tasks write its rows, if there are tasks; `None`: they are needed on the driver.
    """

    events: Mapping[str, AnnotatedBatch] = field(default_factory=dict)
    source: BatchSource = BatchSource.LIVE
    judged_by: Judgement | None = None
    idle: IdleStreams | None = None
    advances: Mapping[str, datetime] | None = None
    past: BackfillChunk | None = None
    ends: bool = False
    number: int = 0
    targets: Callable[[str], RowTargets | None] = lambda _: None

    @property
    def collected(self) -> bool:
        """Whether its events are here."""
        return True


def live_batch(annotators: Mapping[str, Annotator], raw: Mapping[str, pa.Table]) -> Batch:
    """Raw tuples by stream, in order of arrival, annotated by the knowledge in force."""
    return Batch({stream: annotators[stream].annotate(table) for stream, table in raw.items()})
