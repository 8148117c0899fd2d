"""The batch journal: which batch took which files, up to where topics are read, and how far the rows are.

Source: docs/decisions/160; of topics docs/decisions/311.

`queries/batches.jsonl` in the engine's state. A line notes the files of a batch, durably, before anything else of it;
they are taken when the batch is done, or the log has its events of their stream, which it has as a whole or not at all.
The files that could not be read stand beside them, and are not taken. Of topics it notes the next offsets likewise: a
checkpoint that is begun anew reads on from there. Another line notes that the batch is done, with
where the sinks and the queries with a past are; it is not synced by itself: should a power cut lose the last one, the
snapshots have the same. The journal decides whether a file is taken: Spark's checkpoint may be lost at any time.

A line begins with its checksum. One that a power cut tore, or that is damaged, counts for nothing: its files come again
then, and their events are recognised by their identity.
"""

from __future__ import annotations

import errno
import json
import logging
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ....storage import append_durably, make_folder, write_atomically
from ...kafka import Offsets
from ...sources import UnreadableFile
from .topic_positions import TopicPositions
from .unreadable_files import UnreadableFiles

__all__ = ["BatchFiles", "BatchJournal", "Files"]

_LOG = logging.getLogger("kaicep")

Files = Mapping[str, Collection[str]]
"""By stream, files, as paths from the project's folder where they lie in it."""
Unreadable = Mapping[str, Sequence[UnreadableFile]]
"""By stream, files that could not be read."""


@dataclass(frozen=True, slots=True)
class BatchFiles:
    """The files of a batch, by stream.

    Attributes:
        new: those that no other batch took.
        passed_over: the others, as Spark has them.
        listed: all of them, as Spark has them.
        unreadable: those that this very batch could not read when it was begun.
        only: the streams whose records are asked for; `None`: all.
        logged: streams without files of which the log has the events of this very batch, which was begun before: their
            sources may have nothing of it any more.
    """

    new: Files
    passed_over: Mapping[str, Collection[str]]
    listed: Mapping[str, Collection[str]]
    unreadable: Unreadable
    only: Collection[str] | None = None
    logged: frozenset[str] = frozenset()


_EARLIER = "position.json"
"""Where earlier versions noted how far the rows are."""
_LINES_MORE = 1000


