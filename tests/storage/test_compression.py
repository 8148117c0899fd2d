"""Compressed files are read as what they hold."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from kaicep.storage import UNPACKING_ERRORS, open_unpacked, uncompressed_name, unpack

KINDS: dict[str, Callable[[bytes], bytes]] = {
    "t.csv": bytes,
    "t.csv.gz": gzip.compress,
    "t.GZ": gzip.compress,
    "t.csv.bz2": bz2.compress,
    "t.csv.xz": lzma.compress,
}


@pytest.mark.parametrize("name", KINDS)
def test_a_file_is_unpacked_at_once_and_as_it_is_read(tmp_path: Path, name: str) -> None:
    text = b"one\ntwo\n" * 10_000
    path = tmp_path / name
    path.write_bytes(KINDS[name](text))
    assert unpack(name, path.read_bytes()) == text
    with path.open("rb") as packed, open_unpacked(name, packed) as file:
        assert file.read(8) + file.read() == text


@pytest.mark.parametrize("name", list(KINDS)[1:])
def test_what_is_broken_says_so(name: str) -> None:
    for content in (b"no packed file", KINDS[name](b"whole" * 100)[:-5]):
        with pytest.raises(UNPACKING_ERRORS):
            unpack(name, content)


@pytest.mark.parametrize(("name", "ends"), [("t.bz2", True), ("t.xz", True), ("t.gz", False)])
def test_what_holds_more_than_gzip_could_pack_is_no_file_of_readings(tmp_path: Path, name: str, *, ends: bool) -> None:
    """A kilobyte would hold 20 MB of lines, and a megabyte of disk all memory."""
    text = b"\n" * 20_000_000
    packed = KINDS.get(name, KINDS[f"t.csv{Path(name).suffix}"])(text)
    path = tmp_path / name
    path.write_bytes(packed)
    if not ends:
        assert unpack(name, packed) == text
        return
    with pytest.raises(OSError, match=r"^it is packed more than 1,032 times, as only what is to do harm is$"):
        unpack(name, packed)
    with path.open("rb") as file, open_unpacked(name, file) as lines:
        assert lines.read(1_000) == b"\n" * 1_000
        with pytest.raises(OSError, match="1,032 times"):
            lines.read()


def test_names_without_the_compression() -> None:
    assert [uncompressed_name(n) for n in ("a.ttl.gz", "a.b.ttl", "a.XZ", "gz")] == ["a.ttl", "a.b.ttl", "a", "gz"]
