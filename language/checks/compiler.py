"""From a document's text to checked queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from .. import syntax_tree as syntax
from ..name_lookup import Names
from ..nodes import (
    AfterMatch,
    AfterMatchKind,
    Binding,
    Column,
    Element,
    Expression,
    Group,
    Output,
    Pattern,
    Policy,
    Query,
    Source,
    Vocabulary,
    event_variables,
    walk,
    walk_pattern,
)
from ..paths import Paths, assign_paths, join_of, read_paths, semantics
from ..source_text import SourceText, Span
from ..syntax import parse_document
from .from_clause import resolve_sources
from .name_resolution import Scope, condition, resolve
from .normal_form import normal_text
from .pattern_checks import resolve_pattern, runs
from .query_checks import Draft, check, idle_windows, kind_of, unbounded
from .select_items import hidden_items, output_stream, resolve_items
from .unknown_terms import warnings_of
from .window_checks import resolve_bounds, resolve_window


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


def _compile(names: Names, statement: syntax.Statement, retention: timedelta | None) -> Query:
    try:
        return _Compilation(names, statement, retention).query()
    except RecursionError as error:
        hint = "write `x IN (…)`, or split the query"
        raise names.source.syntax_error(statement.span, "an expression is too long", hint) from error


def _end_of(text: str) -> Span:
    end = len(text.rstrip())
    return Span(end, end + 1)


@dataclass(frozen=True, slots=True)
class _Compilation:
    """One statement and what it is checked against."""

    names: Names
    statement: syntax.Statement
    retention: timedelta | None

    @property
    def tree(self) -> syntax.SelectQuery:
        return self.statement.query

    def query(self) -> Query:
        self._check_new_name()
        bodies = read_paths(self.names, self.tree.paths)
        streams = resolve_sources(self.names, self.tree, bodies.values())
        paths = assign_paths(self.names, self.tree.paths, bodies, streams)
        scope = Scope(self.names, streams, paths.bindings)
        draft = self._draft(scope, paths)
        check(scope, draft)
        warnings = (*warnings_of(self.names, bodies.values(), streams), *idle_windows(scope, draft))
        return self._assemble(scope, paths, draft, warnings)

    def _check_new_name(self) -> None:
        name = self.statement.name
        if name is not None and name.text in self.names.vocabulary.streams:
            hint = f"call the query something else, such as {name.text}2"
            raise self.names.source.type_error(name.span, f"there is a stream '{name.text}' already", hint)

    def _draft(self, scope: Scope, paths: Paths) -> Draft:
        tree = self.tree
        if len(tree.sequences) > 1:
            message = "a query has one SEQ"
            raise scope.error(tree.sequences[1].span, message, "write one SEQ with all its elements")
        policy = tree.policy.policy if tree.policy is not None else Policy.ANY
        items = resolve_items(scope, tree.items)
        filters = tuple(condition(scope, node.condition) for node in tree.filters)
        joins = tuple(condition(scope, node.condition) for node in tree.joins)
        pattern = resolve_pattern(scope, tree.sequences[0], policy) if tree.sequences else None
        quantified = runs(pattern)
        having = None if tree.having is None else condition(scope, tree.having.condition)
        for left, right in paths.joins:
            scope.used.setdefault(left.name, left)
            scope.used.setdefault(right.name, right)
        return Draft(
            tree=tree,
            items=items,
            filters=filters,
            joins=joins,
            pattern=pattern,
            windows=tuple(resolve_window(scope, node, quantified) for node in tree.windows),
            group_by=() if tree.group_by is None else tuple(resolve(scope, key) for key in tree.group_by.keys),
            having=having,
            kind=kind_of(scope.streams, items, having, seq=pattern is not None),
            retention=self.retention,
            runs=quantified,
        )

    def _assemble(self, scope: Scope, paths: Paths, draft: Draft, warnings: tuple[str, ...]) -> Query:
        name = None if self.statement.name is None else self.statement.name.text
        hidden = () if name is None else hidden_items(draft.items, scope.streams)
        items = (*draft.items, *hidden)
        joins = (*draft.joins, *(join_of(pair) for pair in paths.joins))
        partition = self.tree.partition_by
        after, output = self.tree.after_match, self.tree.output
        query = Query(
            name=name,
            normal="",
            kind=draft.kind,
            items=items,
            sources=(),
            bounds=resolve_bounds(scope, self.tree.within),
            joins=joins,
            pattern=draft.pattern,
            windows=draft.windows,
            partition_by=() if partition is None else tuple(_partition(scope, name) for name in partition.names),
            group_by=draft.group_by,
            having=draft.having,
            policy=Policy.ANY if self.tree.policy is None else self.tree.policy.policy,
            after_match=_after_match(after),
            limit=None if self.tree.limit is None else self.tree.limit.count,
            distinct=self.tree.distinct,
            output_rate=None if output is None else Output(output.which, output.every.value),
            output=output_stream(self.names, name or "", items, scope.streams),
            warnings=warnings,
            span=self.statement.span,
            retention=None if unbounded(scope, draft) is None else self.retention,
        )
        sources = tuple(self._source(scope, paths, draft, query, variable) for variable in scope.streams)
        query = replace(query, sources=sources)
        return replace(query, normal=normal_text(query))

    def _source(self, scope: Scope, paths: Paths, draft: Draft, query: Query, variable: str) -> Source:
        used = [binding for binding in scope.used.values() if binding.variable == variable]
        span = next((node.span for node in self.tree.sources if node.variable.name == variable), self.tree.span)
        return Source(
            variable=variable,
            stream=scope.streams[variable],
            filters=tuple(f for f in draft.filters if event_variables(f) == (variable,)),
            semantics=semantics(paths.trees.get(variable, ()), used),
            columns=tuple(sorted(_columns(query, variable))),
            bindings=tuple((binding.name, binding.type) for binding in used),
            span=span,
        )


def _after_match(node: syntax.AfterMatchClause | None) -> AfterMatch:
    if node is None:
        return AfterMatch(AfterMatchKind.KEEP_ALL)
    return AfterMatch(node.kind, None if node.variable is None else node.variable.name)


def _partition(scope: Scope, node: syntax.Name | syntax.Reference) -> tuple[tuple[str, str], ...]:
    columns = [scope.names.column(variable, stream, node, node.span) for variable, stream in scope.streams.items()]
    types = {column.type for column in columns}
    if len(types) > 1:
        kinds = " and ".join(sorted(types))
        message = f"'{scope.quote(node.span)}' is of types {kinds} in the streams of FROM"
        raise scope.error(node.span, message, "partition by an attribute that has one type")
    return tuple((column.variable, column.name) for column in columns)


def _columns(query: Query, variable: str) -> set[str]:
    """Columns of the variable's candidates that are needed once the candidates are selected."""
    found = {column for pairs in query.partition_by for name, column in pairs if name == variable}
    for expression in _after_selection(query):
        for node in walk(expression):
            match node:
                case Column(variable=owner, name=name) if owner == variable:
                    found.add(name)
                case Binding(variable=owner, name=name) if owner == variable:
                    found.add(f"?{name}")
    return found - {"_time", "_id"}


def _after_selection(query: Query) -> Iterator[Expression]:
    for item in query.items:
        yield item.value
        if item.condition is not None:
            yield item.condition
    yield from query.joins
    yield from query.group_by
    if query.having is not None:
        yield query.having
    yield from _until(query.pattern)


def _until(pattern: Pattern | None) -> Iterator[Expression]:
    for part in () if pattern is None else walk_pattern(pattern):
        if isinstance(part, Element | Group) and part.quantifier is not None and part.quantifier.until is not None:
            yield part.quantifier.until
