"""What an archive says of itself in its store."""

from __future__ import annotations

import pytest
from kaicep.archive.log import Position
from kaicep.archive.store.store_metadata import CommittedOffset
from kaicep.errors import ArchiveError


def test_an_offset_is_read_as_it_was_written() -> None:
    offset = CommittedOffset(Position(2, 17), total=9, rows=4)
    assert str(offset) == "000002-000000000017:4/9"
    assert CommittedOffset.parse(str(offset)) == offset


def test_offsets_are_ordered_as_batches_are() -> None:
    earlier, later = CommittedOffset(Position(0, 9), 9, 9), CommittedOffset(Position(1, 0), 1, 0)
    assert max(earlier, later) == later
    assert CommittedOffset(Position(0, 1), total=5, rows=2) < CommittedOffset(Position(0, 1), total=5, rows=3)


def test_what_is_no_offset_is_refused() -> None:
    with pytest.raises(ArchiveError) as refused:
        CommittedOffset.parse("half")
    assert str(refused.value) == (
        "the store says 'half' of how far it is: "
        "move the store's folder away; the next start builds it again from the log"
    )
