"""How many events are left behind each clause, and how many matches become rows."""

from __future__ import annotations

from kaicep import Project
from kaicep.pipeline.flow import Batch, Registration, live_batch
from kaicep.pipeline.profile import ClauseKind, QueryProfile
from kaicep.pipeline.sources import raw_table

STREAM = {
    "event_type": "<urn:Reading>",
    "time": {"attribute": "at"},
    "attributes": {
        "sensor": {"property": "<urn:sensor>", "individual": "<urn:{}>"},
        "flow": {"property": "<urn:flow>", "datatype": "xsd:double"},
    },
}
PROJECT = Project.parse({"prefixes": {"ex": "urn:"}, "streams": {"air": STREAM}})
ROWS = [
    {"at": f"2026-01-01T00:00:{second:02d}Z", "sensor": f"s{second % 3}", "flow": float(second)} for second in range(10)
]
CLAUSES = (
    "SELECT ?e.flow WITHIN (2026-01-01T00:00:02Z, ) FILTER (?e.flow > 3) FILTER (?e.flow < 9) "
    "PATH { ?e ex:sensor ?s . FILTER (?s != ex:s0) } FILTER (STR(?s) != 'urn:s1')"
)


def profile(text: str, size: int = 10) -> QueryProfile:
    dataflow = PROJECT.dataflow()
    (query,) = PROJECT.compile(text)
    dataflow.register(Registration(query, "q"))
    for start in range(0, len(ROWS), size):
        batch = live_batch(PROJECT.annotators, {"air": raw_table(ROWS[start : start + size])})
        _ = dataflow.process(batch).matches
    _ = dataflow.process(Batch(ends=True)).matches
    return dataflow.profile.queries["q"]


def test_each_clause_tells_what_it_leaves_whatever_the_batches() -> None:
    for size in (1, 4, 10):
        (variable,) = profile(CLAUSES, size).variables
        assert [(clause.kind, clause.left) for clause in variable.clauses] == [
            (ClauseKind.STREAM, 10),
            (ClauseKind.WITHIN, 8),
            (ClauseKind.FILTER, 6),
            (ClauseKind.FILTER, 5),
            (ClauseKind.PATH, 4),
            (ClauseKind.FILTER, 2),
        ]
        assert (variable.events, variable.candidates, variable.negated) == (10, 2, False)
        assert variable.clauses[2].text == "?e.flow > 3"
        assert variable.clauses[2].columns == ("flow",)


def test_a_path_tells_of_how_many_individuals_it_holds() -> None:
    (variable,) = profile("SELECT ?e.flow PATH { ?e ex:sensor ?s . FILTER (?s != ex:s0) }").variables
    (path,) = variable.paths
    assert (path.statistics.events, path.statistics.held) == (10, 6)
    assert (path.statistics.distinct, path.statistics.holding) == (3, 2)
    assert path.unsatisfiable is None


def test_a_path_that_can_never_hold_tells_why() -> None:
    (variable,) = profile("SELECT ?e.flow PATH { ?e a ex:Other }").variables
    assert variable.paths[0].unsatisfiable == "events of air are no <urn:Other>"
    assert variable.candidates == 0


def test_what_joins_ask_of_each_event_is_a_clause() -> None:
    text = (
        "SELECT ?a.flow FROM (?a, air), (?b, air) FILTER (?a.flow > 3) JOIN (?b.flow - ?a.flow > 2) SEQ (?a, ?b) "
        "WINDOW (?a, ?b, 1min)"
    )
    _, second = profile(text).variables
    assert [(clause.kind, clause.left) for clause in second.clauses] == [
        (ClauseKind.STREAM, 10),
        (ClauseKind.IMPLIED, 4),
    ]


def test_variables_under_not_are_known() -> None:
    text = "SELECT ?a.flow FROM (?a, air), (?n, air) FILTER (?n.flow > 99) SEQ (?a, NOT ?n FOR 2s)"
    assert [variable.negated for variable in profile(text).variables] == [False, True]


def test_matches_and_rows_are_counted_from_being_found_to_being_handed_over() -> None:
    pairs = "FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 2s)"
    for text, counts in {
        "SELECT ?e.flow": (10, 10, 10, 10),
        "SELECT ?e.flow HAVING (?e.flow > 6)": (10, 3, 3, 3),
        "SELECT ?e.flow LIMIT 4": (9, 9, 4, 4),
        "SELECT DISTINCT ?e.sensor": (10, 10, 3, 3),
        "SELECT ?e.flow OUTPUT FIRST EVERY 5s": (10, 10, 10, 2),
        "SELECT AVG(?e.flow) AS mean WINDOW (?e, batch, 2s) HAVING (AVG(?e.flow) > 4)": (5, 3, 3, 3),
        f"SELECT ?a.flow {pairs}": (17, 17, 17, 17),
        f"SELECT ?a.flow {pairs} HAVING (?b.flow = 9)": (2, 2, 2, 2),  # a join asks it of pairs
        f"SELECT ?a.flow {pairs} AFTER MATCH SKIP PAST LAST EVENT": (16, 5, 5, 5),
    }.items():
        found = profile(text).rows
        assert (found.found, found.standing, found.rows, found.reported) == counts, text
