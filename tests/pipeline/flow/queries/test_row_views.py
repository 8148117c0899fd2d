"""What users, other queries and rules have of the rows of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.cep.partitions import CONTEXT_WINDOWS
from kaicep.pipeline.flow.queries.row_views import RowViews
from kaicep.pipeline.flow.rules import PLACE, RuleFiring
from support.rule_queries import CONTENT

PROJECT = Project.parse(CONTENT)
BASE = datetime(2024, 1, 1, tzinfo=UTC)
MOMENT = pa.timestamp("us", tz="UTC")


def views(text: str, rows: pa.Table, sampled: float | None = None) -> RowViews:
    """Of the last query of a document."""
    query = PROJECT.compile(text)[-1]
    firing = None if query.rule is None else RuleFiring(query, query.rule, None)
    return RowViews(query, lambda: rows.slice(0, 0), firing, sampled)


def rows_of(**columns: Sequence[object]) -> pa.Table:
    count = len(next(iter(columns.values())))
    moments = pa.array([BASE + timedelta(seconds=second) for second in range(count)], MOMENT)
    return pa.table({**columns, "_time": moments, "_id": pa.array([f"r{n}" for n in range(count)])})


def test_users_see_neither_hidden_items_nor_context_windows() -> None:
    rows = rows_of(x=[1, 2], k=["a", "b"], **{CONTEXT_WINDOWS: [7, 8]})
    query = PROJECT.compile("SELECT ?e.x, ?e.k FROM (?e, S)")[-1]
    hidden = replace(query, items=(query.items[0], replace(query.items[1], hidden=True)))
    seen = RowViews(hidden, lambda: rows.slice(0, 0), None)
    assert seen.visible(rows).column_names == seen.none.column_names == ["x", "_time", "_id"]
    assert seen.visible(rows)["x"].to_pylist() == [1, 2]
    assert seen.none.num_rows == 0


def test_rows_say_which_share_of_the_events_stands_behind_them_as_soon_as_it_is_known() -> None:
    rows = rows_of(x=[1, 2])
    seen = views("SELECT ?e.x FROM (?e, S)", rows)
    assert seen.none.column_names == ["x", "_time", "_id"]
    for share in (0.5, 0.25):
        seen.be_sampled(share)
        assert seen.sampled == share
        assert seen.visible(rows)["_sampled"].to_pylist() == [share, share]
        assert seen.none.column_names == ["x", "_time", "_id", "_sampled"]
    seen.be_sampled(None)
    assert "_sampled" not in seen.none.column_names
    assert "_sampled" in views("SELECT ?e.x FROM (?e, S)", rows, 0.1).visible(rows).column_names


def test_as_events_they_are_named_and_go_on_in_the_order_that_a_rule_asks_for() -> None:
    rows = rows_of(x=[1, 2])
    seen = views("CREATE QUERY high AS SELECT ?e.x FROM (?e, S)", rows)
    events = seen.as_events(rows)
    assert events["_id"].to_pylist() == ["urn:kaicep:event:high/r0", "urn:kaicep:event:high/r1"]
    assert PLACE not in events.column_names
    seen.is_ordered = True
    places = [seen.as_events(rows)[PLACE].to_pylist() for _ in range(2)]
    assert places == [[0, 1], [2, 3]]


def test_of_a_rule_users_see_no_rows_and_it_emits_none_behind_the_end() -> None:
    rows = rows_of(**{"0.x": [1, 2, 3]})
    seen = views("CREATE RULE r ON S IF (?row.x > 0) DO EMIT E(?row.x AS x)", rows)
    assert seen.visible(rows).num_rows == 0

    def emitted() -> list[list[object]]:
        return [events["x"].to_pylist() for _, events in seen.emitted(rows)]

    assert emitted() == [[1, 2, 3]]
    seen.ends_at = BASE + timedelta(seconds=1)
    assert emitted() == [[1, 2]]
    assert views("SELECT ?e.x FROM (?e, S)", rows).emitted(rows) == []


@pytest.mark.parametrize("share", [0.5, None])
def test_calls_of_a_rule_say_the_share_as_well(share: float | None) -> None:
    query = PROJECT.compile("CREATE RULE r ON S IF (?row.x > 0) DO CALL go()")[-1]
    assert query.rule is not None
    firing = RuleFiring(query, query.rule, None)
    RowViews(query, lambda: rows_of(x=[]), firing).be_sampled(share)
    assert firing.sampled == share
