"""Of the copies of a message the one for the first filter counts, and nothing is dropped on a guess."""

from __future__ import annotations

from kaicep.pipeline.sources.mqtt.topic_overlap import TopicOverlap

FILTERS = ["+/x", "a/+", "b/#"]


def overlap() -> tuple[TopicOverlap, list[int]]:
    found = TopicOverlap(FILTERS)
    numbers = [found.identifier(one) or 0 for one in FILTERS]
    assert len(set(numbers)) == 3
    assert all(0 < number < 2**28 for number in numbers)
    return found, numbers


def test_the_copy_for_the_first_filter_counts() -> None:
    found, (first, second, third) = overlap()
    assert [found.is_copy("a/x", [one]) for one in (first, second)] == [False, True]
    assert [found.is_copy("b/x", [one]) for one in (first, third)] == [False, True]
    assert not found.is_copy("a/y", [second])


def test_one_message_for_several_filters_counts() -> None:
    found, (first, second, _) = overlap()
    assert not found.is_copy("a/x", [second, first])


def test_filters_that_are_refused_have_no_copies() -> None:
    found, (first, second, _) = overlap()
    found.refuse("+/x")
    assert not found.is_copy("a/x", [second])
    found.begin()
    assert [found.is_copy("a/x", [one]) for one in (first, second)] == [False, True]


def test_what_has_waited_since_other_filters_were_asked_for_counts() -> None:
    """Of the first filter there was nothing to send."""
    before = TopicOverlap(["a/+", "b/#"]).identifier("a/+")
    assert before is not None
    found, (_, second, _) = overlap()
    assert before != second
    assert not found.is_copy("a/x", [before])
    assert not found.is_copy("a/x", [before, second])


def test_without_identifiers_all_count() -> None:
    """Brokers of MQTT 3.1.1 have none, and others need not."""
    found, _ = overlap()
    assert not found.is_copy("a/x", [])
    assert TopicOverlap(["a/+"]).identifier("a/+") is None
