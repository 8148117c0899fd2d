"""Timers: on random queries and streams the engine equals the oracle, however the streams are cut."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from kaicep import Project
from kaicep.errors import CeilingError, QueryTypeError
from kaicep.pipeline.flow.batch import Batch
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.registration import Registration
from oracle.evaluate import Oracle
from support.batches import processed
from support.cases import difference
from support.context_examples import Example, examples
from support.dataflows import answered, cut_anywhere
from support.timer_queries import CONTENT, FAMILIES, events

BASE = datetime(2024, 1, 1, tzinfo=UTC)
PROJECT, ORACLE = Project.parse(CONTENT), Oracle(CONTENT)
TIMERS = ("after", "snoop-plus-fact", "every-until", "every-in-context")
REFUSED = (
    "without bound",
    "lies beyond the shortest WINDOW",
    "would begin or end in the past",
    "may be left out between",
)


@pytest.mark.parametrize("example", [e for e in examples("event_examples") if e.name in TIMERS], ids=lambda e: e.name)
def test_an_example_has_its_rows(example: Example) -> None:
    rows = list(Project.parse(example.content).evaluate(example.text, example.streams))
    assert example.shown(rows) == (example.rows, example.contexts)
    oracle = Oracle(example.content).evaluate(example.text, example.streams)
    assert example.shown(oracle) == (example.rows, example.contexts)


def is_accepted(text: str, retention: timedelta | None = None) -> bool:
    """Whether a query is accepted; a random one may never hold, or grow without bound."""
    try:
        PROJECT.compile(text, retention=retention)
    except QueryTypeError as error:
        if any(reason in str(error) for reason in REFUSED):
            return False
        raise
    return True


def agree(family: str, seed: int) -> Sequence[Mapping[str, Any]] | None:
    """The engine's rows, which are the oracle's, whole and in batches with restores; `None`: it is refused."""
    rng = Random(f"{family} {seed}")
    text, rows = FAMILIES[family](rng), events(rng)
    if not is_accepted(text):
        return None
    expected = ORACLE.evaluate(text, rows)
    actual = list(PROJECT.evaluate(text, rows))
    found = difference(actual, expected)
    assert found is None, f"{family} {seed}\n{text}\n{rows}\n{found}"
    cut = cut_anywhere(rows, rng)
    resumed = {place for place in range(len(cut) + 1) if rng.random() < 0.4}
    found = difference(answered(PROJECT, text, cut, resumed), expected, 0)
    assert found is None, f"{family} {seed}\n{text}\n{rows}\nresumed after {resumed} of {cut}\n{found}"
    return actual


def agree_about_the_past(seed: int) -> bool:
    """The rows of a query with a past, or over an outage, are those of the oracle; whether there are any."""
    rng = Random(f"past {seed}")
    text, rows = FAMILIES["bounded"](rng), events(rng)
    if not is_accepted(text):
        return False
    first, last = (BASE + timedelta(seconds=rng.randint(0, 20)) for _ in range(2))
    outage = (min(first, last), max(first, last) + timedelta(seconds=1)) if rng.random() < 0.4 else None
    registered = None if outage is not None and rng.random() < 0.5 else min(first, last)
    expected = ORACLE.evaluate(text, rows, registered)
    for strategy in ("replay", "hybrid") if outage is None else (None,):
        actual = list(
            PROJECT.evaluate(
                text, rows, strategy=strategy, registered_at=registered, outage=outage, snapshots=rng.random() < 0.5
            )
        )
        found = difference(actual, expected)
        assert found is None, f"{seed}\n{text}\n{rows}\n{strategy} {registered} {outage}\n{found}"
    return bool(expected)


def agree_about_retention(family: str, seed: int) -> bool:
    """What a submission says instead of a WINDOW bounds timers, too; whether there are rows."""
    rng = Random(f"retention {family} {seed}")
    text, rows = re.sub(r"WINDOW \([^)]*\)", "", FAMILIES[family](rng)), events(rng)
    retention = timedelta(seconds=rng.choice((4, 9, 20)))
    if not is_accepted(text, retention):
        return False
    expected = ORACLE.evaluate(text, rows, retention=retention)
    found = difference(list(PROJECT.evaluate(text, rows, retention=retention)), expected)
    assert found is None, f"{family} {seed}\n{text}\n{rows}\n{retention}\n{found}"
    return bool(expected)


def due_in_time(family: str, seed: int) -> None:
    """What timers wait for is due just when it comes, on silent streams too."""
    rng = Random(f"due {family} {seed}")
    text, rows = FAMILIES[family](rng), events(rng)
    if not is_accepted(text):
        return
    dataflow = PROJECT.dataflow()
    for number, query in enumerate(PROJECT.compile(text)):
        dataflow.register(Registration(query, query.name or f"query-{number}"))
    processed(dataflow, {name: own[: rng.randint(1, 20)] for name, own in rows.items()})
    for _ in range(12):
        if not dataflow.due:
            break
        due = min(dataflow.due.values())
        early = _moved(dataflow, due - timedelta(microseconds=1))
        assert not early, f"{family} {seed}\n{text}\n{rows}\n{early} before {due}"
        _moved(dataflow, due)


def _moved(dataflow: Dataflow, to: datetime) -> dict[str, int]:
    """The rows that the watermarks bring, moved so far at the least."""
    known = {name: to if mark is None else max(mark, to) for name, mark in dataflow.watermarks.items()}
    matches = dataflow.process(Batch(advances=known)).matches
    return {label: found.num_rows for label, found in matches.items() if found.num_rows}


families = pytest.mark.parametrize("family", FAMILIES)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("?a, EVERY 5s", "this EVERY does not say how long"), ("?a, AFTER 5s POLICY strict", "'=>' beside a timer")],
)
def test_an_example_is_refused(pattern: str, message: str) -> None:
    """Those of the language's own list."""
    pattern, _, policy = pattern.partition(" POLICY")
    text = f"SELECT ?a.id AS a FROM (?a, S), (?b, S) WHERE {{ SEQ ({pattern}) WINDOW (?a, ?b, 1min) }}"
    with pytest.raises(QueryTypeError, match=message):
        PROJECT.compile(f"{text} POLICY{policy}" if policy else text)


