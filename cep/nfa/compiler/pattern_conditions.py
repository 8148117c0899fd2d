"""What a pattern's conditions are, and the registers that partial matches need for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import cast

from ....expressions import micros
from ....language import duration_text
from ....language.nodes import (
    Alternative,
    Conjunction,
    CorrelationWindow,
    Element,
    Group,
    Link,
    Pattern,
    Policy,
    Query,
    walk_pattern,
)
from ....language.nodes import Sequence as Links
from ...order import UNBOUNDED, sees_all_events
from ...partitions import is_windowed
from ..automaton import PatternScopes, anchor_of, scopes_of
from ..event_layout import EventLayout
from .join_conditions import JoinCondition, JoinLevels, free_joins_of, joins_of, own_joins_of
from .registers import SEEN, Register, RegisterLayout
from .stop_conditions import StopCondition, stop_conditions_of

__all__ = ["PatternConditions", "windows_of"]


class PatternConditions:
    """The conditions of a query with SEQ.

    Args:
        query: with SEQ.
        watched: whether its state is asked for: partial matches are told, and a JOIN is decided when all that it
            mentions is bound, not conjunct by conjunct.

    Attributes:
        scopes: where its variables stand.
        layout: the columns of events that conditions look at.
        interleaved: an AND is in the pattern, so that time stamps are compared.
        strict: a `=>` is in it, so that every event counts.
        windowed: partitions are context windows, in which all that a match looks at lies.
        relaxed: everything may be passed over, so that the constraints alone say what matches.
        free: the variables that SEQ does not name.
        required: those that FOR names.
        watched: see above.
        conditions: the JOINs over variables of SEQ.
        own: the JOINs, or parts of them, that are conditions on the candidates of one variable.
        free_joins: the JOINs with variables that SEQ does not name.
        doubtful: the variables under NOT that such JOINs mention.
        stops: of each repetition with UNTIL, by where it begins in the text.
        windows: variables whose events lie within so many microseconds.
        registers: what partial matches remember.
        longest: how long after the first event of a match, in microseconds, a timer holds at the most.
        seen: the place of the register of the last event's number; -1: there is none.
    """

    def __init__(self, query: Query, *, watched: bool = False) -> None:
        parts = list(walk_pattern(cast("Pattern", query.pattern)))
        self.query = query
        self.scopes: PatternScopes = scopes_of(cast("Pattern", query.pattern))
        self.layout = EventLayout()
        self._anchors = [anchor_of(part.span.start) for part in parts if isinstance(part, Conjunction)]
        self.interleaved = bool(self._anchors)
        self.strict = sees_all_events(query)
        self.windowed = is_windowed(query)
        self.relaxed = _is_relaxed(query)
        self.free = _free(query, self.scopes)
        self.required = frozenset[str]() if query.in_context is None else frozenset(query.in_context.required)
        may_cut = self.relaxed and not watched and not _may_lack(parts)
        self.watched = watched
        self.conditions = joins_of(query, self.scopes, self.layout, may_cut=may_cut)
        self.own = own_joins_of(query, self.scopes, may_cut=may_cut)
        self.free_joins = free_joins_of(query, self.scopes, self.layout, may_cut=may_cut)
        self.doubtful = tuple(n for n in self.scopes.negations if any(n in c.variables for c in self.free_joins))
        self.stops: dict[int, tuple[StopCondition, ...]] = stop_conditions_of(query, self.scopes, self.layout)
        self.registers = RegisterLayout(self.scopes)
        inside = frozenset(self.scopes.positive)
        self.windows = [(of & inside, width) for of, width in windows_of(query) if of & inside]
        self.longest = min((width for _, width in windows_of(query)), default=UNBOUNDED)
        self._declare()
        self.seen = self.registers.place(SEEN) if SEEN in self.registers else -1

    @property
    def joins(self) -> list[JoinCondition]:
        """The JOINs that mention no variable of a NOT."""
        return [c for c in self.conditions if self.scopes.negations.keys().isdisjoint(c.variables)]

    def negation_joins(self, variable: str) -> JoinLevels:
        """The JOINs that mention the variable of a NOT, by the group each repetition of which they are asked of.

        The innermost group comes first, the whole pattern last.
        """
        joins = [c for c in self.conditions if variable in c.variables]
        scopes = (*reversed(self.scopes.groups[variable]), None)
        levels = (tuple(c for c in joins if c.scope == scope) for scope in scopes)
        return tuple(level for level in levels if level)

    def window_text(self, variables: frozenset[str], width: int) -> str:
        """A window in χ-CEP."""
        named = ", ".join(f"?{v}" for v in self.scopes.positive if v in variables)
        return f"WINDOW ({named}, {duration_text(timedelta(microseconds=width))})"

    def negation_text(self, variable: str) -> str:
        """A NOT in χ-CEP, with its JOINs."""
        negation = self.scopes.negations[variable]
        duration = negation.duration
        joins = [c.text for c in self.conditions if variable in c.variables]
        head = f"NOT ?{variable}" + ("" if duration is None else f" FOR {duration_text(duration)}")
        if negation.timer and duration is not None:
            every = negation.every
            head = (
                f"AFTER {duration_text(duration)}"
                if every is None
                else f"EVERY {duration_text(every)} UNTIL ?{variable}"
            )
        return f"{head} with {' and '.join(joins)}" if joins else head

    def _declare(self) -> None:
        """Declare every register that a partial match may need."""
        registers, scopes = self.registers, self.scopes
        if self.strict:
            registers.use(SEEN, lambda ahead: ahead.strict or self.interleaved)
        for i, (variables, _) in enumerate(self.windows):
            if not variables >= set(scopes.positive):
                registers.use(Register("window", i), lambda ahead, of=variables: ahead.may(of, None))  # type: ignore[misc]
        if self.interleaved or scopes.negations:
            for name in (*scopes.positive, *(self._anchors if scopes.negations else ())):
                registers.use(Register("last", name), lambda ahead, of=name: of in ahead.before)  # type: ignore[misc]
        for c in self.joins:
            registers.use_condition(c)
        for variable in scopes.negations:
            opens = variable in scopes.opening
            if opens:
                registers.use(Register("opening", variable), lambda _: True)
            opening = opens and scopes.negations[variable].duration is None
            registers.use_negation(variable, self.negation_joins(variable), opening=opening)
        for c in self.free_joins:
            registers.use_free_join(c)
        for start, stops in self.stops.items():
            registers.use(Register("until", start), lambda ahead, of=start: of in ahead.untils)  # type: ignore[misc]
            for stop in stops:
                registers.use_stop(stop.condition, stop.name, stop.inside)


def windows_of(query: Query) -> list[tuple[frozenset[str], int]]:
    """Variables whose events lie within so many microseconds."""
    found = [(frozenset(w.variables), micros(w.width)) for w in query.windows if isinstance(w, CorrelationWindow)]
    if query.retention is not None:
        found.append((frozenset(source.variable for source in query.sources), micros(query.retention)))
    return found


def _free(query: Query, scopes: PatternScopes) -> tuple[str, ...]:
    """The variables of FROM that SEQ does not name."""
    return tuple(s.variable for s in query.sources if s.variable not in {*scopes.positive, *scopes.negations})


def _is_relaxed(query: Query) -> bool:
    """Whether everything may be passed over, so that the constraints alone say what matches."""
    if query.policy is not Policy.ANY or query.pattern is None:
        return False
    for part in walk_pattern(query.pattern):
        if isinstance(part, Links) and set(part.links) - {Link.ANY}:
            return False
        if isinstance(part, Element | Group) and part.quantifier is not None:
            q = part.quantifier
            if q.until is not None or (q.link is not Link.ANY and q.maximum != 1) or not q.every_length:
                return False
    return True


def _may_lack(parts: Sequence[Pattern]) -> bool:
    """Whether a variable may stay unbound."""
    return any(
        isinstance(part, Alternative)
        or (isinstance(part, Element | Group) and part.quantifier is not None and part.quantifier.minimum == 0)
        for part in parts
    )
