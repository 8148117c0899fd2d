"""The events of a stream as the store has them: what the log had of them, as far as the annotation says it."""

from __future__ import annotations

from datetime import datetime

import polars as pl
import pyarrow as pa

from ...annotator import MOMENT, EventShape
from ..store import LATE, Store
from .solutions import iri_of, read_solutions
from .sparql_terms import iri
from .stored_columns import stored_columns

__all__ = ["stored_events"]


def stored_events(store: Store, shape: EventShape, start: datetime | None, end: datetime | None) -> pa.Table:
    """The events of the buckets that overlap start <= `_time` < end, in order of time stamp and id.

    Args:
        store: is asked.
        shape: of the stream.
        start: aware; `None`: from the first event.
        end: aware; `None`: to the last.

    Returns:
        `_time`, `_id`, `_late`, and the columns of the shape, which are null where the store has no value.
    """
    columns = {f"c{i}": (name, column) for i, (name, column) in enumerate(stored_columns(shape).items())}
    time = next(stem for stem, (name, _) in columns.items() if name == "_time")
    wanted = [column.patterns("?e", stem, graph="?g") for stem, (_, column) in columns.items() if stem != time]
    anchor = columns[time][1].patterns("?e", time, required=True)
    names = ["e", "late", *(name for stem, (_, column) in columns.items() for name in column.variables(stem))]
    body = " ".join([f"GRAPH ?g {{ {anchor} }}", *wanted, f"OPTIONAL {{ GRAPH ?g {{ ?e {iri(LATE)} ?late }} }}"])
    graphs = store.graphs(shape.stream, start, end)
    answer = store.select(f"SELECT {' '.join(f'?{n}' for n in names)} {{ {body} }}", [], graphs) if graphs else b""
    terms = read_solutions(answer, names)
    found = {"_id": iri_of(terms["e"]), "_late": terms["late"].is_not_null()}
    found |= {name: column.read(terms, stem) for stem, (name, column) in columns.items()}
    events = pl.DataFrame(found).with_columns(pl.col("_time").cast(MOMENT))
    return events.unique("_id").sort("_time", "_id").to_arrow()
