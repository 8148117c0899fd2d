"""Correlation as SPARQL: filters between events, and NOT as what does not exist."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.archive.rewrite import MatchQuery, RefusedError, datasets, rewrite_matches
from support import doors
from support.archives import NINE, SECOND
from support.doors import PATTERN


def rewritten(folder: Path, text: str) -> MatchQuery:
    project = doors.project(folder)
    return rewrite_matches(doors.compiled(project, text), project.shapes, project.knowledge)


def test_sequence_window_and_join_are_tests_between_two_candidates(tmp_path: Path) -> None:
    query = rewritten(tmp_path, PATTERN)
    assert list(query.selects) == ["a", "b"]
    assert query.tests[0] == "?a != ?b"
    assert any("kaicep_a_time_0 < ?kaicep_b_time_0" in test for test in query.tests)
    assert query.absences == ()
    assert query.reach == timedelta(seconds=3, microseconds=1)


def test_the_matches_are_those_of_the_definition(tmp_path: Path) -> None:
    query = rewritten(tmp_path, PATTERN)
    with doors.filled(doors.project(tmp_path), 30) as archive:
        assert archive.store is not None
        graphs = archive.store.graphs("door")
        tsv = archive.store.select(query.text(None, None, None), *datasets(graphs, apart=query.apart))
    found = query.read(tsv)
    pairs = set(zip(found["a"]["_time"].to_list(), found["b"]["_time"].to_list(), strict=True))
    assert pairs == {
        (NINE + a * SECOND, NINE + b * SECOND)
        for a in range(1, 30, 3)
        for b in range(a + 1, min(a + 4, 30))
        if b * b % 11 > a * a % 11
    }


def test_a_not_between_two_is_what_does_not_exist(tmp_path: Path) -> None:
    query = rewritten(tmp_path, "SELECT ?a.room WITHIN (, ) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 3s)")
    assert [absence.select.source.variable for absence in query.absences] == ["n"]
    assert "FILTER NOT EXISTS" in query.text(None, None, None)


@pytest.mark.parametrize(
    ("clauses", "reason"),
    [
        ("SEQ (?a, ?b+)", "SPARQL binds a variable to one event and not to a run"),
        ("SEQ (?a OR ?b)", "OR is left to the operators"),
        ("SEQ (?a -> ?b)", "links other than ->> look at events that are passed over"),
    ],
)
def test_what_sparql_cannot_say_is_refused(tmp_path: Path, clauses: str, reason: str) -> None:
    with pytest.raises(RefusedError) as refused:
        rewritten(tmp_path, f"SELECT COUNT(?b.seconds) AS n WITHIN (, ) {clauses} WINDOW (?a, ?b, 3s)"
                  if "+" in clauses else f"SELECT ?a.room WITHIN (, ) {clauses} WINDOW (?a, ?b, 3s)")  # fmt: skip
    assert str(refused.value) == reason
