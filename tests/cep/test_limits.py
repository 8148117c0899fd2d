"""A blow-up ends the query that causes it, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kaicep import Project
from kaicep.cep import Limits, build_operator
from kaicep.cep.output import row_pieces
from kaicep.errors import CeilingError
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.registration import Registration
from support.batches import processed
from support.operators import Reading, compiled, feed
from support.sampling import some_of

ANY = "SELECT COUNT(?b) AS n FROM (?a, readings), (?b, readings), (?c, readings)\n"
FILTERS = "FILTER (?a.n = 1) FILTER (?b.n = 2) FILTER (?c.n = 3)"
SUBSETS = f"{ANY}{FILTERS}\nSEQ (?a, ?b+, ?c) WINDOW (?a, ?b, ?c, 1h)"


def readings(kinds: str) -> list[Reading]:
    return [{"id": f"e{i:04}", "t": i, "n": "abc".index(kind) + 1} for i, kind in enumerate(kinds)]


def test_more_matches_than_the_ceiling_are_an_error() -> None:
    query = compiled(SUBSETS)
    operator = build_operator(query, limits=Limits(matches_per_event=1000))
    with pytest.raises(CeilingError) as caught:
        feed(operator, query, readings("a" + "b" * 10 + "c"))
    assert str(caught.value) == (
        "query:3:6: more than 1000 matches became true with one event\n"
        "  3 | SEQ (?a, ?b+, ?c) WINDOW (?a, ?b, ?c, 1h)\n"
        "    |      ^^^^^^^^^^^ bound the pattern: a shorter WINDOW, a JOIN, a maximum {m,n}, POLICY next or AFTER "
        "MATCH with it; or raise matches_per_event in [engine]"
    )


def test_more_runs_than_the_ceiling_are_an_error() -> None:
    query = compiled(SUBSETS)
    operator = build_operator(query, limits=Limits(partial_matches_per_partition=20))
    with pytest.raises(CeilingError) as caught:
        feed(operator, query, readings("a" * 30))
    assert str(caught.value) == (
        "query:3:6: more than 20 partial matches are under way in one partition\n"
        "  3 | SEQ (?a, ?b+, ?c) WINDOW (?a, ?b, ?c, 1h)\n"
        "    |      ^^^^^^^^^^^ bound the pattern: a shorter WINDOW, a JOIN of equal attributes, PARTITION BY, a "
        "maximum {m,n} or POLICY next; or raise partial_matches_per_partition in [engine]"
    )


TWO = "SELECT ?a FROM (?a, readings), (?b, readings) FILTER (?a.n = 1) FILTER (?b.n = 2)"
MATCHES = "more than 100000 matches became true with one event"
RUNS = "more than 100000 partial matches are under way in one partition"
PAIRS = "more than 10000000 pairs would be compared to find the matches of one event"


def several(count: int, *clauses: str, absent: str = "") -> str:
    """A query over so many events of one stream; what stands under NOT is of kind c."""
    names = [f"?v{i}" for i in range(count)]
    sources = ", ".join(f"({name}, readings)" for name in (*names, *([absent] if absent else [])))
    none = f"FILTER ({absent}.n = 3)" if absent else ""
    window = f"WINDOW ({', '.join(names)}, 1h)"
    return "\n".join([f"SELECT ?v0 FROM {sources} {none}", *clauses[:1], window, *clauses[1:]])


def joined(count: int, link: str) -> str:
    return link.join(f"?v{i}" for i in range(count))


@pytest.mark.parametrize(
    ("text", "count", "message"),
    some_of(
        [
            (several(5, f"SEQ ({joined(5, ', ')})"), 45, MATCHES),
            (several(12, f"SEQ ({joined(12, ', ')})"), 45, MATCHES),
            (several(6, f"SEQ ({joined(6, ' AND ')})"), 45, MATCHES),
            (several(8, f"SEQ ({joined(8, ' AND ')})"), 45, MATCHES),
            (several(9, f"SEQ ({joined(9, ' AND ')})", "POLICY next"), 45, RUNS),
            (several(4, "JOIN (?v0.n = ?v3.n)"), 1000, MATCHES),
            (several(4, "FILTER (?v3.n = 2) JOIN (?v0.n * ?v1.n * ?v2.n * ?v3.n = 9)"), 400, PAIRS),
            (several(5, f"SEQ (?v0, NOT ?n, {joined(5, ', ')[5:]})", absent="?n"), 45, MATCHES),
            (several(6, f"SEQ (?v0, NOT ?n, {joined(6, ', ')[5:]}) JOIN (?v0.n > ?v5.n)", absent="?n"), 60, RUNS),
            (several(6, f"SEQ ({joined(6, ', ')}, NOT ?n)", absent="?n"), 45, RUNS),
            (several(6, "SEQ (?v0 -> ?v1)"), 45, MATCHES),
        ],
        4,
    ),
)
def test_joins_are_stopped_in_time(text: str, count: int, message: str) -> None:
    """All of these would fill any memory, or take minutes."""
    query = compiled(text)
    operator = build_operator(query)
    with pytest.raises(CeilingError) as caught:
        feed(operator, query, readings("a" * count + "b"))
    assert caught.value.message == message
    place = caught.value.place
    assert place is not None
    assert place.text[place.column - 1 :][: place.length] in text


def test_pairs_have_their_place_and_a_way_out() -> None:
    query = compiled("SELECT ?a FROM (?a, readings), (?b, readings) JOIN (?a.n != ?b.n) WINDOW (?a, ?b, 1h)")
    with pytest.raises(CeilingError) as caught:
        feed(build_operator(query, limits=Limits(pairs_per_event=5)), query, readings("a" * 10))
    assert str(caught.value).split("\n")[0] == (
        "query:1:53: more than 5 pairs would be compared to find the matches of one event"
    )
    assert caught.value.hint == (
        "leave fewer to compare: a shorter WINDOW, a FILTER, a JOIN of equal attributes or PARTITION BY; or raise "
        "pairs_per_event in [engine]"
    )


def test_matches_are_counted_per_event_however_many_a_batch_has() -> None:
    """Three events each end ten matches."""
    query = compiled(f"{TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 1h)")
    stream = readings("a" * 10 + "bbb")
    assert len(feed(build_operator(query, limits=Limits(matches_per_event=10)), query, stream)) == 30
    with pytest.raises(CeilingError, match="more than 9 matches"):
        feed(build_operator(query, limits=Limits(matches_per_event=9)), query, stream)


def test_runs_that_wait_are_counted_by_partition() -> None:
    """Ten sensors wait for each other's second event, four runs each."""
    text = TWO + " {} SEQ (?a -> ?b) WINDOW (?a, ?b, 1h)"
    stream = [{"id": f"e{i:04}", "t": i, "n": 1, "sensor": f"s{i % 10}"} for i in range(40)]
    apart = compiled(text.format("JOIN (?a.sensor = ?b.sensor)"))
    assert feed(build_operator(apart, limits=Limits(partial_matches_per_partition=4)), apart, stream, until=41) == []
    for query in (apart, compiled(text.format(""))):
        with pytest.raises(CeilingError, match="more than 3 partial matches are under way in one partition"):
            feed(build_operator(query, limits=Limits(partial_matches_per_partition=3)), query, stream, until=41)


