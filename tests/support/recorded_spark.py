"""Spark's part without Spark: what it writes into its checkpoint, in its order, and how it goes on from there.

As `MicroBatchExecution` and `FileStreamSource` of Spark 4 do: each source lists its folder and notes what is new
(`sources/<number>/<note>`, every tenth note with all before it), then the batch is planned (`offsets/<batch>`), done,
and committed (`commits/<batch>`). A batch that was planned and not committed is delivered again. Each file is written
beside its place and renamed; nothing is synced; checksums stand in `.<name>.crc`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from kaicep.pipeline.durability.generations.spark_checkpoint import _checksums

__all__ = ["RecordedSpark"]

_COMPACTED = 10


class RecordedSpark:
    """A streaming query over folders.

    Args:
        checkpoint: its checkpoint.
        folders: of the sources, heartbeats last.
        most: files of a source that a batch has; `None`: all that are there.

    Raises:
        ValueError, KeyError, OSError: the checkpoint is damaged; Spark would not start.
    """

    def __init__(self, checkpoint: Path, folders: Sequence[Path], most: int | None = None) -> None:
        self._checkpoint, self._folders, self._most = checkpoint, folders, most
        if not (checkpoint / "metadata").exists():
            checkpoint.mkdir(parents=True, exist_ok=True)
            self._write(checkpoint / "metadata", '{"id":"0"}')
        json.loads((checkpoint / "metadata").read_text())["id"]
        self._noted = [list(self._restored(source)) for source in range(len(folders))]
        self._planned = max(self._numbers("offsets"), default=-1)
        done = max(self._numbers("commits"), default=-1)
        if done >= 0:
            assert (checkpoint / f"commits/{done}").read_text().startswith("v1")
        self._offsets: list[int | None] = [None] * len(folders)
        if self._planned >= 0:
            self._offsets = self._read_plan(self._planned)
        self._again = done < self._planned

    def batches(self) -> Iterator[tuple[int, list[list[Path]]]]:
        """The batches that are to be done, with the files of each source; to be committed by the caller."""
        if self._again:
            before = self._read_plan(self._planned - 1) if self._planned else [None] * len(self._folders)
            self._again = False
            yield self._planned, self._files(before)
        while (files := self.plan()) is not None:
            yield self._planned, files

    def plan(self) -> list[list[Path]] | None:
        """Plan one more batch; `None`: there is nothing new."""
        before = list(self._offsets)
        for source, folder in enumerate(self._folders):
            self._list(source, folder)
        if self._offsets == before:
            return None
        self._planned += 1
        texts = ["-" if offset is None else json.dumps({"logOffset": offset}) for offset in self._offsets]
        self._write(self._checkpoint / f"offsets/{self._planned}", "\n".join(["v1", '{"batchWatermarkMs":0}', *texts]))
        return self._files(before)

    def commit(self) -> None:
        """Note that the batch that was planned last is done."""
        self._write(self._checkpoint / f"commits/{self._planned}", 'v1\n{"nextBatchWatermarkMs":0}')

    def _list(self, source: int, folder: Path) -> None:
        seen = {entry["path"] for entry in self._noted[source]}
        found = sorted(path.name for path in folder.iterdir() if not path.name.startswith((".", "_")))
        new = [path for path in (folder / name for name in found) if _encoded(path) not in seen][: self._most]
        last = max((entry["batchId"] for entry in self._noted[source]), default=-1)
        if new:
            last += 1
            entries = [{"path": _encoded(path), "timestamp": 1, "batchId": last} for path in new]
            self._noted[source] += entries
            compact = (last + 1) % _COMPACTED == 0
            lines = [
                json.dumps(entry, separators=(",", ":")) for entry in (self._noted[source] if compact else entries)
            ]
            name = f"{last}.compact" if compact else str(last)
            self._write(self._checkpoint / f"sources/{source}/{name}", "\n".join(["v1", *lines]))
        self._offsets[source] = None if last < 0 else last

    def _restored(self, source: int) -> Iterator[dict[str, Any]]:
        folder = self._checkpoint / f"sources/{source}"
        names = {int(p.name.removesuffix(".compact")): p for p in folder.glob("[0-9]*")} if folder.is_dir() else {}
        first = max((number for number, path in names.items() if path.suffix), default=0)
        for number in range(first, max(names, default=-1) + 1):
            version, *lines = names[number].read_text().splitlines()
            assert version == "v1"
            yield from map(json.loads, lines)

    def _files(self, before: Sequence[int | None]) -> list[list[Path]]:
        found = []
        for source, (start, end) in enumerate(zip(before, self._offsets, strict=True)):
            first, last = -1 if start is None else start, -1 if end is None else end
            own = [entry for entry in self._noted[source] if first < entry["batchId"] <= last]
            assert {entry["batchId"] for entry in own} == set(range(first + 1, last + 1))
            found.append([Path(unquote(urlsplit(entry["path"]).path)) for entry in own])
        return found

    def _read_plan(self, batch: int) -> list[int | None]:
        version, _, *texts = (self._checkpoint / f"offsets/{batch}").read_text().splitlines()
        assert (version, len(texts)) == ("v1", len(self._folders))
        return [None if text == "-" else int(json.loads(text)["logOffset"]) for text in texts]

    def _numbers(self, folder: str) -> list[int]:
        path = self._checkpoint / folder
        return [int(file.name) for file in path.iterdir() if file.name.isdigit()] if path.is_dir() else []

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = text.encode()
        for target, written in ((path.with_name(f".{path.name}.crc"), _checksums(content)), (path, content)):
            temporary = target.with_name(f".{target.name}.tmp")
            temporary.write_bytes(written)
            temporary.replace(target)


@cache
def _encoded(path: Path) -> str:
    return f"file://{quote(str(path))}"
