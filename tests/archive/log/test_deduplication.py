"""Events that come again: late for admission, which has forgotten them, and known to the log."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from kaicep.archive import Archive
from kaicep.archive.log import Position
from kaicep.archive.log.deduplication import drop_late_duplicates, earlier_ids
from support.archives import NINE, SECOND, STREAM, opened, readings, rows

EVENTS = "SELECT (STR(?e) AS ?i) ?f { ?e a e:AirflowReport ; e:flow ?f } ORDER BY ?i"
LATE = "SELECT (STR(?e) AS ?i) { ?e <urn:kaicep:late> true } ORDER BY ?i"


def late(*numbers: int, flow: float | None = None) -> pa.Table:
    """Readings that come too late, all with another flow perhaps."""
    found = pa.concat_tables([readings(1, first=n) for n in numbers])
    if flow is not None:
        place = found.column_names.index("flowrate")
        found = found.set_column(place, "flowrate", pa.array([flow] * len(numbers), pa.float64()))
    return found.append_column("_late", pa.array([True] * len(numbers)))


def ids(*numbers: int) -> list[str]:
    return [f"urn:kaicep:event:{STREAM}/s{n % 4}/{n}" for n in numbers]


def fill(archive: Archive) -> None:
    """Three readings; one of them again with another value, with one that was not known; that one again."""
    archive.append(0, {STREAM: readings(2)})
    archive.append(1, {STREAM: readings(1, first=90)})
    archive.append(2, {STREAM: late(1, 50, flow=9.0)})
    archive.append(3, {STREAM: late(50)})


@pytest.mark.parametrize("compacted", [False, True])
def test_a_late_event_that_is_known_is_nothing_new(tmp_path: Path, *, compacted: bool) -> None:
    with opened(tmp_path, store=False) as archive:
        fill(archive)
        if compacted:
            archive.tidy()
        generation = archive.log.generation
        for batch, fresh in ((4, ids(70)), (2, ids(50, 70)), (0, ids(1, 50, 70))):
            rest = drop_late_duplicates(archive.log, STREAM, Position(generation, batch), late(1, 50, 70))
            assert rest["_id"].to_pylist() == fresh
        on_time = readings(2)
        assert drop_late_duplicates(archive.log, STREAM, Position(generation, 4), on_time) is on_time
        assert drop_late_duplicates(archive.log, "unheard of", Position(generation, 4), late(1)).num_rows == 1


def test_the_ids_of_earlier_batches_are_looked_up_where_the_moments_lie(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        fill(archive)
        generation = archive.log.generation
        moments = pa.chunked_array([pa.array([NINE, NINE + 90 * SECOND])])
        assert earlier_ids(archive.log, STREAM, Position(generation, 2), moments).to_list() == ids(0, 1, 90)
        assert earlier_ids(archive.log, STREAM, Position(generation, 1), moments).to_list() == ids(0, 1)


def test_an_event_that_comes_again_is_in_the_store_as_it_came_first(tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        fill(archive)
        archive.flush()
        assert rows(archive, EVENTS) == [(*ids(0), 0.0), (*ids(1), 0.5), (*ids(50), 9.0), (*ids(90), 45.0)]
        assert rows(archive, LATE) == [tuple(ids(50))]