@pytest.mark.parametrize(
    ("pattern", "end", "count"),
    [
        (joined(5, ", "), "AFTER MATCH SKIP PAST LAST EVENT", 9),
        (joined(5, ", "), "AFTER MATCH CONSUME", 9),
        (joined(5, " -> "), "LIMIT 3", 3),
        (joined(5, ", "), "LIMIT 3", 3),
        (joined(5, ", "), "LIMIT 3 OUTPUT LAST EVERY 2 matches", 2),
    ],
)
def test_a_query_that_chooses_few_matches_is_answered_although_there_are_many(
    pattern: str, end: str, count: int
) -> None:
    """All at once they would be too many; those that stand are the same as event by event."""
    query = compiled(several(5, f"SEQ ({pattern})", end))
    stream = readings("a" * 45)
    rows = feed(build_operator(query), query, stream)
    assert len(rows) == count
    apart = build_operator(query)
    one_by_one = [row for reading in stream for row in feed(apart, query, [reading], until=reading["t"] + 0.5)]
    assert rows == one_by_one + feed(apart, query, [])


def test_too_many_matches_of_one_event_are_an_error_whatever_is_chosen() -> None:
    query = compiled(several(5, "FILTER (?v4.n = 2) SEQ (" + joined(5, ", ") + ")", "AFTER MATCH SKIP PAST LAST EVENT"))
    with pytest.raises(CeilingError, match=MATCHES):
        feed(build_operator(query), query, readings("a" * 45 + "b"))


