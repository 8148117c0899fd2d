"""A sink of one's own need only write: it has nothing to make durable, and nothing to go back to."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from kaicep import Sink
from kaicep.pipeline.sinks.sink import unwritable


class Counter(Sink):
    """Counts rows."""

    count = 0

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Count."""
        del batch_id, query_name
        self.count += matches.num_rows


def test_what_a_sink_does_not_say_is_nothing() -> None:
    sink = Counter()
    sink.write(1, "q", pa.table({"n": [1, 2]}))
    sink.flush()
    sink.restore(sink.snapshot())
    assert (sink.count, sink.snapshot()) == (2, {})


def test_a_place_that_refuses_is_named() -> None:
    error = unwritable(Path("/out"), OSError(13, "Permission denied"))
    assert str(error) == "cannot write matches to /out: Permission denied: name a place that can be written"
