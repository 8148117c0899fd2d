"""The automaton of a query as tables of states and transitions (Flink's `NFACompiler`).

States are made as events lead to them, for a pattern may have very many; their functions are generated once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ....language.nodes import (
    Alternative,
    Conjunction,
    Element,
    Group,
    Link,
    Negation,
    Pattern,
    Policy,
    Query,
    may_be_empty,
    walk_pattern,
)
from ..automaton import (
    Completions,
    ItemSet,
    PatternDerivatives,
    PatternItem,
    after_ignoring,
    completions_in,
    items_of,
    minimal_completions,
)
from .acceptance import final_state
from .code_generator import CodeGenerator
from .pattern_conditions import PatternConditions
from .prospect import Lead, Prospect, lead_of, prospect_of
from .registers import lookahead_of
from .states import Advance, Moves, State, Target, Transition
from .transition import advance_function, target_of

__all__ = ["CompiledPattern"]

_LINKS = {Policy.ANY: Link.ANY, Policy.NEXT: Link.NEXT, Policy.STRICT: Link.STRICT}


class CompiledPattern:
    """The states of a query's automaton, with the functions of their transitions.

    Args:
        query: with SEQ.
        within: the bounds of WITHIN in microseconds, both included.
        watched: whether its state is asked for.

    Attributes:
        conditions: the query's.
        code: writes and compiles functions.
        states: those that were made so far, by number.
        initial: the states in which nothing has come.
        may_hold: whether a match may have to wait until it can be prolonged no more.
    """

    def __init__(self, query: Query, within: tuple[int, int], *, watched: bool = False) -> None:
        self.conditions = PatternConditions(query, watched=watched)
        self.code = CodeGenerator(self.conditions, within)
        self.derivatives = _derivatives(self.conditions)
        self.may_hold = False
        self.states: list[State] = []
        self._by_items: dict[ItemSet, State] = {}
        self._prospects: dict[int, tuple[Prospect, ...]] = {}
        self._leads: dict[int, tuple[Lead, ...]] = {}
        self.initial = tuple(self._state(items, (-1, i)) for i, items in enumerate(self.derivatives.beginnings()))

    def moves(self, state: State, place: int, variable: str) -> Moves:
        """The ways on from a state with an event of a variable, kept by the variable's place."""
        found = state.moves.get(place)
        if found is None:
            own = [(number, item) for number, item in enumerate(state.items) if item.variable == variable]
            transitions = tuple(self._transition(state, number, item) for number, item in own)
            found = state.moves[place] = Moves(transitions, self._advance(state, own, transitions))
        return found

    def prospects(self, state: State, variables: Sequence[str]) -> tuple[Prospect, ...]:
        """What may become of the partial matches of a state, by each way on.

        Args:
            state: the state.
            variables: those that are matched; ways on are kept by their places.
        """
        found = self._prospects.get(state.number)
        if found is None:
            ways = self._ways(state, variables)
            found = tuple(prospect_of(self.code, state, item, target) for item, target in ways)
            self._prospects[state.number] = found
        return found

    def leads(self, state: State, variables: Sequence[str]) -> tuple[Lead, ...]:
        """The same where variables are beside that SEQ does not name."""
        found = self._leads.get(state.number)
        if found is None:
            ways = self._ways(state, variables)
            found = self._leads[state.number] = tuple(lead_of(self.code, state, *way) for way in ways)
        return found

    def beginnings(self) -> Completions:
        """What completes a match of which nothing has come: an event at least, however much may be left out."""
        every = frozenset[frozenset[str]]().union(*(completions_in(state.items) for state in self.initial))
        return minimal_completions(every - {frozenset()}, self.conditions.required)

    def _ways(self, state: State, variables: Sequence[str]) -> list[tuple[PatternItem, State]]:
        """The elements that may come next, each with a state that it leads to."""
        return [
            (state.items[number], target.state)
            for place, variable in enumerate(variables)
            for number, transition in self._own_transitions(state, place, variable)
            for target in dict.fromkeys((*transition.targets, *transition.after_gap))
        ]

    def _own_transitions(self, state: State, place: int, variable: str) -> list[tuple[int, Transition]]:
        own = [number for number, item in enumerate(state.items) if item.variable == variable]
        return list(zip(own, self.moves(state, place, variable).transitions, strict=True))

    def ignored(self, state: State, link: Link) -> State | None:
        """The state of a partial match that ignored an event; `None`: it ends.

        Args:
            state: its state.
            link: STRICT: nothing took the event; else another branch of the match took it.
        """
        left = after_ignoring(state.items, link)
        return self._state(left, (state.number, -1, 0 if link is Link.STRICT else 1)) if left else None

    def state_of(self, origin: Sequence[int]) -> State:
        """The state that was made in a way that `State.origin` describes."""
        if origin[0] < 0:
            return self.initial[origin[1]]
        before = self.states[origin[0]]
        if origin[1] < 0:
            return cast("State", self.ignored(before, Link.STRICT if origin[2] == 0 else Link.NEXT))
        item = before.items[origin[1]]
        return self._state(self.derivatives.after(item, gap=bool(origin[2]))[origin[3]], tuple(origin))

    def _transition(self, state: State, place: int, item: PatternItem) -> Transition:
        begins = state in self.initial
        targets = self._targets(state, place, item, begins=begins, gap=False)
        gaps = self.conditions.interleaved and self.conditions.strict and not begins
        after_gap = self._targets(state, place, item, begins=begins, gap=True) if gaps else targets
        return Transition(
            cast("str", item.variable), item.link, item.leaves, item.inside, item.sides, targets, after_gap
        )

    def _advance(
        self, state: State, own: Sequence[tuple[int, PatternItem]], transitions: Sequence[Transition]
    ) -> Advance | None:
        """The function that takes all partial matches of a state on, if there is nothing to choose."""
        if state in self.initial or any(t.after_gap is not t.targets for t in transitions):
            return None
        ways = [(item, target) for (_, item), t in zip(own, transitions, strict=True) for target in t.targets]
        if state.merges:
            return advance_function(self.code, state, ways, leave=False) if state.relaxed and ways else None
        if state.held or len(ways) != 1 or ways[0][0].link is Link.ANY:
            return None
        return advance_function(self.code, state, ways, leave=True)

    def _targets(self, state: State, place: int, item: PatternItem, *, begins: bool, gap: bool) -> tuple[Target, ...]:
        found = []
        for i, items in enumerate(self.derivatives.after(item, gap=gap)):
            target = self._state(items, (state.number, place, int(gap), i))
            found.append(target_of(self.code, state, item, target, begins=begins))
        return tuple(found)

    def _state(self, items: ItemSet, origin: tuple[int, ...]) -> State:
        known = self._by_items.get(items)
        if known is not None:
            return known
        ahead = lookahead_of(items, interleaved=self.conditions.interleaved)
        state = State(len(self.states), origin, items, ahead, self.conditions.registers.live(ahead))
        self._by_items[items] = state
        self.states.append(state)
        ends = [item for item in items if item.variable is None]
        state.finals = tuple(final_state(self.code, state, item, i) for i, item in enumerate(ends))
        state.held = any(item.leaves for item in ends)
        self.may_hold = self.may_hold or state.held
        state.open = len(ends) < len(items)
        state.relaxed = all(i.link is Link.ANY and not i.leaves and not i.sides for i in items)
        state.merges = not state.held and any(i.link is Link.ANY for i in items_of(items))
        state.deadline = self.code.deadline(state)
        return state


