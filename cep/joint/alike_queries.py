"""What is equal of queries that are alike: the operators of one would do what those of the others do.

They may differ in what they ask of single events, which is done with before operators are given these, in the numbers
that values of windows are compared with, and in their names.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

from ...language import Span
from ...language.nodes import (
    AfterMatchKind,
    BatchWindow,
    Binary,
    Column,
    Constant,
    CorrelationWindow,
    CumulateWindow,
    Expression,
    HoppingWindow,
    Item,
    Kind,
    Query,
    SessionWindow,
    Source,
    Window,
    aggregates_of,
    is_plain_sequence,
    slides_by_time,
    with_operands,
)
from ..partitions import RESERVED

__all__ = ["AlikeForm", "alike_form", "key_of"]

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class AlikeForm:
    """A query without what it may differ in from those that are like it.

    Attributes:
        query: without filters, PATHs and name, its numbers columns.
        numbers: those columns, and this query's numbers.
        key: equal for queries that are alike.
    """

    query: Query
    numbers: tuple[tuple[Column, Constant], ...]
    key: str


def alike_form(query: Query) -> AlikeForm | None:
    """What is equal of queries that are like a settled one; `None`: it is answered by itself."""
    if not _may_be_joint(query):
        return None
    numbers: list[tuple[Column, Constant]] = []
    plain = replace(query, name=None, normal="", warnings=(), document=None, output=query.sources[0].stream)
    plain = replace(plain, sources=tuple(replace(s, filters=(), semantics=None) for s in query.sources))
    if query.kind is Kind.AGGREGATION:
        plain = replace(
            plain,
            items=tuple(_opened_item(item, query.sources[0], numbers) for item in query.items),
            having=None if query.having is None else _opened(query.having, query.sources[0], numbers),
        )
        columns = {*plain.sources[0].columns, *(column.name for column, _ in numbers)}
        plain = replace(plain, sources=(replace(plain.sources[0], columns=tuple(sorted(columns))),))
    return AlikeForm(plain, tuple(numbers), sha256(repr(key_of(plain)).encode()).hexdigest())


def key_of(node: Any) -> Hashable:
    """What a node says wherever it stands."""
    match node:
        case tuple():
            return tuple(map(key_of, node))
        case Span():
            return None
        case _ if is_dataclass(node):
            return type(node).__name__, *(key_of(getattr(node, f.name)) for f in fields(node) if f.compare)
        case _:
            return type(node).__name__, node


def _may_be_joint(query: Query) -> bool:
    """Whether a match, or a window, follows from candidates of its own partition alone, however many there are."""
    bound = any(source.bindings or source.window_attributes for source in query.sources)
    whole = query.limit is None and not query.distinct and query.output_rate is None
    apart = query.in_context is None and query.change is None and query.rule is None
    if bound or not (whole and apart) or query.after_match.kind is not AfterMatchKind.KEEP_ALL:
        return False
    match query.kind:
        case Kind.SELECTION:
            return not query.windows and not query.joins
        case Kind.AGGREGATION:
            reported = [item.value for item in query.items]
            of_reports = any(aggregates_of(a.argument) for e in reported for a in aggregates_of(e) if a.argument)
            return not of_reports and len(query.windows) == 1 and _goes_by_time(query.windows[0])
        case _:
            in_time = all(isinstance(w, CorrelationWindow) or slides_by_time(w) for w in query.windows)
            return in_time and is_plain_sequence(query.pattern)


def _goes_by_time(window: Window) -> bool:
    match window:
        case BatchWindow(extent=timedelta(), start=start):
            return start != "first"
        case HoppingWindow(size=timedelta(), step=timedelta()) | CumulateWindow() | SessionWindow():
            return True
        case _:
            return slides_by_time(window)


def _opened_item(item: Item, source: Source, numbers: list[tuple[Column, Constant]]) -> Item:
    return item if item.condition is None else replace(item, condition=_opened(item.condition, source, numbers))


def _opened(e: Expression, source: Source, numbers: list[tuple[Column, Constant]]) -> Expression:
    """An expression that finds the numbers that it compares with in columns."""

    def column_of(operand: Expression) -> Expression:
        if not isinstance(operand, Constant) or not operand.type.numeric:
            return _opened(operand, source, numbers)
        name = f"{RESERVED}number{len(numbers)}"
        column = Column(source.variable, name, operand.type, operand.span)
        numbers.append((column, operand))
        return column

    if isinstance(e, Binary) and e.operator in _COMPARISONS:
        return with_operands(e, column_of)
    return with_operands(e, lambda operand: _opened(operand, source, numbers))
