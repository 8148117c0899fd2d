"""What is reported of windows over candidates."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import polars as pl
from kaicep.cep.partitions import QUERY_COLUMN, QuerySharing
from kaicep.cep.settled_query import settled_query
from kaicep.cep.windows.window_assigner import WindowClause
from kaicep.cep.windows.window_frames import Windows
from kaicep.cep.windows.window_report import WindowReport, grouped_by
from kaicep.language.nodes import Query, expression_text
from support.frames import frame_at
from support.operators import compiled

FRAME = frame_at([1, 2, 3], ["p", "q", "r"], {"sensor": ["a", "b", "a"], "n": [4, 2, 1]})
SLIDING = "SELECT ?e.sensor, SUM(?e.n) AS s FROM (?e, readings) WINDOW (?e, sliding, 9s) GROUP BY ?e.sensor"


def windows(start: list[int], end: list[int], order: list[int] | None = None) -> Windows:
    """Windows that are ranges of candidates in an order, each reported with the last one of its own."""
    behind = np.array(end)
    last = behind - 1 if order is None else np.array(order)[behind - 1]
    nothing = np.zeros(0, dtype=bool)
    return Windows(
        None if order is None else np.array(order), np.array(start), behind, last, last + 1, last + 2, last + 2, nothing
    )


def report(query: Query) -> WindowReport:
    return WindowReport(settled_query(query), cast("WindowClause", query.windows[0]), None)


def test_groups_are_those_of_partition_by_and_then_of_group_by() -> None:
    query = replace(compiled(SLIDING.replace("BY ?e.sensor", "BY ?e.n % 2")), partition_by=((("e", "sensor"),),))
    assert [expression_text(e) for e in grouped_by(query)] == ["?e.sensor", "?e.n % 2"]
    assert [column.to_list() for column in report(query).groups(FRAME)] == [["a", "b", "a"], [0, 0, 1]]


def test_a_match_has_its_last_candidate_its_aggregates_and_what_tells_it_apart() -> None:
    asked = report(compiled(SLIDING.replace("sliding", "batch")))
    found = asked.of(FRAME, asked.groups(FRAME), windows([0, 2], [2, 3], [0, 2, 1]))
    matches = found.matches
    assert found.asking is None
    assert matches.frame.select("_id", "#0").rows() == [("q", 2), ("r", 5)]
    assert matches.time.tolist() == [3, 4]
    assert matches.events["e"].to_list() == ["q", "r"]
    group, since, until = matches.keys
    assert group.to_list() == ["b", "a"]
    assert since.n_unique() == until.n_unique() == 2


def test_a_sliding_window_follows_from_its_event() -> None:
    asked = report(compiled(SLIDING))
    matches = asked.of(FRAME, asked.groups(FRAME), windows([0], [3])).matches
    assert len(matches.keys) == 1
    assert matches.window is not None
    assert [moment.tolist() for moment in matches.window] == [[3], [4]]


def test_windows_stand_where_having_and_comparisons_are_true() -> None:
    texts = {" HAVING SUM(?e.n) > ?e.n + 1": ["q", "r"], " HAVING (SUM(?e.n) < 7 AND ?e.n < 4)": ["q"]}
    for having, standing in texts.items():
        asked = report(compiled(SLIDING + having))
        matches = asked.of(FRAME, asked.groups(FRAME), windows([0, 0, 0], [1, 2, 3])).matches
        assert matches.frame["_id"].to_list() == standing, having
    short = report(compiled(SLIDING.replace("SUM(?e.n)", "SUM(?e.n) > 6")))
    assert short.of(FRAME, short.groups(FRAME), windows([0, 0], [1, 3])).matches.frame["#0"].to_list() == [7]


def test_what_aggregates_were_is_remembered_by_group_and_goes_on_from_tables() -> None:
    query = compiled(SLIDING.replace("SUM(?e.n) AS", "OLD(AVG(?e.n)) AS"))
    first, later = report(query), report(query)
    assert first.tables()["reports"].is_empty()

    def found(asked: WindowReport) -> list[object]:
        matches = asked.of(FRAME, asked.groups(FRAME), windows([0, 1, 2], [1, 2, 3])).matches
        assert matches.frame["#1"].to_list() == [4, 2, 1]
        return matches.frame["#0"].to_list()

    assert found(first) == [None, None, 4]
    later.load(first.tables())
    assert found(later) == found(first) == [1, 2, 4]
    assert not report(compiled(SLIDING)).tables()


def test_each_of_several_queries_that_ask_as_one_has_its_windows() -> None:
    frame = FRAME.with_columns(pl.Series(QUERY_COLUMN, [0, 1, 0]))
    asked = report(compiled(SLIDING.replace(" GROUP BY ?e.sensor", "").replace("?e.sensor, ", "")))
    found = asked.of(frame, [], windows([0, 1, 2], [1, 2, 3]), QuerySharing([[5], [6, 7]], pl.DataFrame()))
    assert found.asking is not None
    assert found.asking.tolist() == [5, 6, 7, 5]
    assert found.matches.queries is not None
    assert found.matches.queries.tolist() == [5, 6, 7, 5]
    assert found.matches.frame["_id"].to_list() == ["p", "q", "q", "r"]
