"""The log of matches: each row once, in the batch that found it first."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from kaicep.archive import Archive, verify
from kaicep.archive.log.segment import check_segment
from kaicep.archive.matches import Provenance, match_target
from kaicep.archive.matches.match_columns import flat
from kaicep.archive.sync import Lag
from support.archives import STREAM, opened, project, readings
from support.endpoints import clear, free_port, oxigraph
from support.found import (
    COUNT_MATCHES,
    EVENTS_OF_A_MATCH,
    ORIGIN,
    QUERY,
    event,
    fill_with_matches,
    flushed_rows,
    matches,
)

OF_SENSOR = """
SELECT ?time { ?match prov:wasDerivedFrom/e:sensor "s1" ; prov:generatedAtTime ?time } ORDER BY ?time
"""


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


def test_matches_that_come_again_change_nothing(archive: Archive) -> None:
    for _ in range(2):
        fill_with_matches(archive)
    assert flushed_rows(archive, COUNT_MATCHES) == [(120,)]
    assert archive.matches.log.count(QUERY) == 120
    quads = archive.quads()
    archive.append_matches(3, [(ORIGIN, matches(range(100, 130)))])
    assert flushed_rows(archive, COUNT_MATCHES) == [(130,)]
    assert archive.matches.log.count(QUERY) == 130
    archive.append_matches(4, [(Provenance(QUERY, "other", "v2", {}), matches(range(130)))])
    assert archive.flush()
    assert archive.matches.log.count(QUERY) == 130
    assert archive.quads() > quads


@pytest.mark.slow
def test_a_batch_that_finds_others_when_it_comes_again_keeps_both(tmp_path: Path) -> None:
    """What a late query has ready differs from time to time; the rest comes in a later batch."""
    with opened(tmp_path) as archive:
        archive.append_matches(0, [(ORIGIN, matches(range(10)))])
        archive.append_matches(1, [(ORIGIN, matches(range(10, 20)))])
        archive.flush()
    with opened(tmp_path) as archive:
        archive.append_matches(1, [(ORIGIN, matches(range(15, 25)))])
        assert archive.matches.log.count(QUERY) == 25
        archive.append_matches(2, [(ORIGIN, matches(range(10, 30)))])
        assert [archive.matches.log.batch_rows(p) for p in archive.matches.log.positions()] == [10, 15, 5]
        assert flushed_rows(archive, COUNT_MATCHES) == [(30,)]
        assert archive.lag == Lag(0, 0)


@pytest.mark.slow
def test_what_the_store_lacks_it_gets_when_the_archive_is_opened_again(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        fill_with_matches(archive, range(2), each=1100)
        assert archive.lag == Lag(0, 0)
    with opened(tmp_path) as archive:
        assert flushed_rows(archive, COUNT_MATCHES) == [(2200,)]
    shutil.rmtree(tmp_path / "var/archive/store")
    with opened(tmp_path) as archive:
        assert flushed_rows(archive, EVENTS_OF_A_MATCH) == [(event(2), 1.0), (event(3), 1.5)]
        assert archive.lag == Lag(0, 0, 0)


def test_an_archive_of_before_goes_on(tmp_path: Path) -> None:
    """One of format 2 has no matches; those that are found from now on are kept."""
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(4)})
        archive.flush()
    (tmp_path / "var/archive/format.json").write_text('{"format": 2}')
    assert not (tmp_path / "var/archive/matches").exists()
    with opened(tmp_path) as archive:
        archive.append(1, {STREAM: readings(4, first=4)})
        archive.append_matches(1, [(ORIGIN, matches(range(4, 8)))])
        assert flushed_rows(archive, COUNT_MATCHES) == [(4,)]
    assert (tmp_path / "var/archive/format.json").read_text() == '{"format": 4}'


def test_matches_are_not_kept_where_nobody_wants_them(tmp_path: Path) -> None:
    with opened(tmp_path, matches=False) as archive:
        fill_with_matches(archive)
        assert flushed_rows(archive, COUNT_MATCHES) == [(0,)]
        assert archive.matches.log.streams() == ()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with oxigraph(free_port()) as url:
        yield url


@pytest.mark.slow
def test_an_endpoint_holds_them_as_the_store_in_a_folder_does(server: str, tmp_path: Path) -> None:
    clear(server)
    with opened(tmp_path / "near") as near, opened(tmp_path / "far", endpoint=server) as far:
        for archive in (near, far, far):
            fill_with_matches(archive)
        every = "SELECT ?g ?m ?p ?o { GRAPH ?g { ?m a kaicep:Match ; ?p ?o } } ORDER BY ?g ?m ?p ?o"
        assert flushed_rows(far, every) == flushed_rows(near, every)
        for text in (COUNT_MATCHES, EVENTS_OF_A_MATCH, OF_SENSOR):
            assert flushed_rows(far, text) == flushed_rows(near, text)
        assert far.lag == Lag(0, 0)
    settings = project(tmp_path / "far", endpoint=server)
    assert verify(settings).store_faults == ()
    clear(server)
    with opened(tmp_path / "far", endpoint=server, store_age="1s") as far:
        assert flushed_rows(far, COUNT_MATCHES) == [(120,)]
        for _ in range(2):
            far.tidy()
        assert flushed_rows(far, COUNT_MATCHES) == [(60,)]


def test_many_rows_go_to_the_log_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once, also where a piece begins at the moment at which the one before ends, or before that."""
    monkeypatch.setattr(match_target, "_PIECE", 4)
    sizes: list[int] = []

    def noted(rows: pa.Table, origin: Provenance) -> pa.Table:
        sizes.append(rows.num_rows)
        return flat(rows, origin)

    monkeypatch.setattr(match_target, "flat", noted)
    found = pa.concat_tables([matches(range(9)), matches(range(7, 12)), matches([2, 12])])
    with opened(tmp_path) as archive:
        archive.append_matches(0, [(ORIGIN, found)])
        assert max(sizes) == 4
        assert archive.matches.log.read(QUERY)["_id"].to_pylist() == [f"{n:032x}" for n in range(13)]
        archive.append_matches(0, [(ORIGIN, matches(range(10, 20)))])
        archive.append_matches(1, [(ORIGIN, matches(range(15, 25)))])
        assert [archive.matches.log.batch_rows(p) for p in archive.matches.log.positions()] == [20, 5]
        assert flushed_rows(archive, COUNT_MATCHES) == [(25,)]
        segment = tmp_path / "var/archive/matches" / QUERY / "000000-000000000000.parquet"
        check_segment(segment)