def test_every_ends_with_the_last_event_of_all_streams() -> None:
    text = "SELECT ?a.id FROM (?a, S), (?b, S) SEQ (?a, EVERY 2s UNTIL ?b) FILTER (?b.k = 'b')"
    rows = {"S": [{"id": "a1", "t": "2024-01-01T00:00:00Z"}], "P": [{"id": "p1", "t": "2024-01-01T00:00:05Z"}]}
    assert [row["_time"].second for row in PROJECT.evaluate(text, rows)] == [2, 4]
    assert len({row["_id"] for row in PROJECT.evaluate(text, rows)}) == 2, "the moment is part of the id"


def test_every_that_ended_long_ago_costs_nothing() -> None:
    """A jump of the watermark asks for no moments that nothing can be a match at."""
    text = "SELECT ?a.id FROM (?a, S), (?b, S) SEQ (?a, EVERY 1ms UNTIL ?b) FILTER (?a.k = 'a') FILTER (?b.k = 'b')"
    near = [{"id": "a1", "t": "2024-01-01T00:00:00Z", "k": "a"}, {"id": "b2", "t": "2024-01-01T00:00:00.01Z", "k": "b"}]
    rows = list(PROJECT.evaluate(text, {"S": [*near, {"id": "c3", "t": "2034-01-01T00:00:00Z", "k": "c"}]}))
    assert len(rows) == 9
    with pytest.raises(CeilingError, match="matches"):
        PROJECT.evaluate(text, {"S": [near[0], {"id": "c3", "t": "2034-01-01T00:00:00Z", "k": "c"}]})


def test_a_timer_that_a_not_follows_is_not_the_last() -> None:
    """Where what comes behind is left out, the NOT waits for the end of WINDOW."""
    text = "SELECT ?a.id FROM (?a, S), (?n, S), (?b, P) SEQ (?a, AFTER 1s, NOT ?n, ?b*) WINDOW (?a, ?b, 9s)"
    rows = {"S": [{"id": "a1", "t": "2024-01-01T00:00:00Z"}]}
    assert [row["_time"].second for row in PROJECT.evaluate(text, rows)] == [9]
    assert difference(list(PROJECT.evaluate(text, rows)), ORACLE.evaluate(text, rows)) is None


def test_the_past_of_timers_is_answered_as_if_it_came_live() -> None:
    assert sum(map(agree_about_the_past, range(6))) > 0


@pytest.mark.parametrize("family", ["after", "every", "runs", "others"])
def test_a_retention_bounds_timers(family: str) -> None:
    assert any(agree_about_retention(family, seed) for seed in range(12))


@pytest.mark.parametrize("family", ["after", "every", "runs", "chosen", "derived"])
def test_what_is_due_is_never_said_too_late(family: str) -> None:
    for seed in range(4):
        due_in_time(family, seed)


@pytest.mark.long
def test_the_past_of_timers_in_the_long_run() -> None:
    assert sum(map(agree_about_the_past, range(500))) > 100


@families
def test_engine_equals_oracle(family: str) -> None:
    answers = [agree(family, seed) for seed in range(2)]
    assert any(answers)


@pytest.mark.long
@families
def test_engine_equals_oracle_in_the_long_run(family: str) -> None:
    answers = [agree(family, seed) for seed in range(2000)]
    assert sum(map(bool, answers)) > 700
