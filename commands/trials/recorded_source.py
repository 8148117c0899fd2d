"""Recorded events in files: which stream each file is of, and its records batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ...config import StreamSettings
from ...errors import PipelineError, did_you_mean
from ...pipeline import Catalog
from ...pipeline.sources import RawBatch, list_files, read_batches

__all__ = ["RecordedStream", "near", "recorded_streams"]


def recorded_streams(project: Catalog, files: Sequence[str], stream: str | None) -> dict[str, RecordedStream]:
    """Find out which stream each file is of.

    Args:
        project: its streams say how files are read.
        files: each `FILE` or `STREAM=FILE`, or a folder or glob pattern; the files of a stream follow one another.
        stream: what a plain `FILE` is of; `None`: the project's only stream.

    Raises:
        QueryTypeError: no such stream.
        PipelineError: no such file, or it is not said which stream a file is of.
    """
    paths: dict[str, list[Path]] = {}
    for entry in files:
        name, path = _stream_and_path(project, entry, stream)
        paths.setdefault(name, []).extend(list_files(path))
    return {name: RecordedStream(project.settings.streams[name], found) for name, found in paths.items()}


class RecordedStream:
    """The records of one stream's files, one batch after the other; read once.

    Args:
        settings: of the stream; they say how files are read.
        paths: the files, which follow one another.

    Attributes:
        bytes: how large the files are.
        taken: how much of that has been read, about.
        without_records: the files that have none, as far as they are read.

    Raises:
        PipelineError: no such file.
    """

    def __init__(self, settings: StreamSettings, paths: Sequence[Path]) -> None:
        self._settings = settings
        self._paths = paths
        for path in paths:
            if not path.exists():
                raise PipelineError(f"cannot read {path}: No such file or directory", hint=near(path))
        self.bytes = sum(path.stat().st_size for path in paths)
        self.taken = 0
        self.without_records: list[Path] = []

    @property
    def in_order_of_time(self) -> bool:
        """Whether the records are to be taken by their time stamps, whatever their order in the files."""
        source = self._settings.source
        return source is not None and source.order == "time"

    def batches(self) -> Iterator[RawBatch]:
        """The batches of all files.

        Raises:
            PipelineError: a file cannot be read.
        """
        for path in self._paths:
            empty, before = True, self.taken
            for batch in read_batches(path, self._settings, lambda read, before=before: self._took(before + read)):  # type: ignore[misc]  # mypy cannot infer a default's type
                empty = empty and not batch.table.num_rows and not batch.malformed
                yield batch
            if empty:
                self.without_records.append(path)
            self._took(before + path.stat().st_size)

    def _took(self, read: int) -> None:
        self.taken = read


def _stream_and_path(project: Catalog, entry: str, stream: str | None) -> tuple[str, Path]:
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


def near(path: Path) -> str:
    """What there is instead of a file that is not there."""
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    there: Mapping[str, Path] = {other.name: other for other in path.parent.iterdir()}
    return did_you_mean(path.name, list(there)) or (
        "name a JSON, CSV or Parquet file" + (", or a folder of them" if not path.suffix else "")
    )
