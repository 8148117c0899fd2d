"""The records of a split as annotated events, and what cannot be taken of them, as one process has them.

A split is a file: of a recording, of a source as Spark has listed it, or a segment of the log, whose events were
annotated before.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from errno import ESTALE
from functools import partial
from os import strerror
from pathlib import Path
from socket import gethostname
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from ...annotator import AnnotatedBatch
from ...archive.log import read_segment
from ...errors import PipelineError
from ...storage import BucketFile, BucketPath, SharedFolder, StoragePath
from ..catalog import Catalog
from ..flow import refuse_ahead
from ..sources import (
    Malformed,
    ObjectSource,
    RawBatch,
    RecordFile,
    RecordOrigin,
    ToldRecords,
    UnreadableFile,
    read_file,
    reshape,
    source_streams,
    table_of_dicts,
)
from .part_file import Part, PartFile, PartName

__all__ = ["LETTERS", "Split", "collected_parts", "handed_parts", "letters_part", "read_split", "told_records"]

LETTERS, _COLLECTED, _HANDED = "letters", "collected", "handed"


@dataclass(frozen=True, slots=True)
class Split:
    """Records of one stream, read by one task.

    Attributes:
        stream: its name.
        place: where it stands in the stream's order of arrival, among the splits of a batch.
        records: the file, of a recording perhaps the object of a bucket; JSON, CSV or Parquet.
        form: a recording is read as its ending says, a file of the stream's source as that, of the log are events; what
            the driver has collected is in the folder that tasks share; what Spark has written are rows of the source.
            What an archiver has kept are events, too, in segments like those of the log, or handed on in that folder.
        rows: of a segment, those that are meant; `None`: all.
        before: how many rows of the batch come before those that Spark has written.
        clock: wall clock when the batch was planned, and the latest of those before: what is too far ahead of it is
            refused; `None`: nothing is.
    """

    stream: str
    place: int
    records: RecordFile | BucketPath
    form: Literal["recording", "source", "log", "collected", "written", "kept", "handed"] = "recording"
    rows: range | None = None
    before: int = 0
    clock: tuple[datetime, datetime | None] | None = None


def read_split(catalog: Catalog, split: Split, folder: SharedFolder) -> tuple[RawBatch, AnnotatedBatch]:
    """Read a split, and annotate it.

    Args:
        catalog: of the project.
        split: the records.
        folder: that tasks share.

    Raises:
        KaicepError: the records cannot be read.
    """
    settings = catalog.settings
    stream = settings.streams[split.stream]
    match split.records:
        case BucketPath() | Path() as segment if split.form == "log":
            return RawBatch(table_of_dicts([])), _logged(segment, split.rows)
        case BucketPath() as file:
            raise TypeError(file)
        case Path() as segment if split.form == "kept":
            _check_reached(segment)
            return RawBatch(table_of_dicts([])), _logged(segment, split.rows)
        case file if split.form == "handed":
            return RawBatch(table_of_dicts([])), _handed(PartFile(folder, file.name))
        case file if split.form == "collected":
            raw = _collected(PartFile(folder, file.name))
        case Path() as file if split.form == "written":
            _check_reached(file)
            origin = RecordOrigin.of("batch", before=split.before)
            raw = reshape(source_streams(settings)[split.stream].records(pq.ParquetFile(file).read(), origin), stream)
        case Path() as file if split.form == "source":
            _check_reached(file)
            raw = reshape(source_streams(settings)[split.stream].files([str(file)]), stream)
        case BucketFile() as file if split.form == "source":
            source = source_streams(settings)[split.stream]
            raw = reshape(
                source.read([file]) if isinstance(source, ObjectSource) else source.files([str(file)]), stream
            )
        case file:
            raw = read_file(file, stream)
    annotated = catalog.annotators[split.stream].annotate(raw.table)
    if split.clock is not None:
        annotated = refuse_ahead({split.stream: annotated}, settings.streams, *split.clock)[split.stream]
    return raw, annotated


def collected_parts(raw: RawBatch) -> dict[PartName, Part]:
    """Records that the driver has, as parts of a file, for a split of what is collected."""
    names = list(raw.origin.names()) if raw.table.num_rows or raw.malformed else []
    origin = replace(raw.origin, names=partial(list, names))
    return {(_COLLECTED,): pickle.dumps(replace(raw, origin=origin), protocol=pickle.HIGHEST_PROTOCOL)}


def _collected(file: PartFile) -> RawBatch:
    with file:
        found: RawBatch = pickle.loads(file.content((_COLLECTED,)) or b"")  # noqa: S301 - our own driver's
    return found


def handed_parts(events: pa.Table) -> dict[PartName, Part]:
    """Events that the driver has, as parts of a file, for a split of what is handed on."""
    return {(_HANDED,): events}


def _handed(file: PartFile) -> AnnotatedBatch:
    with file:
        return AnnotatedBatch.of_logged(pa.ipc.open_stream(file.content((_HANDED,)) or b"").read_all())


def _check_reached(path: Path) -> None:
    """See that a file is there, which the driver has found.

    Raises:
        PipelineError: this process does not reach it, or it has just gone: that passes, the driver looks again.
    """
    if not path.exists():
        error = PipelineError(
            f"{gethostname()} does not reach {path}", hint="let all executors reach the folders of sources"
        )
        raise error from OSError(ESTALE, strerror(ESTALE), str(path))


def _logged(path: StoragePath, rows: range | None) -> AnnotatedBatch:
    """Events that the log has, the late ones behind the others: they are judged once more, and alike."""
    return AnnotatedBatch.of_logged(read_segment(path, rows=rows))


def letters_part(raw: RawBatch, rejected: pa.Table) -> Part:
    """What cannot be taken of a split, as a part: what is no record, then what is no event."""
    letters = list(raw.letters(rejected))
    lines = [[letter.text, letter.reason, letter.place] for letter in letters]
    return json.dumps([lines[: len(raw.malformed)], lines[len(raw.malformed) :]], ensure_ascii=False).encode()


def told_records(
    folder: SharedFolder, stream: str, files: Sequence[str], unreadable: Sequence[UnreadableFile]
) -> ToldRecords:
    """What of the records of a stream cannot be taken, as its splits tell.

    Args:
        folder: that has the files of parts.
        stream: its name.
        files: of the splits, in order of arrival.
        unreadable: the files that could not be read.
    """
    malformed: list[Malformed] = []
    refused: list[Malformed] = []
    for content in folder.each(lambda name: PartFile(folder, name).content((LETTERS, stream)), files):
        first, second = json.loads(content or b"[[], []]")
        malformed += [Malformed(*letter) for letter in first]
        refused += [Malformed(*letter) for letter in second]
    return ToldRecords(tuple(malformed), tuple(refused), tuple(unreadable))