def test_what_seq_does_not_name_is_counted_with_it() -> None:
    """One run of SEQ may have many matches, and many runs may have none."""
    text = "SELECT ?b FROM (?a, readings), (?b, readings), (?c, readings) FILTER (?a.n = 1) FILTER (?b.n = 2) {}"
    stream = readings("a" * 6 + "c" * 4 + "b")
    for pattern in ("SEQ (?a, ?b) WINDOW (?a, ?b, ?c, 1h)", "SEQ (?a+ -> ?b) WINDOW (?a, ?b, ?c, 1h) POLICY next"):
        none = compiled(text.format("JOIN (?c.n > ?a.n + 100)") + pattern)
        some = compiled(text.format("FILTER (?c.n = 3)") + pattern)
        count = len(feed(build_operator(some), some, stream))
        assert feed(build_operator(none, limits=Limits(matches_per_event=1)), none, stream) == []
        assert len(feed(build_operator(some, limits=Limits(matches_per_event=count)), some, stream)) == count
        with pytest.raises(CeilingError, match=f"more than {count - 1} matches"):
            feed(build_operator(some, limits=Limits(matches_per_event=count - 1)), some, stream)


@pytest.mark.parametrize(
    ("window", "count"),
    [("hopping, 1d, 20ms", 4_320_000), ("hopping, 1000d, 1ms", 86_400_000_000), ("cumulate, 1d, 10ms", 8_640_000),
     ("hopping, 1000000 events, 2 events", 500_000)],
)  # fmt: skip
def test_windows_that_overlap_too_much_are_refused_before_any_event_comes(window: str, count: int) -> None:
    query = compiled(f"SELECT COUNT(?e) AS n FROM (?e, readings) WINDOW (?e, {window})")
    with pytest.raises(CeilingError) as caught:
        build_operator(query)
    text = f"WINDOW (?e, {window})"
    assert str(caught.value) == (
        f"query:1:43: each event lies in {count} windows, and 100000 are the most\n"
        f"  1 | SELECT COUNT(?e) AS n FROM (?e, readings) {text}\n"
        f"    | {' ' * 42}{'^' * len(text)} write a longer step or a smaller size; or raise matches_per_event in "
        "[engine]"
    )
    assert build_operator(query, limits=Limits(matches_per_event=count))


def test_patterns_that_cannot_be_planned_in_time_are_refused() -> None:
    wide = compiled(several(13, f"SEQ ({joined(13, ' AND ')})", "POLICY next"))
    with pytest.raises(CeilingError) as caught:
        build_operator(wide)
    assert caught.value.message == "this pattern has more than 4096 states"
    assert caught.value.hint == "write several queries, with fewer elements in one AND, and fewer ORs one after another"
    sides = ", ".join(f"(?v{i} OR ?v{i + 1})" for i in range(0, 60, 2))
    branching = compiled(several(60, f"SEQ ({sides})"))
    with pytest.raises(CeilingError) as caught:
        build_operator(branching)
    assert caught.value.message == "this pattern has more than 512 ways to choose sides of its ORs"
    assert caught.value.place is not None


STREAM = {
    "event_type": "<urn:Reading>",
    "time": {"attribute": "at"},
    "attributes": {"kind": {"datatype": "xsd:string"}},
}
PROJECT = {"streams": {"readings": STREAM}, "engine": {"matches_per_event": 50}}
DOCUMENT = """
CREATE QUERY large AS SELECT COUNT(?b) AS n FROM (?a, readings), (?b, readings)
  FILTER (?a.kind = 'a') FILTER (?b.kind = 'b') SEQ (?a, ?b+) WINDOW (?a, ?b, 1h);
SELECT ?e.kind AS kind FROM (?e, readings)
"""


def fed(dataflow: Dataflow, kinds: str, begin: int) -> Mapping[str, Any]:
    first = datetime(2012, 5, 4, tzinfo=UTC)
    raw = [{"at": (first + timedelta(seconds=begin + i)).isoformat(), "kind": k} for i, k in enumerate(kinds)]
    return processed(dataflow, {"readings": raw}).matches


