"""Recorded events for a query that is only tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from ...api import Project
from ...errors import PipelineError
from ...pipeline.flow import admission_of
from ...pipeline.sources import RawBatch, concatenate, read_file

__all__ = ["read_recorded"]

_SHOWN = 3


def read_recorded(
    project: Project, files: Sequence[str], stream: str | None
) -> tuple[dict[str, pa.Table], tuple[str, ...]]:
    """Read files of recorded events.

    Args:
        project: its streams say how files are read.
        files: each `FILE` or `STREAM=FILE`; the files of a stream follow one another.
        stream: what a plain `FILE` is of; `None`: the project's only stream.

    Returns:
        Raw tuples by stream; and what cannot be used of them, a line each: the first few records that are no events,
        how many are late, how many came again.

    Raises:
        QueryTypeError: no such stream.
        PipelineError: no such file, or it is not said which stream a file is of.
    """
    by_stream: dict[str, list[RawBatch]] = {}
    for entry in files:
        name, path = _stream_and_path(project, entry, stream)
        by_stream.setdefault(name, []).append(read_file(path, project.settings.streams[name]))
    complaints = [line for name, batches in by_stream.items() for line in _complaints(project, name, batches)]
    tables = {name: concatenate([batch.table for batch in batches]) for name, batches in by_stream.items()}
    return tables, tuple(complaints)


def _stream_and_path(project: Project, entry: str, stream: str | None) -> tuple[str, Path]:
    names = list(project.annotators)
    before, equals, after = entry.partition("=")
    if equals and (before in names or not Path(entry).exists()):
        project.check_stream(before)
        return before, Path(after)
    if stream is not None:
        project.check_stream(stream)
        return stream, Path(entry)
    if len(names) == 1:
        return names[0], Path(entry)
    raise PipelineError(
        f"which stream is {entry} of?", hint=f"add --stream NAME, or write NAME={entry}; NAME is {' or '.join(names)}"
    )


def _complaints(project: Project, name: str, batches: Sequence[RawBatch]) -> Iterator[str]:
    annotator = project.annotators[name]
    annotated = [annotator.annotate(batch.table) for batch in batches]
    unusable: list[tuple[str, str]] = []
    for batch, found in zip(batches, annotated, strict=True):
        unusable += [(malformed.place, malformed.reason) for malformed in batch.malformed]
        unusable += [(batch.place(row["row"]), row["reason"]) for row in found.rejected.to_pylist()]
    for place, reason in unusable[:_SHOWN]:
        yield f"{place}: {reason}"
    if len(unusable) > _SHOWN:
        yield f"… and {len(unusable) - _SHOWN:,} more records of stream {name} that are no events"
    events = pa.concat_tables([found.events.select(["_time", "_id"]) for found in annotated])
    admitted = admission_of(annotator, project.settings.streams[name].lateness).admit(events)
    if admitted.late.num_rows:
        yield f"late events of stream {name}, left out: {admitted.late.num_rows:,} (see its lateness)"
    if admitted.duplicates:
        yield f"events of stream {name} that came again, left out: {admitted.duplicates:,} (see its identity)"
