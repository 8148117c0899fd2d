"""Windows of aggregates as SPARQL: each with the candidates that it holds."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.archive.rewrite import RefusedError, WindowQuery, datasets, rewrite_windows
from kaicep.cep import WINDOW
from support import doors
from support.archives import NINE, SECOND
from support.doors import AGGREGATE


def rewritten(folder: Path, text: str) -> WindowQuery:
    project = doors.project(folder)
    return rewrite_windows(doors.compiled(project, text), project.shapes, project.knowledge)


def sizes(folder: Path, query: WindowQuery, count: int) -> list[int]:
    """How many candidates each window holds."""
    start, end = NINE, NINE + count * SECOND
    with doors.filled(doors.project(folder), count) as archive:
        assert archive.store is not None
        text = query.text(None, start, end, end)
        tsv = archive.store.select(text, *datasets(archive.store.graphs("door"), apart=query.apart))
    held = query.read(tsv, start, end, end)
    return held.group_by(WINDOW).len().sort(WINDOW)["len"].to_list()


def test_a_sliding_window_holds_what_lies_before_each_candidate(tmp_path: Path) -> None:
    query = rewritten(tmp_path, AGGREGATE)
    assert query.reach == timedelta(seconds=5)
    assert sorted(sizes(tmp_path, query, 12)) == [1, 2, 2, 2]


def test_windows_of_time_are_listed_by_start_and_end(tmp_path: Path) -> None:
    query = rewritten(tmp_path, "SELECT COUNT(?e.seconds) AS n WITHIN (, ) WINDOW (?e, batch, 5s)")
    assert sizes(tmp_path, query, 15) == [5, 5, 5]


@pytest.mark.parametrize(
    ("window", "reason"),
    [
        ("sliding, 3 events", "a window of so many events: SPARQL counts none"),
        ("session, 1s", "the ends of such windows follow from the events before them"),
        ("batch, 1s, START first", "windows that begin with the first event have to know it"),
    ],
)
def test_what_sparql_cannot_say_is_refused(tmp_path: Path, window: str, reason: str) -> None:
    with pytest.raises(RefusedError) as refused:
        rewritten(tmp_path, f"SELECT COUNT(?e.seconds) AS n WITHIN (, ) WINDOW (?e, {window})")
    assert str(refused.value) == reason


def test_too_many_windows_are_refused(tmp_path: Path) -> None:
    query = rewritten(tmp_path, "SELECT COUNT(?e.seconds) AS n WITHIN (, ) WINDOW (?e, hopping, 1s, 1ms)")
    end = NINE + timedelta(hours=1)
    with pytest.raises(RefusedError, match="more than SPARQL is asked of at once"):
        query.text(None, NINE, end, end)
