"""From a statement of a document to a checked query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import assert_never

from .. import syntax_tree as syntax
from ..name_lookup import Names
from ..nodes import (
    ActionKind,
    Binding,
    Bounds,
    CheckWindow,
    Column,
    ContextSet,
    Expression,
    InContext,
    Item,
    Pattern,
    Policy,
    Query,
    Source,
    StreamType,
    columns_of,
    event_variables,
    negated_variables,
    normal_text,
    untils,
    uses_bindings,
)
from ..paths import Paths, Tokens, assign_paths, join_of, read_paths, semantics
from .asking import check_on_demand, covered_states, order_items, references_of
from .boundedness import unbounded
from .closing_clauses import resolve_after_match, resolve_grouping, resolve_output, resolve_partition
from .contexts import (
    carriers,
    late_decision,
    resolve_in_context,
    window_variables_of,
    with_causes,
    with_change,
)
from .from_clause import resolve_sources
from .pattern_checks import resolve_pattern
from .query_checks import check
from .query_draft import Draft
from .resolution import Scope, beside, condition
from .rules import row_triples, with_rule
from .select_items import hidden_items, output_stream, resolve_items
from .unknown_terms import warnings_of
from .window_checks import consecutive_window, idle_windows, resolve_bounds, resolve_window


def compile_statement(
    names: Names, statement: syntax.Statement, retention: timedelta | None, *, once: bool = False
) -> Query:
    """The checked form of a query; `once`: of one that is asked once, of states.

    PATHs tell which variables there are; then clauses are resolved one by one, and checked together.

    Raises:
        QuerySyntaxError: a PATH that is no SPARQL.
        QueryTypeError: the query cannot mean anything.
    """
    _check_new_name(names, statement.name)
    check_on_demand(names, statement, once=once)
    tree = statement.query
    bodies = read_paths(names, tree.paths, {} if statement.rule is None else _row_triples(names, tree))
    covered = covered_states(names, tree, partial(compile_statement, names)) if once else {}
    streams = resolve_sources(names, tree, bodies.values(), once=once, covered=covered)
    paths = assign_paths(names, tree.paths, bodies, streams)
    consecutive = len(streams) == 1 and not tree.sequences and not tree.windows
    scope, pattern = _with_windows(Scope(names, streams, paths.bindings, consecutive=consecutive), tree)
    draft = replace(_draft(scope, tree, pattern, paths, retention), once=once)
    between = consecutive_window(draft)
    draft = draft if between is None else replace(draft, windows=(between,))
    if tree.change is not None:
        draft = with_change(scope, draft, tree.change, resolve_partition(scope, tree.partition_by))
    if statement.rule is not None and statement.name is not None:
        draft = with_rule(scope, draft, statement.name, statement.rule)
    check(scope, draft)
    warnings = (*warnings_of(names, bodies.values(), streams), *idle_windows(scope, draft))
    asked = references_of(tree, covered) if once else ()
    return replace(_assemble(scope, statement, paths, draft, warnings), asked=asked)


def _check_new_name(names: Names, name: syntax.Name | None) -> None:
    if name is not None and name.text in names.vocabulary.streams:
        hint = f"call the query something else, such as {name.text}2"
        raise names.source.type_error(name.span, f"there is a stream '{name.text}' already", hint)


def _row_triples(names: Names, tree: syntax.SelectQuery) -> Mapping[str, Tokens]:
    """What binds the attributes of the row that a rule looks at, where its ASK speaks of them."""
    streams = resolve_sources(names, tree, ())
    (variable,), (stream,) = streams, streams.values()
    return row_triples(variable, stream, tree.span)


def _with_windows(scope: Scope, tree: syntax.SelectQuery) -> tuple[Scope, Pattern | None]:
    """SEQ, and the scope with the windows of contexts, whose attributes are those of events that it binds."""
    if len(tree.sequences) > 1:
        hint = "write one SEQ with all its elements"
        raise scope.error(tree.sequences[1].span, "a query has one SEQ", hint)
    others = (*scope.streams, *scope.bindings)
    clause = tree.in_context
    windows = {} if clause is None else window_variables_of(scope.names, clause, others)
    scope = replace(scope, windows=windows)
    pattern = resolve_pattern(scope, tree.sequences[0], _policy(tree)) if tree.sequences else None
    if clause is None:
        return scope, pattern
    placed = [variable.name for variable in clause.required] or [*scope.streams]
    matched = [name for name in placed if name not in negated_variables(pattern)]
    return replace(scope, placed=placed, beside=carriers(matched, pattern)), pattern


def _draft(
    scope: Scope, tree: syntax.SelectQuery, pattern: Pattern | None, paths: Paths, retention: timedelta | None
) -> Draft:
    """Every clause by itself; semantic variables count as used in the order of the clauses here."""
    keys, order_by = order_items(scope, tree.order_by)
    items = (*resolve_items(scope, tree.items), *keys)
    filters = tuple(condition(beside(scope, clause), clause.condition) for clause in tree.filters)
    joins = tuple(condition(beside(scope, clause), clause.condition) for clause in tree.joins)
    having = None if tree.having is None else condition(scope, tree.having.condition)
    for left, right in paths.joins:
        scope.used.setdefault(left.name, left)
        scope.used.setdefault(right.name, right)
    return Draft(
        tree=tree,
        variables=tuple(scope.streams),
        items=items,
        filters=filters,
        joins=joins,
        pattern=pattern,
        windows=tuple(resolve_window(scope, clause, pattern) for clause in tree.windows),
        group_by=resolve_grouping(scope, tree.group_by),
        having=having,
        retention=retention,
        in_context=_in_context(scope, tree, pattern),
        order_by=order_by,
    )


def _in_context(scope: Scope, tree: syntax.SelectQuery, pattern: Pattern | None) -> InContext | None:
    """IN CONTEXT; where events belong does not depend on the windows that they are then in."""
    if tree.in_context is None:
        return None
    return resolve_in_context(replace(scope, beside=()), tree.in_context, negated_variables(pattern))


def _policy(tree: syntax.SelectQuery) -> Policy:
    return Policy.ANY if tree.policy is None else tree.policy.policy


def _assemble(
    scope: Scope, statement: syntax.Statement, paths: Paths, draft: Draft, warnings: tuple[str, ...]
) -> Query:
    tree = draft.tree
    name = None if statement.name is None or draft.rule is not None else statement.name.text
    hidden = () if name is None else hidden_items(draft.items, scope.streams)
    items = (*draft.items, *hidden)
    joins = (*draft.joins, *(join_of(pair) for pair in paths.joins))
    partition_by = resolve_partition(scope, tree.partition_by)
    checked = [window.condition for window in draft.windows if isinstance(window, CheckWindow)]
    after = resolve_after_match(scope, tree)
    after_selection = (
        *draft.reported,
        *(key for _, key in after.by),
        *(i.value for i in hidden),
        *joins,
        *untils(draft.pattern),
        *checked,
    )
    needed = {*(pair for key in partition_by for pair in key), *_candidate_columns((*after_selection, *_bound(draft)))}
    query = Query(
        name=name,
        normal="",
        kind=draft.kind,
        items=items,
        sources=tuple(_source(scope, paths, draft, variable, needed) for variable in scope.streams),
        bounds=_bounds(scope, draft),
        joins=joins,
        pattern=draft.pattern,
        windows=draft.windows,
        partition_by=partition_by,
        group_by=draft.group_by,
        having=draft.having,
        policy=_policy(tree),
        after_match=after,
        limit=None if tree.limit is None else tree.limit.count,
        distinct=tree.distinct,
        output_rate=resolve_output(tree.output),
        output=_output(scope, name or "", items, draft),
        warnings=warnings,
        span=statement.span,
        retention=None if unbounded(draft) is None else draft.retention,
        context_sets=_context_sets(scope, draft),
        in_context=draft.in_context,
        change=draft.change,
        order_by=draft.order_by,
        rule=draft.rule,
        document=scope.names.source,
    )
    return replace(query, normal=normal_text(query))


def _bounds(scope: Scope, draft: Draft) -> Bounds:
    """WITHIN; a rule that does more than call does so for all rows of a query, whenever they begin."""
    acts = draft.rule is not None and any(action.kind is not ActionKind.CALL for action in draft.rule.actions)
    if acts and all(stream.event_type is None for stream in scope.streams.values()):
        return Bounds(None, None, draft.tree.span)
    return resolve_bounds(scope, draft.tree.within)


def _output(scope: Scope, name: str, items: Sequence[Item], draft: Draft) -> StreamType:
    """The stream of the query's rows, with what deriving queries that read it have to know."""
    late = late_decision(draft, scope.streams) is not None
    output = output_stream(scope.names, name, items, scope.streams)
    return with_causes(replace(output, decided_late=late), draft, scope.streams)


