"""Records that a stream could not take: kept as they came, with the reason and the place."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path

import pyarrow as pa

from ...storage import folder_name, make_folder, write_atomically
from ..sources import TakenRecords, UnreadableFile
from .letter_files import LetterFiles

__all__ = ["DeadLetters"]

_LOG = logging.getLogger("kaicep")
_FILES = "files"


class DeadLetters:
    """One folder per stream, in it files of JSON lines: `<batch>.jsonl`, and `<first>_<last>.jsonl` of several.

    A batch that is delivered again replaces its file. A line has `record` (as it came), `reason`, `place`, `batch`.
    Beyond the limit the oldest files go, which is said once. Files that could not be read and that Spark removes from
    their place are kept beside them, in `files`, under the same limit.

    Args:
        folder: made when there is something to keep.
        most: bytes that the dead letters of one stream may take.
    """

    def __init__(self, folder: Path, most: int = 100 * 10**6) -> None:
        self._folder, self._most = folder, most
        self._files: dict[str, LetterFiles] = {}
        self._said: set[str] = set()

    def write(self, stream: str, batch_id: int, raw: TakenRecords, rejected: pa.Table) -> int:
        """Keep the records of a batch that are malformed, and those that the annotation rejected.

        Args:
            stream: name of the stream.
            batch_id: number of the batch.
            raw: its records.
            rejected: what the annotation rejected, as `letters` takes it.

        Returns:
            How many there are.
        """
        letters = list(raw.letters(rejected))
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
        for file in raw.unreadable:
            if file.fleeting and file.state is not None:
                self._keep(stream, batch_id, file)
        return len(letters)

    def _keep(self, stream: str, batch_id: int, file: UnreadableFile) -> None:
        """Keep a file that its source is going to remove; the oldest go where they take too much."""
        folder = self._folder / folder_name(stream) / _FILES
        target = folder / f"{batch_id:012d}-{Path(file.path).name}"
        make_folder(folder)
        if not target.exists() and Path(file.path).exists():
            with write_atomically(target) as temporary:
                shutil.copyfile(file.path, temporary)
        kept = sorted(folder.glob("[0-9]*-*"))
        sizes = [path.stat().st_size for path in kept]
        while len(kept) > 1 and sum(sizes) > self._most:
            kept.pop(0).unlink()
            sizes.pop(0)

    def remove(self, stream: str, batch_id: int) -> None:
        """Forget those of the newest batch of a stream."""
        self._of(stream).remove(batch_id)

    def _of(self, stream: str) -> LetterFiles:
        if stream not in self._files:
            self._files[stream] = LetterFiles(self._folder / folder_name(stream))
        return self._files[stream]
