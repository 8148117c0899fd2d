"""Retention: whole segments and whole graphs go, nothing that is needed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kaicep.archive import Archive
from kaicep.archive.log import Position
from kaicep.archive.sparql import Solutions
from kaicep.archive.sync.retention import RetentionPolicy, drop_segments
from kaicep.errors import ConfigError
from support.archives import NINE, STREAM, opened, project, readings
from support.found import (
    QUERY,
    fill_with_matches,
)

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


def fill(archive: Archive, batches: int = 10) -> None:
    for batch in range(batches):
        archive.append(batch, {STREAM: readings(60, first=60 * batch)})
    archive.flush()


def stored(archive: Archive) -> object:
    found = archive.query(COUNT)
    assert isinstance(found, Solutions)
    return found.rows[0][0]


def test_segments_older_than_the_limit_leave_the_log(tmp_path: Path) -> None:
    with opened(tmp_path, log_age="3min", compact=False) as archive:
        fill(archive)
        archive.tidy()
        assert [p.batch for p in archive.log.positions()] == [6, 7, 8, 9]
        assert stored(archive) == 600


def test_the_oldest_segments_leave_a_log_that_is_too_large(tmp_path: Path) -> None:
    with opened(tmp_path, compact=False) as archive:
        fill(archive)
        [*_, last] = archive.log.slices(STREAM)
    limit = 3.5 * last.path.stat().st_size / 1000
    with opened(tmp_path, log_size=f"{limit:.3f} kB", compact=False) as archive:
        archive.tidy()
        assert [p.batch for p in archive.log.positions()] == [7, 8, 9]
    with opened(tmp_path, log_size="0 kB", compact=False) as archive:
        archive.tidy()
        assert [p.batch for p in archive.log.positions()] == [9]


def test_nothing_goes_that_the_store_lacks(tmp_path: Path) -> None:
    with opened(tmp_path, store=False, compact=False) as archive:
        fill(archive)
        limits, now = RetentionPolicy(age=timedelta(0)), datetime.now(UTC)
        assert drop_segments([(archive.log, None)], limits, now) == 0
        assert drop_segments([(archive.log, Position(0, 2))], limits, now) == 3
        assert [p.batch for p in archive.log.positions()] == [3, 4, 5, 6, 7, 8, 9]


def test_a_clock_that_is_ahead_ages_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, store=False, compact=False) as archive:
        fill(archive)
        now = NINE + timedelta(minutes=2)
        assert now < datetime.now(UTC)
        assert drop_segments([(archive.log, archive.log.newest)], RetentionPolicy(age=timedelta(minutes=2)), now) == 0


def test_a_size_is_a_number_with_a_unit(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        project(tmp_path, log_size="12 apples")
    assert str(error.value) == (
        "project: archive.log_size: '12 apples' is no size; write a number and one of kB, MB, GB, TB, such as "
        '"50GB": see docs/project.md'
    )
    assert project(tmp_path, log_size="1.5GB").archive.log_size == 1_500_000_000


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


def test_a_log_that_is_too_large_loses_the_oldest_of_both_kinds(tmp_path: Path) -> None:
    with opened(tmp_path, log_size="0 kB", compact=False) as archive:
        fill_with_matches(archive, range(3))
        archive.flush()
        archive.tidy()
        assert [p.batch for p in archive.log.positions()] == [2]
        assert [p.batch for p in archive.matches.log.positions()] == [2]


def test_matches_that_the_store_lacks_stay_in_the_log(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        fill_with_matches(archive)
    with opened(tmp_path, log_age="0s", store=False) as archive:
        assert archive.matches.log.count(QUERY) == 120
        archive.tidy()
        assert [p.batch for p in archive.matches.log.positions()] == [2]