def test_a_query_that_is_stopped_does_not_stop_the_others() -> None:
    project = Project.parse(PROJECT)
    dataflow = project.dataflow(isolated=True)
    queries = project.compile(DOCUMENT)
    for label, query in zip(("large", "all"), queries, strict=True):
        dataflow.register(Registration(query, label))
    assert fed(dataflow, "abbb", 0)["large"].num_rows == 3
    rows = fed(dataflow, "bbbbbb", 10)
    assert rows["large"].num_rows == 0
    assert rows["all"].num_rows == 6
    flow = dataflow.flows["large"]
    assert flow.ended
    assert flow.failure is not None
    assert ": more than 50 matches became true with one event\n" in str(flow.failure)
    assert "query/large" not in dataflow.snapshot()
    assert fed(dataflow, "abb", 20)["large"].num_rows == 0


def test_evaluate_raises_the_error() -> None:
    events = [{"at": f"2012-05-04T00:00:{i:02}Z", "kind": "a" if i == 0 else "b"} for i in range(10)]
    with pytest.raises(CeilingError, match="more than 50 matches became true with one event"):
        Project.parse(PROJECT).evaluate(DOCUMENT.partition(";")[0], {"readings": events})


PAIRED = "SELECT ?a.n AS x FROM (?a, readings), (?b, readings) SEQ (?a, ?b) WINDOW (?a, ?b, 1h)"
REPEATED = "SELECT ?a.n AS x FROM (?a, readings), (?b, readings) SEQ (?a, ?b{1,; ->>}) WINDOW (?a, ?b, 1h)"
HOPPING = "SELECT COUNT(?a) AS n FROM (?a, readings) WINDOW (?a, hopping, 10s, 1s)"
CUMULATED = "SELECT COUNT(?a) AS n FROM (?a, readings) WINDOW (?a, cumulate, 10s, 1s)"


@pytest.mark.parametrize(
    ("text", "count", "key", "message"),
    [
        (PAIRED, 28, "rows_per_batch", "more than 27 matches became true in one batch"),
        (REPEATED, 247, "rows_per_batch", "more than 246 matches became true in one batch"),
        (HOPPING, 17, "windows_per_batch", "more than 16 windows ended in one batch"),
        (CUMULATED, 10, "windows_per_batch", "more than 9 windows ended in one batch"),
        (PAIRED, 7 * 280, "bytes_per_batch", "what is found at once takes more than 1959 bytes"),
        (HOPPING, 17 * 220, "bytes_per_batch", "what is found at once takes more than 3739 bytes"),
    ],
)
def test_what_a_batch_may_bring_is_asked_before_it_is_made(text: str, count: int, key: str, message: str) -> None:
    """However few of it are of one event; the very last that is allowed is answered."""
    query, stream = compiled(text), readings("abcabcab")
    allowed = build_operator(query, limits=Limits(**{key: count}))
    assert feed(allowed, query, stream) == feed(build_operator(query), query, stream)
    with pytest.raises(CeilingError) as caught:
        feed(build_operator(query, limits=Limits(**{key: count - 1})), query, stream)
    assert caught.value.message == message
    assert caught.value.hint is not None
    assert f"raise {key} in [engine]" in caught.value.hint


@pytest.mark.parametrize("clause", ["LIMIT 5", "AFTER MATCH SKIP PAST LAST EVENT"])
def test_what_chooses_among_matches_bounds_them(clause: str) -> None:
    """Matches that are never reported need not be found."""
    query, stream = compiled(f"{PAIRED} {clause}"), readings("abc" * 30)
    rows = feed(build_operator(query, limits=Limits(rows_per_batch=100)), query, stream)
    assert rows == feed(build_operator(query), query, stream)
    assert rows


def test_rows_are_made_so_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are the same, with DISTINCT and LIMIT too."""
    for text in (PAIRED, REPEATED, HOPPING, PAIRED.replace("SELECT", "SELECT DISTINCT"), f"{PAIRED} LIMIT 7"):
        query, stream = compiled(text), readings("abcabcab")
        expected = feed(build_operator(query), query, stream)
        with monkeypatch.context() as patched:
            patched.setattr(row_pieces, "ROWS_AT_ONCE", 3)
            assert feed(build_operator(query), query, stream) == expected
