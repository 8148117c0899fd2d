"""Where a query that asks less of its events takes others: it has to ask as much as the one that it is to cover."""

from __future__ import annotations

from datetime import timedelta

from ..nodes import (
    Binding,
    Expression,
    Kind,
    KnownTerms,
    Link,
    Query,
    SlidingWindow,
    expression_text,
    negated_variables,
    quantified_parts,
    untils,
    variables_of,
    walk,
)
from .conditions import Facts
from .order_cover import links_of
from .path_cover import path_covers
from .renaming import Renaming

__all__ = ["exactness_refusal", "takes_what_there_is"]


def takes_what_there_is(query: Query) -> bool:
    """Whether which events a query takes depends on all that it could take: windows count them, links pass over few."""
    if query.kind is Kind.AGGREGATION:
        return not all(isinstance(w, SlidingWindow) and isinstance(w.extent, timedelta) for w in query.windows)
    pattern = query.pattern
    return bool(links_of(pattern) - {Link.ANY} or [*quantified_parts(pattern)] or untils(pattern))


def exactness_refusal(wide: Query, narrow: Query, renaming: Renaming, terms: KnownTerms | None) -> str | None:
    """Why a query does not say of a variable all that the other says, where it has to; `None`: it does.

    Of variables under NOT it has to, which forbid more the less is said of them.

    Args:
        wide: which has to.
        narrow: the other.
        renaming: the variables of `wide` → those of `narrow`.
        terms: which classes and properties are below others.
    """
    every = frozenset(source.variable for source in narrow.sources)
    exact = every if takes_what_there_is(wide) else negated_variables(narrow.pattern)
    if not exact:
        return None
    if takes_what_there_is(wide) and len({s.stream for s in wide.sources}) != len({s.stream for s in narrow.sources}):
        return "its links count the events of other streams"
    there = {of: to for to, of in renaming.variables.items()}
    names = {(renaming.variables[to], of): name for (to, name), of in renaming.bindings.items()}
    forth = Renaming(there, names)
    own = {source.variable: source for source in wide.sources}
    for source in narrow.sources:
        if source.variable not in exact:
            continue
        held = own[there[source.variable]]
        said = {name: of for (variable, name), of in names.items() if variable == source.variable}
        facts = Facts(held.filters)
        if said not in [*path_covers(source.semantics, held.semantics, terms)] or not all(
            _is_named(f, names) and facts.imply(forth.of(f)) for f in source.filters
        ):
            return f"it asks less of ?{source.variable}, and takes other events for that"
    facts = Facts(join for join in wide.joins if renaming.covers(variables_of(join)))
    for join in narrow.joins:
        if variables_of(join) & exact and not (_is_named(join, names) and facts.imply(forth.of(join))):
            return f"it does not ask JOIN ({expression_text(join)}), and takes other events for that"
    return None


def _is_named(expression: Expression, names: dict[tuple[str, str], str]) -> bool:
    """Whether the semantic variables of an expression have names in the other query."""
    return all((n.variable, n.name) in names for n in walk(expression) if isinstance(n, Binding))
