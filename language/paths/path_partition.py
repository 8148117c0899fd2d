"""A PATH over several event variables is the AND of its parts, one for each (docs/semantics.md 3.1).

Every triple goes to the event variable that it is nearest to. What stands on a variable of two parts is a JOIN: the
later part's variable gets a name of its own. What hangs on no event variable (a domain constant) is copied to the
parts whose FILTERs ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rdflib import BNode, Variable

from ...errors import QueryTypeError
from ..name_lookup import Names
from ..nodes import Nested, Triple, ValueFilter
from .path import Body, names_of, term_text, top_triples, value_filter
from .sparql_tokens import GroupElement, Tokens, render, variables


@dataclass(frozen=True, slots=True)
class PathPart:
    """The part of a PATH that speaks of one event variable.

    Attributes:
        variable: the event variable.
        text: its SPARQL, as `Subquery.text`.
        triples: as `Subquery.triples`.
        filters: as `Subquery.filters`.
        flat: as `Subquery.flat`.
        nested: as `Subquery.nested`.
        body: the PATH that it is a part of.
        names: what the variables of the PATH that this part may bind are called in it; a name that differs from the
            one in the PATH is joined with the part before that has the variable.
    """

    variable: str
    text: str
    triples: tuple[Triple, ...]
    filters: tuple[ValueFilter, ...]
    flat: bool
    nested: tuple[Nested, ...]
    body: Body
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Unit:
    """Something that cannot be divided: a triple, or an element other than a FILTER."""

    names: frozenset[str]
    triple: Triple | None = None
    element: GroupElement | None = None


@dataclass(slots=True)
class _Draft:
    units: list[_Unit] = field(default_factory=list)
    filters: list[GroupElement] = field(default_factory=list)

    def available(self) -> set[str]:
        return {name for unit in self.units for name in unit.names}


def split(names: Names, body: Body, events: tuple[str, ...], taken: set[str]) -> tuple[PathPart, ...]:
    """The parts of a PATH, in order of the first occurrence of their event variables.

    Args:
        names: for messages.
        body: the PATH.
        events: the event variables that occur in it.
        taken: names that no new variable may have; those given to variables here are added.

    Raises:
        QueryTypeError: something belongs to several event variables at once.
    """
    if len(events) == 1:
        return (_whole(body, events[0]),)
    drafts = {event: _Draft() for event in events}
    floating = _assign_units(names, body, events, drafts)
    _assign_filters(names, body, drafts, floating)
    available = {event: draft.available() for event, draft in drafts.items()}
    renamed: dict[str, dict[str, str]] = {event: {} for event in events}
    asked = {name for s in body.elements if s.kind == "FILTER" for name in variables(s.tokens)}
    alone = {name for component in floating for unit in component for name in unit.names} - asked
    for name in (name for name in body.variables if name not in alone):
        holders = [event for event in events if name in available[event] and name != event]
        for event in holders[1:]:
            renamed[event][name] = _fresh(name, taken)
    return tuple(_part(body, event, drafts[event], renamed[event]) for event in events)


def _whole(body: Body, event: str) -> PathPart:
    text = render(body.tokens)
    names = {name: name for name in body.bound if name != event}
    if not _is_orderly(body):
        return PathPart(event, text, (), (), flat=False, nested=(), body=body, names=names)
    filters = tuple(value_filter(s.tokens, {}) for s in body.elements if s.kind == "FILTER" and not _is_nested(s))
    nested = tuple(_nested(s, {}) for s in body.elements if _is_nested(s))
    return PathPart(event, text, top_triples(body), filters, flat=body.flat, nested=nested, body=body, names=names)


def _is_orderly(body: Body) -> bool:
    """Whether no triple stands behind a nested part; FILTERs count as standing at the end of their group."""
    kinds = [element.kind for element in body.elements if element.kind != "FILTER"]
    return kinds != ["SELECT"] and "triples" not in kinds[kinds.count("triples") :]


def _is_nested(element: GroupElement) -> bool:
    """Whether an element is no triple and no FILTER on values alone."""
    if element.kind == "FILTER":
        return any(token.text == "EXISTS" for token in element.tokens)
    return element.kind != "triples"


def _nested(element: GroupElement, rename: Mapping[str, str]) -> Nested:
    text = render(element.tokens, rename)
    names = frozenset(rename.get(name, name) for name in variables(element.tokens))
    return Nested(f"FILTER {text}" if element.kind == "FILTER" else text, names)


def _units(names: Names, body: Body) -> tuple[_Unit, ...]:
    units = [_Unit(frozenset(_all_names(triple)), triple=triple) for triple in body.triples]
    opaque: GroupElement | None = None
    for element in body.elements:
        if element.kind == "triples" and opaque is not None:
            raise _cannot_tell(names, opaque.tokens, f"{opaque.kind} stands before the triples of several events")
        if element.kind not in ("triples", "FILTER"):
            opaque = element
            units.append(_Unit(frozenset(variables(element.tokens)), element=element))
    return tuple(units)


def _all_names(triple: Triple) -> Iterable[str]:
    yield from names_of(triple)
    for term in (triple.subject, triple.object):
        if isinstance(term, BNode):
            yield f"_:{term}"


def _cannot_tell(
    names: Names, tokens: Tokens, why: str, hint: str = "write one PATH per event variable"
) -> QueryTypeError:
    return names.source.type_error(tokens[0].span, f"this PATH cannot be told apart: {why}", hint)


def _assign_units(names: Names, body: Body, events: tuple[str, ...], drafts: dict[str, _Draft]) -> list[list[_Unit]]:
    """Give every unit to the event variable that it is nearest to; return what hangs on none, in components."""
    units = _units(names, body)
    for unit in units:
        _refuse_two(names, body, unit.names, events)
    owner: dict[str, str] = {event: event for event in events}
    distance: dict[str, int] = dict.fromkeys(events, 0)
    waiting = list(events)
    while waiting:
        name = waiting.pop(0)
        for unit in units:
            for other in sorted(unit.names - owner.keys()) if name in unit.names else ():
                owner[other], distance[other] = owner[name], distance[name] + 1
                waiting.append(other)
    rest: list[_Unit] = []
    for unit in units:
        reached = sorted(unit.names & owner.keys(), key=lambda n: (distance[n], events.index(owner[n])))
        if reached:
            drafts[owner[reached[0]]].units.append(unit)
        else:
            rest.append(unit)
    _refuse_divided_blanks(names, body, drafts)
    return _components(rest)


def _refuse_two(names: Names, body: Body, used: Iterable[str], events: tuple[str, ...]) -> None:
    both = [event for event in events if event in set(used)]
    if len(both) > 1:
        token = next(t for t in body.tokens if t.variable == both[1])
        why = f"?{both[0]} and ?{both[1]} stand in one triple or group"
        raise _cannot_tell(names, (token,), why)


def _refuse_divided_blanks(names: Names, body: Body, drafts: dict[str, _Draft]) -> None:
    seen: dict[str, str] = {}
    for event, draft in drafts.items():
        for name in draft.available():
            if name.startswith("_:") and seen.setdefault(name, event) != event:
                why = f"a blank node belongs to ?{seen[name]} and ?{event}"
                raise _cannot_tell(names, body.tokens, why)
            divided = any(u.element is not None and name in u.names for u in draft.units)
            others = (d for e, d in drafts.items() if e != event)
            if divided and any(name in other.available() for other in others):
                raise _cannot_tell(names, body.tokens, f"?{name} belongs to several events and to a nested group")


def _components(units: list[_Unit]) -> list[list[_Unit]]:
    components: list[list[_Unit]] = []
    for unit in units:
        near = [c for c in components if any(unit.names & other.names for other in c)]
        merged = [other for component in near for other in component]
        components = [c for c in components if c not in near] + [[*merged, unit]]
    return components


def _assign_filters(names: Names, body: Body, drafts: dict[str, _Draft], floating: list[list[_Unit]]) -> None:
    """Give every FILTER to a part that binds its variables, and floating components to the parts that need them."""
    loose = {name: i for i, component in enumerate(floating) for unit in component for name in unit.names}
    needed: dict[int, set[str]] = {i: set() for i in range(len(floating))}
    among: list[tuple[GroupElement, set[int]]] = []
    available = {event: draft.available() | {event} for event, draft in drafts.items()}
    known = set().union(*available.values())
    for element in (s for s in body.elements if s.kind == "FILTER"):
        used = set(variables(element.tokens))
        components = {loose[name] for name in used & loose.keys()}
        bound = (used & known) - loose.keys()
        holding = [event for event in drafts if bound <= available[event]]
        if not bound and components:
            among.append((element, components))
            continue
        if not holding:
            hint = "relate their variables by JOIN, outside the PATH"
            raise _cannot_tell(names, element.tokens, "this FILTER compares several events", hint)
        drafts[holding[0]].filters.append(element)
        for component in components:
            needed[component].add(holding[0])
    for element, components in among:  # a FILTER between domain constants binds their fates together
        together = set().union(*(needed[c] for c in components)) or {next(iter(drafts))}
        for component in components:
            needed[component] |= together
        for event in together:
            drafts[event].filters.append(element)
    for number, units in enumerate(floating):
        for event in needed[number] or {next(iter(drafts))}:
            drafts[event].units.extend(units)


def _fresh(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    taken.add(f"{name}_{number}")
    return f"{name}_{number}"


def _part(body: Body, event: str, draft: _Draft, rename: Mapping[str, str]) -> PathPart:
    blanks: dict[str, str] = {}
    triples = tuple(_rename(unit.triple, rename, blanks) for unit in draft.units if unit.triple is not None)
    filters = tuple(value_filter(element.tokens, rename) for element in draft.filters if not _is_nested(element))
    others = [unit.element for unit in draft.units if unit.element is not None]
    nested = tuple(_nested(s, rename) for s in (*others, *(f for f in draft.filters if _is_nested(f))))
    texts = (" ".join(term_text(t) for t in (x.subject, x.predicate, x.object)) for x in triples)
    text = " ".join([" . ".join(texts), *(n.text for n in nested), *(f"FILTER {f.text}" for f in filters)])
    bound = (draft.available() & body.bound) - {event}
    names = {name: rename.get(name, name) for name in sorted(bound)}
    return PathPart(event, text, triples, filters, flat=not nested, nested=nested, body=body, names=names)


def _rename(triple: Triple, rename: Mapping[str, str], blanks: dict[str, str]) -> Triple:
    def term(old: object) -> object:
        if isinstance(old, Variable):
            return Variable(rename.get(str(old), str(old)))
        if isinstance(old, BNode):  # rdflib's labels differ from run to run
            return BNode(blanks.setdefault(str(old), f"b{len(blanks)}"))
        return old

    return Triple(term(triple.subject), term(triple.predicate), term(triple.object))