def _derivatives(conditions: PatternConditions) -> PatternDerivatives:
    """The pattern's derivatives, with what has to be decided early about repetitions whose every length counts."""
    query, negations = conditions.query, conditions.scopes.negations
    pattern = cast("Pattern", query.pattern)
    parts = list(walk_pattern(pattern))
    asked = {v for c in conditions.conditions if c.aggregates for v in c.variables}
    asked |= {v for c in conditions.conditions if set(c.variables) & set(negations) for v in c.variables}
    greedy = any(isinstance(p, Element | Group) and p.quantifier and not p.quantifier.every_length for p in parts)

    # What follows an OR is enabled beside its sides where one takes no event: all have to be of one pattern.
    skipped = any(isinstance(p, Alternative) and any(map(may_be_empty, p.branches)) for p in parts)

    def is_early(node: Element | Group) -> bool:
        apart = skipped or _may_go_on_at_its_end(node)
        return bool(_in(node) & asked) or (apart and not conditions.relaxed)

    def decides(node: Element | Group) -> bool:
        return not conditions.relaxed and (greedy or is_early(node))

    return PatternDerivatives(pattern, _LINKS[query.policy], is_early, decides)


def _in(node: Element | Group) -> set[str]:
    return {part.variable for part in walk_pattern(node) if isinstance(part, Element | Negation)}


def _may_go_on_at_its_end(node: Element | Group) -> bool:
    """Whether a repetition may be over and still go on: all that it then waits for has to be of one length."""
    inner = walk_pattern(node.pattern) if isinstance(node, Group) else ()
    return any(
        isinstance(part, Alternative | Conjunction)
        or (isinstance(part, Element | Group) and part.quantifier is not None)
        for part in inner
    )
