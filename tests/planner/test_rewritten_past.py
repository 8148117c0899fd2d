"""The past in SPARQL: up to a border, and what operators have to know from there on."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.archive import open_read_view
from kaicep.archive.rewrite import CandidateQuery, MatchQuery, RefusedError, WindowQuery
from kaicep.planner.backfill_chunks import BackfillRequest, TimeRange
from kaicep.planner.rewritten_past import Rewrite, rewrite
from support import doors
from support.archives import NINE, SECOND
from support.doors import AGGREGATE, PATTERN, SELECTION

BORDER = NINE + 100 * SECOND


@pytest.mark.parametrize(
    ("text", "kind"), [(SELECTION, CandidateQuery), (AGGREGATE, WindowQuery), (PATTERN, MatchQuery)]
)
def test_each_kind_of_query_becomes_a_select_of_its_kind(tmp_path: Path, text: str, kind: type) -> None:
    project = doors.project(tmp_path)
    assert isinstance(rewrite(doors.compiled(project, text), project.shapes, project.knowledge), kind)


def test_an_after_match_that_chooses_is_refused(tmp_path: Path) -> None:
    project = doors.project(tmp_path)
    query = doors.compiled(project, f"{PATTERN} AFTER MATCH SKIP PAST LAST EVENT")
    with pytest.raises(RefusedError, match="AFTER MATCH chooses among matches one after the other"):
        rewrite(query, project.shapes, project.knowledge)


def test_sparql_answers_up_to_the_border_and_the_log_from_there(tmp_path: Path) -> None:
    project = doors.project(tmp_path)
    query = doors.compiled(project, PATTERN)
    with doors.filled(project) as archive:
        columns = {"door": frozenset({"seconds", "room"})}
        request = BackfillRequest((query,), TimeRange(None, None), columns, {"door": BORDER})
        made = Rewrite.of(archive, request, query, rows=1_000)
        assert made.border == BORDER
        matches, boundary, rest = made.parts()
    assert matches.matches is not None
    assert boundary.primes
    seen = boundary.events["door"]["_time"].to_pylist()
    assert (seen[0], seen[-1]) == (NINE + 97 * SECOND, BORDER - SECOND), "what a later match can hold"
    assert rest.events["door"]["_time"].to_pylist()[0] == BORDER


def test_where_a_stream_has_not_begun_all_comes_from_the_log(tmp_path: Path) -> None:
    project = doors.project(tmp_path)
    query = doors.compiled(project, SELECTION)
    with doors.filled(project) as archive:
        request = BackfillRequest((query,), TimeRange(None, None), {"door": frozenset()}, {"door": None})
        parts = list(Rewrite.of(archive, request, query, rows=1_000).parts())
    assert [part.events["door"].num_rows for part in parts] == [200]


def test_what_the_store_lacks_moves_the_border_back(tmp_path: Path) -> None:
    project = doors.project(tmp_path)
    query = doors.compiled(project, SELECTION)
    doors.filled(project, 60).close()
    with doors.opened(doors.project(tmp_path, store=False)) as archive:
        archive.append(2, {"door": project.annotators["door"].annotate(doors.openings().slice(60)).events})
    with open_read_view(project.settings, project.knowledge, project.shapes) as view:
        request = BackfillRequest((query,), TimeRange(None, None), {"door": frozenset()}, {"door": BORDER})
        assert Rewrite.of(view, request, query, rows=1_000).border == NINE + 60 * SECOND
