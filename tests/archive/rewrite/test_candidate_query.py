"""The candidates of one event variable by SPARQL: those that the filters on columns find."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.archive.rewrite import CandidateQuery, datasets, find_candidates, rewrite_candidates
from kaicep.archive.store import KNOWLEDGE
from support import doors
from support.archives import NINE, SECOND
from support.doors import SELECTION


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return doors.project(tmp_path)


@pytest.fixture
def archive(project: Project) -> Iterator[Archive]:
    with doors.filled(project) as archive:
        yield archive


def candidates_of(project: Project, text: str) -> CandidateQuery:
    (source,) = doors.compiled(project, text).sources
    return rewrite_candidates(source, project.shapes["door"], project.knowledge)


def test_sparql_finds_what_path_and_filter_leave(project: Project, archive: Archive) -> None:
    assert archive.store is not None
    found = find_candidates(archive.store, candidates_of(project, SELECTION), None, None)
    expected = [n for n in range(200) if n % 3 == 1 and n * n % 11 > 5]
    assert found["_time"].to_pylist() == [NINE + n * SECOND for n in expected]
    assert found["seconds"].to_pylist() == [float(n * n % 11) for n in expected]


def test_only_buckets_of_the_range_are_asked(project: Project, archive: Archive) -> None:
    assert archive.store is not None
    query = candidates_of(project, "SELECT ?e.room WITHIN (, )")
    start = NINE + timedelta(minutes=1)
    assert find_candidates(archive.store, query, start, start + SECOND).num_rows == 60
    assert find_candidates(archive.store, query, NINE + timedelta(hours=1), None).num_rows == 0


def test_a_filter_that_sparql_says_otherwise_is_left_to_columns(project: Project, archive: Archive) -> None:
    assert archive.store is not None
    query = candidates_of(project, "SELECT ?e.seconds WITHIN (, ) FILTER (REGEX(?e.room, '^r[12]$'))")
    assert len(query.rest) == 1
    assert query.notes == ("the function REGEX differs between engines of SPARQL",)
    assert "r[12]" not in query.text
    assert find_candidates(archive.store, query, None, None).num_rows == 133


def test_an_object_that_a_path_names_is_found_by_the_index(project: Project) -> None:
    assert candidates_of(project, SELECTION).indexed
    assert not candidates_of(project, "SELECT ?e.room").indexed


def test_knowledge_is_the_default_graph_and_events_are_named() -> None:
    assert datasets(["urn:g"], apart=True) == ([KNOWLEDGE], ["urn:g"])
    assert datasets(["urn:g"], apart=False) == ([KNOWLEDGE, "urn:g"], ["urn:g"])
