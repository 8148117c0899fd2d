"""Records that a stream could not take: kept as they came, with the reason and the place."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from ...storage import folder_name
from ..sources import Malformed, RawBatch
from .letter_files import LetterFiles

__all__ = ["DeadLetters"]

_LOG = logging.getLogger("kaicep")


class DeadLetters:
    """One folder per stream, in it files of JSON lines: `<batch>.jsonl`, and `<first>_<last>.jsonl` of several.

    A batch that is delivered again replaces its file. A line has `record` (as it came), `reason`, `place`, `batch`.
    Beyond the limit the oldest files go, which is said once.

    Args:
        folder: made when there is something to keep.
        most: bytes that the dead letters of one stream may take.
    """

    def __init__(self, folder: Path, most: int = 100 * 10**6) -> None:
        self._folder, self._most = folder, most
        self._files: dict[str, LetterFiles] = {}
        self._said: set[str] = set()

    def write(self, stream: str, batch_id: int, raw: RawBatch, rejected: pa.Table) -> int:
        """Keep the records of a batch that are malformed, and those that the annotation rejected.

        Args:
            stream: name of the stream.
            batch_id: number of the batch.
            raw: its records.
            rejected: columns row (number of a row of `raw.table`) and reason.

        Returns:
            How many there are.
        """
        letters = [*raw.malformed, *_of_rejected(raw, rejected)]
        lines = [
            json.dumps(
                {"record": one.text, "reason": one.reason, "place": one.place, "batch": batch_id}, ensure_ascii=False
            )
            for one in letters
        ]
        self._of(stream).write(batch_id, "".join(f"{line}\n" for line in lines).encode())
        if self._files[stream].limit(self._most) and stream not in self._said:
            self._said.add(stream)
            _LOG.warning(
                "the dead letters of '%s' would take more than %s bytes: the oldest are removed from now on; see in %s "
                "what is wrong with its records, or raise dead_letter_size under [engine]",
                *(stream, f"{self._most:,}", self._folder / folder_name(stream)),
            )
        return len(letters)

    def remove(self, stream: str, batch_id: int) -> None:
        """Forget those of the newest batch of a stream."""
        self._of(stream).remove(batch_id)

    def _of(self, stream: str) -> LetterFiles:
        if stream not in self._files:
            self._files[stream] = LetterFiles(self._folder / folder_name(stream))
        return self._files[stream]


def _of_rejected(raw: RawBatch, rejected: pa.Table) -> Iterator[Malformed]:
    for row, reason in zip(rejected["row"].to_pylist(), rejected["reason"].to_pylist(), strict=True):
        yield Malformed(raw.text(row), reason, raw.place(row))
