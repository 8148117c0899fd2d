"""SEQ: from the syntax tree to a checked pattern."""

from __future__ import annotations

from typing import assert_never

from .. import syntax_tree as syntax
from ..nodes import (
    Alternative,
    Conjunction,
    CorrelationWindow,
    Element,
    Group,
    Link,
    Negation,
    Pattern,
    Policy,
    Quantifier,
    Sequence,
    Timer,
    event_variables,
    walk_pattern,
)
from ..source_text import Span
from .query_draft import Draft
from .resolution import Scope, check_length, condition
from .timer_checks import check_timers_written

_LINKS = {Policy.ANY: Link.ANY, Policy.NEXT: Link.NEXT, Policy.STRICT: Link.STRICT}


def resolve_pattern(scope: Scope, clause: syntax.SequenceClause, policy: Policy) -> Pattern:
    """The checked pattern of SEQ, its `,` resolved by POLICY.

    Raises:
        QueryTypeError: an unknown variable or one named twice, a quantifier without meaning, a NOT in AND or OR
            without FOR, or nothing but NOT.
    """
    check_timers_written(scope, clause.pattern)
    pattern = _pattern(scope, clause.pattern, policy)
    _check_named_once(scope, pattern)
    if not any(isinstance(part, Element) for part in walk_pattern(pattern)):
        raise scope.error(clause.span, "SEQ names no event that must happen", "name one without NOT")
    return pattern


def _pattern(scope: Scope, node: syntax.Pattern, policy: Policy) -> Pattern:
    match node:
        case syntax.PatternVariable(variable=variable, quantifier=quantifier):
            scope.stream(variable)
            checked = None if quantifier is None else _quantifier(scope, quantifier, policy)
            if (
                checked is not None
                and checked.until is not None
                and variable.name not in event_variables(checked.until)
            ):
                hint = f"compare one of its attributes: UNTIL (?{variable.name}.attribute …)"
                raise scope.error(checked.until.span, f"this UNTIL says nothing of ?{variable.name}", hint)
            return Element(variable.name, checked, node.span)
        case syntax.NegatedVariable(variable=variable, duration=duration):
            scope.stream(variable)
            if duration is not None and not duration.value:
                raise scope.error(duration.span, "FOR of no length", "FOR takes a duration above 0")
            if duration is not None:
                check_length(scope, duration.value, duration.span, "FOR is")
            return Negation(variable.name, None if duration is None else duration.value, node.span)
        case syntax.PatternTimer(duration=duration, until=until):
            if until is not None:
                scope.stream(until)
            return Timer(duration.value, None if until is None else until.name, node.span)
        case syntax.QuantifiedPattern(pattern=inner, quantifier=quantifier):
            return Group(_pattern(scope, inner, policy), _quantifier(scope, quantifier, policy), node.span)
        case syntax.PatternConjunction(parts=parts):
            return Conjunction(_side_by_side(scope, parts, policy, "AND"), node.span)
        case syntax.PatternAlternation(branches=branches):
            return Alternative(_side_by_side(scope, branches, policy, "OR"), node.span)
        case syntax.PatternConcatenation(parts=parts, links=links):
            checked_parts = tuple(_pattern(scope, part, policy) for part in parts)
            return _flat(checked_parts, tuple(_link(link, policy) for link in links), node.span)
        case _:
            assert_never(node)


def _flat(parts: tuple[Pattern, ...], links: tuple[Link, ...], span: Span) -> Sequence:
    """A sequence whose parenthesised parts are sequences themselves is one sequence."""
    flat_parts: list[Pattern] = []
    flat_links: list[Link] = []
    for part, link in zip(parts, (None, *links), strict=True):
        if link is not None:
            flat_links.append(link)
        if isinstance(part, Sequence):
            flat_parts.extend(part.parts)
            flat_links.extend(part.links)
        else:
            flat_parts.append(part)
    return Sequence(tuple(flat_parts), tuple(flat_links), span)


def _link(text: syntax.LinkText, policy: Policy) -> Link:
    return _LINKS[policy] if text == "," else Link(text)


def _side_by_side(scope: Scope, parts: tuple[syntax.Pattern, ...], policy: Policy, word: str) -> tuple[Pattern, ...]:
    for part in parts:
        if isinstance(part, syntax.NegatedVariable) and part.duration is None:
            name = f"NOT ?{part.variable.name}"
            hint = f"say for how long: {name} FOR 5min, or take it out of the {word}"
            raise scope.error(part.span, f"{name} in {word} has no interval of its own", hint)
    return tuple(_pattern(scope, part, policy) for part in parts)


def _quantifier(scope: Scope, node: syntax.PatternQuantifier, policy: Policy) -> Quantifier:
    if node.maximum == 0:
        raise scope.error(node.span, "this repeats nothing", "the maximum is 1 or more; to exclude events write NOT")
    if node.maximum is not None and node.minimum > node.maximum:
        hint = f"write {{{node.maximum},{node.minimum}}}"
        raise scope.error(node.span, f"at least {node.minimum} and at most {node.maximum} is never", hint)
    link = _link(node.link, policy)
    for part in () if node.until is None else syntax.walk(node.until):
        if isinstance(part, syntax.AttributeReference) and part.variable.name in scope.windows:
            hint = "SELECT, JOIN and FILTER do; for what ends with the window it is enough to write IN CONTEXT"
            raise scope.error(part.span, "UNTIL does not ask for attributes of windows", hint)
    until = None if node.until is None else condition(scope, node.until)
    every_length = node.every_length or link is Link.ANY
    return Quantifier(node.minimum, node.maximum, link, every_length, until, node.span)


def _check_named_once(scope: Scope, pattern: Pattern) -> None:
    seen: dict[str, Span] = {}
    for part in walk_pattern(pattern):
        variable = part.variable if isinstance(part, Element | Negation) else None
        variable = part.until if isinstance(part, Timer) else variable
        if variable in seen:
            name = f"?{variable}"
            hint = f"give the second one a variable of its own in FROM, say {name}2, or repeat with {name}{{2}}"
            raise scope.error(part.span, f"SEQ names {name} twice", hint)
        if variable is not None:
            seen[variable] = part.span


def check_negations(scope: Scope, draft: Draft) -> None:
    """A NOT at an end of the pattern has an interval: by FOR, by WINDOW, or by `=>` before it.

    Raises:
        QueryTypeError: it has none.
    """
    if draft.pattern is None or any(isinstance(w, CorrelationWindow) for w in draft.windows):
        return
    for node in (*_at_end(draft.pattern, -1), *_at_end(draft.pattern, 0)):
        name = f"NOT ?{node.variable}"
        message = f"{name} at an end of the pattern has no interval"
        raise scope.error(node.span, message, f"add a WINDOW, or say for how long: {name} FOR 5min")


def _at_end(pattern: Pattern, position: int) -> tuple[Negation, ...]:
    """The NOTs without FOR that have nothing before (0) or behind (-1) them, and no `=>` before them."""
    match pattern:
        case Negation(duration=duration):
            return (pattern,) if duration is None else ()
        case Element() | Timer():
            return ()
        case Group(pattern=inner):
            return _at_end(inner, position)
        case Conjunction(parts=parts) | Alternative(branches=parts):
            return tuple(found for part in parts for found in _at_end(part, position))
        case Sequence(parts=parts, links=links):
            end = parts[position]
            if position and isinstance(end, Negation) and links[-1] is Link.STRICT:
                return ()
            return _at_end(end, position)
        case _:
            assert_never(pattern)