class BatchJournal:
    """The journal of one engine.

    Args:
        path: of its file; the folder is made by the first note.
        root: what the paths of files start from.
    """

    def __init__(self, path: Path, root: Path) -> None:
        self._path, self._root = path, root
        self._lines: int | None = None
        self._most_lines = 0
        self._taken: dict[int, dict[str, list[str]]] = {}
        self._batch_of: dict[tuple[str, str], int] = {}
        self._unreadable = UnreadableFiles(root)
        self._topics = TopicPositions()
        self._delivered: tuple[int, dict[str, Any]] | None = None
        self._read()

    def take(
        self,
        batch: int,
        files: Files,
        unreadable: Unreadable = MappingProxyType({}),
        offsets: Mapping[str, Offsets] = MappingProxyType({}),
    ) -> None:
        """Note which files a batch took; when this returns, it survives a power cut.

        Args:
            batch: its number.
            files: those that it was given.
            unreadable: those among them of which it has nothing.
            offsets: by stream, up to where it reads topics.
        """
        broken = {stream: {self._unreadable.name(file) for file in of} for stream, of in unreadable.items()}
        taken = {stream: [file for file in of if file not in broken.get(stream, ())] for stream, of in files.items()}
        if any(taken.values()) or any(broken.values()) or self._topics.differ(offsets):
            self._note_files(batch, taken)
            self._topics.note(batch, offsets)
            self._unreadable.note(batch, unreadable)
            self._append(self._files_of(batch), durable=True)

    def begin_topics(self, batch: int, offsets: Mapping[str, Offsets]) -> None:
        """Note where topics begin, durably, with the first batch that reads them: should it be given back, they do so.

        Args:
            batch: its number.
            offsets: by stream; those that have been read already go on from there.
        """
        fresh = {stream: of for stream, of in offsets.items() if stream not in self._topics.read}
        if fresh:
            self._topics.note(batch - 1, fresh)
            self._append(self._files_of(batch - 1), durable=True)

    def finish(self, batch: int, parts: Mapping[str, bytes], *, durable: bool = False) -> None:
        """Note that a batch is done; 0: the first one begins.

        Args:
            batch: its number.
            parts: of its snapshot, those that no replay of the log gives, each a JSON value.
            durable: whether the note survives a power cut when this returns.
        """
        self._delivered = (batch, {name: json.loads(part) for name, part in parts.items()})
        self._append({"batch": batch, "parts": self._delivered[1]}, durable=durable)

    def delivered(self) -> tuple[int, dict[str, bytes]] | None:
        """The last batch that was done, and its parts; `None`: none is noted."""
        if self._delivered is None:
            return None
        batch, parts = self._delivered
        return batch, {name: json.dumps(part).encode() for name, part in parts.items()}

    def sorted_out(self, batch: int, files: Mapping[str, Mapping[str, str]]) -> BatchFiles:
        """Which files of a batch are new.

        Args:
            batch: its number; what it took itself, when it was begun, is new.
            files: by stream, each file's path as here, and as Spark has it.
        """
        new = {stream: {file for file in of if self._is_new(batch, stream, file)} for stream, of in files.items()}
        others = {stream: of.keys() - new[stream] for stream, of in files.items()}
        return BatchFiles(
            new,
            {stream: {files[stream][file] for file in of} for stream, of in others.items() if of},
            {stream: list(of.values()) for stream, of in files.items()},
            self._unreadable.of(batch),
        )

    def _is_new(self, batch: int, stream: str, file: str) -> bool:
        known = self._batch_of.get((stream, file), batch) != batch
        return not (known or self._unreadable.passed_over(batch, stream, file))

    def mended(self, *, quiet: bool = False) -> list[str]:
        """The files that could not be read and are other ones now: they are worth another try.

        Args:
            quiet: only those that nobody seems to be writing.
        """
        return self._unreadable.mended(quiet=quiet)

    def try_again(self, files: Collection[str]) -> None:
        """Let files be read that could not be read: they are listed anew."""
        if files:
            self._unreadable.try_again(files)
            self.forget_missing()

    def streams(self, batch: int) -> list[str]:
        """The streams of which a batch has taken files."""
        return [*{**self._taken.get(batch, {}), **self._unreadable.of(batch), **self._topics.of(batch)}]

    @property
    def read(self) -> Mapping[str, Offsets]:
        """By stream, up to where its topics are read."""
        return self._topics.read

    def give_back(self, batch: int, streams: Collection[str]) -> None:
        """Let the files of a batch that was begun be taken by others.

        Args:
            batch: it is not done, and not delivered again.
            streams: those of which the log has nothing: files whose events it has are taken.
        """
        taken, unreadable = self._taken.get(batch, {}), self._unreadable.of(batch)
        for stream in streams:
            for file in taken.pop(stream, ()):
                del self._batch_of[stream, file]
            self._unreadable.forget([(stream, self._unreadable.name(file)) for file in unreadable.get(stream, ())])
        self._topics.give_back(batch, streams)
        if streams:
            self.forget_missing()

    @property
    def begun(self) -> int | None:
        """The last batch that took files, even if they were given back; `None`: there is none."""
        return max(self._taken, default=None)

    @property
    def files(self) -> int:
        """How many files it remembers; those that are gone are forgotten from time to time."""
        return len(self._batch_of)

    def forget_missing(self) -> None:
        """Forget the files that are gone, and write what is left anew: nobody can take them again."""
        self._taken, known = {}, self._taken
        self._batch_of.clear()
        for batch, streams in known.items():
            there = {s: [file for file in files if (self._root / file).exists()] for s, files in streams.items()}
            if any(there.values()) or batch == max(known):
                self._note_files(batch, there)
        self._unreadable.forget_gone()
        self._rewrite()

    def _note_files(self, batch: int, files: Files) -> None:
        self._taken[batch] = {stream: sorted(of) for stream, of in files.items() if of}
        self._batch_of |= {(stream, file): batch for stream, of in files.items() for file in of}
        self._unreadable.forget((stream, file) for stream, of in files.items() for file in of)

    def _files_of(self, batch: int) -> dict[str, object]:
        """What is noted of the files of a batch."""
        more = {"unreadable": self._unreadable.line(batch), "offsets": self._topics.of(batch)}
        noted = {"batch": batch, "files": self._taken.get(batch, {})}
        return {**noted, **{name: content for name, content in more.items() if content}}

    def _append(self, content: Mapping[str, object], *, durable: bool) -> None:
        if self._lines is None:
            make_folder(self._path.parent)
            self.forget_missing()
        elif self._lines > self._most_lines:
            self.forget_missing()
        else:
            append_durably(self._path, _line(content), sync=durable)
            self._lines += 1

    def _rewrite(self) -> None:
        """Write what is known, with no line that was torn."""
        lines = [
            _line(self._files_of(batch))
            for batch in sorted({*self._taken, *self._unreadable.batches, *self._topics.batches})
        ]
        if self._delivered is not None:
            lines.append(_line({"batch": self._delivered[0], "parts": self._delivered[1]}))
        with write_atomically(self._path) as temporary:
            temporary.write_bytes(b"".join(lines))
        self._lines, self._most_lines = len(lines), 2 * len(lines) + _LINES_MORE

    def _read(self) -> None:
        for content in _contents(self._path):
            if "files" in content:
                self._note_files(content["batch"], content["files"])
                self._unreadable.read(content["batch"], content.get("unreadable", {}))
                self._topics.note(content["batch"], content.get("offsets", {}))
            else:
                self._delivered = (content["batch"], content["parts"])
        if self._delivered is None:
            self._delivered = _earlier(self._path.with_name(_EARLIER))


def _line(content: Mapping[str, object]) -> bytes:
    text = json.dumps(content, ensure_ascii=False).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _contents(path: Path) -> Iterator[dict[str, Any]]:
    """What the whole lines say.

    Raises:
        OSError: they cannot be read now: whoever began anew would write over them.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        _LOG.warning("recovery: %s cannot be read (%s): its files come again, and are recognised", path, error.strerror)
        return
    for line in lines:
        checksum, _, text = line.partition(b" ")
        if checksum == b"%08x" % zlib.crc32(text) and text:
            yield json.loads(text)


def _earlier(path: Path) -> tuple[int, dict[str, Any]] | None:
    """What an earlier version noted last; nothing if that cannot be read."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return int(content["batch"]), dict(content["parts"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
