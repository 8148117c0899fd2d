"""Records that a stream could not take: kept as they came, with the reason and the place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from ...storage import make_folder, remove_temporaries, write_atomically
from ..sources import Malformed, RawBatch

__all__ = ["DeadLetters"]


class DeadLetters:
    """One folder per stream, in it one file of JSON lines per batch: `<folder>/<stream>/<batch>.jsonl`.

    A batch that is delivered again replaces its file. A line has `record` (as it came), `reason`, `place`, `batch`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._begun: set[str] = set()

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
        target = self._folder / stream / f"{batch_id:012d}.jsonl"
        if not letters:
            target.unlink(missing_ok=True)
            return 0
        if stream not in self._begun:
            make_folder(target.parent)
            remove_temporaries(target.parent)
            self._begun.add(stream)
        with write_atomically(target) as temporary, temporary.open("w", encoding="utf-8") as file:
            for letter in letters:
                line = {"record": letter.text, "reason": letter.reason, "place": letter.place, "batch": batch_id}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        return len(letters)


def _of_rejected(raw: RawBatch, rejected: pa.Table) -> Iterator[Malformed]:
    for row, reason in zip(rejected["row"].to_pylist(), rejected["reason"].to_pylist(), strict=True):
        yield Malformed(raw.text(row), reason, raw.place(row))
