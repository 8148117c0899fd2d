"""What a kind of source gives: a streaming frame of Spark's, and the raw records of its part of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from ...config import Settings, SourceSettings, StreamSettings
from .records import RawBatch, RecordOrigin
from .unreadable import UnreadableFile

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["RecordSource", "SourceSpec", "SourceStart"]


@dataclass(frozen=True, slots=True)
class SourceStart:
    """Where a source without files begins to be read.

    Attributes:
        note: a file of the checkpoint, in which the source notes where that is.
        read: up to where it was read before: the next offset by topic and partition.
    """

    note: Path
    read: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """Where a stream comes from.

    Attributes:
        name: the stream's.
        stream: its settings.
        settings: of its source.
        project: from whose file relative paths start.
        start: where reading begins; `None`: nothing is read, only looked at what was.
    """

    name: str
    stream: StreamSettings
    settings: SourceSettings
    project: Settings
    start: SourceStart | None = None


class RecordSource(Protocol):
    """One kind of source, of one stream; found by the name of its format (`source_table`).

    Attributes:
        has_files: whether its rows stand in files, whose times, paths and offsets tell the order of arrival.
        reads_files: whether any process reads its files by itself, without Spark (`files`).
    """

    has_files: bool
    reads_files: bool

    def open(self, spark: SparkSession, files: Sequence[str] = ()) -> DataFrame:
        """The streaming frame; of some files that it has listed, by their paths, one that is none.

        Raises:
            PipelineError: Spark cannot read it, or its settings lack something.
        """

    def columns(self, frame: DataFrame) -> dict[str, Column]:
        """Those columns of the frame that `records` needs, by name."""

    def files(self, paths: Sequence[str]) -> RawBatch:
        """The raw records of files, as those of a batch that has no others; of what cannot be read there is a note.

        Args:
            paths: in the order of arrival.

        Raises:
            PipelineError: a file cannot be read for now, there is too much of them, or only Spark reads them.
        """

    def untaken(self, files: Sequence[UnreadableFile]) -> list[UnreadableFile]:
        """Those of the files that could not be read that nobody has taken."""

    def records(self, rows: pa.Table, origin: RecordOrigin) -> RawBatch:
        """The raw records of a batch.

        Args:
            rows: the columns, in order of arrival; at least one row.
            origin: the files that the rows stand in.

        Raises:
            PipelineError: a file cannot be read, or there is too much of it for one batch.
        """
