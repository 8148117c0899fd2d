"""From a document's text to checked queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import timedelta
from typing import assert_never

from .. import syntax_tree as syntax
from ..name_lookup import Names
from ..nodes import (
    Binding,
    Column,
    Expression,
    Policy,
    Query,
    Source,
    Vocabulary,
    columns_of,
    event_variables,
    normal_text,
    quantified_variables,
    untils,
)
from ..paths import Paths, assign_paths, join_of, read_paths, semantics
from ..source_text import SourceText, Span
from ..syntax import parse_document
from .boundedness import unbounded
from .closing_clauses import resolve_after_match, resolve_grouping, resolve_output, resolve_partition
from .from_clause import resolve_sources
from .pattern_checks import resolve_pattern
from .query_checks import check
from .query_draft import Draft
from .resolution import Scope, condition
from .select_items import hidden_items, output_stream, resolve_items
from .unknown_terms import warnings_of
from .window_checks import idle_windows, resolve_bounds, resolve_window


def compile_document(
    text: str, vocabulary: Vocabulary, source: str = "query", retention: timedelta | None = None
) -> tuple[Query, ...]:
    """Check a χ-CEP document against a vocabulary.

    Args:
        text: prefixes and statements; a query may name the output of one before it in FROM.
        vocabulary: streams, prefixes and knowledge.
        source: what messages call the text, such as its file name.
        retention: how long a match may take where no WINDOW bounds it; `None`: such queries are refused.

    Returns:
        The queries in order; at least one.

    Raises:
        QuerySyntaxError: the text is no χ-CEP, or a PATH no SPARQL.
        QueryTypeError: a query cannot mean anything.

    Source: docs/semantics.md 2, 3, 4; SCEPter §3.2.
    """
    return tuple(query for _, query in check_document(text, vocabulary, source, retention))


def check_document(
    text: str, vocabulary: Vocabulary, source: str = "query", retention: timedelta | None = None
) -> tuple[tuple[syntax.Statement, Query], ...]:
    """As `compile_document`, with what is written beside what it means."""
    where = SourceText(source, text)
    names = Names(where, vocabulary.prefixes, vocabulary)
    compiled: list[tuple[syntax.Statement, Query]] = []
    for part in parse_document(text, source):
        match part:
            case syntax.Prefix(name=name, iri=iri):
                names = replace(names, prefixes={**names.prefixes, name: iri})
            case syntax.Statement():
                query = _compile(names, part, retention)
                compiled.append((part, query))
                if query.name is not None:
                    streams = {**names.vocabulary.streams, query.name: query.output}
                    names = replace(names, vocabulary=replace(names.vocabulary, streams=streams))
    if not compiled:
        raise where.syntax_error(_end_of(text), "there is no query", "write SELECT … FILTER (…)")
    return tuple(compiled)


def _end_of(text: str) -> Span:
    end = len(text.rstrip())
    return Span(end, end + 1)


def _compile(names: Names, statement: syntax.Statement, retention: timedelta | None) -> Query:
    try:
        return _compile_statement(names, statement, retention)
    except RecursionError as error:
        hint = "write `x IN (…)`, or give parts of it names: CREATE QUERY parts AS SELECT …"
        raise names.source.syntax_error(statement.span, "an expression is too long", hint) from error


def _compile_statement(names: Names, statement: syntax.Statement, retention: timedelta | None) -> Query:
    """PATHs tell which variables there are; then clauses are resolved one by one, and checked together."""
    _check_new_name(names, statement.name)
    tree = statement.query
    bodies = read_paths(names, tree.paths)
    streams = resolve_sources(names, tree, bodies.values())
    paths = assign_paths(names, tree.paths, bodies, streams)
    scope = Scope(names, streams, paths.bindings)
    draft = _draft(scope, tree, paths, retention)
    check(scope, draft)
    warnings = (*warnings_of(names, bodies.values(), streams), *idle_windows(scope, draft))
    return _assemble(scope, statement, paths, draft, warnings)


def _check_new_name(names: Names, name: syntax.Name | None) -> None:
    if name is not None and name.text in names.vocabulary.streams:
        hint = f"call the query something else, such as {name.text}2"
        raise names.source.type_error(name.span, f"there is a stream '{name.text}' already", hint)


def _draft(scope: Scope, tree: syntax.SelectQuery, paths: Paths, retention: timedelta | None) -> Draft:
    """Every clause by itself; semantic variables count as used in the order of the clauses here."""
    if len(tree.sequences) > 1:
        hint = "write one SEQ with all its elements"
        raise scope.error(tree.sequences[1].span, "a query has one SEQ", hint)
    items = resolve_items(scope, tree.items)
    filters = tuple(condition(scope, clause.condition) for clause in tree.filters)
    joins = tuple(condition(scope, clause.condition) for clause in tree.joins)
    pattern = resolve_pattern(scope, tree.sequences[0], _policy(tree)) if tree.sequences else None
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
        windows=tuple(resolve_window(scope, clause, quantified_variables(pattern)) for clause in tree.windows),
        group_by=resolve_grouping(scope, tree.group_by),
        having=having,
        retention=retention,
    )


def _policy(tree: syntax.SelectQuery) -> Policy:
    return Policy.ANY if tree.policy is None else tree.policy.policy


def _assemble(
    scope: Scope, statement: syntax.Statement, paths: Paths, draft: Draft, warnings: tuple[str, ...]
) -> Query:
    tree, name = draft.tree, None if statement.name is None else statement.name.text
    hidden = () if name is None else hidden_items(draft.items, scope.streams)
    items = (*draft.items, *hidden)
    joins = (*draft.joins, *(join_of(pair) for pair in paths.joins))
    partition_by = resolve_partition(scope, tree.partition_by)
    after_selection = (*draft.reported, *(item.value for item in hidden), *joins, *untils(draft.pattern))
    needed = {*(pair for key in partition_by for pair in key), *_candidate_columns(after_selection)}
    query = Query(
        name=name,
        normal="",
        kind=draft.kind,
        items=items,
        sources=tuple(_source(scope, paths, draft, variable, needed) for variable in scope.streams),
        bounds=resolve_bounds(scope, tree.within),
        joins=joins,
        pattern=draft.pattern,
        windows=draft.windows,
        partition_by=partition_by,
        group_by=draft.group_by,
        having=draft.having,
        policy=_policy(tree),
        after_match=resolve_after_match(tree.after_match),
        limit=None if tree.limit is None else tree.limit.count,
        distinct=tree.distinct,
        output_rate=resolve_output(tree.output),
        output=output_stream(scope.names, name or "", items, scope.streams),
        warnings=warnings,
        span=statement.span,
        retention=None if unbounded(draft) is None else draft.retention,
        document=scope.names.source,
    )
    return replace(query, normal=normal_text(query))


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
