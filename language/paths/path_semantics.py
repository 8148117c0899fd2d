"""The PATHs of a query: given to their event variables, joined by AND and OR, their variables made known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import assert_never

from .. import syntax_tree as syntax
from ..name_lookup import Names
from ..nodes import AllOf, AnyOf, Binary, Binding, Semantics, StreamType, Subquery, ValueType
from ..source_text import Span
from .path import Body, binding_type, names_of, read_body, unify
from .path_partition import PathPart, split
from .sparql_tokens import Tokens


@dataclass(frozen=True, slots=True)
class AllParts:
    """Parts joined by AND."""

    parts: tuple[PathTree, ...]


@dataclass(frozen=True, slots=True)
class AnyParts:
    """Parts joined by OR."""

    parts: tuple[PathTree, ...]


PathTree = PathPart | AllParts | AnyParts


@dataclass(frozen=True, slots=True)
class Paths:
    """All PATHs of a query.

    Attributes:
        trees: for each event variable what must hold of it; all of them must.
        bindings: for each name the semantic variables that PATHs bind under it.
        joins: pairs of semantic variables that stand for one variable of a PATH over several events.
    """

    trees: Mapping[str, tuple[PathTree, ...]]
    bindings: Mapping[str, tuple[Binding, ...]]
    joins: tuple[tuple[Binding, Binding], ...]


@dataclass(slots=True)
class _Collected:
    trees: dict[str, list[PathTree]] = field(default_factory=dict)
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    joins: list[tuple[Binding, Binding]] = field(default_factory=list)


def read_paths(
    names: Names, paths: Sequence[syntax.PathExpression], given: Mapping[str, Tokens] = MappingProxyType({})
) -> dict[syntax.PathClause, Body]:
    """Read every PATH of a query as SPARQL; `given` as in `read_body`.

    Raises:
        QuerySyntaxError: one is no SPARQL.
        QueryTypeError: as `read_body`.
    """
    return {leaf: read_body(names, leaf, given) for path in paths for leaf in leaves(path)}


def leaves(path: syntax.PathExpression) -> Iterator[syntax.PathClause]:
    """The PATHs of a PATH expression, in order."""
    if isinstance(path, syntax.PathClause):
        yield path
    else:
        yield from chain.from_iterable(leaves(part) for part in path.parts)


def assign_paths(
    names: Names,
    paths: Sequence[syntax.PathExpression],
    bodies: Mapping[syntax.PathClause, Body],
    streams: Mapping[str, StreamType],
) -> Paths:
    """Give every PATH, or its parts, to the event variables.

    Raises:
        QueryTypeError: a PATH without an event variable, one that cannot be told apart, or OR between variables.
    """
    collected = _Collected()
    taken = {name for body in bodies.values() for name in body.variables} | set(streams)
    for path in paths:
        parts = {leaf: _parts_of(names, leaf, bodies[leaf], streams, taken) for leaf in leaves(path)}
        events = {part.variable for leaf in parts.values() for part in leaf}
        if len(events) > 1:
            _refuse_or(names, path)
        for event in (e for e in streams if e in events):
            tree = _tree(path, parts, event)
            if tree is not None:
                collected.trees.setdefault(event, []).append(tree)
        for leaf, split_parts in parts.items():
            _collect_bindings(names, bodies[leaf], split_parts, streams, collected)
    return Paths(
        {event: tuple(trees) for event, trees in collected.trees.items()},
        {name: tuple(bindings) for name, bindings in collected.bindings.items()},
        tuple(collected.joins),
    )


def _parts_of(
    names: Names, leaf: syntax.PathClause, body: Body, streams: Mapping[str, StreamType], taken: set[str]
) -> tuple[PathPart, ...]:
    events = tuple(streams) if leaf.asks else tuple(name for name in body.variables if name in streams)
    if not events:
        known = " or ".join(f"?{name}" for name in streams)
        span = Span(body.tokens[0].span.start, body.tokens[0].span.end)
        raise names.source.type_error(span, "this PATH names no event", f"begin it at {known}")
    return split(names, body, events, taken)


def _refuse_or(names: Names, path: syntax.PathExpression) -> None:
    if isinstance(path, syntax.PathDisjunction):
        message = "OR between PATHs of different events"
        raise names.source.type_error(path.span, message, "write a query for each, or PATHs of one event variable")


def _tree(
    path: syntax.PathExpression, parts: Mapping[syntax.PathClause, Sequence[PathPart]], event: str
) -> PathTree | None:
    match path:
        case syntax.PathClause():
            return next((part for part in parts[path] if part.variable == event), None)
        case syntax.PathConjunction(parts=below) | syntax.PathDisjunction(parts=below):
            trees = tuple(tree for part in below if (tree := _tree(part, parts, event)) is not None)
            if len(trees) < 2:
                return trees[0] if trees else None
            return AllParts(trees) if isinstance(path, syntax.PathConjunction) else AnyParts(trees)
        case _:
            assert_never(path)


def _collect_bindings(
    names: Names, body: Body, parts: Sequence[PathPart], streams: Mapping[str, StreamType], collected: _Collected
) -> None:
    for name in (name for name in body.variables if name in body.bound and name not in streams):
        holders = [part for part in parts if name in part.names]
        type_ = binding_type(names, body, name, streams)
        found = [Binding(part.variable, part.names[name], type_, body.span) for part in holders]
        renamed = [binding for binding in found[1:] if binding.name != name]
        collected.bindings.setdefault(name, []).extend(found[:1])
        collected.joins.extend((found[0], other) for other in renamed)


def semantics(trees: tuple[PathTree, ...], used: Sequence[Binding]) -> Semantics | None:
    """What must hold of one event variable, its subqueries saying which of their variables are `used` outside."""
    if not trees:
        return None
    return _all_of(_node(tree, used) for tree in trees)


def _all_of(nodes: Iterable[Semantics]) -> Semantics:
    """One AND of what may be ANDs themselves."""
    flat = tuple(chain.from_iterable(node.parts if isinstance(node, AllOf) else (node,) for node in nodes))
    return flat[0] if len(flat) == 1 else AllOf(flat)


def _node(tree: PathTree, used: Sequence[Binding]) -> Semantics:
    match tree:
        case PathPart(variable=variable):
            own = frozenset(tree.names.values())
            bindings = tuple(b.name for b in used if b.variable == variable and b.name in own)
            span = tree.body.span
            return Subquery(variable, tree.text, tree.triples, tree.filters, tree.flat, bindings, span, tree.nested)
        case AllParts(parts=parts):
            return _all_of(_node(part, used) for part in parts)
        case AnyParts(parts=parts):
            return AnyOf(tuple(_node(part, used) for part in parts))
        case _:
            assert_never(tree)


def join_of(pair: tuple[Binding, Binding]) -> Binary:
    """The JOIN that a variable of two parts stands for."""
    left, right = pair
    type_ = unify({left.type, right.type})
    first = Binding(left.variable, left.name, type_, left.span)
    second = Binding(right.variable, right.name, type_, right.span)
    return Binary("=", first, second, ValueType.BOOLEAN, left.span)


def roots(body: Body) -> tuple[str, ...]:
    """The variables at which a PATH may begin: subjects of triples and objects of none."""
    objects = {str(triple.object) for triple in body.everywhere}
    found = (name for triple in body.triples for name in names_of(triple) if name == str(triple.subject))
    return tuple(dict.fromkeys(name for name in found if name not in objects))
