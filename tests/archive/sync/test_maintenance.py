"""Maintenance: what is due in log and store, while nobody reads it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.archive import Archive
from kaicep.archive.sparql import Solutions
from kaicep.errors import ArchiveError
from kaicep.ontology import KnowledgeBase
from support.archives import NINE, SHAPE, STREAM, opened, project, readings
from support.found import (
    COUNT_MATCHES,
    fill_with_matches,
    flushed_rows,
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


def test_graphs_older_than_the_limit_leave_the_store_one_round_after_it_says_so(tmp_path: Path) -> None:
    with opened(tmp_path, store_age="3min") as archive:
        fill(archive)
        archive.tidy()
        assert archive.store is not None
        assert archive.store.since == NINE + timedelta(minutes=7)
        assert stored(archive) == 600
        archive.tidy()
        assert stored(archive) == 180
        assert archive.log.count(STREAM) == 600
    with opened(tmp_path) as archive:
        assert archive.flush()
        assert stored(archive) == 180


def test_the_oldest_graphs_leave_a_store_that_is_too_large(tmp_path: Path) -> None:
    with opened(tmp_path, store_size="0kB") as archive:
        fill(archive)
        archive.tidy()
        archive.tidy()
        assert stored(archive) == 60


def test_what_the_store_lacks_and_what_is_read_stays_in_the_log(tmp_path: Path) -> None:
    with opened(tmp_path, store=False, compact=False) as archive:
        fill(archive)
    with opened(tmp_path, log_age="0s", compact=False) as archive:
        archive.flush()
        history = archive.scan([STREAM])
        archive.tidy()
        assert len(archive.log.positions()) == 10
        assert history.rows() == 600
        del history
        archive.tidy()
        assert [p.batch for p in archive.log.positions()] == [9]


def test_what_is_ahead_of_the_clock_ages_nothing_before_its_time(tmp_path: Path) -> None:
    """The clock is whoever's opens the archive: a simulated year takes an hour."""
    now = [NINE + timedelta(minutes=2)]
    settings = project(tmp_path, log_age="3min", store=False, compact=False)
    with Archive(settings, KnowledgeBase.empty(), {STREAM: SHAPE}, clock=lambda: now[0]) as archive:
        fill(archive)
        archive.tidy()
        assert archive.log.count(STREAM) == 600
        now[0] += timedelta(minutes=4)
        archive.tidy()
        assert archive.log.count(STREAM) == 420  # those of the first three minutes are gone
        now[0] += timedelta(days=300)
        archive.tidy()
        assert archive.log.count(STREAM) == 240


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


@pytest.mark.slow
def test_old_matches_go_with_old_events(tmp_path: Path) -> None:
    with opened(tmp_path, log_age="2min", store_age="2min", compact=False) as archive:
        fill_with_matches(archive, range(6), each=60)
        archive.flush()
        for _ in range(2):
            archive.tidy()
        assert [p.batch for p in archive.matches.log.positions()] == [3, 4, 5]
        assert archive.matches.log.positions() == archive.log.positions()
        assert flushed_rows(archive, COUNT_MATCHES) == [(120,)]
        assert flushed_rows(archive, "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }") == [(120,)]
        dangling = "SELECT (COUNT(DISTINCT ?e) AS ?n) { ?m prov:wasDerivedFrom ?e FILTER NOT EXISTS { ?e e:flow ?f } }"
        assert flushed_rows(archive, dangling) == [(1,)]


def test_a_broken_segment_is_in_nobodys_way(tmp_path: Path) -> None:
    """Compaction and retention of other segments and other streams go on."""
    with opened(tmp_path, store=False) as archive:
        for batch in range(40):
            archive.append(batch, {name: readings(10, first=10 * batch) for name in ("a", STREAM)})
        broken = archive.log.path / "a" / "000000-000000000003.parquet"
        broken.write_bytes(broken.read_bytes()[:-30])
        archive.tidy()
        assert archive.log.count("a") == 390
        assert archive.log.count(STREAM) == 400
        assert all(len(archive.log.manifest(name).segments()) < 16 for name in ("a", STREAM))


def test_a_task_is_done_although_another_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise ArchiveError("the store does not answer", hint="wait")

    monkeypatch.setattr("kaicep.archive.sync.maintenance.drop_graphs", refuse)
    with opened(tmp_path) as archive:
        fill(archive, 40)
        with pytest.raises(ArchiveError, match="the store does not answer"):
            archive.tidy()
        assert len(archive.log.manifest(STREAM).segments()) < 16
