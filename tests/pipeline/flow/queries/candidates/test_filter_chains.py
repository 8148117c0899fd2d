"""What queries ask is put in order: equal nodes once, thresholds in chains, PATHs by individuals."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project
from kaicep.pipeline.flow.queries.candidates import FilterGraph
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime
from kaicep.pipeline.flow.queries.registration import Registration

_LAB = "?e :by ?s . ?s :in ?r . ?r a :Lab"
_HALL = "?e :by ?s . ?s :in ?r . ?r a :Hall"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "rooms.ttl").write_text("@prefix : <urn:> . :hall a :Hall . :s0 :in :hall .", encoding="utf-8")
    attributes = {
        "x": {"datatype": "xsd:integer"},
        "speed": {"property": ":speed", "datatype": "xsd:double"},
        "sensor": {"property": ":by", "individual": ":{}"},
    }
    stream = {"event_type": ":R", "time": {"attribute": "at"}, "identity": ["x"], "attributes": attributes}
    settings = {"prefixes": {"": "urn:"}, "knowledge": {"modules": ["rooms.ttl"]}, "streams": {"air": stream}}
    return Project.parse(settings, root=tmp_path)


def graph(project: Project, *asked: str) -> FilterGraph:
    registrations = [Registration(project.compile(f"SELECT ?e.x {text}")[-1], text) for text in asked]
    flows = [QueryRuntime(of, project.shape, project.knowledge, project.options) for of in registrations]
    return FilterGraph(one for flow in flows for one in flow.asked("air"))


def test_what_is_equal_stands_once(project: Project) -> None:
    found = graph(project, "FILTER (?e.speed > 5)", "FILTER (?e.speed > 5)", "FILTER (?e.speed > 6)")
    assert len(found.nodes) == 2
    (chain,) = found.chains
    assert chain.numbers.tolist() == [0, 1]
    assert chain.first.all()
    assert found.width == 2


def test_a_chain_asks_one_path_and_one_column_in_one_direction(project: Project) -> None:
    """A threshold of a PATH, and one of a FILTER before it, are of one chain."""
    found = graph(
        project,
        f"FILTER (?e.speed > 5) PATH {{ {_LAB} }}",
        f"FILTER (?e.speed > 9) PATH {{ {_LAB} }}",
        f"FILTER (?e.speed < 9) PATH {{ {_LAB} }}",
        f"FILTER (?e.speed > 5) PATH {{ {_HALL} }}",
        f"PATH {{ {_HALL} . ?e :speed ?v . FILTER (?v > 7) }}",
        f"PATH {{ {_HALL} }}",
    )
    assert sorted(chain.numbers.tolist() for chain in found.chains) == [[0, 1], [2], [3, 4], [5]]
    both = next(chain for chain in found.chains if len(chain.numbers) == 2 and not chain.first.all())
    assert both.first.tolist() == [True, False]
    assert both.required == frozenset()
    ((_, paths),) = found.classes
    assert len(paths) == 2


def test_whatever_asks_for_more_is_by_itself(project: Project) -> None:
    found = graph(
        project,
        "FILTER (?e.speed > 5) FILTER (?e.speed < 9)",
        "FILTER (?e.x != 5)",
        f"PATH {{ {_LAB} }} OR PATH {{ {_HALL} }}",
        f"FILTER (?e.speed > 5) PATH {{ {_HALL} . ?e :speed ?v . FILTER (?v > 7) }}",
    )
    assert found.others == [0, 1, 2, 3]
    assert not found.chains
    assert not found.classes
