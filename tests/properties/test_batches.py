"""How a stream is cut into batches, and where a run is stopped and resumed, never changes the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.cep.order import shared_events
from support.campus import campuses
from support.cases import Case, cases, difference
from support.context_families import contexts_project
from support.dataflows import answered, answered_all, cut_anywhere, run
from support.engines import project_of
from support.queries import FAMILIES
from support.sampling import some_of
from support.tuples import Batch, batches, streams

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.fixture(scope="module", autouse=True)
def _put_together_often() -> Iterator[None]:
    """What is kept is put together after every second batch: random streams have few."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shared_events, "_EVERY", 2)
        yield


def whole(case: Case) -> list[dict[str, Any]]:
    """The answer to the streams as one batch."""
    return list(project_of(case.campus.seed).evaluate(case.text, case.streams))


def invariant(data: st.DataObject, family: str) -> None:
    """Cut a case into batches, resume after some of them, and compare."""
    case = data.draw(cases(family))
    cut: Sequence[Mapping[str, Any]] = data.draw(batches(case.streams), label="batches")
    resumed = data.draw(st.sets(st.integers(0, len(cut))), label="resumed after so many batches")
    expected = whole(case)
    check(run(case, cut, set()), expected)
    if resumed:
        check(run(case, cut, resumed), expected)


@st.composite
def _several(draw: st.DrawFn) -> tuple[list[Case], list[Batch], set[int]]:
    """Queries of one project over streams in many batches, and after which of these a run is resumed."""
    campus = draw(campuses())
    families = draw(
        st.lists(st.sampled_from([name for name in FAMILIES if name != "documents"]), min_size=2, max_size=4)
    )
    content = draw(streams(campus, 60))
    several = [Case(campus, draw(FAMILIES[family](campus)), content) for family in families]
    cut = cut_anywhere(content, draw(st.randoms(use_true_random=False)))
    return several, cut, draw(st.sets(st.integers(0, len(cut)), max_size=2))


def beside_each_other(several: Sequence[Case], cut: Sequence[Batch], resumed: set[int]) -> None:
    """Compare what queries have beside each other with what each has alone, of streams that come as a whole."""
    text = ";\n".join(case.text for case in several)
    found = answered_all(project_of(several[0].campus.seed), text, cut, resumed)
    for case, rows in zip(several, found, strict=True):
        check(rows, whole(case))


def check(actual: Sequence[Mapping[str, Any]], expected: Sequence[Mapping[str, Any]]) -> None:
    """Equal to the last bit, ids of rows included."""
    found = difference(actual, expected, 0)
    assert found is None, found
    assert [row["_id"] for row in actual] == [row["_id"] for row in expected]


@pytest.mark.parametrize("family", some_of(FAMILIES, 5))
@settings(max_examples=3, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_batches_and_resumption_change_nothing(family: str, data: st.DataObject) -> None:
    invariant(data, family)


@pytest.mark.parametrize("seed", some_of(range(200), 3))
def test_many_small_batches_of_streams_out_of_order_change_nothing(seed: int) -> None:
    """Two queries share what they keep; where one stream is behind, a batch releases what came with earlier ones."""
    rng, project = Random(seed), contexts_project(2)
    text = (
        "CREATE QUERY high AS SELECT ?e.id FROM (?e, P) FILTER (?e.v > 7);"
        "SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, D)"
        " WHERE { FILTER (?a.v > 2) FILTER (?b.v > 2) SEQ (?a, ?b) WINDOW (?a, ?b, 5s) }"
    )
    start = datetime(2024, 3, 30, 20, tzinfo=UTC)
    streams = {
        stream: [
            {"id": f"{stream}{n}", "t": (start + timedelta(seconds=n)).isoformat(), "v": rng.randint(0, 9), **more}
            for n in sorted(range(60), key=lambda n: n + 2 * rng.random())
        ]
        for stream, more in (("P", {"seg": 0}), ("D", {"place": "here"}))
    }
    cut: list[Batch] = []
    while any(streams.values()):
        sizes = {stream: rng.randint(0, 3) for stream in streams}
        cut.append({"C": [], **{stream: rows[: sizes[stream]] for stream, rows in streams.items()}})
        streams = {stream: rows[sizes[stream] :] for stream, rows in streams.items()}
    rows = list(project.evaluate(text, _joined(cut)))
    assert rows
    check(answered(project, text, cut, set()), rows)


@settings(max_examples=5, deadline=None, suppress_health_check=SLOW)
@given(drawn=_several())
def test_queries_beside_each_other_have_what_each_has_alone(drawn: tuple[list[Case], list[Batch], set[int]]) -> None:
    beside_each_other(*drawn)


def _joined(cut: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    return {stream: [row for batch in cut for row in batch[stream]] for stream in cut[0]}


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_batches_and_resumption_change_nothing_in_the_long_run(family: str, data: st.DataObject) -> None:
    invariant(data, family)


@pytest.mark.long
@settings(max_examples=5000, deadline=None, suppress_health_check=SLOW)
@given(drawn=_several())
def test_queries_beside_each_other_in_the_long_run(drawn: tuple[list[Case], list[Batch], set[int]]) -> None:
    beside_each_other(*drawn)
