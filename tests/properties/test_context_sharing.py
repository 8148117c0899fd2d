"""Queries that are equal but for contexts and bounds have, batch by batch, the rows that each has alone."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Any

import pytest
from kaicep import Project
from kaicep.cep.joins import SharedPatternKernel
from kaicep.pipeline.sinks.row_values import rows
from support.batches import ended, processed
from support.changing_flow import ChangingFlow
from support.sampling import some_of

NO_LIMITS: Mapping[str, int] = MappingProxyType({})
STREAM = {
    "event_type": "<urn:P>",
    "time": {"attribute": "t"},
    "identity": ["id"],
    "lateness": "2s",
    "attributes": {
        "id": {"datatype": "xsd:string"},
        **{name: {"datatype": "xsd:integer"} for name in ("seg", "v", "car")},
        "w": {"datatype": "xsd:double"},
    },
}
CONTEXTS = """
CREATE CONTEXTS road (clear DEFAULT, slow, odd, noon DURING '00:00-00:01') BY seg WITHIN (,);
INITIATE CONTEXT slow FROM (?e, P) WHERE { FILTER (?e.v < 3) };
TERMINATE CONTEXT slow FROM (?e, P) WHERE { FILTER (?e.v > 7) };
INITIATE CONTEXT odd FROM (?e, P) WHERE { FILTER (?e.car = 1) };
TERMINATE CONTEXT odd FROM (?e, P) WHERE { FILTER (?e.car = 2 AND ?e.v > 4) }
"""
PATTERNS = (
    ("?a, ?b", "SEQ (?a, ?b)", ""),
    ("?a, ?b", "SEQ (NOT ?n, ?a, ?b)", "LIMIT 9"),
    ("?a, ?b", "SEQ (?a, NOT ?n, ?b)", "LIMIT 9"),
    ("?a, ?b, ?c", "SEQ (?a ->> ?b ->> ?c)", ""),
)
BOUNDS = (
    "?b.w < ?a.w + {}",
    "?b.w - ?a.w <= {}",
    "5 - ?b.w < {} - ?a.w",
    "?a.v + ?b.v < {}",
    "?a.car = ?b.car AND ?b.w >= ?a.w - {}",
    "{} > ?a.w + ?b.w",
)
"""Of comparisons; the greater the number, the looser."""
IN = ("slow", "odd", "clear", "noon", "slow", "odd, slow", "clear, noon")


def road(*, sharing: bool, limits: Mapping[str, int] = NO_LIMITS) -> ChangingFlow:
    """A data flow of the contexts; with limits, a query that fails stops no other."""
    engine = {"contexts": {"sharing": sharing}, **limits}
    project = Project.parse({"streams": {"P": STREAM}, "engine": engine})
    return ChangingFlow(project, isolated=bool(limits), first=CONTEXTS)


def question(number: int, context: str, tight: tuple[int, int, int] = (0, 20, 9)) -> str:
    """One of the patterns, in contexts, within bounds: a comparison's place, seconds, and a number."""
    place, seconds, number_of = tight
    variables, pattern, more = PATTERNS[number]
    bound = variables if "?n" not in pattern else f"{variables}, ?n"
    sources = ", ".join(f"({v}, P)" for v in bound.split(", "))
    joins = "?a.car = ?b.car" + (" AND ?n.v = ?b.v" if "?n" in pattern else "")
    distinct = "DISTINCT ?a.v AS v, ?b.v AS w" if "->>" in pattern else "?a.id AS a, ?b.id AS b"
    return (
        f"SELECT {distinct} FROM {sources} IN CONTEXT {context} WITHIN (,) "
        f"WHERE {{ {pattern} JOIN ({joins}) JOIN ({BOUNDS[place].format(number_of)}) "
        f"WINDOW ({bound}, {seconds}s) }} {more}"
    )


def batches(rng: Random) -> list[dict[str, list[dict[str, Any]]]]:
    """Readings every three seconds, now and then two at once, in batches of up to seven."""
    events: list[dict[str, Any]] = [
        {
            "id": f"e{i:02}",
            "t": f"2024-01-01T00:{i * 2 // 60:02}:{i * 2 // 3 * 3 % 60:02}Z",
            **{name: rng.randrange(bound) for name, bound in (("seg", 2), ("v", 10), ("car", 3))},
            "w": i * 5 % 8,
        }
        for i in range(70)
    ]
    cut = []
    while events:
        size = rng.randint(1, 7)
        cut.append({"P": events[:size]})
        events = events[size:]
    return cut


