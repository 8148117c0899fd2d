"""The digest of a segment: no flipped bit of a file gets past it."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from kaicep.archive.log import BrokenSegmentError, EventLog, check_segment
from kaicep.archive.log.segment import segment_facts
from kaicep.archive.log.segment_digest import DIGESTED, DigestError, check_file, check_footer
from support.archives import STREAM, readings


@pytest.fixture(name="segment")
def _segment(tmp_path: Path) -> Path:
    log = EventLog(tmp_path / "log")
    log.append(STREAM, 0, readings(400))
    log.close()
    return Path(str(log.path)) / STREAM / "000000-000000000000.parquet"


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def _check_footer(segment: Path) -> None:
    with segment.open("rb") as file:
        check_footer(file)


def test_every_flipped_bit_is_found(segment: Path) -> None:
    """All bits of the end, where the digest itself is, and as many of the rest."""
    content, chosen = segment.read_bytes(), random.Random(5)
    with segment.open("rb") as file:
        check_file(file)
    end = range(8 * len(content) - 8 * 96, 8 * len(content))
    for bit in [*chosen.sample(range(8 * len(content)), 600), *end]:
        segment.write_bytes(flipped(content, bit))
        with pytest.raises(BrokenSegmentError):
            check_segment(segment)


def test_every_flipped_bit_of_a_footer_is_found_where_it_is_read(segment: Path) -> None:
    content, chosen = segment.read_bytes(), random.Random(7)
    length = pq.read_metadata(segment).serialized_size
    for bit in chosen.sample(range(8 * (len(content) - length), 8 * len(content)), 300):
        segment.write_bytes(flipped(content, bit))
        with pytest.raises(BrokenSegmentError):
            segment_facts(segment)


def test_a_cut_file_is_broken(segment: Path) -> None:
    content = segment.read_bytes()
    for size in (0, 3, 11, 12, len(content) // 2, len(content) - 1):
        segment.write_bytes(content[:size])
        with pytest.raises(DigestError, match=r"it does not end as a Parquet file|its footer is longer than the file"):
            _check_footer(segment)


def test_segments_of_earlier_versions_have_no_digest(tmp_path: Path) -> None:
    old = tmp_path / "old.parquet"
    pq.write_table(readings(3), old, compression="zstd", store_schema=False)
    with old.open("rb") as file:
        check_file(file)
    check_segment(old)


def test_a_digest_that_was_cut_off_is_missed(segment: Path) -> None:
    content = segment.read_bytes()
    size = 80
    length = int.from_bytes(content[-8:-4], "little") - size
    segment.write_bytes(content[: -8 - size] + length.to_bytes(4, "little") + b"PAR1")
    assert DIGESTED in pq.read_metadata(segment).metadata
    with pytest.raises(DigestError, match="its digest is gone"):
        _check_footer(segment)
