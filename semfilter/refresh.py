"""A semantic filter over changed knowledge: what does not depend on the change stays, and who is judged otherwise.

A subquery depends on a change if its plan is another one, or if it can look at a triple that came or went. Only then
are the keys that have a verdict evaluated again, ahead of the first batch, which finds the cache filled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import pyoxigraph as ox

from ..annotator import EventShape
from ..ontology import KnowledgeBase
from .plan import Plan
from .rules import knowledge_dependencies
from .runtime import RDF_TYPE, Key, ScratchStore, SubqueryFilter, Value
from .semantic_filter import SemanticFilter

_STEP = 5_000

__all__ = ["KnowledgeDifference", "RefreshedFilter", "Relink", "knowledge_difference", "refresh_filter"]

Relink = Callable[[str, Value], Value]
"""(column of individuals, value of the key before) → the value that the same events have after a change."""


@dataclass(frozen=True, slots=True)
class KnowledgeDifference:
    """What two knowledge bases say differently.

    Attributes:
        properties: predicates of the triples that came or went.
        classes: whose members came or went.
    """

    properties: frozenset[str]
    classes: frozenset[str]


@dataclass(frozen=True, slots=True)
class RefreshedFilter:
    """A filter over changed knowledge.

    Attributes:
        filter: takes the old one's place.
        differing: keys whose verdict or bindings are others now; each is the values of the columns that it is made of.
        incomparable: whether verdicts now depend on other attributes, so that nobody can tell who is judged otherwise.
    """

    filter: SemanticFilter
    differing: frozenset[object]
    incomparable: bool


def knowledge_difference(before: KnowledgeBase, after: KnowledgeBase) -> KnowledgeDifference:
    """What came and what went."""
    gone: set[ox.Quad] = set()
    for step in _steps(before.store):
        gone.update(step)
    changed: set[ox.Quad] = set()
    for step in _steps(after.store):
        changed |= step - gone
        gone -= step
    changed |= gone
    classes = {q.object.value for q in changed if q.predicate == RDF_TYPE and isinstance(q.object, ox.NamedNode)}
    return KnowledgeDifference(frozenset(q.predicate.value for q in changed), frozenset(classes))


def _steps(store: ox.Store) -> Iterator[set[ox.Quad]]:
    """All quads, in steps between which other threads may run."""
    waiting = iter(store)
    while step := set(islice(waiting, _STEP)):
        yield step


def refresh_filter(
    old: SemanticFilter, shape: EventShape, knowledge: KnowledgeBase, changed: KnowledgeDifference, relink: Relink
) -> RefreshedFilter:
    """The filter over another knowledge base, its cache filled with what the old one knew.

    Args:
        old: goes on unchanged.
        shape: of the stream's events, by the new knowledge.
        knowledge: the new knowledge base.
        changed: what it says differently.
        relink: which individual, if any, a value stands for now.

    Raises:
        QueryTypeError: a PATH that cannot be evaluated any more.
    """
    new = old.over(shape, knowledge)
    if new.subqueries:
        ScratchStore.of(knowledge)
    parts = [_carry(*pair, changed, relink) for pair in zip(old.subqueries, new.subqueries, strict=True)]
    return RefreshedFilter(new, frozenset(key for part in parts for key in part or ()), None in parts)


def _carry(
    before: SubqueryFilter, after: SubqueryFilter, changed: KnowledgeDifference, relink: Relink
) -> frozenset[object] | None:
    """Hand verdicts on, evaluated again where needed; the keys that differ, `None`: keys are others now."""
    if not _comparable(before, after):
        return None
    verdicts = before.verdicts()
    moved = {key: _moved(before.plan, key, relink) for key in verdicts}
    dependent = _depends(before, after, changed)
    asked_again = list(dict.fromkeys(new for key, new in moved.items() if dependent or new != key))
    solved = dict(zip(asked_again, after.solve(asked_again), strict=True))
    current = {key: solved.get(new, verdicts[key]) for key, new in moved.items()}
    after.carry_on({moved[key]: solutions for key, solutions in current.items()}, before.statistics)
    differing: set[object] = {key for key, solutions in current.items() if solutions != verdicts[key]}
    return frozenset(differing | (_differing_rows(before, after) if dependent else set()))


def _comparable(before: SubqueryFilter, after: SubqueryFilter) -> bool:
    if after.plan.never is not None:
        return True
    same = _layout(before.plan) == _layout(after.plan)
    return same and (before.table is None) == (after.table is None)


def _differing_rows(before: SubqueryFilter, after: SubqueryFilter) -> set[object]:
    """The individuals that the tables of all verdicts, before and after, judge differently."""
    old, new = before.table_of() or {}, after.table_of() or {}
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}


def _layout(plan: Plan) -> tuple[object, ...]:
    table = None if plan.table is None else tuple(column for _, column in plan.table.keys)
    return plan.never is None, plan.identified, tuple((part.column, part.individual) for part in plan.key), table


def _moved(plan: Plan, key: Key, relink: Relink) -> Key:
    skipped = 1 if plan.identified else 0
    values = zip(plan.key, key[skipped:], strict=True)
    return (*key[:skipped], *(v if c.individual is None else relink(c.individual, v) for c, v in values))


def _depends(before: SubqueryFilter, after: SubqueryFilter, changed: KnowledgeDifference) -> bool:
    if before.plan != after.plan or before.context.shape.types != after.context.shape.types:
        return True
    if before.plan.never is not None:
        return False
    seen = knowledge_dependencies(before.plan.body)
    if seen.properties is None or seen.properties & (changed.properties - {RDF_TYPE.value}):
        return True
    typed = RDF_TYPE.value in seen.properties & changed.properties
    return typed and (seen.classes is None or bool(seen.classes & changed.classes))
