"""Queries that are alike are told rows of a batch, and given candidates where they ask by themselves."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.pipeline.flow.answering.company import Company, CompanySelection, MemberInput
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.queries import EventBatch, shared_batch
from kaicep.pipeline.flow.queries.candidates import joint_candidates
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sources.memory_source import raw_table

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "identity": ["n"],
    "attributes": {"n": {"datatype": "xsd:integer"}, "x": {"datatype": "xsd:double"}},
}
PAIR = "SELECT ?a.n AS a, ?b.n AS b FROM (?a, R), (?b, R) FILTER (?a.x > {}) JOIN (?a.n < ?b.n) WINDOW (?a, ?b, 3s)"


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever takes all but one of a batch asks by itself."""
    monkeypatch.setattr(joint_candidates, "_SHARE", 2)


def company() -> tuple[Company, list[MemberInput], EventBatch]:
    """Of a batch of ten events: one query takes 2, another one all of them, a third one none."""
    flow = Project.parse({"streams": {"R": STREAM}}).dataflow()
    project = Project.parse({"streams": {"R": STREAM}})
    for place, limit in enumerate((7, -1, 20, 7)):
        (query,) = project.compile(f"CREATE QUERY q{place} AS {PAIR.format(limit)}")
        flow.register(Registration(query, f"q{place}"))
    raw = raw_table([{"at": f"2026-01-01T00:00:0{n}Z", "n": n, "x": float(n)} for n in range(10)])
    events = live_batch(flow.annotators, {"R": raw}).events["R"].events
    batch = shared_batch(events, lambda: flow.queries.filter_graph("R"))
    flows = list(flow.flows.values())
    found = CompanySelection().taken(flows, {"R": batch})
    return found, [MemberInput(one, place) for place, one in enumerate(flows)], batch


def test_who_takes_much_is_asked_by_itself() -> None:
    found, given, _ = company()
    assert {(place, variable) for place, variable, _, _ in found.apart()} == {
        (0, "b"),
        (1, "a"),
        (1, "b"),
        (2, "b"),
        (3, "b"),
    }
    assert found.sizes == [2, 0, 0, 2]
    assert not any(map(found.is_told, given))


def test_rows_become_candidates() -> None:
    """Beside those that were given."""
    found, given, batch = company()
    for place, variable, selection, events in found.apart():
        candidates = selection.candidates(events)
        assert candidates is not None
        given[place].candidates[variable] = candidates
    sizes = {name: len(of) for name, of in found.candidates(given[0]).items()}
    assert sizes == {"a": 2, "b": batch.table.num_rows}
    assert [found.size(one) for one in given] == [12, 20, 10, 12]
    assert found.candidates(MemberInput(given[0].flow)) == {}


def test_those_that_are_told_rows_have_arrived_query_by_query(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks the same has the same key."""
    monkeypatch.setattr(joint_candidates, "_SHARE", 1)
    found, given, _ = company()
    assert all(map(found.is_told, given))
    arrived = found.arrived(given, [3, 2, 1])
    assert arrived["a"].sizes.tolist() == [2, 0, 10]
    assert len(arrived["a"].frame) == 12
    assert found.key(given[0]) == found.key(given[3]) != found.key(given[1])
