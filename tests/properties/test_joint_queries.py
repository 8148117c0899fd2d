"""Queries that differ in constants and names have, batch by batch, the rows that each has alone."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.cep import JointMember, JointOperator
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.candidates import joint_candidates
from kaicep.pipeline.sinks.row_values import rows
from support.batches import ended, processed
from support.changing_flow import CARS, ChangingFlow
from support.sampling import some_of

_ONE = "FROM (?e, P) WITHIN (,) WHERE {{ FILTER (?e.v {is} {limit}) FILTER (?e.seg = {seg}) {window} }}"
_OF_ONE = (
    ("?e.id", "", ""),
    ("?e.v * 2 AS twice, ?e.speed", "", ""),
    ("AVG(?e.v) > {limit} AS high", "WINDOW (?e, sliding, 7s)", ""),
    ("COUNT(?e) AS n, LIST(?e.id) AS ids", "WINDOW (?e, batch, 6s)", "GROUP BY ?e.car"),
    ("?e.car, SUM(?e.speed) AS s", "WINDOW (?e, hopping, 9s, 3s)", "GROUP BY ?e.car HAVING (COUNT(?e) > {few})"),
    ("MAX(?e.v) AS top", "WINDOW (?e, cumulate, 10s, 5s)", "HAVING (MIN(?e.speed) < {limit} OR 1 > {few})"),
    ("COUNT(?e) >= {few} AS n", "WINDOW (?e, session, 4s)", ""),
)
_SEVERAL = (
    ("?a.id AS a, ?b.id AS b", "JOIN (?a.car = ?b.car) SEQ (?a, ?b) WINDOW (?a, ?b, 8s)"),
    ("?a.v + ?b.v AS v, ?b.id AS b", "JOIN (?a.car = ?b.car AND ?a.speed < ?b.speed) WINDOW (?a, ?b, 6s)"),
    ("?a.id AS a, ?c.id AS c", "JOIN (?a.car = ?c.car) SEQ (?a, ?b, ?c) WINDOW (?a, ?b, ?c, 5s)"),
    ("?a.id AS a, ?b.id AS b", "JOIN (?a.seg = ?b.seg) WINDOW (?a, sliding, 4s) WINDOW (?b, sliding, 2s)"),
)


def question(form: int, rng: Random, *, near: bool = False) -> str:
    """A query of a form, with constants of its own; `near`: what is asked of events often is what others ask."""
    said = {"limit": rng.randrange(10), "few": rng.randrange(1, 4), "seg": rng.randrange(2), "is": rng.choice("<>")}
    if form < len(_OF_ONE):
        items, window, behind = _OF_ONE[form]
        asked = said | ({"limit": 4 * rng.randrange(2), "seg": 1, "is": ">"} if near else {})
        return f"SELECT {items.format(**said)} {_ONE.format(**asked, window=window)} {behind.format(**said)}"
    items, body = _SEVERAL[form - len(_OF_ONE)]
    bound = [name for name in "abc" if f"?{name}" in items + body]
    sources = ", ".join(f"(?{name}, P)" for name in bound)
    limits = [
        ("<>" if near else rng.choice("<>"))[-1] + f" {4 * rng.randrange(2) if near else rng.randrange(10)}"
        for _ in bound
    ]
    filters = " ".join(f"FILTER (?{name}.v {limit})" for name, limit in zip(bound, limits, strict=True))
    return f"SELECT {items} FROM {sources} WITHIN (,) WHERE {{ {filters} {body} }}"


def batches(rng: Random) -> list[dict[str, list[dict[str, Any]]]]:
    """Readings now and then at one moment, twice, or late, in batches of up to a dozen."""
    events: list[dict[str, Any]] = []
    for i in range(90):
        second = max(i * 2 // 3 - (rng.random() < 0.2) * rng.randrange(6), 0)
        numbers = {name: rng.randrange(bound) for name, bound in (("seg", 2), ("v", 10), ("car", 3))}
        at = f"2024-01-01T00:{second // 60:02}:{second % 60:02}Z"
        events.append({"id": f"e{i * 37 % 90:02}", "t": at, "speed": rng.random() * 10, **numbers})
        events += [events[-1]] * (rng.random() < 0.05)
    cut = []
    while events:
        size = rng.randint(1, 12)
        cut.append({"P": events[:size]})
        events = events[size:]
    return cut


def cars() -> ChangingFlow:
    """A data flow of a project of its own."""
    return ChangingFlow(Project.parse({"streams": {"P": CARS}}))


def found(flow: Dataflow, batch: dict[str, list[dict[str, Any]]] | None) -> dict[str, pa.Table]:
    """The rows of a batch, or of the end."""
    return ended(flow) if batch is None else processed(flow, batch).matches


def check(seed: int, *, near: bool = False) -> int:
    """Let queries of several forms come and go, all in one data flow, and each in one of its own; how many rows."""
    rng = Random(seed)
    forms = [rng.randrange(len(_OF_ONE) + len(_SEVERAL)) for _ in range(2)]
    asked = {f"q{place}": question(rng.choice(forms), rng, near=near) for place in range(7)}
    texts = {label: f"CREATE QUERY {label} AS {text}" for label, text in asked.items()}
    cut = batches(rng)
    comes = {label: 0 if place < 5 else rng.randrange(len(cut)) for place, label in enumerate(texts)}
    goes = {label: rng.randrange(len(cut)) for label in rng.sample(sorted(texts), 2)}
    resumed = {place for place in range(len(cut)) if rng.random() < 0.15}
    together, alone = cars(), {label: cars() for label in texts}
    count = 0
    for place, batch in enumerate([*cut, None]):
        for label, text in texts.items():
            if comes[label] == place:
                together.ask(label, text)
                alone[label].ask(label, text)
            elif goes.get(label) == place and label in together.registrations:
                together.drop(label)
                alone[label].drop(label)
        if place in resumed:
            together.resume()
        answers = found(together.flow, batch)
        for label, own in alone.items():
            expected = found(own.flow, batch)
            if label in together.registrations:
                same = list(rows(answers[label])) == list(rows(expected[label]))
                assert same, f"seed {seed}, batch {place}, {texts[label]}"
                assert answers[label].schema == expected[label].schema
                count += expected[label].num_rows
    return count


@pytest.mark.parametrize("seed", some_of(range(8), 1))
def test_rows_are_those_of_each_query_alone(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """And they are found together: no call of several fails, or is left out."""
    calls = []
    asked = JointOperator.rows

    def counted(self: JointOperator, *arguments: Any) -> list[pa.Table | None]:
        calls.append(False)
        answered = asked(self, *arguments)
        calls[-1] = True
        return answered

    monkeypatch.setattr(JointOperator, "rows", counted)
    assert check(seed)
    assert calls
    assert all(calls)


@pytest.mark.parametrize("seed", some_of(range(8), 1))
def test_queries_that_are_told_rows_have_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """And so have those of them that are given the same, which are one partition."""
    monkeypatch.setattr(joint_candidates, "_SHARE", 1)
    groups = []
    grouped = JointOperator._groups

    def noted(self: JointOperator, members: Sequence[JointMember]) -> list[list[int]]:
        groups.append(grouped(self, members))
        return groups[-1]

    monkeypatch.setattr(JointOperator, "_groups", noted)
    assert check(seed, near=True)
    assert any(len(group) > 1 for of in groups for group in of)


@pytest.mark.long
def test_told_rows_are_the_same_in_the_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_candidates, "_SHARE", 1)
    assert sum(check(seed, near=True) for seed in range(8, 2000)) > 100_000


@pytest.mark.long
def test_rows_are_those_of_each_query_alone_in_the_long_run() -> None:
    assert sum(check(seed) for seed in range(8, 2000)) > 100_000
