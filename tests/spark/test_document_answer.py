"""A document answered batch by batch, its state put away in between, has the rows of `evaluate`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep import KaicepError, PipelineError, Project
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.spark.document_answer import DocumentAnswer, token_of
from kaicep.spark.event_tables import looked_at, plain_events
from support.living import project

START = datetime(2026, 1, 1, tzinfo=UTC)
PAIR = "SELECT ?a.flow AS x, ?b.flow AS y FROM (?a, air), (?b, air)"
SUMS = "SELECT SUM(?r.x) AS x FROM (?r, q) WINDOW (?r, batch, 5s)"
DOCUMENTS = [
    "SELECT ?e.sensor AS s, ?e.flow AS x PATH {?e ex:sensor ?s . ?s ex:in ?r . ?r a ex:Office}",
    f"{PAIR} JOIN (?a.sensor = ?b.sensor) SEQ (?a -> ?b) WINDOW (?a, ?b, 4s)",
    "SELECT LIST(?e.flow) AS x, ?e._time - ?e._time AS d WINDOW (?e, hopping, 4s, 2s) GROUP BY ?e.sensor",
    "SELECT ?e.flow AS x OUTPUT LAST EVERY 3s",
    "SELECT DISTINCT ?e.flow AS x LIMIT 4",
    f"CREATE QUERY q AS {PAIR} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) {SUMS}",
    f"{PAIR} SEQ (?a, NOT ?n FOR 2s, ?b) WINDOW (?a, ?b, 6s)".replace("(?b, air)", "(?b, air), (?n, air)"),
    "SELECT ?e.flow AS x WITHIN (, 2026-01-01T00:00:05)",
]
READINGS = st.lists(
    st.fixed_dictionaries(
        {
            "sensor": st.sampled_from(["s1", "s2", None]),
            "at": st.integers(0, 24).map(lambda n: (START + n * timedelta(seconds=0.5)).isoformat()),
            "flow": st.sampled_from([None, 0.0, 1.0, 2.0, 3.0]),
        }
    ),
    max_size=16,
)


@pytest.fixture(scope="module")
def air(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("air"))


@given(readings=READINGS, text=st.sampled_from(DOCUMENTS), cuts=st.sets(st.integers(1, 15), max_size=3))
def test_batches_with_their_state_put_away(
    air: Project, readings: list[dict[str, Any]], text: str, cuts: set[int]
) -> None:
    """Events in their order of arrival, late ones and duplicates among them."""
    answer, found, state = DocumentAnswer(air, text), list[dict[str, Any]](), b""
    borders = [0, *sorted(cut for cut in cuts if cut < len(readings)), len(readings)]
    for first, last in pairwise(borders):
        piece = readings[first:last]
        needed = answer.columns["air"]
        events = {"air": looked_at(plain_events(air, "air", raw_table(piece)), needed)} if piece else {}
        rows = answer.rows(events, ends=last == len(readings))
        assert rows.schema == answer.schema
        found += rows.to_pylist()
        state = answer.snapshot("t")
        answer = DocumentAnswer.restored(air, text, state)
    assert found == air.evaluate(text, {"air": readings}).to_arrow().to_pylist()


def test_it_looks_at_what_its_queries_name(air: Project) -> None:
    found = [DocumentAnswer(air, text).columns["air"] - {"_time", "_id"} for text in DOCUMENTS[:2]]
    assert found == [{"sensor", "flow", "urn:ex:sensor"}, {"sensor", "flow"}]


def test_a_state_has_its_token(air: Project) -> None:
    assert token_of(DocumentAnswer(air, DOCUMENTS[0]).snapshot("7f")) == "7f"


def test_the_state_of_another_query_is_refused(air: Project) -> None:
    state = DocumentAnswer(air, DOCUMENTS[0]).snapshot("t")
    with pytest.raises(PipelineError, match=r"the checkpoint holds no state of 'query-1'.*another checkpointLocation"):
        DocumentAnswer.restored(air, DOCUMENTS[1], state)


def test_an_integer_that_leaves_64_bits_is_refused_with_the_way_out(tmp_path: Path) -> None:
    """Other columns of rows may be doubles then; that of a DataFrame was announced."""
    known = project(tmp_path, flow="xsd:integer")
    readings = [{"sensor": "s1", "at": f"2026-01-01T00:00:0{n}Z", "flow": 2**62} for n in range(3)]
    answer = DocumentAnswer(known, "SELECT SUM(?e.flow) AS total WINDOW (?e, batch, 5s)")
    with pytest.raises(KaicepError, match=r"'total' has a row.*multiply what is selected AS total by 1\.0"):
        answer.rows({"air": plain_events(known, "air", raw_table(readings))}, ends=True)


def test_rows_that_go_back_to_a_share_say_so(tmp_path: Path) -> None:
    known = project(tmp_path, queries={"few": {"shed": "sample 50%"}})
    text = "CREATE QUERY few AS SELECT ?e.flow AS flow FROM (?e, air)"
    readings = [{"sensor": "s1", "at": f"2026-01-01T00:00:{n:02d}Z", "flow": float(n)} for n in range(40)]
    rows = DocumentAnswer(known, text).rows({"air": plain_events(known, "air", raw_table(readings))}, ends=True)
    assert rows.to_pylist() == known.evaluate(text, {"air": readings}).to_arrow().to_pylist()
    assert 0 < rows.num_rows < 40
    assert set(rows["_sampled"].to_pylist()) == {0.5}
    assert pa.types.is_float64(rows.schema.field("_sampled").type)
