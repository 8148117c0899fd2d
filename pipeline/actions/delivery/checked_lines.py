"""A file of JSON lines, each behind its checksum: one that a power cut tore counts for nothing."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ....storage import append_durably, make_folder, write_atomically

__all__ = ["append_lines", "broken_lines", "lines_of", "write_lines"]


def append_lines(path: Path, contents: Iterable[Mapping[str, Any]], *, sync: bool) -> None:
    """Append lines; the file and its folder are made when they are needed.

    Args:
        path: the file.
        contents: of each line.
        sync: whether they survive a power cut when this returns.
    """
    lines = b"".join(map(_line, contents))
    if path.exists():
        append_durably(path, lines if _is_whole(path) else b"\n" + lines, sync=sync)
    else:
        make_folder(path.parent)
        with write_atomically(path) as temporary:
            temporary.write_bytes(lines)


def write_lines(path: Path, contents: Iterable[Mapping[str, Any]]) -> None:
    """Write lines in the place of all that the file has, durably."""
    make_folder(path.parent)
    with write_atomically(path) as temporary:
        temporary.write_bytes(b"".join(map(_line, contents)))


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """What the whole lines of a file say; nothing where there is none."""
    for line in _lines(path):
        text = _checked(line)
        if text is not None:
            yield json.loads(text)


def broken_lines(path: Path) -> int:
    """How many lines of a file count for nothing."""
    return sum(_checked(line) is None for line in _lines(path))


def _is_whole(path: Path) -> bool:
    """Whether a file ends with the end of a line; of what a power cut tore, the next line is to be no part."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        return file.read() in (b"", b"\n")


def _lines(path: Path) -> list[bytes]:
    try:
        return [line for line in path.read_bytes().split(b"\n") if line]
    except FileNotFoundError:
        return []


def _checked(line: bytes) -> bytes | None:
    checksum, _, text = line.partition(b" ")
    return text if text and checksum == b"%08x" % zlib.crc32(text) else None


def _line(content: Mapping[str, Any]) -> bytes:
    text = json.dumps(content, ensure_ascii=False).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)
