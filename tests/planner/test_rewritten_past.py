"""The past in SPARQL: up to a border, and what operators have to know from there on."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from kaicep.archive import Archive, open_read_view
from kaicep.archive.rewrite import CandidateQuery, MatchQuery, RefusedError, WindowQuery
from kaicep.errors import PlanError
from kaicep.language.nodes import Query
from kaicep.planner import rewritten_past
from kaicep.planner.backfill_chunks import BackfillChunk, BackfillRequest, TimeRange
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


MANY = 2_000
"""So many openings: each may be either event of a pattern, which are more pairs than are looked at at once."""


def asked(
    archive: Archive, query: Query, *, asked_for: bool = True, cancelled: threading.Event | None = None
) -> list[BackfillChunk]:
    columns, end = {"door": frozenset({"seconds", "room"})}, NINE + MANY * SECOND
    request = BackfillRequest((query,), TimeRange(None, None), columns, {"door": end}, cancelled=cancelled)
    return list(Rewrite.of(archive, request, query, rows=MANY, asked_for=asked_for).parts())


@pytest.mark.slow
def test_what_may_take_long_gives_the_same_in_a_process_that_can_be_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = doors.project(tmp_path)
    query = doors.compiled(project, PATTERN)
    with doors.filled(project) as archive:
        (here, *_) = asked(archive, query)
        monkeypatch.setattr(rewritten_past, "_AT_ONCE", 0)
        monkeypatch.setattr("kaicep.archive.store.store_copy.select", None)  # nobody asks in this process
        (apart, *_) = asked(archive, query)
    assert here.matches is not None
    assert apart.matches is not None
    assert len(here.matches.time) > 10
    assert apart.matches.frame.equals(here.matches.frame)
    assert all(apart.matches.events[v].equals(ids) for v, ids in here.matches.events.items())


@pytest.mark.slow
@pytest.mark.parametrize("text", [AGGREGATE, PATTERN])
def test_what_was_asked_for_is_ended_after_its_time(tmp_path: Path, text: str) -> None:
    """Oxigraph takes no sign to stop: 30,000 events kept it busy for 12 minutes, and it took 7 GB."""
    project = doors.project(tmp_path, rewrite_timeout="50ms")
    query = doors.compiled(project, text)
    with doors.filled(project, MANY) as archive, pytest.raises(PlanError) as ended:
        asked(archive, query)
    assert str(ended.value) == (
        "strategy 'rewrite' has no answer: no answer within 0.05 s: leave the choice to the planner, ask for replay, "
        "or raise rewrite_timeout in [archive]"
    )
    assert not list((tmp_path / "var/archive/snapshots").iterdir())


@pytest.mark.slow
def test_where_the_planner_chose_it_the_log_answers_then(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    project = doors.project(tmp_path, rewrite_timeout="50ms")
    query = doors.compiled(project, PATTERN)
    with doors.filled(project, MANY) as archive:
        parts = asked(archive, query, asked_for=False)
    assert [part.matches for part in parts] == [None] * len(parts)
    assert sum(part.events["door"].num_rows for part in parts) == MANY
    assert caplog.messages == [
        "SPARQL has no answer for the past of a query, which is replayed: no answer within 0.05 s"
    ]


@pytest.mark.slow
def test_another_thread_ends_it(tmp_path: Path) -> None:
    """As when its query is withdrawn, or the engine is stopped."""
    project, cancelled = doors.project(tmp_path, rewrite_timeout="1h"), threading.Event()
    query = doors.compiled(project, PATTERN)
    timer = threading.Timer(0.2, cancelled.set)
    timer.start()
    with doors.filled(project, 10 * MANY) as archive, pytest.raises(PlanError, match="the query was cancelled"):
        asked(archive, query, cancelled=cancelled)
    timer.join()
