"""Which PATHs follow from which, and what their variables are called there."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project
from kaicep.language.cover.path_cover import path_covers
from support.cover_pairs import content

FAN = "PATH { ?e x:by ?d . ?d a x:Fan }"


def ways(folder: Path, wide: str, narrow: str, selected: str = "?e.v") -> list[dict[str, str]]:
    """The ways in which PATHs of ?e follow from those of another query."""
    project = Project.parse(content(folder))
    queries = [project.compile(f"SELECT {selected} FROM (?e, S) {paths}")[0] for paths in (wide, narrow)]
    one, other = (query.sources[0].semantics for query in queries)
    return [dict(found) for found in path_covers(one, other, project.knowledge)]


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("", FAN),
        (FAN, FAN.replace("?d", "?x")),
        (FAN, FAN.replace("Fan", "Big")),
        (FAN, f"{FAN} {FAN.replace('?d', '?u').replace('Fan', 'Pump')}"),
        (FAN, "PATH { ?e x:by x:d1 . x:d1 a x:Fan }"),
        ("PATH { ?e x:by ?d . ?d a x:Device }", f"{FAN} OR {FAN.replace('Fan', 'Pump')}"),
        (f"{FAN} OR {FAN.replace('Fan', 'Pump')}", FAN),
        ("PATH { ?e x:by/x:in+ ?d }", "PATH { ?e x:by/x:in+ ?u . ?u a x:Fan }"),
        ("PATH { ?e x:by ?d FILTER (?d != x:d1) }", "PATH { ?e x:by ?u . ?u a x:Fan FILTER (?u != x:d1) }"),
        ("PATH { ?e x:by ?d OPTIONAL { ?d x:in ?r } }", "PATH { ?e x:by ?d OPTIONAL { ?d x:in ?r } }"),
    ],
)
def test_what_follows(wide: str, narrow: str, tmp_path: Path) -> None:
    assert ways(tmp_path, wide, narrow)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (FAN, ""),
        (FAN.replace("Fan", "Big"), FAN),
        (FAN, FAN.replace("Fan", "Device")),
        (FAN, f"{FAN} OR {FAN.replace('Fan', 'Pump')}"),
        ("PATH { ?e x:by ?d . ?d x:in ?d }", "PATH { ?e x:by ?d . ?d x:in ?r }"),
        ("PATH { ?e x:by ?d FILTER (?d != x:d1) }", "PATH { ?e x:by ?d }"),
        ("PATH { ?e x:by ?d . ?d ?p x:d1 }", "PATH { ?e x:by ?d . ?d x:in x:d1 }"),
        ("PATH { ?e x:by ?d OPTIONAL { ?d x:in ?r } }", "PATH { ?e x:by ?d OPTIONAL { ?d x:at ?r } }"),
    ],
)
def test_what_does_not(wide: str, narrow: str, tmp_path: Path) -> None:
    assert not ways(tmp_path, wide, narrow)


def test_it_is_said_what_variables_are_called(tmp_path: Path) -> None:
    narrow = "PATH { ?e x:by ?d . ?u x:at ?d . ?d a x:Big }"
    assert ways(tmp_path, FAN, narrow, "?d AS d") == [{"d": "d"}]
