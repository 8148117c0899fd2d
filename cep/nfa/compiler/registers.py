"""What a run remembers beside its events: the registers of its tuple, and in which states each is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from ....expressions import accumulator_of
from ....language.nodes import Aggregate, Link, structural_key
from ..automaton import ItemSet, PatternScopes, items_of, open_groups, reachable_variables
from .join_conditions import JoinCondition, JoinLevels, LookBack, variable_of

__all__ = ["Lookahead", "Register", "RegisterLayout", "lookahead_of", "undecided"]

RegisterKind = Literal[
    "first",
    "number",
    "seen",
    "window",
    "last",
    "one",
    "many",
    "looked",
    "aggregate",
    "absent",
    "suspects",
    "doubtful",
    "opening",
    "until",
    "sides",
]


@dataclass(frozen=True, slots=True)
class Register:
    """One thing that a run remembers.

    Attributes:
        kind: `first` T of the first event, `number` of the first event; `seen` number of the last event; `window` T of
            its first event in a window; `last` event of a variable; `one` and `many` events of a variable in the
            repetition under way; `looked` the same, each with what a condition looks back at; `aggregate`;
            `absent` intervals of a NOT that are not decided; `suspects` its candidates in repetitions that are over,
            which the JOINs around these may still allow; `doubtful` those that only JOINs with what SEQ does not name
            may; `opening` whether a NOT stands first; `until`; `sides`.
        of: variable, number of window or condition, start of a repetition, mark of an aggregate; of `suspects` the
            variable, how many levels of its JOINs have been asked, and whether the NOT stands first.
        scope: the group under way that it is about.
    """

    kind: RegisterKind
    of: object = None
    scope: int | None = None


FIRST, FIRST_NUMBER, SEEN = Register("first"), Register("number"), Register("seen")


def undecided(variable: str, asked: int, *, opening: bool) -> Register:
    """What is not decided of a NOT of whose JOINs so many levels have been asked; `opening`: where it stands first."""
    if asked:
        return Register("suspects", (variable, asked, opening))
    return Register("opening" if opening else "absent", variable)


@dataclass(frozen=True, slots=True)
class Lookahead:
    """What may still happen in a state.

    Attributes:
        variables: that may come.
        within: the same, with the repetitions under way that they are part of.
        groups: under way.
        absent: the NOTs on the way to what may come next.
        before: the variables whose last events are looked at.
        untils: repetitions with UNTIL under way.
        strict: whether `=>` stands before something that may come next.
    """

    variables: frozenset[str]
    within: frozenset[tuple[str, int]]
    groups: frozenset[int]
    absent: frozenset[str]
    before: frozenset[str]
    untils: frozenset[int]
    strict: bool

    def may(self, variables: Iterable[str], scope: int | None) -> bool:
        """Whether any of the variables may come in the repetition of `scope` that is under way."""
        if scope is None:
            return not self.variables.isdisjoint(variables)
        return any((variable, scope) in self.within for variable in variables)


def lookahead_of(state: ItemSet, *, interleaved: bool) -> Lookahead:
    """The lookahead of a state; `interleaved`: an AND is in the pattern, so that time stamps are compared."""
    com = reachable_variables(state)
    threads = list(items_of(state))
    absences = [a for t in threads for a in (*t.absences, *t.floors)]
    before = [a.before for a in absences] + ([t.before for t in threads] if interleaved else [])
    before += [of for t in threads for _, of in t.anchors]
    return Lookahead(
        frozenset(v for v, _ in com),
        frozenset((v, group) for v, groups in com for group in groups),
        open_groups(state),
        frozenset(a.variable for t in threads for a in t.absences),
        frozenset(v for variables in before if variables is not None for v in variables),
        frozenset(u.start for t in threads for u in t.untils if u.counts),
        any(t.link is Link.STRICT for t in threads),
    )


@dataclass(slots=True)
class RegisterLayout:
    """The registers of a query's runs, and in which states they are live."""

    scopes: PatternScopes
    _uses: dict[Register, list[Callable[[Lookahead], bool]]] = field(default_factory=dict)
    _index: dict[Register, int] = field(default_factory=dict)
    aggregates: dict[Register, Aggregate] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.use(FIRST, lambda _: True)
        self.use(FIRST_NUMBER, lambda _: True)

    def __contains__(self, register: Register) -> bool:
        return register in self._index

    def __iter__(self) -> Iterator[Register]:
        """In order of place."""
        return iter(self._index)

    def place(self, register: Register) -> int:
        """Where a register is."""
        return self._index[register]

    def use(self, register: Register, live: Callable[[Lookahead], bool]) -> Register:
        """Have a register that is looked at in states of such a lookahead."""
        self._index.setdefault(register, len(self._index))
        self._uses.setdefault(register, []).append(live)
        return register

    def live(self, ahead: Lookahead) -> frozenset[Register]:
        """The registers that are looked at in a state or later."""
        return frozenset(register for register, uses in self._uses.items() if any(use(ahead) for use in uses))

    def events(self, condition: JoinCondition, variable: str) -> Register:
        """The register of a variable's events that a condition speaks of one by one."""
        if variable in condition.looked:
            return Register("looked", (condition.number, variable), condition.scope)
        if self.scopes.repeats(variable, condition.scope):
            return Register("many", variable, condition.scope)
        return Register("last", variable) if condition.scope is None else Register("one", variable, condition.scope)

    def aggregate(self, e: Aggregate, scope: int | None) -> Register:
        """The register of an aggregate's state; that of RUNNING goes on over all repetitions."""
        mark = (accumulator_of(e).add, e.variable, None if e.argument is None else structural_key(e.argument))
        register = Register("aggregate", mark, None if e.running else scope)
        self.aggregates.setdefault(register, e)
        return register

    def use_condition(self, condition: JoinCondition) -> None:
        """The registers that a JOIN over positive variables needs."""
        every, scope = condition.variables, condition.scope
        for variable in {*condition.plain, *(condition.looked if condition.aggregates else ())}:
            others = every if condition.aggregates else tuple(v for v in every if v != variable)
            self.use(self.events(condition, variable), _comes(others, scope))
        self._use_looks(condition)
        for e in condition.aggregates:
            self.use(self.aggregate(e, scope), _comes(every, scope))
        if self._may_be_left_out(condition):
            self.use(Register("sides", None, scope), _comes(every, scope))
            for variable in condition.looked:
                self.use(Register("last", variable), _comes(every, None))

    def use_free_join(self, condition: JoinCondition) -> None:
        """What a JOIN with a variable that SEQ does not name needs beside the events."""
        for variable in self.scopes.negations.keys() & set(condition.variables):
            self.use(Register("doubtful", variable), lambda _: True)
        if any(not others.isdisjoint(condition.variables) for others in self.scopes.others.values()):
            self.use(Register("sides"), lambda _: True)

    def _may_be_left_out(self, condition: JoinCondition) -> bool:
        whole = {e.variable for e in condition.aggregates} | condition.looked
        return any(not whole.isdisjoint(others) for others in self.scopes.others.values())

    def _use_looks(self, condition: JoinCondition) -> None:
        for look in condition.looks:
            register = (
                self.aggregate(look, None) if isinstance(look, Aggregate) else Register("last", variable_of(look))
            )
            self.use(register, _comes(condition.variables, None))

    def _looked_at(self, look: LookBack) -> Register:
        return self.aggregate(look, None) if isinstance(look, Aggregate) else Register("last", variable_of(look))

    def use_negation(self, variable: str, levels: JoinLevels, *, opening: bool) -> None:
        """The registers that the JOINs with a NOT's variable need; `opening`: they may be asked at the end alone."""
        joins = [c for level in levels for c in level]
        others = {v for c in joins for v in c.variables} - {variable}

        def live(ahead: Lookahead) -> bool:
            known = variable in ahead.absent or variable in ahead.variables or ahead.may(others, None)
            return opening or known

        for condition in joins:
            for other in condition.plain:
                if other != variable:
                    self.use(self.events(condition, other), live)
            for e in condition.aggregates:
                self.use(self.aggregate(e, condition.scope), live)
            if self._may_be_left_out(condition):
                self.use(Register("sides", None, condition.scope), live)
        for asked, level in enumerate(levels):
            self.use(undecided(variable, asked, opening=False), live)
            if opening and level[0].scope is not None:
                self.use(undecided(variable, asked + 1, opening=True), live)

    def use_stop(self, condition: JoinCondition, tested: str, inside: frozenset[str]) -> None:
        """The registers that an UNTIL needs.

        Args:
            condition: its condition.
            tested: what that calls the event that it is asked of.
            inside: the variables of the repetition, with each of which it may be asked.
        """

        def live(ahead: Lookahead) -> bool:
            return not ahead.variables.isdisjoint(inside)

        for other in condition.plain:
            if other != tested:
                self.use(self.events(condition, other), live)
        for look in condition.looks:
            register = (
                self.aggregate(look, None) if isinstance(look, Aggregate) else Register("last", variable_of(look))
            )
            self.use(register, live)
        for e in condition.aggregates:
            self.use(self.aggregate(e, condition.scope), live)


def _comes(variables: tuple[str, ...], scope: int | None) -> Callable[[Lookahead], bool]:
    return lambda ahead: ahead.may(variables, scope)
