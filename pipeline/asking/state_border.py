"""Where a data flow is between two batches, for a query that is asked of states there (LANGUAGE-2 §9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...errors import PipelineError
from ...language.nodes import Query
from ..flow import Dataflow, Registration
from .state_cut import watched_registrations

__all__ = ["StateBorder", "asked_border"]

_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class StateBorder:
    """What is known at a border of all that is asked about. Finding it out is done at once, whatever has come so far.

    Attributes:
        dataflow: an empty one; what is registered in it goes on from the same contexts.
        registrations: what answers it, states included.
        moment: the last microsecond that is known.
        last: the batch before the border.
    """

    dataflow: Dataflow
    registrations: Sequence[Registration]
    moment: datetime
    last: int


def asked_border(dataflow: Dataflow, asked: Query, last: int) -> StateBorder:
    """What is known between two batches.

    Args:
        dataflow: of an engine; nothing happens in it meanwhile.
        asked: the query that is asked.
        last: the batch before.

    Raises:
        PipelineError: it asks for the state of a query that is not registered, or nothing is known of its streams.
    """
    labels = _labels(dataflow, asked)
    moment = _moment(dataflow, labels)
    empty, registrations = dataflow.unheard(labels, last)
    watched = watched_registrations(registrations, asked)
    read = {source.stream.name for one in registrations for source in one.query.sources}
    needed = [one for one in registrations if one.query.changed_sets or read.intersection(one.query.streams)]
    return StateBorder(empty, [*needed, *watched], moment, last)


def _labels(dataflow: Dataflow, asked: Query) -> list[str]:
    """The queries that are asked about, and those that decide about contexts that are."""
    found: list[str] = []
    for reference in asked.asked:
        lineage = dataflow.queries.lineage
        found += (lineage.deriving if reference.contexts else lineage.labels_of)(reference.query)
    return list(dict.fromkeys(found))


def _moment(dataflow: Dataflow, labels: Sequence[str]) -> datetime:
    """Up to when all is known that decides about some queries; of none: that the streams say."""
    watermarks = dataflow.watermarks
    awaited = set[str]().union(*map(dataflow.queries.lineage.awaited, labels))
    streams = sorted(awaited or (name for name, known in watermarks.items() if known is not None))
    silent = [name for name in streams if watermarks[name] is None]
    if silent or not streams:
        which = ", ".join(f"'{name}'" for name in silent) or "any stream"
        raise PipelineError(f"nothing is known yet: no event of {which} has come", hint="ask when one has")
    return min(moment for name in streams if (moment := watermarks[name]) is not None) - _MICROSECOND
