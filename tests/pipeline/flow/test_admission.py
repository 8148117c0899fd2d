"""Which tuples of a stream count: duplicates, lateness, watermark (docs/semantics.md 1.2, 1.4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.errors import OperatorError
from kaicep.pipeline.flow.admission import Admission

START = datetime(2026, 1, 1, tzinfo=UTC)
TUPLES = st.lists(st.tuples(st.integers(0, 12), st.sampled_from("abc")), max_size=30)


def events(tuples: list[tuple[int, str]]) -> pa.Table:
    """Event tables of (second, name); the identity is both."""
    return pa.table(
        {
            "_time": pa.array([START + timedelta(seconds=s) for s, _ in tuples], pa.timestamp("us", "UTC")),
            "_id": pa.array([f"{name}{s}" for s, name in tuples], pa.string()),
        }
    )


def judge(tuples: list[tuple[int, str]], lateness: int) -> tuple[list[str], list[str], int]:
    """The definition, tuple by tuple: (admitted, late, duplicates)."""
    seen: set[str] = set()
    greatest: int | None = None
    admitted: list[str] = []
    late: list[str] = []
    duplicates = 0
    for second, name in tuples:
        identity = f"{name}{second}"
        if identity in seen:
            duplicates += 1
            continue
        seen.add(identity)
        (late if greatest is not None and second < greatest - lateness else admitted).append(identity)
        greatest = second if greatest is None else max(greatest, second)
    return admitted, late, duplicates


def ids(table: pa.Table) -> list[str]:
    return [str(i) for i in table["_id"].to_pylist()]


@given(TUPLES, st.integers(0, 5), st.booleans(), st.lists(st.integers(0, 30), max_size=4))
def test_any_split_is_judged_tuple_by_tuple(
    tuples: list[tuple[int, str]],
    lateness: int,
    bounded: bool,
    cuts: list[int],
) -> None:
    """What is admitted never depends on the batches; with forgotten identities, late duplicates count as late."""
    admission = Admission(timedelta(seconds=lateness), bounded=bounded)
    admitted: list[str] = []
    late: list[str] = []
    duplicates = 0
    borders = [0, *sorted(min(c, len(tuples)) for c in cuts), len(tuples)]
    for begin, end in pairwise(borders):
        step = admission.admit(events(tuples[begin:end]))
        restored = Admission(timedelta(seconds=lateness), bounded=bounded)
        restored.restore(admission.snapshot())
        admission = restored
        admitted += ids(step.events)
        late += ids(step.late)
        duplicates += step.duplicates
    expected_admitted, expected_late, expected_duplicates = judge(tuples, lateness)
    assert admitted == expected_admitted
    assert len(late) + duplicates == len(expected_late) + expected_duplicates
    if not bounded:
        assert late == expected_late


def test_watermark_is_the_greatest_time_minus_lateness() -> None:
    admission = Admission(timedelta(seconds=5), bounded=True)
    assert admission.watermark is None
    admission.admit(events([(10, "a"), (7, "b")]))
    assert admission.watermark == START + timedelta(seconds=5)


@pytest.mark.parametrize("bounded", [True, False])
def test_a_watermark_that_was_moved_makes_late_what_comes_below(bounded: bool) -> None:
    """It never goes back, and it is part of the snapshot."""
    admission = Admission(timedelta(seconds=2), bounded=bounded)
    admission.admit(events([(3, "a")]))
    admission.advance(START + timedelta(seconds=9))
    admission.advance(START + timedelta(seconds=5))
    restored = Admission(timedelta(seconds=2), bounded=bounded)
    restored.restore(admission.snapshot())
    step = restored.admit(events([(8, "a"), (9, "b"), (8, "c"), (12, "d"), (9, "e"), (11, "f")]))
    assert (ids(step.events), ids(step.late)) == (["b9", "d12", "f11"], ["a8", "c8", "e9"])
    assert restored.watermark == START + timedelta(seconds=10)
    assert restored.greatest == START + timedelta(seconds=12)


def test_a_stream_can_have_a_watermark_before_its_first_event() -> None:
    admission = Admission(timedelta(0), bounded=True)
    admission.advance(START + timedelta(seconds=5))
    assert (admission.watermark, admission.greatest) == (START + timedelta(seconds=5), None)
    step = admission.admit(events([(4, "a"), (6, "b")]))
    assert (ids(step.events), ids(step.late)) == (["b6"], ["a4"])


def test_after_the_end_everything_is_late() -> None:
    admission = Admission(timedelta(0), bounded=True)
    admission.admit(events([(1, "a")]))
    admission.end()
    assert ids(admission.admit(events([(2, "b")])).late) == ["b2"]


def test_a_snapshot_of_another_version_is_refused() -> None:
    admission = Admission(timedelta(0), bounded=True)
    state = pa.ipc.open_file(pa.BufferReader(admission.snapshot())).read_all()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, state.schema.with_metadata({"version": "99", "greatest": "", "floor": ""})) as writer:
        writer.write_table(state)
    with pytest.raises(OperatorError) as error:
        admission.restore(sink.getvalue().to_pybytes())
    assert str(error.value) == (
        "the snapshot of a stream has version 99, this kaicep reads 2: "
        "run the kaicep that wrote it, or remove the snapshots to start from the archive"
    )


def test_of_identities_without_a_time_the_earliest_are_forgotten() -> None:
    admission = Admission(timedelta(0), bounded=False, most=100)
    for number in range(1000):
        assert ids(admission.admit(events([(number, "id")])).events) == [f"id{number}"]
    assert admission.forgets
    assert admission.admit(events([(950, "id")])).duplicates == 1
    assert admission.admit(events([(3, "id")])).duplicates == 0
    assert len(admission.snapshot()) < 10_000
    assert admission._seen.n_chunks() < 100


def test_identities_with_a_time_are_forgotten_by_the_watermark_and_nothing_is_said() -> None:
    admission = Admission(timedelta(seconds=5), bounded=True, most=3)
    for number in range(100):
        admission.admit(events([(number, "id")]))
    assert not admission.forgets


@pytest.mark.parametrize("bounded", [True, False])
@given(before=TUPLES, after=TUPLES)
def test_an_admission_that_recalls_what_was_kept_goes_on_as_it_would_have(
    bounded: bool, before: list[tuple[int, str]], after: list[tuple[int, str]]
) -> None:
    live, recalled = (Admission(timedelta(seconds=3), bounded=bounded) for _ in range(2))
    first = live.admit(events(before))
    kept = pa.concat_tables([first.events, first.late])

    def known(start: datetime | None, _count: int | None) -> pa.Table:
        return kept if start is None else kept.filter(pc.greater_equal(kept["_time"], start))

    recalled.recall(*live.moments, known)
    found, expected = recalled.admit(events(after)), live.admit(events(after))
    assert (found.events, found.late, found.duplicates) == (expected.events, expected.late, expected.duplicates)
    assert recalled.watermark == live.watermark
