"""Which event is the very next one, of all streams or of the partition (docs/semantics.md 3.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
import polars as pl
import pytest
from kaicep.cep.order import EVENTS, event_columns, sees_all_events
from kaicep.cep.order.contiguity import BEFORE, NUMBER, Contiguity
from kaicep.errors import OperatorError
from kaicep.expressions import frame_of
from kaicep.expressions.frames import micros
from kaicep.language.nodes import Policy, Query
from support.operators import Reading, at, candidates, compiled

SEQ = "SELECT ?a FROM (?a, readings), (?b, alarms) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"


def strict(text: str) -> Query:
    return replace(compiled(text), policy=Policy.STRICT)


def placed(
    contiguity: Contiguity, rows: Sequence[Reading], until: float, awaited: Sequence[int] = ()
) -> dict[str, list[tuple[object, ...]]]:
    """Per variable id, number and number before of each candidate; time and number before of events that follow."""
    tables = candidates(contiguity.query, rows)
    like = {name: table.column_names for name, table in tables.items()}
    released = {name: frame_of(table, like[name]).sort("_time", "_id") for name, table in tables.items()}
    found = contiguity.place(released)
    contiguity.forget(micros(at(until)), np.array(awaited, dtype=np.int64))
    following = [(seconds(time), before) for time, before in found.pop(EVENTS).select("_time", BEFORE).rows()]
    return {name: frame.select("_id", NUMBER, BEFORE).rows() for name, frame in found.items()} | {EVENTS: following}


def seconds(time: datetime) -> float:
    return (time - at(0)).total_seconds()


def event(name: str, t: float, stream: str = "readings", **values: object) -> Reading:
    return {"id": name, "t": t, "stream": stream, **values}


def test_events_are_counted_over_all_streams_and_batches() -> None:
    contiguity = Contiguity(strict(f"{SEQ} FILTER (?a.n > 0)"))
    first = placed(contiguity, [event("p", 1, n=1), event("q", 2, n=0), event("r", 2, "alarms")], 3)
    assert first == {"a": [("p", 0, -1)], "b": [("r", 2, 1)], EVENTS: [(1, -1), (2, 0)]}
    assert placed(contiguity, [event("s", 4, n=1)], 5) == {"a": [("s", 3, 2)], "b": [], EVENTS: [(4, 2)]}


def test_events_are_counted_in_their_partition() -> None:
    contiguity = Contiguity(strict(f"{SEQ} PARTITION BY sensor"))
    rows = [event("p", 1, sensor="x"), event("q", 2), event("r", 2, "alarms", sensor="x"), event("s", 3)]
    found = placed(contiguity, rows, 4)
    assert found == {"a": [("p", 0, -1), ("q", 1, -1), ("s", 3, 1)], "b": [("r", 2, 0)], EVENTS: [(2, 0), (3, 1)]}


def test_what_follows_an_event_of_an_earlier_batch_is_found() -> None:
    """Each partition's last event is remembered, whether or not it was a candidate."""
    contiguity = Contiguity(strict(f"{SEQ} FILTER (?a.n > 0) PARTITION BY sensor"))
    rows = [event("p", 1, sensor="x", n=1), event("q", 2, sensor="y", n=1), event("r", 3, sensor="y", n=0)]
    assert placed(contiguity, rows, 4)[EVENTS] == [(3, 1)]
    rows = [event("s", 5, sensor="y", n=0), event("t", 6, sensor="x", n=1), event("u", 7, sensor="z", n=1)]
    found = placed(contiguity, rows, 8)
    assert found == {"a": [("t", 4, 0), ("u", 5, -1)], "b": [], EVENTS: [(5, 2), (6, 0)]}


def test_partitions_are_forgotten_that_no_match_can_hold_any_more() -> None:
    contiguity = Contiguity(strict(f"{SEQ} PARTITION BY sensor"))
    placed(contiguity, [event("p", 1, sensor="x"), event("q", 4, sensor="y")], 5)
    assert contiguity.last["#partition0"].to_list() == ["x", "y"]
    assert placed(contiguity, [event("r", 8, sensor="y")], 9)["a"] == [("r", 2, 1)]
    assert contiguity.last["#partition0"].to_list() == ["y"]


def test_a_partition_whose_next_event_is_awaited_is_remembered_however_late_that_comes() -> None:
    contiguity = Contiguity(strict(f"{SEQ} PARTITION BY sensor"))
    placed(contiguity, [event("p", 1, sensor="x"), event("q", 2, sensor="y"), event("r", 3, sensor="z")], 900, [1])
    assert contiguity.last["#partition0"].to_list() == ["y"]
    found = placed(contiguity, [event("s", 901, sensor="y"), event("t", 902, sensor="x")], 903)
    assert found["a"] == [("s", 3, 1), ("t", 4, -1)]


def test_without_windows_no_partition_is_forgotten() -> None:
    contiguity = Contiguity(strict("SELECT ?a FROM (?a, readings) SEQ (?a) PARTITION BY sensor"))
    placed(contiguity, [event("p", 0, sensor="x")], 900_000)
    assert contiguity.last.height == 1


@pytest.mark.parametrize("others", [[], [event("q", 1)], [event("q", 1), event("r", 1)], [event("q", 2)]])
def test_a_candidate_that_is_no_event_is_refused(others: Sequence[Reading]) -> None:
    contiguity = Contiguity(strict(SEQ))
    released = {name: frame_of(t, t.column_names) for name, t in candidates(contiguity.query, [event("p", 1)]).items()}
    events = candidates(contiguity.query, others)[EVENTS]
    with pytest.raises(OperatorError) as caught:
        contiguity.place({**released, EVENTS: frame_of(events, events.column_names)})
    assert str(caught.value) == (
        "this query contains '=>', and a candidate is not among the events of its streams: "
        "pass all_events(query, …) under EVENTS"
    )


def test_only_contiguity_needs_all_events() -> None:
    assert not sees_all_events(compiled(SEQ))
    assert sees_all_events(strict(SEQ))
    assert not sees_all_events(replace(compiled("SELECT ?e FROM (?e, readings)"), policy=Policy.STRICT))


def test_columns_of_events() -> None:
    query = strict(f"{SEQ} PARTITION BY sensor, n")
    assert event_columns(query) == {name: ["_time", "_id", "sensor", "n"] for name in ("readings", "alarms")}
    assert pl.DataFrame(Contiguity(query).empty).schema["#partition1"] == pl.Int64()
