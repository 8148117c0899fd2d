"""Which queries are equal but for contexts and bounds."""

from __future__ import annotations

from kaicep import Project
from kaicep.pipeline.flow.queries.kindred_queries import kin_of

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {
        "seg": {"datatype": "xsd:integer"},
        "v": {"datatype": "xsd:integer"},
        "w": {"datatype": "xsd:double"},
    },
}
CONTEXTS = """
CREATE CONTEXTS road (clear DEFAULT, jam) BY seg;
INITIATE CONTEXT jam FROM (?e, cars) WHERE { FILTER (?e.v < 10) };
"""


def kin(
    contexts: str = "jam", *, name: str = "", body: str = "SEQ (?e, ?f)", more: str = "", sharing: bool = True
) -> str | None:
    """What a query has in common with others."""
    project = Project.parse({"streams": {"cars": STREAM}, "engine": {"contexts": {"sharing": sharing}}})
    within = f"IN CONTEXT {contexts} WHERE {{ {body} WINDOW (?e, ?f, 10s) }} {more}"
    text = f"SELECT ?e.v FROM (?e, cars), (?f, cars) {within}"
    return kin_of(project.compile(f"{CONTEXTS} {name and f'CREATE QUERY {name} AS'} {text}")[-1])


def test_contexts_and_name_make_no_difference() -> None:
    assert kin() is not None
    assert kin() == kin("clear") == kin("clear, jam") == kin("jam AS ?now") == kin(name="slow")


def test_neither_do_bounds_unless_they_imply_filters() -> None:
    bodies = [f"JOIN (?f.w > ?e.w + {n}) SEQ (?e, ?f)" for n in (3, 4)]
    assert kin(body=bodies[0]) == kin(body=bodies[1])
    bodies = [f"FILTER (?e.w > 2) JOIN (?f.w - ?e.w > {n}) SEQ (?e, ?f)" for n in (3, 4)]
    assert kin(body=bodies[0]) != kin(body=bodies[1])


def test_all_else_does() -> None:
    others = [kin(), kin(body="SEQ (?f, ?e)"), kin(body="FILTER (?e.v > 3) SEQ (?e, ?f)"), kin(more="LIMIT 3")]
    others += [kin(body="JOIN (?e.v = ?f.v) SEQ (?e, ?f)")]
    assert len({*others}) == len(others)


def test_what_a_window_decides_is_answered_by_itself() -> None:
    assert kin(body="SEQ (?e -> ?f)") is None
    assert kin(more="AFTER MATCH SKIP PAST LAST EVENT") is None
    assert kin("jam FOR ?e") is None


def test_nothing_is_shared_where_that_is_switched_off() -> None:
    assert kin(sharing=False) is None
