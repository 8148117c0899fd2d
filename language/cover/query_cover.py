"""Cover: whether the state of one query holds that of another at every moment, on every stream (H2O §IV).

It is decided by a mapping of the variables of the narrow query into those of the wide one, under which all that the
wide query says of them follows from what the narrow one says: then each of its partial matches is one there, too.
Sound, and not complete: "no" may be said of a query that is covered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product

from ..nodes import (
    AfterMatchKind,
    Expression,
    Kind,
    KnownTerms,
    Query,
    Source,
    expression_text,
    negated_variables,
    variables_of,
)
from .conditions import Facts
from .exact_cover import exactness_refusal, takes_what_there_is
from .order_cover import order_refusal, window_refusal
from .path_cover import path_covers
from .renaming import Renaming, shape_of

__all__ = ["Cover", "NoCover", "cover_of"]

_MOST_PATHS = 64
"""So many ways in which PATHs follow are tried for one mapping of event variables."""


@dataclass(frozen=True, slots=True)
class Cover:
    """That a query covers another one.

    Attributes:
        mapping: the variables of the narrow query → those of the wide one.
    """

    mapping: Mapping[str, str]

    def __str__(self) -> str:
        pairs = [f"?{of} is a ?{to}" for of, to in self.mapping.items()]
        return f"{', '.join(pairs)}, and all that is asked of these follows"


@dataclass(frozen=True, slots=True)
class NoCover:
    """That it is not decided that a query covers another one.

    Attributes:
        reason: a sentence without its stop, of the wide query as "it".
    """

    reason: str

    def __str__(self) -> str:
        return self.reason


def cover_of(wide: Query, narrow: Query, terms: KnownTerms | None = None) -> Cover | NoCover:
    """Whether each event in the state of `narrow` is in that of `wide`, at every moment, on every stream.

    Args:
        wide: a checked query.
        narrow: one that looks at events from the same moment on.
        terms: which classes and properties are below others; `None`: none is.

    Source:
        H2O, section IV, Theorem 3; LANGUAGE-2 §9.
    """
    refusal = _refusal(wide, narrow)
    if refusal is not None:
        return NoCover(refusal)
    reasons: list[str] = []
    for mapping in _mappings(wide, narrow):
        found = _decide(wide, narrow, mapping, terms)
        if isinstance(found, Cover):
            return found
        reasons.append(found)
    return NoCover(reasons[0] if reasons else "its events are of other streams, or fewer")


def _refusal(wide: Query, narrow: Query) -> str | None:
    """What a query says of whole matches has to be the same in the other."""
    if wide.kind is not narrow.kind:
        return f"it is {_article(wide)}, and this one {_article(narrow)}"
    if wide.bounds != narrow.bounds and _bounds_of(wide) != _bounds_of(narrow):
        return "its WITHIN is another one"
    if wide.in_context is not None and (narrow.in_context is None or _context(wide) != _context(narrow)):
        return "it is in contexts"
    if wide.limit is not None:
        return "its LIMIT ends it"
    if wide.kind is Kind.PATTERN and wide.having is not None:
        return "its HAVING chooses among matches"
    if (wide.after_match.kind, narrow.after_match.kind) != (AfterMatchKind.KEEP_ALL,) * 2:
        return "matches take events away, by AFTER MATCH or a mode"
    return None


def _article(query: Query) -> str:
    return "an aggregate" if query.kind is Kind.AGGREGATION else f"a {query.kind}"


def _bounds_of(query: Query) -> object:
    return shape_of(query.bounds, {})


def _context(query: Query) -> object:
    return shape_of(query.in_context, {})


def _mappings(wide: Query, narrow: Query) -> Iterator[dict[str, str]]:
    """Each way to map variables to different ones of the same stream, negated ones to negated ones."""
    negated = negated_variables(wide.pattern), negated_variables(narrow.pattern)
    choices = [
        [
            of.variable
            for of in wide.sources
            if of.stream.name == source.stream.name and (of.variable in negated[0]) is (source.variable in negated[1])
        ]
        for source in narrow.sources
    ]
    own = [source.variable for source in narrow.sources]
    for chosen in product(*choices):
        if len({*chosen}) == len(chosen) and negated[0] <= {*chosen}:
            yield dict(zip(own, chosen, strict=True))


def _decide(wide: Query, narrow: Query, mapping: Mapping[str, str], terms: KnownTerms | None) -> Cover | str:
    """Whether all follows under a mapping; else why not."""
    reason = order_refusal(wide, narrow, mapping) or window_refusal(wide, narrow, mapping)
    reason = reason or _partition_refusal(wide, narrow, mapping)
    if reason is not None:
        return reason
    back = {to: of for of, to in mapping.items()}
    last = "a PATH of it need not hold"
    for bindings in islice(_bindings(wide, narrow, back, terms), _MOST_PATHS):
        renaming = Renaming(back, bindings)
        reason = _conditions_refusal(wide, narrow, renaming) or exactness_refusal(wide, narrow, renaming, terms)
        if reason is None:
            return Cover(mapping)
        last = reason
    return last


def _partition_refusal(wide: Query, narrow: Query, mapping: Mapping[str, str]) -> str | None:
    """Events of a match are in one partition, and windows and links count those of it alone."""

    def keys(query: Query, names: Mapping[str, str]) -> set[frozenset[tuple[str, str]]]:
        return {frozenset((names[v], c) for v, c in key if v in names) for key in query.partition_by}

    asked, own = keys(wide, {name: name for name in mapping.values()}), keys(narrow, mapping)
    if not asked <= own:
        return "it is PARTITIONED by something else"
    if asked != own and takes_what_there_is(wide):
        return "it is not PARTITIONED by what this one is"
    groups = [expression_text(Renaming(mapping).of(key)) for key in narrow.group_by]
    if takes_what_there_is(wide) and [*map(expression_text, wide.group_by)] != groups:
        return "its groups are others"
    return None


def _bindings(
    wide: Query, narrow: Query, back: Mapping[str, str], terms: KnownTerms | None
) -> Iterator[dict[tuple[str, str], str]]:
    """The ways in which the PATHs of mapped variables follow: what semantic variables are called."""
    own = {source.variable: source for source in narrow.sources}
    asked = [source for source in wide.sources if source.variable in back]

    def ways(source: Source) -> Iterator[dict[tuple[str, str], str]]:
        for found in path_covers(source.semantics, own[back[source.variable]].semantics, terms):
            yield {(source.variable, name): of for name, of in found.items()}

    for chosen in product(*map(ways, asked)):
        yield {name: of for each in chosen for name, of in each.items()}


def _conditions_refusal(wide: Query, narrow: Query, renaming: Renaming) -> str | None:
    """The first FILTER or JOIN of mapped variables that need not hold; in the names of the narrow query."""
    filters = {source.variable: source.filters for source in narrow.sources}
    for source in wide.sources:
        if source.variable in renaming.variables:
            facts = Facts(filters[renaming.variables[source.variable]])
            for asked in source.filters:
                if not facts.imply(renaming.of(asked)):
                    return f"FILTER ({expression_text(asked)}) need not hold"
    for asked in wide.joins:
        if renaming.covers(variables_of(asked)) and not _joined(renaming.of(asked), narrow, filters):
            return f"JOIN ({expression_text(asked)}) need not hold"
    return None


def _joined(asked: Expression, narrow: Query, filters: Mapping[str, tuple[Expression, ...]]) -> bool:
    """Whether a JOIN follows from what is decided as soon as its own variables are bound."""
    own = variables_of(asked)
    known = [join for join in narrow.joins if variables_of(join) <= own]
    return Facts((*known, *(f for variable in own for f in filters[variable]))).imply(asked)
