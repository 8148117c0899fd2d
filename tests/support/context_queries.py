"""Queries in contexts as the language makes them, and what operators are told of context windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
from kaicep.cep import NO_END, windows_schema
from kaicep.language.nodes import ContextReference, InContext, Query

__all__ = ["NAMES", "ContextSpan", "in_contexts", "told"]

NAMES = ("jam", "accident")


@dataclass(frozen=True)
class ContextSpan:
    """A window of a context: moments in microseconds, `key` its partition; `calendar`: its end is known beforehand."""

    number: int
    context: str
    key: str
    since: int
    until: int
    calendar: bool = False
    unbegun: bool = False

    @property
    def end(self) -> int:
        """Its end as people see it: a calendar's stretches are half open."""
        return self.until + 1 if self.calendar else self.until


def in_contexts(query: Query, names: Sequence[str] = NAMES, required: Sequence[str] = ()) -> Query:
    """The query in these contexts of the set `road`."""
    references = tuple(ContextReference("road", name) for name in names)
    return replace(query, in_context=InContext(references, tuple(required), (), query.span))


def told(spans: Sequence[ContextSpan], names: Sequence[str] = NAMES, watermark: int | None = None) -> pa.Table:
    """What is known of windows below a watermark."""

    def ended(span: ContextSpan) -> bool:
        return span.calendar or watermark is None or (span.until < watermark and span.until < NO_END)

    rows = [
        {
            "window": span.number,
            "context": span.context,
            "rank": names.index(span.context),
            "key": span.key,
            "partition": partition_of(span.key),
            "since": span.since,
            "until": span.until if ended(span) else NO_END,
            "start": None if span.unbegun else span.since,
            "end": span.end if ended(span) and span.until < NO_END else None,
        }
        for span in spans
    ]
    return pa.Table.from_pylist(rows, windows_schema())


def partition_of(key: str) -> int:
    """The number of a partition."""
    return sum(ord(letter) for letter in key)
