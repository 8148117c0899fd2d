"""Events to the windows that they lie in."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.cep.contexts import Change, ContextHistory, EventRouter, KnownGaps, Routed, SetWindows
from kaicep.cep.order import Interval
from kaicep.cep.partitions import NO_END, WINDOW_COLUMN
from kaicep.language.nodes import ChangeKind

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"seg": {"datatype": "xsd:integer"}, "v": {"datatype": "xsd:integer"}},
}
DOCUMENT = """
CREATE CONTEXTS road (clear DEFAULT, jam) BY seg;
INITIATE CONTEXT jam (?e.v AS slow) FROM (?e, cars) WHERE { FILTER (?e.v < 10) };
SELECT ?e.v, ?j.slow AS slow FROM (?e, cars) IN CONTEXT jam AS ?j, clear;
SELECT ?e.v FROM (?e, cars), (?f, cars) IN CONTEXT jam FOR ?e WHERE { SEQ (?e, ?f) WINDOW (?e, ?f, 10s) }
"""
EVENTS = pa.table(
    {
        "_time": pa.array([10, 20, 30, 20], pa.timestamp("us", "UTC")),
        "_id": ["a", "b", "c", "d"],
        "seg": [1, 1, 2, None],
        "v": [1, 2, 3, 4],
    }
)


def routed(place: int, within: Interval = Interval()) -> tuple[pa.Table, pa.Table, Routed]:  # noqa: B008 - frozen
    """The events of one of the queries, what its operator is told, and what was found; from 15 on, 1 is jammed."""
    query = Project.parse({"streams": {"cars": STREAM}}).compile(DOCUMENT)[place]
    history = ContextHistory(query.context_sets[0])
    history.make([Change(15, ChangeKind.INITIATE, "jam", "1", (1,), {"slow": 7})])
    sets, router, found = {"road": SetWindows(history, within)}, EventRouter(query), Routed()
    events = router.route("e", EVENTS, sets, found, {})
    return events, router.told([found], sets, 0, 40), found


def test_events_stand_once_for_each_window_beside_its_attributes() -> None:
    events, told, found = routed(1)
    rows = sorted(events.select(["_id", "?j.slow"]).to_pylist(), key=lambda row: row["_id"])
    assert rows == [{"_id": "a", "?j.slow": None}, {"_id": "b", "?j.slow": 7}, {"_id": "c", "?j.slow": None}]
    assert found.unplaced == 1
    windows = pl.DataFrame(pl.from_arrow(told)).rows_by_key("window", named=True)
    by_id = {row["_id"]: windows[row[WINDOW_COLUMN]][0] for row in events.to_pylist()}
    assert [(by_id[i]["context"], by_id[i]["since"], by_id[i]["rank"]) for i in "ab"] == [
        ("clear", -(2**62), 1),
        ("jam", 15, 0),
    ]
    assert (by_id["a"]["end"], by_id["b"]["end"]) == (15, None)


def test_of_patterns_with_for_events_stand_beside_their_partitions() -> None:
    events, told, _ = routed(2)
    numbers = events["#key"].to_pylist()
    assert numbers[0] == numbers[1] != numbers[2]
    assert numbers[3] is None
    assert set(told["partition"].to_pylist()) <= set(numbers)


@pytest.mark.parametrize(
    ("keys", "unbound"), [("seg", 1), ("seg, v", 2), ("", 0), ("seg) ON (?e: COALESCE(?e.seg, 7)", 0)]
)
def test_unbound_keys_are_counted_without_routing(keys: str, unbound: int) -> None:
    """As routing counts them."""
    by, _, on = keys.partition(")")
    document = f"""
    CREATE CONTEXTS road (clear DEFAULT, jam) {f"BY {by}" if by else ""};
    SELECT ?e.v FROM (?e, cars) IN CONTEXT jam{on + ")" if on else ""}
    """
    query = Project.parse({"streams": {"cars": STREAM}}).compile(document)[-1]
    events = EVENTS.set_column(3, "v", pa.array([None, 2, 3, 4], pa.int64()))
    sets, router, found = (
        {"road": SetWindows(ContextHistory(query.context_sets[0]), Interval())},
        EventRouter(query),
        Routed(),
    )
    router.route("e", events, sets, found, {})
    known: KnownGaps = {}
    assert router.unbound("e", events, known) == found.unplaced == unbound
    assert router.unbound("e", EVENTS.slice(0, 0), known) == unbound, "it was counted again"


def test_what_a_calendar_ends_is_told_ahead() -> None:
    """Nobody says so when it happens: there may be no event then, and no change."""
    document = """
    CREATE CONTEXTS day (free DEFAULT, lunch DURING '12:00-13:00') BY seg;
    SELECT COUNT(?e) AS n FROM (?e, cars) IN CONTEXT free, lunch WHERE { WINDOW (?e, CONTEXT) }
    """
    query = Project.parse({"streams": {"cars": STREAM}}).compile(document)[-1]
    sets, router, found = (
        {"day": SetWindows(ContextHistory(query.context_sets[0]), Interval())},
        EventRouter(query),
        Routed(),
    )
    router.route("e", EVENTS, sets, found, {})
    noon = 12 * 3_600_000_000
    told = router.told([found], sets, 0, 40).to_pylist()
    assert {(row["context"], row["until"], row["end"]) for row in told} == {("free", noon - 1, noon)}


def test_of_a_window_that_the_bounds_of_its_set_cut_the_rest_is_told() -> None:
    """The default of 1 ends at 15, when it is jammed; where the set begins the default does, but nothing else."""
    until = {"clear": 15, "jam": NO_END}
    (first,) = {row["key"] for row in routed(1)[1].to_pylist() if row["context"] == "jam"}
    for bounds, cut in [(Interval(5, 25), {"jam"}), (Interval(17, 60), {"jam"}), (Interval(5, 14), {"clear"})]:
        rows = [row for row in routed(1, bounds)[1].to_pylist() if row["key"] == first]
        assert rows, "an event lies in them"
        for row in rows:
            assert row["since"] == max(15 if row["context"] == "jam" else 0, bounds.first - 1)
            assert row["until"] == min(until[row["context"]], bounds.last)
            assert row["cut"] == (row["context"] in cut)


def test_the_end_of_a_window_that_holds_nothing_is_not_that_of_the_next_of_its_name() -> None:
    """One that ends when it begins, and another that begins then, are told apart by nothing else."""
    query = Project.parse({"streams": {"cars": STREAM}}).compile(DOCUMENT)[1]
    history = ContextHistory(query.context_sets[0])
    kinds = (ChangeKind.INITIATE, ChangeKind.TERMINATE, ChangeKind.INITIATE)
    history.make([Change(15, kind, "jam", "1", (1,), {}) for kind in kinds])
    sets, found = {"road": SetWindows(history, Interval())}, Routed()
    told = EventRouter(query).told([found], sets, 0, 40).to_pylist()
    assert [row["until"] for row in told if row["context"] == "jam" and row["since"] == 15 and row["until"] == 15] == []


def test_what_is_told_of_windows_is_made_once_until_they_change_or_time_goes_on() -> None:
    history = ContextHistory(Project.parse({"streams": {"cars": STREAM}}).compile(DOCUMENT)[1].context_sets[0])
    road = SetWindows(history, Interval())
    made: list[str] = []

    def told(watermark: int, asked: str) -> pa.Table:
        def tell() -> pa.Table:
            made.append(asked)
            return pa.table({"n": [len(made)]})

        return road.told_once(watermark, asked, None, tell)

    assert told(1, "a") is told(1, "a")
    told(1, "b")
    history.make([Change(15, ChangeKind.INITIATE, "jam", "1", (1,))])
    told(1, "a")
    told(2, "a")
    assert made == ["a", "b", "a", "a"]
