"""A segment of several batches gives each of them back as it was appended."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from kaicep.archive.log import Position, batches_of, plain_table, segment_name, write_compacted
from kaicep.archive.log.manifest import Manifest
from kaicep.errors import ArchiveError
from support.archives import NINE, SECOND, readings


def test_batches_come_back_in_order_however_they_were_given(tmp_path: Path) -> None:
    given = ((7, 2, 0), (2, 3, 90), (4, 1, 5))
    batches = {Position(0, n): plain_table(readings(rows, first=first)) for n, rows, first in given}
    path = tmp_path / segment_name(Position(0, 2), Position(0, 7))
    write_compacted(path, batches)
    manifest = Manifest(tmp_path)
    (one,) = manifest.segments()
    assert dict(batches_of(manifest, one)) == batches
    assert [position for position, _ in batches_of(manifest, one)] == sorted(batches)
    facts = manifest.facts(path)
    assert (facts.rows, facts.first, facts.last) == (6, NINE, NINE + 92 * SECOND)


def test_a_segment_of_one_batch_is_that_batch(tmp_path: Path) -> None:
    events = plain_table(readings(2))
    write_compacted(tmp_path / segment_name(Position(1, 3)), {Position(1, 3): events})
    manifest = Manifest(tmp_path)
    assert list(batches_of(manifest, manifest.segments()[0])) == [(Position(1, 3), events)]


def test_types_that_do_not_go_together_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    other = readings(1).set_column(3, "flowrate", pa.array(["high"]))
    path = tmp_path / segment_name(Position(0, 0), Position(0, 1))
    with pytest.raises(ArchiveError, match="column 'flowrate' is string here and double in"):
        write_compacted(path, {Position(0, 0): plain_table(readings(1)), Position(0, 1): plain_table(other)})
    assert not list(tmp_path.iterdir())
