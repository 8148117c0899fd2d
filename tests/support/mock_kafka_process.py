"""A Kafka of librdkafka's mock brokers, as a process of its own: prints its addresses, then does what it is told.

A line of standard input is a command: `topic NAME PARTITIONS`, `delete NAME`, `forget NAME PARTITION OFFSET` (records
before it are gone), `down BROKER`, `up BROKER`, `refuse NAME CODE` (of
whoever asks for a topic), `error API CODE COUNT`. Each is answered by a line with the error code.

Source: `rdkafka_mock.h` of librdkafka.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import confluent_kafka

_PRODUCER = 0
_BROKERS = 3


def _library() -> ctypes.CDLL:
    """The librdkafka that the wheel of confluent-kafka brings."""
    folder = Path(confluent_kafka.__file__).parent
    (found,) = [*folder.with_name("confluent_kafka.libs").glob("librdkafka*"), *folder.glob(".dylibs/librdkafka*")]
    library = ctypes.CDLL(str(found))
    for name in ("rd_kafka_new", "rd_kafka_mock_cluster_new", "rd_kafka_conf_new"):
        getattr(library, name).restype = ctypes.c_void_p
    library.rd_kafka_mock_cluster_bootstraps.restype = ctypes.c_char_p
    return library


def _serve(library: ctypes.CDLL) -> None:
    fault = ctypes.create_string_buffer(512)
    client = library.rd_kafka_new(_PRODUCER, ctypes.c_void_p(library.rd_kafka_conf_new()), fault, 512)
    cluster = ctypes.c_void_p(library.rd_kafka_mock_cluster_new(ctypes.c_void_p(client), _BROKERS))
    _say(library.rd_kafka_mock_cluster_bootstraps(cluster).decode())
    for line in sys.stdin:
        command, *words = line.split()
        match command:
            case "topic":
                done = library.rd_kafka_mock_topic_create(cluster, words[0].encode(), int(words[1]), 1)
            case "delete":
                done = library.rd_kafka_mock_topic_delete(cluster, words[0].encode())
            case "forget":
                partition, offset = int(words[1]), ctypes.c_int64(int(words[2]))
                done = library.rd_kafka_mock_partition_delete_records(cluster, words[0].encode(), partition, offset)
            case "down":
                done = library.rd_kafka_mock_broker_set_down(cluster, int(words[0]))
            case "up":
                done = library.rd_kafka_mock_broker_set_up(cluster, int(words[0]))
            case "refuse":
                done = library.rd_kafka_mock_topic_set_error(cluster, words[0].encode(), int(words[1]))
            case _:
                api, code, count = map(int, words)
                codes = [code] * count
                done = library.rd_kafka_mock_push_request_errors(cluster, ctypes.c_int16(api), count, *codes)
        _say(done or 0)


def _say(answer: object) -> None:
    sys.stdout.write(f"{answer}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _serve(_library())
