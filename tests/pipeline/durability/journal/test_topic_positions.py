"""Up to where topics are read, batch by batch."""

from __future__ import annotations

from kaicep.pipeline.durability.journal.topic_positions import TopicPositions


def at(air: int, door: int | None = None) -> dict[str, dict[str, dict[str, int]]]:
    return {"air": {"t": {"0": air}}} | ({} if door is None else {"door": {"t": {"0": door}}})


def test_the_last_batch_counts_and_leaves_others_as_they_were() -> None:
    known = TopicPositions()
    assert known.read == {}
    known.note(1, at(5, 7))
    known.note(2, at(6))
    known.note(3, {})
    assert known.read == at(6, 7)
    assert (known.batches, known.of(1), known.of(9)) == ({1, 2}, at(5, 7), {})


def test_others_than_known() -> None:
    known = TopicPositions()
    known.note(1, at(5))
    assert not known.differ({})
    assert not known.differ(at(5))
    assert known.differ(at(6))
    assert known.differ(at(5, 1))


def test_only_two_batches_are_remembered() -> None:
    known = TopicPositions()
    for batch in range(9):
        known.note(batch, at(batch))
    assert known.batches == {7, 8}


def test_what_is_given_back_is_read_again() -> None:
    known = TopicPositions()
    known.note(1, at(5, 5))
    known.note(2, at(8, 8))
    known.give_back(2, ["air"])
    assert known.read == at(5, 8)
    known.give_back(3, ["door"])
    assert known.read == at(5, 8)


def test_the_first_batch_is_given_back_to_nowhere() -> None:
    known = TopicPositions()
    known.note(1, at(5))
    known.give_back(1, ["air"])
    assert known.read == {}
