"""What is taken of a data flow stays what it was, whatever the data flow does afterwards."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.errors import OperatorError
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.flow.taken_flow import QUERY
from support.batches import processed

AIR = {"event_type": "<urn:E>", "time": {"attribute": "t"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
DOCUMENT = """
CREATE CONTEXTS load (idle DEFAULT, busy);
INITIATE CONTEXT busy FROM (?e, air) FILTER (?e.x = 3);
TERMINATE CONTEXT busy FROM (?e, air) FILTER (?e.x = 5);
CREATE QUERY sums AS SELECT SUM(?e.x) AS s FROM (?e, air) WINDOW (?e, sliding, 4s);
CREATE QUERY pairs AS SELECT ?a.x AS p, ?b.x AS q FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 3s);
CREATE QUERY runs AS SELECT COUNT(?b) AS n FROM (?a, air), (?b, air) SEQ (?a, ?b+) JOIN (?b.x > ?a.x)
WINDOW (?a, ?b, 4s);
CREATE QUERY busily AS SELECT ?e.x FROM (?e, air) IN CONTEXT busy
"""
SECONDS = [
    [{"t": f"2026-03-01T00:00:{n:02}Z", "x": n % 7}, {"t": f"2026-03-01T00:00:{n:02}.5Z", "x": 3}] for n in range(12)
]


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.parse({"streams": {"air": AIR}})


def test_it_is_the_same_whenever_it_is_written(project: Project) -> None:
    registrations = [Registration(query, query.called or f"q{i}") for i, query in enumerate(project.compile(DOCUMENT))]
    flow = project.dataflow()
    for registration in registrations:
        flow.register(registration)
    kept = []
    for events in SECONDS:
        processed(flow, {"air": events})
        kept.append((flow.taken(), flow.snapshot()))
    assert len({tuple(sorted(state.items())) for _, state in kept}) == len(kept)
    for taken, state in kept:
        assert taken.written() == state
        again = project.dataflow()
        assert again.restore(taken.written(), registrations) == []


def test_a_query_that_cannot_be_written_is_left_out_by_who_may_do_so(project: Project) -> None:
    flow = project.dataflow()
    for number, query in enumerate(project.compile("SELECT ?e.x FROM (?e, air)")):
        flow.register(Registration(query, f"q{number}"))
    processed(flow, {"air": SECONDS[0]})
    taken = flow.taken()
    assert QUERY + "q0" in taken.written()
    assert QUERY + "q0" not in taken.written(lambda _flow, _do: None)

    def fails(_flow: object, _do: object) -> bytes | None:
        raise OperatorError("no", hint="none")

    with pytest.raises(OperatorError):
        taken.written(fails)
