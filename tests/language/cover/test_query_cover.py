"""Which queries cover which: decided with the reason, and never wrongly."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from kaicep import Project
from kaicep.language.checks import known_state
from kaicep.language.cover import Cover, cover_of
from kaicep.language.nodes import Query, StateReference
from oracle.asked import States
from oracle.evaluate import Oracle
from support.cover_pairs import Asked, content, random_query, random_streams, tightened

RETENTION = timedelta(seconds=20)
WIDE = "SELECT ?a.id FROM (?a, S), (?b, S) FILTER (?a.v < 3) JOIN (?a.g = ?b.g) SEQ (?a, ?b) WINDOW (?a, ?b, 9s)"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project.parse(content(tmp_path_factory.mktemp("devices")))


@pytest.mark.parametrize(
    ("narrow", "reason"),
    [
        (WIDE, None),
        (WIDE.replace("?a", "?x").replace("9s", "5s"), None),
        (WIDE.replace("?a.v < 3", "?a.v IN (0, 2)"), None),
        (WIDE.replace("9s", "10s"), "its window over ?a, ?b may be over sooner"),
        (WIDE.replace("?a.v < 3", "?a.v < 4"), "FILTER (?a.v < 3) need not hold"),
        (WIDE.replace("JOIN (?a.g = ?b.g)", ""), "JOIN (?a.g = ?b.g) need not hold"),
        (WIDE.replace("SEQ (?a, ?b)", "SEQ (?b, ?a)"), "its ?a comes before ?b, and that need not be so"),
        (WIDE.replace("?a, ?b)", "?a -> ?b)"), "the links of its SEQ are others"),
        (WIDE.replace("S)", "T)"), "its events are of other streams, or fewer"),
        ("SELECT COUNT(?a) AS n FROM (?a, S) WINDOW (?a, sliding, 9s)", "it is a pattern, and this one an aggregate"),
    ],
)
def test_it_is_decided_with_the_reason(project: Project, narrow: str, reason: str | None) -> None:
    wide, other = project.compile(f"CREATE QUERY wide AS {WIDE};\nCREATE QUERY other AS {narrow}")
    found = cover_of(wide, other, project.knowledge)
    assert (isinstance(found, Cover), "" if isinstance(found, Cover) else str(found)) == (reason is None, reason or "")


def test_classes_below_are_known(project: Project) -> None:
    of = (
        "CREATE QUERY {} AS SELECT ?a.id FROM (?a, S), (?b, S) PATH {{ ?a x:by ?{} . ?{} a x:{} }} WINDOW (?a, ?b, 9s);"
    )
    fan, big = project.compile(of.format("fan", "f", "f", "Fan") + of.format("big", "g", "g", "Big"))
    assert isinstance(cover_of(fan, big, project.knowledge), Cover)
    assert str(cover_of(big, fan, project.knowledge)) == "a PATH of it need not hold"
    assert not isinstance(cover_of(fan, big), Cover)


def pairs(project: Project, seed: int) -> tuple[Random, Asked, bool, Mapping[str, Query]]:
    """A pair of queries, in seven of ten the second by asking for more than the first."""
    source = Random(seed)
    wide, derived = random_query(source), source.random() < 0.7
    narrow = tightened(source, wide) if derived else random_query(source)
    names = dict(zip("abcd", source.sample("pqrs", 4), strict=True))
    text = f"CREATE QUERY wide AS {wide.text()};\nCREATE QUERY narrow AS {narrow.text(names)}"
    return source, wide, derived, {str(q.name): q for q in project.compile(text, retention=RETENTION)}


def events_held(states: States, name: str) -> set[str]:
    return {event.id for event in states.held(StateReference(name))}


def hold(project: Project, oracle: Oracle, seeds: range) -> tuple[int, int]:
    """What is covered is covered at every moment; how many moments said something, and how many pairs were covered."""
    said = covered = 0
    for seed in seeds:
        source, _, _, queries = pairs(project, seed)
        refused = any(known_state(query).refusal for query in queries.values())
        if refused or not isinstance(cover_of(queries["wide"], queries["narrow"], project.knowledge), Cover):
            continue
        covered += 1
        streams = random_streams(source)
        for moment in sorted({datetime.fromisoformat(raw["t"]) for own in streams.values() for raw in own}):
            states = States(oracle, [*queries.values()], streams, moment)
            narrow = events_held(states, "narrow")
            assert narrow <= events_held(states, "wide"), (seed, moment)
            said += bool(narrow)
    return said, covered


def recognised(project: Project, seeds: range) -> float:
    """The share of what is covered since more is asked, that is known to be."""
    found = [
        isinstance(cover_of(queries["wide"], queries["narrow"], project.knowledge), Cover)
        for _, wide, derived, queries in (pairs(project, seed) for seed in seeds)
        if derived and not wide.exact
    ]
    return sum(found) / len(found)


def test_what_is_covered_is_covered_at_every_moment(project: Project, tmp_path: Path) -> None:
    said, covered = hold(project, Oracle(content(tmp_path)), range(40))
    assert said > 40
    assert covered > 10


def test_most_of_what_asks_for_more_is_recognised(project: Project) -> None:
    assert recognised(project, range(60)) >= 0.9


@pytest.mark.long
def test_covers_in_the_long_run(project: Project, tmp_path: Path) -> None:
    said, _ = hold(project, Oracle(content(tmp_path)), range(2000))
    assert said > 2000
    assert recognised(project, range(2000)) >= 0.9
