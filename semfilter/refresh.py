"""A semantic filter over changed knowledge: what does not depend on the change stays, and who is judged otherwise.

A subquery depends on a change if its plan is another one, or if it can look at a triple that came or went. Only then
are the keys that have a verdict evaluated again, before the first batch, which finds a warm cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import pyoxigraph as ox

from ..annotator import EventShape
from ..ontology import KnowledgeBase
from .plan import ResidualQuery
from .rules import knowledge_dependencies
from .runtime import RDF_TYPE, Key, KeyValue, ScratchStore, SubqueryFilter
from .semantic_filter import SemanticFilter

_STEP = 5_000

__all__ = ["KnowledgeDifference", "RefreshedFilter", "Relink", "knowledge_difference", "refresh_filter"]

Relink = Callable[[str, KeyValue], KeyValue]
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
    old, new = before.plan.residual, after.plan.residual
    if new is not None and (old is None or not _comparable(before, after)):
        return None
    known = before.known()
    moved = {key: key if old is None else _moved(old, key, relink) for key in known}
    dependent = _depends(old, new, changed)
    outdated = list(dict.fromkeys(key for was, key in moved.items() if dependent or key != was))
    evaluated = dict(zip(outdated, after.evaluate(outdated), strict=True))
    current = {was: evaluated.get(key, known[was]) for was, key in moved.items()}
    after.carry_on({moved[was]: solutions for was, solutions in current.items()}, before.statistics)
    differing: set[object] = {was for was, solutions in current.items() if solutions != known[was]}
    return frozenset(differing | (_differing_individuals(before, after) if dependent else set()))


def _comparable(before: SubqueryFilter, after: SubqueryFilter) -> bool:
    """Whether the verdicts of both depend on the same columns, and are found in the same way."""
    return _layout(before) == _layout(after)


def _layout(subquery: SubqueryFilter) -> tuple[object, ...]:
    residual, compiled = subquery.plan.residual, subquery.compiled
    if residual is None or compiled is None:
        return ()
    query = residual.materialisation
    key = tuple((part.column, part.individual) for part in residual.key)
    columns = None if query is None else tuple(column for _, column in query.keys)
    return residual.identified, key, columns, compiled.materialised is None


def _differing_individuals(before: SubqueryFilter, after: SubqueryFilter) -> set[object]:
    """The individuals whose materialised verdicts, before and after, differ."""
    old, new = (
        {} if f.compiled is None or f.compiled.materialised is None else f.compiled.all_solutions() or {}
        for f in (before, after)
    )
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}


def _moved(residual: ResidualQuery, key: Key, relink: Relink) -> Key:
    skipped = 1 if residual.identified else 0
    values = zip(residual.key, key[skipped:], strict=True)
    return (*key[:skipped], *(v if c.individual is None else relink(c.individual, v) for c, v in values))


def _depends(before: ResidualQuery | None, after: ResidualQuery | None, changed: KnowledgeDifference) -> bool:
    if before is None or before != after:
        return before != after
    seen = knowledge_dependencies(before.body)
    if seen.properties is None or seen.properties & (changed.properties - {RDF_TYPE.value}):
        return True
    typed = RDF_TYPE.value in seen.properties & changed.properties
    return typed and (seen.classes is None or bool(seen.classes & changed.classes))
