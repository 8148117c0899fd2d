"""A pattern as an automaton: what may come next, and what then (docs/semantics.md 3.5, 3.7, 3.8).

A *state* is the set of *threads* that are enabled at once (`threads`). States are the partial derivatives of the
pattern (Antimirov 1996), with counters for repetitions, and are made only as far as events lead to them. A thread
without a variable is an end.

Where each length is a run of its own, a step leads to several states instead of one. Such a repetition is decided as
late as possible: when it could go on and could stop. Where a condition asks whether its run is complete it is decided
early, when the repetition begins that may be its last. Whether it comes at all is decided before anything that could be
repeated (`optional_expansions`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import cast

from ....errors import OperatorError
from ....language.nodes import (
    Alternative,
    Conjunction,
    Element,
    Group,
    Link,
    Negation,
    Pattern,
    Quantifier,
    Sequence,
    Timer,
    walk_pattern,
)
from .ignore_transitions import left_after_ignoring
from .interleaving import after_way, all_ended, behind_others, opening_anchors, settled
from .optional_expansion import optional_expansions
from .pattern_items import (
    BranchChoice,
    BranchEnd,
    Continuation,
    EpsilonPath,
    InterleavedRest,
    ItemSet,
    PassedNegation,
    PatternEnd,
    PatternItem,
    RepetitionRest,
    SequenceRest,
    anchor_of,
    item_at,
    parities,
)

__all__ = ["PatternDerivatives"]

_States = list[ItemSet]
_NOWHERE: _States = [()]


@dataclass(slots=True)
class PatternDerivatives:
    """The states of a pattern.

    Args:
        pattern: the pattern of SEQ.
        policy: the link before an AND or OR at the beginning.
        is_early: for each every-length repetition, whether its lengths have to be told apart early.
        decides: whether it has to be decided ahead whether it comes at all.
    """

    pattern: Pattern
    policy: Link
    is_early: Callable[[Element | Group], bool]
    decides: Callable[[Element | Group], bool]
    _repetitions: dict[int, Element | Group] = field(init=False)

    def __post_init__(self) -> None:
        parts = walk_pattern(self.pattern)
        self._repetitions = {p.span.start: p for p in parts if isinstance(p, Element | Group) and p.quantifier}

    def beginnings(self) -> _States:
        """The states in which nothing has come."""
        opened = optional_expansions(self.pattern, self.decides)
        return [state for pattern in opened for state in self._enter(pattern, EpsilonPath(), PatternEnd()) if state]

    def after(self, thread: PatternItem, *, gap: bool = False) -> _States:
        """The states to which an element leads that comes; several: each is a run of its own.

        Args:
            thread: the element's.
            gap: whether the run passed over events that nothing took since its last event.
        """
        rest = left_after_ignoring(thread.rest, Link.STRICT) if gap else thread.rest
        return [state for state in self._resume(rest, EpsilonPath(before=(cast("str", thread.variable),))) if state]

    # What follows enters parts of the pattern and goes on behind them.

    def _enter(self, part: Pattern, way: EpsilonPath, rest: Continuation) -> _States:
        match part:
            case Element(quantifier=None, variable=variable):
                return [(item_at(variable, way, rest),)]
            case Element() | Group():
                return self._begin(part, way, rest)
            case Timer():
                raise OperatorError("timers are answered as NOTs with intervals")
            case Negation():
                return self._pass(part, way, rest)
            case Sequence():
                return self._go_along(SequenceRest(part, 0, written=False, outer=way.link, rest=rest), way)
            case Alternative(branches=branches):
                link = way.link or self.policy
                key = (part.span.start, parities(rest))
                sided = (
                    replace(way, link=link, sides=(*way.sides, BranchChoice(key, i, link)))
                    for i in range(len(branches))
                )
                return _beside(self._enter(b, w, rest) for b, w in zip(branches, sided, strict=True))
            case Conjunction(parts=parts):
                inner = replace(way, link=way.link or self.policy, absences=(), sides=(), quits=frozenset(),
                                enters=frozenset(), leaves=frozenset(), empty=frozenset(), written=False)  # fmt: skip
                entered = [self._enter(p, inner, BranchEnd(rest)) for p in parts]
                begun = (False,) * len(parts)
                start = part.span.start
                sided_by_side = itertools.product(*entered)
                return [s for sides in sided_by_side for s in self._side_by_side(sides, begun, way, rest, start)]

    def _resume(self, frame: Continuation, way: EpsilonPath) -> _States:
        """Behind what has come."""
        match frame:
            case PatternEnd() | BranchEnd():
                return [(item_at(None, way, frame),)]
            case SequenceRest():
                return self._go_along(frame, way)
            case RepetitionRest():
                return self._repeat(frame, way)
            case InterleavedRest():
                begun = tuple(b or i == frame.own for i, b in enumerate(frame.begun))
                found: _States = []
                for own in self._resume(frame.inner, way):
                    sides = (*frame.sides[: frame.own], own, *frame.sides[frame.own + 1 :])
                    found += self._side_by_side(sides, begun, settled(frame.way), frame.rest, frame.start)
                return found

    def _pass(self, node: Negation, way: EpsilonPath, rest: Continuation) -> _States:
        strict = way.link is Link.STRICT and way.before is not None and node.duration is None
        absence = PassedNegation(node.variable, strict, way.before, way.enters)
        floors = way.floors
        if node.duration is not None and way.before is not None:
            floors = (*floors, absence)
        further = replace(way, link=None, floors=floors, absences=(*way.absences, absence), written=True)
        return self._resume(rest, further)

    def _go_along(self, frame: SequenceRest, way: EpsilonPath) -> _States:
        """What is repeated zero times is passed together with the link before it."""
        written = frame.position > 0 and (frame.written or way.written)
        if frame.position == len(frame.node.parts):
            return self._resume(frame.rest, replace(way, written=written))
        link = frame.node.links[frame.position - 1] if written else frame.outer
        behind = replace(frame, position=frame.position + 1, written=written)
        return self._enter(frame.node.parts[frame.position], replace(way, link=link, written=False), behind)

    def _begin(self, node: Element | Group, way: EpsilonPath, rest: Continuation) -> _States:
        return self._either(node, 0, way, rest, first=True)

    def _repeat(self, frame: RepetitionRest, way: EpsilonPath) -> _States:
        start = frame.node.span.start
        if start in way.empty:
            return _NOWHERE
        ended = replace(way, written=True, quits=way.quits | ({start} if isinstance(frame.node, Group) else set()))
        return self._either(frame.node, frame.count, ended, frame.rest, frame=frame)

    def _either(
        self,
        node: Element | Group,
        count: int,
        way: EpsilonPath,
        rest: Continuation,
        *,
        first: bool = False,
        frame: RepetitionRest | None = None,
    ) -> _States:
        """On to the next repetition, or out."""
        quantifier = cast("Quantifier", node.quantifier)
        key = (node.span.start, parities(rest))
        parity = 0 if frame is None or not _tells_repetitions_apart(node) else 1 - frame.parity
        stops = count >= quantifier.minimum
        goes = quantifier.maximum is None or count < quantifier.maximum
        if frame is not None and frame.final is not None:
            stops, goes = frame.final, not frame.final
        out: _States = []
        if stops:
            greedy = goes and not quantifier.every_length
            leaves = way.leaves | {key} if greedy else way.leaves
            left = replace(way, leaves=leaves, written=not first, empty=way.empty - {node.span.start})
            out = self._resume(rest, left)
        on = self._once_more(node, count + 1, parity, way, rest, begun=not first) if goes else []
        if not (on and out):
            return on or out or _NOWHERE
        return [*out, *on] if quantifier.every_length else _beside([on, out])

    def _once_more(
        self, node: Element | Group, count: int, parity: int, way: EpsilonPath, rest: Continuation, *, begun: bool
    ) -> _States:
        """One repetition more; where lengths are told apart early, once as the last and once as another."""
        start = node.span.start
        bodies = self._bodies(node, count)
        node = self._repetitions[start]
        quantifier = cast("Quantifier", node.quantifier)
        known = count if quantifier.maximum is not None else min(count, max(quantifier.minimum, 1))
        finals: list[bool | None] = [None]
        if quantifier.every_length and self.is_early(node):
            may_stop, may_go = count >= quantifier.minimum, quantifier.maximum is None or count < quantifier.maximum
            finals = [final for final, possible in ((True, may_stop), (False, may_go)) if possible]
        link = quantifier.link if begun else way.link
        enters = way.enters | {start} if isinstance(node, Group) else way.enters
        entered = replace(way, link=link, enters=enters, empty=way.empty | {start}, written=False)
        found: _States = []
        for final, body in itertools.product(finals, bodies):
            for state in self._enter(body, entered, RepetitionRest(node, known, parity, final, rest)):
                found.append(tuple(_with_until(t, node, begun=begun, link=way.link) for t in state))
        return found

    def _bodies(self, node: Element | Group, count: int) -> list[Pattern]:
        """What comes as the `count`th repetition; of the first one it was decided what it holds."""
        if isinstance(node, Element):
            return [replace(node, quantifier=None)]
        if count == 1:
            return [node.pattern]
        return optional_expansions(cast("Group", self._repetitions[node.span.start]).pattern, self.decides)

    def _side_by_side(
        self, sides: tuple[ItemSet, ...], begun: tuple[bool, ...], way: EpsilonPath, rest: Continuation, start: int
    ) -> _States:
        """The threads of all sides of an AND, and of what follows once each has come to its end."""
        if any(begun):
            both = zip(sides, begun, strict=True)
            sides = tuple(side if has else behind_others(side, way.before, anchor_of(start)) for side, has in both)
        own: list[PatternItem] = []
        for i, side in enumerate(sides):
            for thread in side:
                if thread.variable is not None:
                    others = (*sides[:i], (), *sides[i + 1 :])
                    beside = InterleavedRest(thread.rest, i, others, begun, way, rest, start)
                    anchors = thread.anchors if any(begun) else (*thread.anchors, *opening_anchors(sides, way, start))
                    own.append(after_way(way, replace(thread, rest=beside, anchors=anchors)))
        states: _States = [tuple(own)]
        ends = [[t for t in side if t.variable is None] for side in sides]
        for end in itertools.product(*ends):
            further = self._resume(rest, all_ended(end, way))
            states = [(*state, *more) for state in states for more in further]
        return states


def _tells_repetitions_apart(node: Element | Group) -> bool:
    """Whether a repetition holds repetitions or ORs, those of the next one being others."""
    inner = walk_pattern(node.pattern) if isinstance(node, Group) else ()
    return any(
        isinstance(part, Alternative) or (isinstance(part, Element | Group) and part.quantifier is not None)
        for part in inner
    )


def _with_until(thread: PatternItem, node: Element | Group, *, begun: bool, link: Link | None) -> PatternItem:
    """Before its first event a repetition is ended by what came since the event before, unless its link is `->>`."""
    if begun or thread.variable is None:
        return thread
    counts = link not in (None, Link.ANY)
    untils = tuple(replace(u, begun=False, counts=counts) if u.start == node.span.start else u for u in thread.untils)
    return replace(thread, untils=untils)


def _beside(several: Iterator[_States] | list[_States]) -> _States:
    """Threads that are enabled at once."""
    return [tuple(itertools.chain.from_iterable(chosen)) for chosen in itertools.product(*several)]
