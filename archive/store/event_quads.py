"""Events of a stream as N-Quads in the graphs of their buckets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

import polars as pl
import pyarrow as pa

from ...annotator import EventShape, event_quads, ids_of
from ...language.nodes import XSD
from ..log import late_rows, with_all_columns
from .graphs import graphs_of

LATE = "urn:kaicep:late"


def encoder(shapes: Mapping[str, EventShape], bucket: timedelta) -> Callable[[str, pa.Table], bytes]:
    """Return (stream, events) → N-Quads; a stream without a shape has none.

    A late event has one quad more, `urn:kaicep:late true`. A column that the shape has and the events lack is null.
    """

    def encode(stream: str, events: pa.Table) -> bytes:
        shape = shapes.get(stream)
        if shape is None or not events.num_rows:
            return b""
        graphs = graphs_of(stream, events, bucket)
        return event_quads(shape, with_all_columns(shape, events), graphs) + _late_quads(events, graphs)

    return encode


def _late_quads(events: pa.Table, graphs: pl.Series) -> bytes:
    late = late_rows(events)
    if late is None:
        return b""
    lines = "<" + ids_of(events).filter(late) + f'> <{LATE}> "true"^^<{XSD}boolean> <' + graphs.filter(late) + "> .\n"
    return str(lines.str.join().item()).encode()
