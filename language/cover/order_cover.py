"""Whether what SEQ says of some variables follows from what another SEQ says, and how long windows let them wait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from ..nodes import (
    CorrelationWindow,
    Element,
    Link,
    Pattern,
    Query,
    SlidingWindow,
    Window,
    negated_variables,
    quantified_parts,
    walk_pattern,
)
from ..nodes import Sequence as Links
from .renaming import shape_of

__all__ = ["Chain", "chain_of", "links_of", "order_refusal", "window_refusal"]


@dataclass(frozen=True, slots=True)
class Chain:
    """A SEQ of variables one after the other, each once.

    Attributes:
        variables: in their order; empty without SEQ.
        links: what stands between them.
    """

    variables: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()

    def before(self, one: str, other: str) -> bool:
        """Whether an event of one variable comes before that of another."""
        own = self.variables
        return one in own and other in own and own.index(one) < own.index(other)


def chain_of(pattern: Pattern | None) -> Chain | None:
    """A pattern as a chain; `None`: it is none."""
    match pattern:
        case None:
            return Chain()
        case Element(variable=variable, quantifier=None):
            return Chain((variable,))
        case Links(parts=parts, links=links):
            names = [p.variable for p in parts if isinstance(p, Element) and p.quantifier is None]
            return Chain(tuple(names), links) if len(names) == len(parts) else None
        case _:
            return None


def links_of(pattern: Pattern | None) -> frozenset[Link]:
    """The links in a pattern, those between repetitions among them."""
    parts = () if pattern is None else walk_pattern(pattern)
    between = {link for part in parts if isinstance(part, Links) for link in part.links}
    return frozenset(between | {quantifier.link for _, quantifier in quantified_parts(pattern)})


def order_refusal(wide: Query, narrow: Query, mapping: Mapping[str, str]) -> str | None:
    """Why the order of a query does not follow from that of another; `None`: it does.

    Args:
        wide: whose order is to follow.
        narrow: whose order holds.
        mapping: its variables → those of `wide`.
    """
    chain, other = chain_of(wide.pattern), chain_of(narrow.pattern)
    if chain is None or other is None:
        if wide.pattern is None:
            return None  # any order will do
        same = narrow.pattern is not None and shape_of(narrow.pattern, mapping) == shape_of(wide.pattern, {})
        return None if same else "its SEQ is another one"
    back = {to: of for of, to in mapping.items()}
    for place, variable in enumerate(chain.variables):
        if variable in back:
            for before in chain.variables[:place]:
                if before not in back:
                    return f"its ?{before} comes before ?{variable}, and there is nothing like it"
                if not other.before(back[before], back[variable]):
                    return f"its ?{before} comes before ?{variable}, and that need not be so"
    return _links_refusal(chain, other, mapping)


def _links_refusal(chain: Chain, other: Chain, mapping: Mapping[str, str]) -> str | None:
    """Links that pass over fewer events are those of the other query, one by one."""
    if set(chain.links) <= {Link.ANY} and set(other.links) <= {Link.ANY}:
        return None
    length = len(other.variables)
    mapped = tuple(mapping[name] for name in other.variables)
    if mapped != chain.variables[:length] or (other.links and other.links != chain.links[: length - 1]):
        return "the links of its SEQ are others"
    return None


def window_refusal(wide: Query, narrow: Query, mapping: Mapping[str, str]) -> str | None:
    """Why what another query waits for is over sooner in a query; `None`: it is not.

    Args:
        wide: which has to wait as long.
        narrow: which waits.
        mapping: its variables → those of `wide`.
    """
    own = [*narrow.windows, *_retention(narrow)]
    for window in (*wide.windows, *_retention(wide)):
        if not _lets_wait(window, own, narrow, mapping):
            return _too_short(window)
    return None


def _retention(query: Query) -> Iterator[Window]:
    """What the engine bounds a pattern by, as if it were a window over all that it binds."""
    if query.retention is not None:
        yield CorrelationWindow(_bound(query), query.retention, query.span)


def _bound(query: Query) -> tuple[str, ...]:
    negated = negated_variables(query.pattern)
    return tuple(s.variable for s in query.sources if s.variable not in negated)


def _lets_wait(window: Window, own: Sequence[Window], narrow: Query, mapping: Mapping[str, str]) -> bool:
    match window:
        case CorrelationWindow(variables=variables, width=width):
            mapped = [v for v in _bound(narrow) if mapping[v] in variables]
            beyond = set(variables) - set(mapping.values())
            return not mapped or any(
                isinstance(w, CorrelationWindow)
                and w.width <= width
                and {*mapped} <= {*w.variables}
                and (not beyond or _waits_till_the_end(w, narrow))
                for w in own
            )
        case SlidingWindow(variable=variable, extent=timedelta() as extent, shared=False):
            if variable not in mapping.values():
                return True
            return any(
                isinstance(w, SlidingWindow)
                and not w.shared
                and isinstance(w.extent, timedelta)
                and w.extent <= extent
                and mapping[w.variable] == variable
                for w in own
            )
        case _:
            shape = shape_of(window, {})
            return any(shape_of(w, mapping) == shape for w in own)


def _waits_till_the_end(window: CorrelationWindow, query: Query) -> bool:
    """Whether a window is over for whatever is no complete match yet: what comes last lies in it."""
    if {*_bound(query)} <= {*window.variables}:
        return True
    chain = chain_of(query.pattern)
    whole = chain is not None and {*chain.variables} == {*_bound(query)}
    return chain is not None and whole and chain.variables[-1] in window.variables


def _too_short(window: Window) -> str:
    if isinstance(window, CorrelationWindow):
        return f"its window over {', '.join(f'?{v}' for v in window.variables)} may be over sooner"
    return f"its window of ?{window.variable} is another one"
