"""Of the copies of a message one is taken, and nothing is dropped on a guess."""

from __future__ import annotations

from collections.abc import Sequence

from kaicep.pipeline.sources.mqtt.topic_overlap import TopicOverlap

FILTERS = ["+/x", "a/+", "b/#"]


def taken(found: TopicOverlap, *messages: tuple[str, str, Sequence[int]], retained: bool = False) -> list[str]:
    """The payloads of those that are no copies."""
    return [
        text
        for topic, text, identifiers in messages
        if not found.is_copy(topic, text.encode(), identifiers, retained=retained)
    ]


def test_each_filter_has_an_identifier_where_there_are_several() -> None:
    found = TopicOverlap(FILTERS)
    assert [found.identifier(one) for one in FILTERS] == [1, 2, 3]
    assert TopicOverlap(["a/+"]).identifier("a/+") is None


def test_a_copy_comes_right_behind_its_message_for_another_filter() -> None:
    found = TopicOverlap(FILTERS)
    assert taken(found, ("a/x", "1", [2]), ("a/x", "1", [1]), ("a/x", "2", [1]), ("a/x", "2", [2])) == ["1", "2"]
    assert taken(found, ("a/x", "3", [1, 2]), ("a/y", "3", [2])) == ["3", "3"]


def test_a_message_that_is_sent_twice_is_two() -> None:
    """For each filter it comes twice."""
    found = TopicOverlap(FILTERS)
    assert taken(found, *[("a/x", "on", [number]) for number in (2, 1, 2, 1, 1)]) == ["on", "on", "on"]


def test_a_broker_that_has_forgotten_a_filter_sends_one() -> None:
    found = TopicOverlap(FILTERS)
    assert taken(found, *[("a/x", text, [2]) for text in "1123"]) == ["1", "1", "2", "3"]


def test_without_identifiers_all_count() -> None:
    """Brokers of MQTT 3.1.1 have none, and others need not."""
    found = TopicOverlap(FILTERS)
    assert taken(found, ("a/x", "1", []), ("a/x", "1", [])) == ["1", "1"]
    assert taken(found, ("a/x", "1", []), retained=True) == ["1"]


def test_what_is_retained_counts_for_the_first_filter() -> None:
    """It comes filter by filter; one that the broker refuses has nothing."""
    found = TopicOverlap(FILTERS)
    messages = [("a/x", "1", [1]), ("b/x", "2", [1]), ("a/x", "1", [2]), ("a/y", "3", [2]), ("b/x", "2", [3])]
    assert taken(found, *messages, retained=True) == ["1", "2", "3"]
    found.refuse("+/x")
    assert taken(found, *messages[2:], retained=True) == ["1", "3", "2"]
    found.begin()
    assert taken(found, *messages[2:], retained=True) == ["3"]


def test_what_comes_again_over_another_connection_counts() -> None:
    """Nobody knows whether the one before was kept."""
    found = TopicOverlap(FILTERS)
    assert taken(found, ("a/x", "1", [1])) == ["1"]
    found.begin()
    assert taken(found, ("a/x", "1", [2])) == ["1"]
