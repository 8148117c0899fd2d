"""Rules against a store: which instances of a rule conclude a triple."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Store, Triple

from ..reasoners import Pattern, Rule, Slot
from ..terms import Term

Bound = Mapping[str, Term]
_DEFAULT = DefaultGraph()


@dataclass(frozen=True, slots=True)
class RuleInstance:
    """A rule with a term for every variable: the premises give the conclusion."""

    rule: str
    premises: tuple[Triple, ...]


class RuleIndex:
    """Rules by what they may conclude.

    Args:
        rules: all of them; of equally good proofs the earlier rule is preferred.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._by_head: dict[tuple[Slot | None, Slot | None], list[tuple[int, Rule]]] = {}
        for place, rule in enumerate(rules):
            _, predicate, value = rule.head
            key = (None if isinstance(predicate, str) else predicate, None if isinstance(value, str) else value)
            self._by_head.setdefault(key, []).append((place, rule))

    def concluding(self, goal: Triple) -> Iterator[tuple[Rule, dict[str, Term]]]:
        """The rules whose head the goal is an instance of, with the terms that it gives to their variables."""
        keys = ((p, o) for p in (goal.predicate, None) for o in (goal.object, None))
        for _, rule in sorted((entry for key in keys for entry in self._by_head.get(key, ())), key=lambda e: e[0]):
            bound = _unify(rule.head, goal)
            if bound is not None:
                yield rule, bound


def instances(store: Store, rule: Rule, bound: Bound) -> Iterator[RuleInstance]:
    """Every instance of a rule whose premises a store's default graph holds.

    Args:
        store: closed knowledge.
        rule: the rule.
        bound: the terms of variables that are known already.
    """
    for solution in _solutions(store, list(rule.body), dict(bound)):
        if rule.one is None or _is_one(solution[rule.one]):
            yield RuleInstance(rule.name, tuple(Triple(*_filled(pattern, solution)) for pattern in rule.body))


def _unify(pattern: Pattern, triple: Triple) -> dict[str, Term] | None:
    bound: dict[str, Term] = {}
    for slot, term in zip(pattern, triple, strict=True):
        if (bound.setdefault(slot, term) if isinstance(slot, str) else slot) != term:
            return None
    return bound


def _solutions(store: Store, patterns: list[Pattern], bound: dict[str, Term]) -> Iterator[dict[str, Term]]:
    if not patterns:
        yield bound
        return
    # The most selective first: that of the fewest open slots; of equal ones the one that the rule names first.
    chosen = min(patterns, key=lambda p: sum(isinstance(slot, str) and slot not in bound for slot in p))
    rest = [pattern for pattern in patterns if pattern is not chosen]
    subject, predicate, value = (bound.get(slot) if isinstance(slot, str) else slot for slot in chosen)
    if not (_is_node(subject) and _is_predicate(predicate)):
        return
    for quad in store.quads_for_pattern(subject, predicate, value, _DEFAULT):
        extended = _extended(chosen, quad.triple, bound)
        if extended is not None:
            yield from _solutions(store, rest, extended)


def _extended(pattern: Pattern, triple: Triple, bound: dict[str, Term]) -> dict[str, Term] | None:
    extended = dict(bound)
    for slot, term in zip(pattern, triple, strict=True):
        if isinstance(slot, str) and extended.setdefault(slot, term) != term:
            return None
    return extended


def _filled(pattern: Pattern, bound: Bound) -> tuple[NamedNode | BlankNode, NamedNode, Term]:
    subject, predicate, value = (bound[slot] if isinstance(slot, str) else slot for slot in pattern)
    assert isinstance(subject, NamedNode | BlankNode) and isinstance(predicate, NamedNode)  # noqa: S101, PT018 (a store gave them)
    return subject, predicate, value


def _is_node(term: Term | None) -> TypeGuard[NamedNode | BlankNode | None]:
    return term is None or isinstance(term, NamedNode | BlankNode)


def _is_predicate(term: Term | None) -> TypeGuard[NamedNode | None]:
    return term is None or isinstance(term, NamedNode)


def _is_one(term: Term) -> bool:
    return isinstance(term, Literal) and term.value.lstrip("+0") == "1"
