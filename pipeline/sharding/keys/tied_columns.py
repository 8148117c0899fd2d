"""The columns in which all events of a match, or of a group, agree: by them a query may be cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ....cep.joins import vectorisable
from ....cep.order import sees_all_events
from ....language.nodes import (
    AfterMatchKind,
    Binary,
    Column,
    Conjunction,
    Element,
    Kind,
    Link,
    Negation,
    Pattern,
    Policy,
    Query,
    Source,
    ValueType,
    conjuncts,
    negated_variables,
)
from ....language.nodes import Sequence as Links

__all__ = ["is_exact", "of_groups", "of_joins", "of_partitions", "tied_columns"]

_EXACT = (ValueType.BOOLEAN, ValueType.INTEGER, ValueType.STRING, ValueType.IRI, ValueType.DATETIME)
"""Of these, values are equal exactly when their texts are."""


def is_exact(column: Column) -> bool:
    """Whether values of a column are equal exactly when their texts are."""
    return column.type in _EXACT and not column.wide


def tied_columns(query: Query) -> Iterator[Mapping[str, str]]:
    """By event variable the column in which all events of a match or a group agree; each way there is."""
    match query.kind:
        case Kind.SELECTION:
            return
        case Kind.AGGREGATION:
            yield from of_groups(query)
        case Kind.PATTERN:
            yield from (names for _, names in of_partitions(query))
            yield from of_joins(query)


def of_groups(query: Query) -> Iterator[Mapping[str, str]]:
    """Those of GROUP BY."""
    for key in query.group_by:
        if isinstance(key, Column) and is_exact(key):
            yield {key.variable: key.name}


def of_partitions(query: Query) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Those of PARTITION BY, each with its place there."""
    for place, columns in enumerate(query.partition_by):
        names = dict(columns)
        if all(source.variable in names for source in query.sources):
            types = {_type_of(source, names[source.variable]) for source in query.sources}
            if len(types) == 1 and types <= set(_EXACT):
                yield place, names


def _type_of(source: Source, name: str) -> ValueType:
    """An attribute's type; other columns hold the IRIs of individuals."""
    return next((a.type for a in source.stream.attributes if a.name == name), ValueType.IRI)


def of_joins(query: Query) -> Iterator[Mapping[str, str]]:
    """Those that equality JOINs equate; whoever is under NOT agrees, too."""
    keeps = query.after_match.kind is AfterMatchKind.KEEP_ALL and query.policy is Policy.ANY
    if not (keeps and vectorisable(query) and _passes_over_anything(query.pattern)) or sees_all_events(query):
        return
    negated = negated_variables(query.pattern)
    pairs = [pair for join in query.joins for part in conjuncts(join) if (pair := _equality(part)) is not None]
    positive = [source.variable for source in query.sources if source.variable not in negated]
    for start in dict.fromkeys(column for pair in pairs for column in pair if column[0] == positive[0]):
        tied = _reached([start], [pair for pair in pairs if not {v for v, _ in pair} & negated])
        if {variable for variable, _ in tied} != set(positive):
            continue
        columns = dict(reversed(tied))
        for one, other in (*pairs, *((b, a) for a, b in pairs)):
            if other[0] in negated and one in tied:
                columns.setdefault(*other)
        if len(columns) == len(query.sources):
            yield {source.variable: columns[source.variable] for source in query.sources}


_Tied = tuple[str, str]
"""A variable and a column of it."""


def _equality(part: object) -> tuple[_Tied, _Tied] | None:
    match part:
        case Binary(operator="=", left=Column() as left, right=Column() as right):
            exact = left.type is right.type and is_exact(left) and is_exact(right)
            apart = left.variable != right.variable
            return ((left.variable, left.name), (right.variable, right.name)) if exact and apart else None
        case _:
            return None


def _reached(start: Sequence[_Tied], pairs: Sequence[tuple[_Tied, _Tied]]) -> list[_Tied]:
    """All columns that equal one of some, the first ones first."""
    found = list(start)
    for column in found:  # it grows on the way
        found += [b for a, b in (*pairs, *((y, x) for x, y in pairs)) if a == column and b not in found]
    return found


def _passes_over_anything(pattern: Pattern | None) -> bool:
    match pattern:
        case None | Element(quantifier=None) | Negation():
            return True
        case Links(parts=parts, links=links):
            return set(links) <= {Link.ANY} and all(map(_passes_over_anything, parts))
        case Conjunction(parts=parts):
            return all(map(_passes_over_anything, parts))
        case _:
            return False
