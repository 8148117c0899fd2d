"""A document over recorded events up to a moment, and its last query asked of the states there (LANGUAGE-2 §9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import AnnotatedBatch
from ...language.nodes import Query
from ..asking import StateCut, answer_asked, state_cut_at, watched_registrations
from ..catalog import Catalog
from ..flow import Batch
from ..results import Rows
from ..sources import RecordedEvents
from .evaluation import annotated_recordings, registrations_of

__all__ = ["ask_recorded", "recorded_cut"]


def ask_recorded(
    project: Catalog, queries: Sequence[Query], streams: Mapping[str, RecordedEvents], moment: datetime
) -> Rows:
    """The answer of a document's last query, asked of the states of the others.

    Args:
        project: of the streams and queries.
        queries: of a document, in order.
        streams: raw tuples by stream, in order of arrival; those that are later than the moment have not come.
        moment: up to which all is known.

    Raises:
        KaicepError: the query cannot be answered, or one that it asks of has failed.
    """
    *registered, asked = queries
    cut = recorded_cut(project, registered, asked, streams, moment)
    rows = answer_asked(project, asked, cut.tables(asked), moment)
    return Rows(rows, MappingProxyType(dict(project.settings.prefixes)))


def recorded_cut(
    project: Catalog, registered: Sequence[Query], asked: Query, streams: Mapping[str, RecordedEvents], moment: datetime
) -> StateCut:
    """What a document's queries hold at a moment, as far as a query asks for it; the arguments are as above.

    Raises:
        KaicepError: a query that it asks of has failed.
    """
    _, annotated = annotated_recordings(project, streams)
    dataflow = project.dataflow(isolated=True)
    registrations = registrations_of(registered, {})
    for registration in (*registrations, *watched_registrations(registrations, asked)):
        dataflow.register(registration)
    known = {name: _until(batch, moment) for name, batch in annotated.items()}
    _ = dataflow.process(Batch(known)).matches
    return state_cut_at(dataflow, project.annotators, moment)


def _until(batch: AnnotatedBatch, moment: datetime) -> AnnotatedBatch:
    """The events up to a moment."""
    time = batch.events["_time"]
    return AnnotatedBatch.of_events(batch.events.filter(pc.less_equal(time, pa.scalar(moment, time.type))))