def check(seed: int) -> int:
    """Let queries come and go, twice; how many rows there are."""
    rng = Random(seed)
    number, fixed = rng.randrange(len(PATTERNS)), [rng.choice(IN) for _ in range(5)]
    cut = batches(rng)
    late = {place: (f"late-{place}", rng.choice(IN)) for place in range(len(cut)) if rng.random() < 0.1}
    compared, varied = rng.randrange(len(BOUNDS)), rng.random() < 0.7

    def tight() -> tuple[int, int, int]:
        """Bounds, mostly not the same for all."""
        return (compared, rng.choice((6, 12, 20, 21)), rng.randrange(10)) if varied else (compared, 20, 7)

    bounds = [tight() for _ in fixed]
    late_bounds = {place: tight() for place in late}
    leaving = {rng.randrange(len(cut)): f"q{place}" for place in (0, 3)}
    resumed = {place for place in range(len(cut)) if rng.random() < 0.2}
    flows = [road(sharing=sharing) for sharing in (True, False)]
    for flow in flows:
        for place, context in enumerate(fixed):
            flow.ask(f"q{place}", question(number, context, bounds[place]))
    count = 0
    for place, batch in enumerate([*cut, None]):
        answers = []
        for flow in flows:
            if place in resumed:
                flow.resume()
            if place in late:
                flow.ask(late[place][0], question(number, late[place][1], late_bounds[place]))
            if place in leaving:
                flow.drop(leaving[place])
            answers.append(ended(flow.flow) if batch is None else processed(flow.flow, batch).matches)
        for label, apart in answers[1].items():
            assert list(rows(answers[0][label])) == list(rows(apart)), f"seed {seed}, batch {place}, {label}"
            count += apart.num_rows
    return count


@pytest.mark.parametrize("seed", some_of(range(5), 1))
def test_rows_are_those_of_each_query_alone(seed: int) -> None:
    assert check(seed)


@pytest.mark.long
def test_rows_are_those_of_each_query_alone_in_the_long_run() -> None:
    answers = [check(seed) for seed in range(5, 1000)]
    assert sum(map(bool, answers)) >= 0.9 * len(answers)


def searches(
    monkeypatch: pytest.MonkeyPatch, *, sharing: bool, resumed: bool = False, bounds: tuple[int, ...] = (9,)
) -> int:
    """How many times a stream is searched for one pattern in four contexts, within bounds in turn."""
    made = []
    search = SharedPatternKernel._step

    def counted(self: SharedPatternKernel, *given: Any) -> Any:
        made.append(self)
        return search(self, *given)

    monkeypatch.setattr(SharedPatternKernel, "_step", counted)
    flow = road(sharing=sharing)
    for place, context in enumerate(("slow", "odd", "clear", "clear")):
        bound = bounds[place % len(bounds)]
        flow.ask(f"q{place}", question(0, context, (0, 20 + bound, bound)))
    cut = batches(Random(1))
    for place, batch in enumerate(cut):
        if resumed and place in (3, 5):
            flow.resume()
        processed(flow.flow, batch)
    monkeypatch.undo()
    assert len(made) <= len(cut) or not sharing
    return len(made)


def test_a_stream_is_searched_once_for_queries_in_several_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert searches(monkeypatch, sharing=True)
    assert not searches(monkeypatch, sharing=False)


def test_it_is_so_behind_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    assert searches(monkeypatch, sharing=True, resumed=True) == searches(monkeypatch, sharing=True)


def test_and_once_for_those_that_differ_in_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    once = searches(monkeypatch, sharing=True)
    assert searches(monkeypatch, sharing=True, bounds=(2, 5, 3)) == once
    assert searches(monkeypatch, sharing=True, bounds=(5, 2), resumed=True) == once


def test_what_is_too_much_within_looser_bounds_stops_no_other() -> None:
    def answers(*seconds: int) -> tuple[ChangingFlow, list[list[dict[str, Any]]]]:
        flow = road(sharing=True, limits={"pairs_per_event": 4})
        for of in seconds:
            flow.ask(f"within-{of}", question(0, "slow, clear", (0, of, 9)))
        found = [processed(flow.flow, batch).matches for batch in [*batches(Random(3))]]
        return flow, [list(rows(one[f"within-{seconds[0]}"])) for one in found]

    alone, both = answers(6), answers(6, 60)
    assert both[1] == alone[1]
    assert sum(map(len, alone[1])) > 10
    assert [label for label, one in both[0].flow.queries.flows.items() if one.failure] == ["within-60"]
