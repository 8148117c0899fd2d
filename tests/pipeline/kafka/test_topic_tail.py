"""What was written behind a place."""

from __future__ import annotations

from kaicep.pipeline.kafka import TopicTail, client_options
from support.kafka import mock_kafka


def test_what_the_headers_say_of_the_records_behind_a_place() -> None:
    with mock_kafka(rows=2) as kafka:
        tail = TopicTail(client_options(kafka.servers, {}), "rows", 10.0)
        kafka.produce("rows", ["a"], headers={"_id": "1", "query": "q"})
        ends = tail.ends()
        assert ends == {"0": 1, "1": 0}
        assert tail.since(ends, ("query", "_id")) == set()
        kafka.produce("rows", ["b"], headers={"_id": "2", "query": "q"})
        kafka.produce("rows", ["c"], headers={"_id": "3", "query": "p"}, partition=1)
        kafka.produce("rows", ["by others"], partition=1)
        assert tail.since(ends, ("query", "_id")) == {("q", "2"), ("p", "3")}
        tail.close()


def test_a_topic_that_is_not_there_has_nothing() -> None:
    with mock_kafka() as kafka:
        tail = TopicTail(client_options(kafka.servers, {}), "rows", 10.0)
        assert tail.ends() == {}
        assert tail.since({}, ("_id",)) == set()
