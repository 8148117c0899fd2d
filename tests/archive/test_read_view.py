"""One way to read an archive: as it is now, beside an engine or without one, by time and as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.archive import Archive, open_read_view
from kaicep.archive.sparql import Solutions
from kaicep.archive.sync import Lag
from kaicep.errors import ArchiveError
from support.archives import NINE, STREAM, opened, project, readings, rows

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


def test_another_process_reads_without_an_engine_and_holds_none_up(tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(5)})
        archive.flush()
    with open_read_view(project(tmp_path)) as reader:
        with opened(tmp_path) as archive:
            archive.append(1, {STREAM: readings(5, first=5)})
            archive.flush()
        found = reader.query(COUNT)
        assert isinstance(found, Solutions)
        assert found.rows == [(5,)]
        assert reader.lag.events == 5


def test_without_an_archive_there_is_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError) as error:
        open_read_view(project(tmp_path))
    assert str(error.value) == (
        f"{tmp_path}/var/archive: there is no store: run the project first, with store = true under [archive]"
    )


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


def test_lag_counts_batches_and_events_of_the_log_that_the_store_lacks(tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(5)})
        archive.flush()
    with opened(tmp_path, store=False) as archive:
        archive.append(1, {STREAM: readings(3, first=5), "other": readings(2)})
        archive.append(2, {STREAM: readings(1, first=8)})
    with open_read_view(project(tmp_path)) as reader:
        assert reader.lag == Lag(batches=2, events=6)


def test_a_time_range_asks_only_the_graphs_that_overlap_it(archive: Archive) -> None:
    archive.append(0, {STREAM: readings(180)})
    archive.flush()
    minute = timedelta(minutes=1)
    assert rows(archive, COUNT, start=NINE + minute, end=NINE + 2 * minute) == [(60,)]
    assert rows(archive, COUNT, start=NINE + 2 * minute) == [(60,)]
    assert rows(archive, COUNT, end=NINE + minute) == [(60,)]
    assert rows(archive, "SELECT ?r { e:s0 e:in ?r }", start=NINE, end=NINE) == [("http://e/Room1",)]
    graphs = rows(archive, "SELECT DISTINCT ?g { GRAPH ?g { ?e a e:AirflowReport } } ORDER BY ?g")
    assert graphs == [(f"urn:kaicep:graph:{STREAM}:2012-05-07T09:0{m}:00Z",) for m in range(3)]


def test_without_a_store_there_is_nothing_to_query(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive, pytest.raises(ArchiveError) as error:
        archive.query(COUNT)
    assert str(error.value) == (
        f"{tmp_path}/var/archive: this archive has no store to query: set store = true under [archive]"
    )
