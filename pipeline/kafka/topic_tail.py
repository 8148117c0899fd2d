"""The end of a topic: where it is, and what was written behind a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from .offset_ranges import OffsetRange, ranges
from .range_reader import KAFKA_SCHEMA, read_range
from .topic_offsets import TopicOffsets

__all__ = ["TopicTail"]


class TopicTail:
    """Asks about the end of one topic.

    Args:
        options: of the client, see `client_options`.
        topic: its name; it need not be there.
        timeout_s: how long an answer may take.

    Raises:
        OSError: of each question: the brokers do not answer.
        ValueError: they refuse to.
    """

    def __init__(self, options: Mapping[str, Any], topic: str, timeout_s: float) -> None:
        self._options, self._topic, self._timeout_s = options, topic, timeout_s
        self._offsets = TopicOffsets(options, (topic,), None, timeout_s)

    def ends(self) -> Mapping[str, int]:
        """The next offset by partition."""
        return self._offsets.latest().get(self._topic, {})

    def since(self, ends: Mapping[str, int], headers: Sequence[str]) -> set[tuple[str, ...]]:
        """What the headers say of records behind a place, as far as they have them all.

        Args:
            ends: the place, as `ends` has told it; a partition that it lacks is read from its beginning.
            headers: their names.
        """
        now = {self._topic: self.ends()}
        behind = ranges({self._topic: ends}, now, self._offsets.earliest_of)
        return {found for one in behind for found in self._headers(one, headers)}

    def close(self) -> None:
        """Give the connections back."""
        self._offsets.close()

    def _headers(self, wanted: OffsetRange, names: Sequence[str]) -> set[tuple[str, ...]]:
        batches = read_range(self._options, wanted, frozenset({"headers"}), self._timeout_s)
        rows = pa.Table.from_batches(batches, KAFKA_SCHEMA)["headers"].to_pylist()
        said = ({header["key"]: header["value"] or b"" for header in row or ()} for row in rows)
        return {tuple(of[name].decode(errors="replace") for name in names) for of in said if of.keys() >= set(names)}
