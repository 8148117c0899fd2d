"""A file of JSON lines, each behind its checksum: one that a power cut tore counts for nothing."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ....storage import append_durably, make_folder, write_atomically

__all__ = ["append_lines", "lines_of", "write_lines"]


def append_lines(path: Path, contents: Iterable[Mapping[str, Any]], *, sync: bool) -> None:
    """Append lines; the file and its folder are made when they are needed.

    Args:
        path: the file.
        contents: of each line.
        sync: whether they survive a power cut when this returns.
    """
    lines = b"".join(map(_line, contents))
    if path.exists():
        append_durably(path, lines, sync=sync)
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
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return
    for line in lines:
        checksum, _, text = line.partition(b" ")
        if text and checksum == b"%08x" % zlib.crc32(text):
            yield json.loads(text)


def _line(content: Mapping[str, Any]) -> bytes:
    text = json.dumps(content, ensure_ascii=False).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)
