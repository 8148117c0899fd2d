"""Events of the log as a batch, with what their tuples held, so that they can be counted as those that arrive."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import orjson
import pyarrow as pa

from ...annotator import AnnotatedBatch, Annotator

__all__ = ["batch_of_log", "columns_of_log"]

_EXTRA = "_extra"


def columns_of_log(annotator: Annotator) -> frozenset[str]:
    """The columns that the log has of a stream's events: all that is declared, and what came beside it."""
    attributes = annotator.shape.attributes
    return frozenset({_EXTRA, *(name for a in attributes for name in (a.name, a.individual) if name is not None)})


def batch_of_log(annotator: Annotator, events: pa.Table) -> AnnotatedBatch:
    """A batch of events that were annotated before.

    Args:
        annotator: of their stream.
        events: with the columns of `columns_of_log`.
    """
    names: Counter[str] = Counter()
    for attribute in annotator.annotation.attributes:
        if attribute.sources and attribute.name in events.column_names:
            column = events[attribute.name]
            names[next(iter(attribute.sources))] += len(column) - column.null_count
    if _EXTRA in events.column_names:
        for text in events[_EXTRA].drop_null().to_pylist():
            names.update(dict.fromkeys(orjson.loads(text), 1))
    return replace(AnnotatedBatch.of_events(events), names=names)
