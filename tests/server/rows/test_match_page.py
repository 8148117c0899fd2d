"""Pages of rows follow each other without a gap."""

from __future__ import annotations

import pytest
from kaicep.archive import ArchivePlace
from kaicep.archive.matches import MatchLog
from kaicep.config import Settings
from kaicep.server.problem import ProblemError
from kaicep.server.rows import MatchReader
from kaicep.server.rows.match_page import match_page
from support.found import ORIGIN, QUERY, matches
from support.kept_rows import keep_rows, row_id


@pytest.fixture
def reader(settings: Settings) -> MatchReader:
    keep_rows(settings, 0, 1, 2, 3)
    keep_rows(settings, 1, 4, 5)
    return MatchReader(settings)


def test_pages_follow_each_other(reader: MatchReader) -> None:
    found, after = [], None
    while (page := match_page(reader, "high", after, 2, None)).rows:
        assert page.columns == ("flow", "_time", "_events", "_id")
        found += [row["flow"] for row in page.rows]
        after = page.next
    assert (found, page.next, page.columns) == ([1, 2, 3, 4, 5], after, ("flow",))


def test_after_may_be_the_id_of_a_row(reader: MatchReader) -> None:
    assert [row["flow"] for row in match_page(reader, "high", row_id(3), 9, None).rows] == [4, 5]
    with pytest.raises(ProblemError, match="no row of 'high' has the id") as problem:
        match_page(reader, "high", row_id(77), 9, None)
    assert problem.value.status == 404


def test_behind_a_place_that_a_restored_log_has_not_reached_is_what_comes_next(
    settings: Settings, reader: MatchReader
) -> None:
    page = match_page(reader, "high", "0-9-4", 9, None)
    assert (page.rows, page.next) == ((), "0-1-1")
    keep_rows(settings, 2, 6)
    assert [row["flow"] for row in match_page(reader, "high", page.next, 9, None).rows] == [6]


def test_the_last_rows(reader: MatchReader) -> None:
    page = match_page(reader, "high", None, 1000, 2)
    assert [row["flow"] for row in page.rows] == [4, 5]
    assert match_page(reader, "high", page.next, 1000, None).rows == ()
    with pytest.raises(ProblemError, match="after and last contradict each other"):
        match_page(reader, "high", page.next, 1000, 2)


def test_without_rows_there_is_no_place(settings: Settings) -> None:
    page = match_page(MatchReader(settings), "high", None, 10, None)
    assert (page.columns, page.rows, page.next) == ((), (), None)


def test_columns_are_those_of_select(settings: Settings) -> None:
    """Of the page, and of each of its rows; what kaicep adds comes behind them."""
    place = ArchivePlace.of(settings)
    place.prepare()
    log = MatchLog(place.logs, locks=place.root)
    log.append(0, [(ORIGIN, matches([1, 2]))])
    log.close()
    reader = MatchReader(settings)
    page = match_page(reader, QUERY, None, 10, None)
    assert page.columns == ("flow", "note", "room", "lasts", "_time", "_events", "_id")
    assert [tuple(row) for row in page.rows] == 2 * [page.columns]
    assert reader.columns(QUERY) == page.columns[:4]
