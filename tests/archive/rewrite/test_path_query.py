"""PATHs as graph patterns: of the event's own graph where that is known, else of all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.archive.rewrite import RefusedError
from kaicep.archive.rewrite.path_query import PathPattern, semantics_text
from support import doors


def pattern(folder: Path, text: str) -> PathPattern:
    project = doors.project(folder)
    source = doors.compiled(project, text).sources[0]
    return semantics_text(source, project.shapes["door"], project.knowledge, "ANCHOR")


def test_without_a_path_there_is_nothing_to_find(tmp_path: Path) -> None:
    assert pattern(tmp_path, "SELECT ?e.room") == PathPattern()


def test_triples_of_the_event_are_found_in_its_own_graph(tmp_path: Path) -> None:
    found = pattern(tmp_path, "SELECT ?e.room PATH { ?e x:room 'r1' }")
    assert [text.replace("<http://x/room>", "x:room") for text in found.own] == ['?e x:room "r1" .']
    assert (found.before, found.behind, found.apart) == ((), (), True)


def test_alternatives_are_asked_of_all_graphs(tmp_path: Path) -> None:
    found = pattern(tmp_path, "SELECT ?e.room PATH { { ?e x:room 'r1' } UNION { ?e x:room 'r2' } }")
    assert found.own == ()
    assert not found.apart
    assert "UNION" in found.before[0]
    assert found.before[0].startswith("{ SELECT DISTINCT ?e WHERE")


def test_a_path_that_may_take_long_is_left_to_where_it_can_be_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store would be asked at the border of two batches, and takes no sign to stop."""
    monkeypatch.setattr("kaicep.archive.rewrite.path_query.KNOWN_SMALL", 0.5)
    with pytest.raises(RefusedError) as refused:
        pattern(tmp_path, "SELECT ?e.room PATH { ?e x:room 'r1' }")
    assert str(refused.value) == "a PATH of ?e may take long, and is evaluated where it can be ended"
