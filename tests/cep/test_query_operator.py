"""What all operators share: release by watermark, order, rows, LIMIT, snapshots."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pyarrow as pa
import pytest
from kaicep.cep import CONTEXT_WINDOWS, END_OF_TIME, NO_END, apply_filters, build_operator
from kaicep.cep.output import output_schema
from kaicep.cep.settled_query import settled_query
from kaicep.errors import OperatorError
from kaicep.expressions import micros
from kaicep.language.nodes import Query
from support.context_queries import ContextSpan, candidates_in, in_contexts, told
from support.operators import Reading, answer, at, candidates, compiled, events, feed, short

SELECTION = "SELECT ?e.n FROM (?e, readings)"
SUM = "SELECT SUM(?e.n) AS s FROM (?e, readings) WINDOW (?e, sliding, 5s)"
PAIRS = "SELECT ?a FROM (?a, readings), (?b, readings) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"
ROOMS = "SELECT ?room FROM (?e, readings) PATH {?e evt:hasSource ?s . ?s bd:hasLocation ?room ; bd:note ?n}"


def reading(name: str, t: float, **values: object) -> Reading:
    return {"id": name, "t": t, **values}


LAST_NOTS = (
    """SELECT ?a FROM (?a, readings), (?b, readings), (?n, readings) FILTER (?a.n = 1) FILTER (?b.n = 9)
       FILTER (?n.n = 5) SEQ ((?a OR ?b) => NOT ?n) WINDOW (?a, ?b, 5s) PARTITION BY sensor""",
    """SELECT COUNT(?a) AS k FROM (?a, readings), (?n, readings) FILTER (?a.n = 1) FILTER (?n.n = 5)
       SEQ (?a+ => NOT ?n) WINDOW (?a, 5s) PARTITION BY sensor""",
)


@pytest.mark.parametrize("text", LAST_NOTS, ids=["joins", "automata"])
@pytest.mark.parametrize("watermarks", [(), (1,), (50, 200), (0.5, 6, 120, 350, 950)])
def test_a_last_not_waits_for_the_next_event_of_its_partition_however_late_that_comes(
    text: str, watermarks: tuple[float, ...]
) -> None:
    """The next event of x comes long after the window, and after the watermark has passed it."""
    rows = [reading("a", 0, sensor="x", n=1), *(reading(f"y{t}", t, sensor="y", n=0) for t in (1, 100, 901))]
    rows += [reading("p", 300, sensor="x", n=0), reading("c", 400, sensor="x", n=1), reading("n", 900, sensor="x", n=5)]
    query = compiled(text)
    operator, found = build_operator(query), []
    for begin, end in pairwise((-1, *watermarks, 1000)):
        found += feed(operator, query, [row for row in rows if begin <= row["t"] < end], until=end)
        restored = build_operator(query)
        restored.restore(operator.snapshot())
        operator = restored
    assert events(found) == ["a"]
    assert [row["_time"] for row in found] == [at(300)]


def test_what_waits_in_two_selections_waits_in_one() -> None:
    """In total order, when the watermark has passed it; what looks at several events is not put together."""
    query = compiled(SELECTION)
    one, other = build_operator(query), build_operator(query)
    assert feed(one, query, [reading("a", 1, n=1), reading("c", 7, n=3)], until=5)
    assert not feed(other, query, [reading("d", 9, n=4), reading("b", 6, n=2)], until=5)
    one.join(other)
    assert [row["n"] for row in feed(one, query, [reading("e", 8, n=5)], until=20)] == [2, 3, 5, 4]
    for text in (SUM, PAIRS):
        several = compiled(text)
        with pytest.raises(OperatorError, match="only where each event counts by itself"):
            build_operator(several).join(build_operator(several))


def test_naive_watermark_is_refused() -> None:
    with pytest.raises(OperatorError) as caught:
        build_operator(compiled(SELECTION)).process({}, datetime(2012, 5, 7))  # noqa: DTZ001 - naive on purpose
    assert str(caught.value) == "the watermark has no time zone: pass an aware datetime"


def test_watermark_may_be_in_any_zone() -> None:
    query = compiled(SELECTION)
    operator = build_operator(query)
    moment = at(2).astimezone(timezone(timedelta(hours=2)))
    assert operator.process(candidates(query, [reading("a", 1)]), moment).num_rows == 1


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_strings_may_come_in_any_arrow_type(kind: pa.DataType) -> None:
    query = compiled("SELECT ?e.sensor FROM (?e, readings) FILTER (?e.sensor IN ('s', 't'))")
    table = pa.table(
        {
            "_time": pa.array([at(t) for t in range(4)], pa.timestamp("us", tz="UTC")),
            "_id": pa.array(["a", "b", "c", "d"]).cast(kind),
            "sensor": pa.array(["s", "u", None, "t"]).cast(kind),
        }
    )
    rows = build_operator(query).process({"e": apply_filters(table, query.sources[0].filters)}, END_OF_TIME)
    assert short(rows.to_pylist()) == [{"sensor": "s"}, {"sensor": "t"}]


@pytest.mark.parametrize("text", [SELECTION, SUM, PAIRS, ROOMS, "SELECT ?e.timestamp, ?e.ok, ?e.x FROM (?e, readings)"])
def test_rows_have_the_schema_that_is_announced(text: str) -> None:
    query = compiled(text)
    operator = build_operator(query)
    found = operator.process(candidates(query, [reading(f"e{t}", t, n=t) for t in range(3)]), END_OF_TIME)
    assert found.num_rows
    assert found.schema == output_schema(settled_query(query))
    assert operator.process({}, END_OF_TIME).schema == found.schema


def test_columns_of_the_schema() -> None:
    window = "struct<start: timestamp[us, tz=UTC], end: timestamp[us, tz=UTC]>"
    expected = (
        f"s: int64 _time: timestamp[us, tz=UTC] _events: struct<e: list<item: string>> _window: {window} _id: string"
    )
    assert " ".join(f"{field.name}: {field.type}" for field in output_schema(compiled(SUM))) == expected


def test_terms_are_shown_by_their_text() -> None:
    rows = [
        reading("a", 1, **{"?n": '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'}),
        reading("b", 2, **{"?n": '"a \\"quoted\\" \\u00fc"@en'}),
        reading("c", 3, **{"?n": "<http://example.org/x>"}),
        reading("d", 4),
    ]
    text = "SELECT ?n FROM (?e, readings) PATH {?e evt:hasSource ?s . ?s bd:note ?n}"
    assert short(answer(text, rows)) == [{"n": "7"}, {"n": 'a "quoted" ü'}, {"n": "http://example.org/x"}, {"n": None}]


def test_constants_are_items() -> None:
    assert short(answer("SELECT 1 AS one, ?e.n FROM (?e, readings)", [reading("a", 1, n=2)])) == [{"one": 1, "n": 2}]
    rows = answer(
        "SELECT 'x' AS only FROM (?e, readings) FILTER (?e.n > 0)", [reading("a", 1, n=2), reading("b", 1, n=2)]
    )
    assert short(rows) == [{"only": "x"}, {"only": "x"}]


def test_ids_never_change() -> None:
    """They outlive processes and versions: sinks know what they have by them."""
    (named,) = answer(f"CREATE QUERY q AS {PAIRS}", [reading("a", 1), reading("b", 2)])
    assert named["_id"] == "7d3112b7f45255ca775e7092c83564eb"
    (selected,) = answer(f"CREATE QUERY q AS {ROOMS}", [reading("a", 1, **{"?room": "p"})])
    assert selected["_id"] == "536b2ea31a4d7ae82c477305dc189a11"
    grouped = "CREATE QUERY q AS SELECT SUM(?e.n) AS s FROM (?e, readings) WINDOW (?e, batch, 1s) GROUP BY ?e.ok, ?e.x"
    (row,) = answer(grouped, [reading("a", 1, ok=True, x=2.5)])
    assert row["_id"] == "864292de25835760bf21fd367f67ed44"


def test_ids_are_of_the_name_or_of_the_normalised_text() -> None:
    one, same, other = (
        answer(text, [reading("a", 1)])[0]["_id"]
        for text in (SELECTION, "select ?e.n  from (?e, readings) # again", "SELECT ?e.x FROM (?e, readings)")
    )
    assert one == same
    assert one != other


def test_ids_tell_groups_apart_whatever_their_values_contain() -> None:
    path = "PATH {?e evt:hasSource ?s . ?s rdfs:label ?label}"
    text = f"SELECT COUNT(?e) AS c FROM (?e, readings) {path} WINDOW (?e, batch, 1s) GROUP BY ?label, ?e.n"
    labels: list[str | None] = ["p", "q", None, "\x00", "\x1f", "\\", "\\\x00", "", "p\x1f1"]
    rows = answer(text, [reading("a", 1, n=1, **{"?label": label}) for label in labels])
    assert len({row["_id"] for row in rows}) == len(labels)


def test_solutions_that_differ_in_nothing_that_is_selected_are_one_row() -> None:
    rows = [reading("a", 1, **{"?room": "p", "?n": f'"{n}"'}) for n in (1, 2)] + [reading("a", 1, **{"?room": "q"})]
    text = f"{ROOMS} FILTER (!BOUND(?n) || ?n != 'z')"
    assert short(answer(text, rows)) == [{"room": "p"}, {"room": "q"}]


def test_filter_keeps_rows_whose_conditions_are_true_and_all_columns() -> None:
    query = compiled("SELECT ?e.n FROM (?e, readings) FILTER (?e.x > 1) FILTER (?e.n != 2)")
    table = pa.table({"x": [2.0, None, 2.0, 2.0, 0.0], "n": [1, 1, None, 2, 1], "other": list("abcde")})
    assert apply_filters(table, query.sources[0].filters).to_pylist() == [{"x": 2.0, "n": 1, "other": "a"}]
    assert apply_filters(table, ()) is table


def test_filter_without_columns() -> None:
    query = compiled("SELECT ?e.n FROM (?e, readings) FILTER (?e.n = ?e.n OR 1 = 1)")
    table = pa.table({"n": pa.array([None, 1], pa.int64())})
    assert apply_filters(table, query.sources[0].filters).num_rows == 2


def _forged(change: Callable[[dict[str, object]], None]) -> bytes:
    operator = build_operator(compiled(SUM))
    data = operator.snapshot()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    change(header)
    head = json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + data[8 + size :]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "these bytes are no snapshot of an operator: restore what snapshot() gave"),
        (b"\x01" * 40, "these bytes are no snapshot of an operator: restore what snapshot() gave"),
        (b"\x02" + b"\x00" * 7 + b"{}", "these bytes are no snapshot of an operator: restore what snapshot() gave"),
        (
            _forged(lambda header: header.update(version=99)),
            (
                "the snapshot has version 99, this kaicep reads version 7: "
                "run the kaicep that wrote it, or remove the snapshots to start from the archive"
            ),
        ),
        (
            _forged(lambda header: header.update(query="0")),
            "the snapshot is of another query: register the query that wrote it, unchanged",
        ),
    ],
)
def test_snapshots_that_cannot_be_restored(data: bytes, message: str) -> None:
    with pytest.raises(OperatorError) as caught:
        build_operator(compiled(SUM)).restore(data)
    assert str(caught.value) == message


def test_events_at_the_edges_of_time() -> None:
    """Before the epoch, and as late as time stamps go."""
    query = compiled("SELECT COUNT(?e) AS c FROM (?e, readings) WINDOW (?e, batch, 1h)")
    table = pa.table(
        {
            "_time": pa.array([datetime(1969, 12, 31, 23, 30, tzinfo=UTC), END_OF_TIME], pa.timestamp("us", tz="UTC")),
            "_id": ["a", "b"],
        }
    )
    operator = build_operator(query)
    rows = operator.process({"e": table.slice(0, 1)}, datetime(1970, 1, 1, tzinfo=UTC)).to_pylist()
    assert [(row["c"], row["_time"]) for row in rows] == [(1, datetime(1970, 1, 1, tzinfo=UTC))]
    selection = build_operator(compiled("SELECT ?e FROM (?e, readings)"))
    assert selection.process({"e": table}, END_OF_TIME).num_rows == 2


@pytest.mark.parametrize(
    "text",
    [
        SELECTION,
        SUM,
        PAIRS,
        "SELECT DISTINCT ?e.n FROM (?e, readings) LIMIT 3 OUTPUT ALL EVERY 2s",
        "SELECT ?a FROM (?a, readings), (?b, readings) SEQ (?a, NOT ?b FOR 2s) FILTER (?b.n = 2)",
        "SELECT COUNT(?b) AS c FROM (?a, readings), (?b, readings) SEQ (?a => ?b{1,; =>}) WINDOW (?a, ?b, 5s)",
    ],
)
def test_an_operator_goes_back_to_a_mark_as_often_as_need_be(text: str) -> None:
    query = compiled(text)
    operator = build_operator(query)
    feed(operator, query, [reading("a", 1, n=1), reading("b", 2, n=3)], until=2)
    mark = operator.mark()
    first = feed(operator, query, [reading("c", 3, n=2), reading("d", 4, n=1)], until=5)
    counts = replace(operator.counts, conditions=())
    for _ in range(2):
        operator.rewind(mark)
        assert feed(operator, query, [reading("e", 6, n=4)], until=9) is not None
        operator.rewind(mark)
        assert feed(operator, query, [reading("c", 3, n=2), reading("d", 4, n=1)], until=5) == first
        assert replace(operator.counts, conditions=()) == counts


def told_and(query: Query, readings: list[Reading], spans: list[ContextSpan], until: float) -> dict[str, pa.Table]:
    return candidates_in(query, readings, spans) | {CONTEXT_WINDOWS: told(spans, watermark=micros(at(until)))}


def test_a_match_in_two_windows_is_one_row_with_both_names() -> None:
    query = in_contexts(compiled("SELECT ?e.n FROM (?e, readings)"))
    spans = [ContextSpan(1, "jam", "s", 0, NO_END), ContextSpan(2, "accident", "s", micros(at(1)), NO_END)]
    readings = [reading("a", 1, n=1, sensor="s"), reading("b", 2, n=2, sensor="s")]
    rows = build_operator(query).process(told_and(query, readings, spans, 3), at(3)).to_pylist()
    assert [(row["n"], row["_context"]) for row in rows] == [(1, ["jam"]), (2, ["accident", "jam"])]


def test_what_the_end_of_a_window_ends_is_reported_and_then_nothing_is_held() -> None:
    """A greedy repetition is complete, in the run of each event that began one; a NOT that goes on is dropped."""
    run = "SELECT COUNT(?b) AS c FROM (?a, readings), (?b, readings) SEQ (?a -> ?b{1,; ->}) WINDOW (?a, ?b, 1h)"
    absence = "SELECT ?a FROM (?a, readings), (?b, alarms) SEQ (?a, NOT ?b FOR 1h)"
    readings = [reading(name, t, sensor="s") for t, name in enumerate("abc")]
    found = {}
    for text in (run, absence):
        query = in_contexts(compiled(text))
        operator = build_operator(query)
        span = ContextSpan(1, "jam", "s", 0, micros(at(5)))
        early = operator.process(told_and(query, readings, [span], 4), at(4)).num_rows
        rows = operator.process({CONTEXT_WINDOWS: told([span], watermark=micros(at(6)))}, at(6)).to_pylist()
        found[text] = (early, [(row["_time"], row["_context"]) for row in rows], operator.due)
    assert found[run] == (0, [(at(2), ["jam"])] * 2, None)
    assert found[absence] == (0, [], None)


def test_an_end_that_is_known_beforehand_is_when_a_repetition_is_due() -> None:
    query = in_contexts(
        compiled("SELECT COUNT(?e) AS c FROM (?a, readings), (?e, readings) SEQ (?a -> ?e{1,; ->}) WINDOW (?a, ?e, 1h)")
    )
    operator = build_operator(query)
    span = ContextSpan(1, "jam", "s", 0, micros(at(5)), calendar=True)
    operator.process(told_and(query, [reading("a", 1, sensor="s"), reading("b", 2, sensor="s")], [span], 4), at(4))
    assert operator.due == at(5) + timedelta(microseconds=1)
