"""What many queries ask of a batch is found together, and each is given and counts what it would alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.queries.candidates import CandidateSelection, EventBatch, FilterGraph, shared_batch
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sources.memory_source import raw_table

START = datetime(2026, 1, 1, tzinfo=UTC)
ROOMS = """@prefix : <urn:> . :hall a :Hall . :lab a :Lab . :s0 :in :hall . :s1 :in :lab . :s2 :in :hall ."""
_IN = "?e :by ?s . ?s :in ?r . ?r a :{}"
_HALL, _LAB = _IN.format("Hall"), _IN.format("Lab")
ASKED = [
    f"SELECT ?e.x FILTER (?e.x > 90) PATH {{ {_HALL} }}",
    f"SELECT ?e.x FILTER (?e.x > 91) PATH {{ {_HALL} }}",
    f"SELECT ?e.x FILTER (?e.x > 91.5) FILTER (?e.x < 99) PATH {{ {_LAB} }}",
    f"SELECT ?e.x FILTER (?e.x > 999) PATH {{ {_LAB} }}",
    f"SELECT ?e.x FILTER (?e.speed >= 9.5) PATH {{ {_HALL} }}",
    f"SELECT ?e.x FILTER (9 + 0.5 < ?e.speed) PATH {{ {_HALL} }}",
    f"SELECT ?e.x PATH {{ {_LAB} . ?e :speed ?v . FILTER (?v > 9 + 0.5) }}",
    f"SELECT ?e.x PATH {{ {_LAB} . ?e :speed ?v . FILTER (?v <= 1) }}",
    f"SELECT ?e.x FILTER (?e.x > 90) PATH {{ {_HALL} }} OR PATH {{ {_LAB} }}",
    f"SELECT ?e.x, ?s FILTER (?e.x > 90) PATH {{ {_HALL} }}",
    "SELECT ?e.x FILTER (?e.x > 95)",
    "SELECT ?e.x, ?e.speed FILTER (?e.speed != 3)",
    "SELECT ?e.x WITHIN (, now) FILTER (?e.x > 95)",
    "SELECT ?e.x",
    "SELECT ?e.x FILTER (?e.kind IN ('a', 'b', 'c')) FILTER (?e.x > 300)",
    "SELECT ?f.x FROM (?f, air) FILTER (?f.kind IN ('b', 'a')) FILTER (?f.x > 310)",
    "SELECT ?e.x FILTER (?e.kind = 'a') FILTER (?e.x > 310.5)",
    "SELECT ?e.x FILTER (?e.kind = 'a') FILTER (?e.speed < 2) FILTER (?e.x + 0 > 200)",
    "SELECT ?e.x FILTER (?e.kind = 'c') FILTER (?e.speed < 1) FILTER (?e.x + 0 > 300)",
    "SELECT ?e.x FILTER (?e.kind = 'nothing') FILTER (?e.x != 3)",
    f"SELECT ?e.x FILTER (?e.kind != 'a') FILTER (?e.x > 391) PATH {{ {_LAB} . ?e :speed ?v . FILTER (?v > 9.75) }}",
]
SPEEDS = [None, 0.5, 1.0, 3.0, float("nan"), 9.5, 10.0]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "rooms.ttl").write_text(ROOMS, encoding="utf-8")
    attributes = {
        "x": {"property": ":x", "datatype": "xsd:integer"},
        "speed": {"property": ":speed", "datatype": "xsd:double"},
        "sensor": {"property": ":by", "individual": ":{}"},
        "kind": {"datatype": "xsd:string"},
    }
    stream = {"event_type": ":R", "time": {"attribute": "at"}, "identity": ["x"], "attributes": attributes}
    settings = {"prefixes": {"": "urn:"}, "knowledge": {"modules": ["rooms.ttl"]}, "streams": {"air": stream}}
    return Project.parse(settings, root=tmp_path)


def selections(project: Project) -> list[CandidateSelection]:
    registrations = [Registration(project.compile(text)[-1], text, START + timedelta(seconds=60)) for text in ASKED]
    flows = [QueryRuntime(of, project.shape, project.knowledge, project.options) for of in registrations]
    return [flow.sources[0] for flow in flows]


def tables(project: Project) -> list[pa.Table]:
    """A hundred events, then hundreds of others: few of them pass most FILTERs."""
    raw = [
        {
            "at": (START + timedelta(seconds=n)).isoformat(),
            "x": n,
            "sensor": f"s{n % 4}",
            "kind": "abcdefgh"[n % 8],
            **({} if (speed := SPEEDS[n % len(SPEEDS)]) is None else {"speed": speed}),
        }
        for n in range(400)
    ]
    return [live_batch(project.annotators, {"air": raw_table(part)}).events["air"].events for part in (raw[:100], raw)]


def rows_of(found: object) -> list[dict[str, object]]:
    if isinstance(found, pl.DataFrame):
        return found.to_dicts()
    return found.to_pylist() if isinstance(found, pa.Table) else []


def together(batch: pa.Table, asking: Sequence[CandidateSelection]) -> EventBatch:
    return shared_batch(batch, lambda: FilterGraph(one.asked for one in asking if one.asked is not None))


def test_each_is_given_and_counts_what_it_does_alone(project: Project) -> None:
    """Whoever stands beside it, and in whatever order they ask."""
    asking, alone = selections(project), selections(project)
    for table in tables(project):
        batch = together(table, asking)
        assert sum(one.asked is not None and batch.found(one.asked) is not None for one in asking) >= 4
        for one, other in zip(reversed(asking), reversed(alone), strict=True):
            assert str(rows_of(one.candidates(batch))) == str(rows_of(other.candidates(EventBatch(table))))
    for one, other in zip(asking, alone, strict=True):
        assert one.clauses == other.clauses
        for own, others in zip(one.semantics.statistics, other.semantics.statistics, strict=True):
            assert (own.events, own.held, own.keys, own.hits, own.distinct, own.holding) == (
                *(others.events, others.held, others.keys, others.hits, others.distinct, others.holding),
            )


def test_what_one_cannot_be_asked_leaves_the_others_alone(project: Project) -> None:
    """Then each asks by itself, and the one whose fault it is fails."""
    first, broken, *_ = selections(project)
    assert broken._before is not None
    broken._before._tests[0] = pl.col("nowhere") > 1
    (table, _) = tables(project)
    batch = together(table, [first, broken])
    assert [row["x"] for row in rows_of(first.candidates(batch))] == [92, 94, 96, 98]
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        broken.candidates(batch)


def test_one_alone_and_no_events_are_looked_for_as_ever(project: Project) -> None:
    """There is nothing to share."""
    (one, other, *_), (table, _) = selections(project), tables(project)
    assert one.asked is not None
    assert together(table, [one]).found(one.asked) is None
    assert together(table[:0], [one, other]).found(one.asked) is None
    assert EventBatch(table).found(one.asked) is None
