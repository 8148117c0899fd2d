"""PARTITION BY, GROUP BY, AFTER MATCH, LIMIT, OUTPUT: from the syntax tree to what a query says of its matches.

`resolve_…` makes the part of the typed query, `check_…` refuses what does not go with the query's other clauses.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from .. import syntax_tree as syntax
from ..nodes import AfterMatch, AfterMatchKind, Expression, Kind, Output, aggregates_of, companion_of
from .query_draft import Draft
from .resolution import Scope, check_length, resolve

PartitionKey = tuple[tuple[str, str], ...]


def resolve_partition(scope: Scope, clause: syntax.PartitionClause | None) -> tuple[PartitionKey, ...]:
    """PARTITION BY: for each attribute, the column of each event variable.

    Raises:
        QueryTypeError: an unknown attribute, or one that has another type in another stream.
    """
    return () if clause is None else tuple(key for name in clause.names for key in _partition_keys(scope, name))


def _partition_keys(scope: Scope, node: syntax.Name | syntax.Reference) -> Iterator[PartitionKey]:
    columns = [scope.names.column(variable, stream, node, node.span) for variable, stream in scope.streams.items()]
    types = {column.type for column in columns}
    if len(types) > 1:
        kinds = " and ".join(sorted(types))
        message = f"'{scope.quote(node.span)}' is of types {kinds} in the streams of FROM"
        raise scope.error(node.span, message, "partition by an attribute that has one type")
    yield tuple((column.variable, column.name) for column in columns)
    if all(column.wide for column in columns):  # where integers have left 64 bits, the doubles tell partitions apart
        yield tuple((column.variable, companion_of(column).name) for column in columns)


def check_partition(scope: Scope, draft: Draft) -> None:
    """PARTITION BY is for patterns."""
    clause = draft.tree.partition_by
    if clause is not None and draft.kind is Kind.AGGREGATION:
        span = clause.names[0].span
        hint = f"write GROUP BY ?{draft.variables[0]}.{scope.quote(span)}"
        raise scope.error(span, "PARTITION BY is for matches of several events", hint)


def resolve_grouping(scope: Scope, clause: syntax.GroupClause | None) -> tuple[Expression, ...]:
    """GROUP BY.

    Raises:
        QueryTypeError: as `resolve`.
    """
    return () if clause is None else tuple(resolve(scope, key) for key in clause.keys)


def check_grouping(scope: Scope, draft: Draft) -> None:
    """GROUP BY goes with aggregates, or with a window by condition for each group, and contains none."""
    for expression in draft.group_by:
        found = aggregates_of(expression)
        if found:
            hint = "group by attributes or by what a PATH binds"
            raise scope.error(found[0].span, "GROUP BY knows no aggregates yet", hint)
    windowed = draft.kind is Kind.AGGREGATION or any(map(aggregates_of, draft.reported))
    if draft.group_by and not windowed and draft.tree.output is None:
        hint = "add one, such as COUNT(?e), or leave it out"
        raise scope.error(draft.group_by[0].span, "GROUP BY without an aggregate groups nothing", hint)


def resolve_after_match(scope: Scope, tree: syntax.SelectQuery) -> AfterMatch:
    """AFTER MATCH or the consumption mode of POLICY, or the default.

    Raises:
        QueryTypeError: as `resolve`.
    """
    clause, policy = tree.after_match, tree.policy
    if policy is not None and policy.mode is not None:
        by = tuple((key.variable.name, resolve(scope, key.key)) for key in policy.by)
        keep = tuple((bound.variable.name, bound.extent.value) for bound in policy.keep)
        return AfterMatch(policy.mode, by=by, keep=keep)
    if clause is None:
        return AfterMatch(AfterMatchKind.KEEP_ALL)
    return AfterMatch(clause.kind, None if clause.variable is None else clause.variable.name)


def check_after_match(scope: Scope, draft: Draft) -> None:
    """AFTER MATCH is for matches of events, and skips to a variable that they bind."""
    after = draft.tree.after_match
    if after is None:
        return
    if draft.kind is Kind.AGGREGATION and after.kind is not AfterMatchKind.KEEP_ALL:
        hint = "leave it out, or choose windows that do not overlap: batch, session"
        raise scope.error(after.span, "AFTER MATCH is for matches of events, and this query reports windows", hint)
    variable = after.variable
    if variable is not None:
        scope.stream(variable)
        if variable.name in draft.negated:
            raise scope.error(variable.span, f"?{variable.name} stands under NOT", "skip to a variable that is matched")


def resolve_output(clause: syntax.OutputClause | None) -> Output | None:
    """OUTPUT … EVERY."""
    return None if clause is None else Output(clause.which, clause.every.value)


def check_limit(scope: Scope, draft: Draft) -> None:
    """LIMIT lets a match through."""
    limit = draft.tree.limit
    if limit is not None and limit.count < 1:
        raise scope.error(limit.span, "LIMIT 0 ends the query before its first match", "LIMIT takes 1 or more")


def check_output(scope: Scope, draft: Draft) -> None:
    """OUTPUT has a period."""
    output = draft.tree.output
    if output is not None and not output.every.value:
        raise scope.error(output.span, "OUTPUT EVERY nothing", "it takes a duration above 0, or 1 match or more")
    if output is not None and isinstance(output.every.value, timedelta):
        check_length(scope, output.every.value, output.every.span, "a period of OUTPUT")
