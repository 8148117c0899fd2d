"""An event that the archive's log has, found by its IRI."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import PipelineError
from ..pipeline import Catalog

__all__ = ["archived_event"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def archived_event(project: Catalog, stream: str, event: str) -> pa.Table:
    """One event as an event table's only row, with the columns of today's annotation.

    Args:
        project: its archive.
        stream: of the event.
        event: its IRI.

    Raises:
        PipelineError: the log has none of this IRI.
    """
    from ..archive import ArchivePlace, open_read_view  # noqa: PLC0415 - an event that is given asks no archive

    settings = project.settings
    if not ArchivePlace.of(settings).is_likely:
        raise _unknown(stream, event, 0)
    log = open_read_view(settings, store=False).log
    moment = _moment(project, stream, event)
    events = log.read(stream, moment, None if moment is None else moment + timedelta(microseconds=1))
    found = events.filter(pc.equal(events["_id"], event))
    if not found.num_rows:
        raise _unknown(stream, event, log.count(stream))
    return _with_columns(project, stream, found)


def _unknown(stream: str, event: str, count: int) -> PipelineError:
    hint = f"of stream {stream} it has {count:,}; copy the id from _events of a row"
    return PipelineError(f"the archive has no event <{event}>", hint=hint)


def _moment(project: Catalog, stream: str, event: str) -> datetime | None:
    """The time stamp that an id holds, so that not the whole log is read; `None` when it holds none."""
    annotation = project.annotators[stream].annotation
    parts = event.split("/")[1:]
    if annotation.time not in annotation.identity or len(parts) != len(annotation.identity):
        return None
    micros = parts[annotation.identity.index(annotation.time)]
    return _EPOCH + timedelta(microseconds=int(micros)) if micros.lstrip("-").isdecimal() else None


def _with_columns(project: Catalog, stream: str, found: pa.Table) -> pa.Table:
    """The event table with the columns of today's annotation: one that it did not have then is null."""
    annotator = project.annotators[stream]
    template = annotator.annotate(pa.table({annotator.annotation.time: pa.array([], pa.string())})).events
    for field in template.schema:
        if field.name not in found.column_names:
            found = found.append_column(field.name, pa.nulls(found.num_rows, field.type))
    return found