def _context_sets(scope: Scope, draft: Draft) -> tuple[ContextSet, ...]:
    """The sets that the query speaks of, each once."""
    asked = () if draft.in_context is None else draft.in_context.sets
    actions = () if draft.rule is None else draft.rule.actions
    changes = [draft.change, *(action.change for action in actions)]
    changed = [change.context.set for change in changes if change is not None]
    read = [s.stream.set.text for s in draft.tree.sources if isinstance(s.stream, syntax.ContextChanges)]
    known = scope.names.vocabulary.contexts
    return tuple(known[name].set for name in dict.fromkeys((*asked, *changed, *read)))


def _bound(draft: Draft) -> Iterator[Expression]:
    """Where events belong by what their PATHs bind: that is known of candidates only."""
    for placement in () if draft.in_context is None else draft.in_context.placements:
        if any(map(uses_bindings, placement.keys)):
            yield from placement.keys


def _source(scope: Scope, paths: Paths, draft: Draft, variable: str, needed: AbstractSet[tuple[str, str]]) -> Source:
    """An event variable and what selects its candidates; `needed` are (variable, column) of the whole query."""
    tree = draft.tree
    used = [binding for binding in scope.used.values() if binding.variable == variable]
    return Source(
        variable=variable,
        stream=scope.streams[variable],
        filters=tuple(f for f in draft.filters if event_variables(f) == (variable,)),
        semantics=semantics(paths.trees.get(variable, ()), used),
        columns=tuple(sorted(c for owner, c in needed if owner == variable and c not in ("_time", "_id"))),
        bindings=tuple((binding.name, binding.type) for binding in used),
        window_attributes=tuple((n, type_) for (owner, n), type_ in scope.used_windows.items() if owner == variable),
        span=next((source.span for source in tree.sources if source.variable.name == variable), tree.span),
    )


def _candidate_columns(expressions: Iterable[Expression]) -> Iterator[tuple[str, str]]:
    """(variable, column) of what expressions read."""
    for expression in expressions:
        for node in columns_of(expression):
            match node:
                case Column(variable=variable, name=name):
                    yield variable, name
                case Binding(variable=variable, name=name):
                    yield variable, f"?{name}"
                case _:
                    assert_never(node)
