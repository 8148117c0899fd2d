"""Queries outside of contexts that are equal but for bounds: rows, batch by batch, are those that each has alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from random import Random
from types import MappingProxyType
from typing import Any

import pytest
from kaicep import Project
from kaicep.cep.joins import LoosePatternKernel
from kaicep.pipeline.flow.queries import QueryRuntime
from kaicep.pipeline.sinks.row_values import rows
from properties.test_context_sharing import BOUNDS, STREAM
from properties.test_context_sharing import batches as readings
from support.batches import ended, processed
from support.changing_flow import ChangingFlow
from support.sampling import some_of

PATTERNS = (
    ("?a, ?b", "SEQ (?a, ?b)", ""),
    ("?a, ?b", "SEQ (?a, ?b)", "LIMIT 9"),
    ("?a, ?b", "", ""),
    ("?a, ?b, ?c", "SEQ (?a ->> ?b ->> ?c)", ""),
)
NO_LIMITS: Mapping[str, int] = MappingProxyType({})
Tight = tuple[int, int]


def question(number: int, compared: int, tight: Tight, more: str = "") -> str:
    """One of the patterns within bounds: seconds, and a number; and a FILTER."""
    variables, pattern, end = PATTERNS[number]
    sources = ", ".join(f"({v}, P)" for v in variables.split(", "))
    distinct = "DISTINCT ?a.v AS v, ?b.v AS w" if "?c" in variables else "?a.id AS a, ?b.id AS b"
    return (
        f"SELECT {distinct} FROM {sources} WHERE {{ {more} {pattern} JOIN (?a.car = ?b.car) "
        f"JOIN ({BOUNDS[compared].format(tight[1])}) WINDOW ({variables}, {tight[0]}s) }} {end}"
    )


def cars(limits: Mapping[str, int] = NO_LIMITS) -> ChangingFlow:
    """A data flow of a project of its own; with limits, a query that fails stops no other."""
    return ChangingFlow(Project.parse({"streams": {"P": STREAM}, "engine": {**limits}}), isolated=bool(limits))


def answer(
    flow: ChangingFlow, batch: Mapping[str, Sequence[Mapping[str, Any]]] | None, *, alone: bool = False
) -> dict[str, list[dict[str, Any]]]:
    """The rows of a batch, or of the end; `alone`: each query by itself."""
    with _apart() if alone else nullcontext():
        found = ended(flow.flow) if batch is None else processed(flow.flow, batch).matches
    return {label: list(rows(table)) for label, table in found.items()}


@contextmanager
def _apart() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QueryRuntime, "company", lambda *_: None)
        yield


def check(seed: int) -> int:
    """Let queries come, go and be restored; how many rows there are."""
    rng = Random(f"cover {seed}")
    number, compared = rng.randrange(len(PATTERNS)), rng.randrange(len(BOUNDS))

    def tight() -> Tight:
        return rng.choice((6, 12, 20, 21)), rng.randrange(10)

    texts = [question(number, compared, tight(), rng.choice(("", "", "FILTER (?a.v > 2)"))) for _ in range(5)]
    cut = readings(rng)
    late = {place: question(number, compared, tight()) for place in range(len(cut)) if rng.random() < 0.1}
    leaving = {rng.randrange(len(cut)): f"q{place}" for place in (0, 3)}
    resumed = {place for place in range(len(cut)) if rng.random() < 0.2}
    flows = [cars(), cars()]
    for flow in flows:
        for place, text in enumerate(texts):
            flow.ask(f"q{place}", text)
    count = 0
    for place, batch in enumerate([*cut, None]):
        answers = []
        for flow, alone in zip(flows, (False, True), strict=True):
            if place in resumed:
                flow.resume()
            if place in late:
                flow.ask(f"late-{place}", late[place])
            if place in leaving:
                flow.drop(leaving[place])
            answers.append(answer(flow, batch, alone=alone))
        assert answers[0] == answers[1], f"seed {seed}, batch {place}"
        count += sum(map(len, answers[1].values()))
    return count


@pytest.mark.parametrize("seed", some_of(range(8), 1))
def test_rows_are_those_of_each_query_alone(seed: int) -> None:
    assert check(seed) >= 0


@pytest.mark.long
def test_rows_are_those_of_each_query_alone_in_the_long_run() -> None:
    answers = [check(seed) for seed in range(8, 1000)]
    assert sum(map(bool, answers)) >= 0.9 * len(answers)


def searches(
    monkeypatch: pytest.MonkeyPatch, bounds: Sequence[Tight], *, resumed: bool = False
) -> tuple[int, ChangingFlow]:
    """How many times a stream is searched for queries with these bounds; and where they stand."""
    made = []
    search = LoosePatternKernel._step

    def counted(self: LoosePatternKernel, *given: Any) -> Any:
        made.append(self)
        return search(self, *given)

    monkeypatch.setattr(LoosePatternKernel, "_step", counted)
    flow = cars()
    for place, tight in enumerate(bounds):
        flow.ask(f"q{place}", question(0, 0, tight))
    for place, batch in enumerate(readings(Random(1))):
        if resumed and place in (3, 5):
            flow.resume()
        answer(flow, batch)
    monkeypatch.undo()
    return len(made), flow


def test_a_stream_is_searched_once_and_candidates_are_held_once(monkeypatch: pytest.MonkeyPatch) -> None:
    two, _ = searches(monkeypatch, [(6, 2), (20, 9)])
    five, flow = searches(monkeypatch, [(6, 2), (12, 5), (20, 9), (20, 3), (9, 9)])
    assert two == five > 10
    frames = [runtime._operator.kernel._buffer.frames["?a"[1:]] for runtime in flow.flow.flows.values()]  # type: ignore[attr-defined]
    assert len({id(frame) for frame in frames}) == 1
    assert frames[0].height > 0


def test_it_is_so_behind_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = [(6, 2), (12, 5), (20, 9)]
    assert searches(monkeypatch, bounds, resumed=True)[0] == searches(monkeypatch, bounds)[0]


def test_what_is_too_much_within_looser_bounds_stops_no_other() -> None:
    def answers(*seconds: int) -> tuple[ChangingFlow, list[list[dict[str, Any]]]]:
        flow = cars({"pairs_per_event": 4})
        for of in seconds:
            flow.ask(f"within-{of}", question(0, 0, (of, 9)))
        found = [answer(flow, batch) for batch in readings(Random(3))]
        return flow, [one[f"within-{seconds[0]}"] for one in found]

    alone, both = answers(6), answers(6, 60)
    assert both[1] == alone[1]
    assert sum(map(len, alone[1])) > 10
    assert [label for label, one in both[0].flow.flows.items() if one.failure] == ["within-60"]
