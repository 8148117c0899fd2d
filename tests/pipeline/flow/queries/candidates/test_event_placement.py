"""Where the events of a query in contexts lie."""

from __future__ import annotations

import pyarrow as pa
from kaicep import Project
from kaicep.cep.contexts import ContextHistory, SetWindows
from kaicep.cep.order import Interval
from kaicep.cep.partitions import NO_END, NO_START
from kaicep.pipeline.flow.queries.candidates import ContextPlacing, EventBatch

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


def test_what_one_thread_looks_through_no_other_changes() -> None:
    """Queries ask on several threads at once: what was routed is added to a copy."""
    query = Project.parse({"streams": {"cars": STREAM}}).compile(DOCUMENT)[-1]
    history = ContextHistory(query.context_sets[0])
    events = EventBatch(
        pa.table({"_time": pa.array([1], pa.timestamp("us", "UTC")), "_id": ["a"], "seg": [1], "v": [2]})
    )
    placing = ContextPlacing(query)
    placing.begin({"road": SetWindows(history, Interval(NO_START, NO_END))})
    routed = placing.placed("e", events, ["_time", "_id", "seg"])
    looked_through = events.routed
    before = dict(looked_through)
    placing.placed("e", events, ["_time", "_id", "seg", "v"])
    assert looked_through == before
    assert placing.placed("e", events, ["_time", "_id", "seg"]) is routed
