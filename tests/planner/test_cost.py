"""What strategies would cost, by what archive and store tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.planner.backfill_chunks import BackfillRequest, TimeRange
from kaicep.planner.cost import Statistics, log_statistics, store_statistics
from kaicep.planner.strategies import candidate_queries
from support import doors
from support.archives import NINE, SECOND
from support.doors import AGGREGATE, PATTERN, SELECTION


def request(span: TimeRange | None) -> BackfillRequest:
    return BackfillRequest((), span, {"door": frozenset({"seconds"})}, {"door": None})


def test_the_log_tells_rows_and_segments(tmp_path: Path) -> None:
    with doors.filled(doors.project(tmp_path)) as archive:
        assert log_statistics(archive, request(TimeRange(None, None))) == Statistics(200, 1, 0, {}, {})
        assert log_statistics(archive, request(TimeRange(NINE, NINE + 50 * SECOND))).rows == 50
        assert log_statistics(archive, request(None)) == Statistics(0, 0, 0, {}, {})


def test_the_store_tells_buckets_and_candidates_of_a_sample(tmp_path: Path) -> None:
    project = doors.project(tmp_path)
    selects = candidate_queries(doors.compiled(project, SELECTION), project.shapes, project.knowledge)
    with doors.filled(project) as archive:
        found = store_statistics(archive, request(TimeRange(None, None)), selects)
    assert (found.rows, found.graphs, found.apart) == (200, 4, True)
    in_sample = sum(n % 3 == 1 and n * n % 11 > 5 for n in range(120, 180))
    assert found.candidates == {"e": 4 * in_sample}
    assert found.looked_at == {"e": 4 * in_sample}, "the store finds them by its index"


@pytest.mark.parametrize("text", [SELECTION, AGGREGATE, PATTERN])
def test_more_costs_more(tmp_path: Path, text: str) -> None:
    query = doors.compiled(doors.project(tmp_path), text)
    few = Statistics(1_000, 10, 4, {"a": 10, "b": 10}, {"a": 10, "b": 10})
    many = Statistics(100_000, 1_000, 400, {"a": 1_000, "b": 1_000}, {"a": 1_000, "b": 1_000})
    assert few.replay() < many.replay()
    assert few.hybrid() < many.hybrid()
    assert few.hybrid() <= few.rewrite(query) < many.rewrite(query)


def test_one_query_over_all_buckets_costs_more_where_events_are_no_graphs_of_their_own(tmp_path: Path) -> None:
    query = doors.compiled(doors.project(tmp_path), SELECTION)
    known = (1_000, 10, 40, {"e": 100}, {"e": 100})
    assert Statistics(*known, apart=False).rewrite(query) > Statistics(*known, apart=True).rewrite(query)
