"""Patterns with FOR that ask for attributes of windows give what the definitions say, however a stream is cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.pipeline.sinks.row_values import rows
from oracle.evaluate import Oracle
from support.batches import ended, processed
from support.cases import difference
from support.letters import SETTINGS, project, stream

MOODS = """
CREATE CONTEXTS mood (calm DEFAULT, busy, alarm){by};
INITIATE CONTEXT busy (?e.x AS v) FROM (?e, letters) FILTER (?e.kind = 'b');
TERMINATE CONTEXT busy FROM (?e, letters) FILTER (?e.kind = 'c');
INITIATE CONTEXT alarm (?e.x AS v, ?e.name AS who) FROM (?e, letters) FILTER (?e.kind = 'a');
TERMINATE CONTEXT alarm FROM (?e, letters) FILTER (?e.kind = 'd');
"""
TWO, OTHERS = "FROM (?x, letters), (?y, letters)", "FROM (?x, letters), (?y, letters), (?n, letters)"
NAMES = "?x.name AS one, ?y.name AS two"
ASKED = (
    (f"SELECT {NAMES} {TWO} IN CONTEXT busy FOR ?x", "SEQ (?x, ?y) WINDOW (?x, ?y, 4s)"),
    (f"SELECT {NAMES}, ?w.v {TWO} IN CONTEXT busy AS ?w FOR ?x", "SEQ (?x, ?y) WINDOW (?x, ?y, 4s)"),
    (
        f"SELECT {NAMES}, ?w.v, ?u.who {TWO} IN CONTEXT busy AS ?w, alarm AS ?u FOR ?x, ?y",
        "SEQ (?x, ?y) WINDOW (?x, ?y, 4s)",
    ),
    (
        f"SELECT {NAMES} {TWO} IN CONTEXT busy AS ?w, alarm AS ?u FOR ?y",
        "FILTER (?w.v < ?y.x OR ?u.v > ?y.x) SEQ (?x => ?y) WINDOW (?x, ?y, 4s)",
    ),
    (
        f"SELECT {NAMES}, ?w._since AS since {TWO} IN CONTEXT calm AS ?w, alarm AS ?u FOR ?x",
        "JOIN (COALESCE(?u.v, 5) >= ?y.x + ?x.x) SEQ (?x AND ?y) WINDOW (?x, ?y, 4s)",
    ),
    (
        f"SELECT {NAMES}, ?w.v {OTHERS} IN CONTEXT busy AS ?w FOR ?x",
        "JOIN (?n.x > ?w.v) SEQ (?x, NOT ?n, ?y) WINDOW (?x, ?y, 4s)",
    ),
    (
        f"SELECT {NAMES}, ?w.v {OTHERS} IN CONTEXT busy AS ?w FOR ?x, ?y",
        "JOIN (?n.x > ?w.v) JOIN (?x.x <= ?y.x) SEQ (?x, ?y, NOT ?n FOR 2s) WINDOW (?x, ?y, 4s)",
    ),
    (
        "SELECT ?x.name AS one, ?w.v FROM (?x, letters), (?n, letters) IN CONTEXT busy AS ?w, alarm AS ?u FOR ?x",
        "JOIN (?n.x > COALESCE(?w.v, ?u.v)) SEQ (NOT ?n FOR 2s, ?x)",
    ),
)
SKIPS = ("SKIP PAST LAST EVENT", "SKIP TO NEXT EVENT", "CONSUME")
CHOSEN = ("", "", *(f"AFTER MATCH {skip}" for skip in SKIPS), "LIMIT 3")


def bound(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows without the variables that bind no event."""
    return [{**row, "_events": {v: ids for v, ids in row["_events"].items() if ids}} for row in found]


@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_windows_beside_for_are_those_of_the_named_events(data: st.DataObject) -> None:
    asked, where = data.draw(st.sampled_from(ASKED))
    by, chosen = data.draw(st.sampled_from(("", " BY group"))), data.draw(st.sampled_from(CHOSEN))
    letter = st.builds("{}{}/{}".format, *map(st.sampled_from, ("abcde", "0123456789", "lr")))
    events = stream(" ".join(data.draw(st.lists(letter, min_size=4, max_size=16))))
    size = data.draw(st.integers(1, 8))
    text = f"{MOODS.format(by=by)}{asked} WHERE {{ {where} }} {chosen}"
    dataflow = project().dataflow()
    registrations = project().registrations(text, "asked")
    for registration in registrations:
        dataflow.register(registration)
    pieces: list[pa.Table] = []
    for start in range(0, len(events["letters"]), size):
        batch = {"letters": events["letters"][start : start + size]}
        pieces.append(processed(dataflow, batch).matches["asked"])
    pieces.append(ended(dataflow)["asked"])
    found = [row for piece in pieces for row in rows(piece)]
    assert difference(bound(found), bound(list(Oracle(SETTINGS).evaluate(text, events)))) is None
