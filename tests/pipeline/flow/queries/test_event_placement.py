"""Where the events of a query in contexts lie."""

from __future__ import annotations

from kaicep import Project
from kaicep.pipeline.flow.queries.event_placement import ContextPlacing

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"seg": {"datatype": "xsd:integer"}, "v": {"datatype": "xsd:integer"}},
}
DOCUMENT = """
CREATE CONTEXTS road (clear DEFAULT, jam) BY seg;
INITIATE CONTEXT jam FROM (?e, cars) WHERE { FILTER (?e.v < 10) };
SELECT ?e.v FROM (?e, cars), (?f, cars) IN CONTEXT jam FOR ?e ON (?e: ?e.seg + 1)
  WHERE { SEQ (?e, ?f) WINDOW (?e, ?f, 10s) }
"""


def test_what_need_not_lie_in_a_context_is_not_placed() -> None:
    query = Project.parse({"streams": {"cars": STREAM}}).compile(DOCUMENT)[-1]
    placing = ContextPlacing(query)
    placement = placing.of("e")
    assert placing.of("f") is None
    assert placement is not None
    assert placement.columns == {"seg"}
    assert placement.adds == ("#key",)
    assert not placement.after_paths
    assert placement.text == "jam"


def test_without_push_down_events_are_placed_behind_filters() -> None:
    switched = {"engine": {"contexts": {"push_down": False}}}
    query = Project.parse({"streams": {"cars": STREAM}, **switched}).compile(DOCUMENT)[-1]
    placement = ContextPlacing(query).of("e")
    assert placement is not None
    assert placement.after_paths
