"""When rows are decided: contexts at a time depend on events up to it, and act on events after it.

So deriving queries are refused over what may be decided after its `_time`, and over changes that they bring about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from ...nodes import (
    ActionKind,
    Alternative,
    Conjunction,
    ContextChange,
    ContextWindow,
    CorrelationWindow,
    Element,
    Group,
    Link,
    Negation,
    Pattern,
    Quantifier,
    RuleAction,
    Sequence,
    StreamType,
    Timer,
    Window,
    ends_of,
    events_of,
    may_be_empty,
)
from ...source_text import Span, listed
from ..query_draft import Draft
from ..resolution import Scope
from .row_causes import row_causes, way_back

_GO_ON = "let time go on in between: SEQ (…, AFTER 1s), NOT … FOR 1s, or a batch window in the query that is read"


@dataclass(frozen=True, slots=True)
class LateDecision:
    """Why rows may be decided after their `_time`: where, what, and the way out."""

    span: Span
    message: str
    hint: str


def late_decision(draft: Draft, streams: Mapping[str, StreamType]) -> LateDecision | None:
    """Why a query's rows may be decided after their `_time`; `None`: they never are.

    Source: LANGUAGE-2 §6.
    """
    return next((found for found in (_by_pattern(draft), _by_output(draft), _by_source(draft, streams)) if found), None)


def _by_pattern(draft: Draft) -> LateDecision | None:
    if draft.pattern is None:
        return None
    for part in _last(draft.pattern):
        if isinstance(part, Negation):
            what = f"whether the next event is a ?{part.variable}"
            return LateDecision(part.span, f"only a later event says {what}", "write NOT with FOR, or with a WINDOW")
    greedy = next((q for q in _last(draft.pattern) if isinstance(q, Quantifier)), None)
    if greedy is None or _is_closed(draft.pattern, draft.windows, draft.matched):
        return None
    hint = "write ~ behind it, or end with a NOT whose WINDOW names all variables"
    return LateDecision(greedy.span, "only later events say whether this is repeated once more", hint)


def _last(pattern: Pattern) -> Iterator[Quantifier | Negation]:
    """Greedy quantifiers and `=> NOT` behind which nothing has to happen."""
    match pattern:
        case Negation() | Timer():
            return
        case Element(quantifier=quantifier):
            if quantifier is not None and _is_greedy(quantifier):
                yield quantifier
        case Group(pattern=inner, quantifier=quantifier):
            if _is_greedy(quantifier):
                yield quantifier
            yield from _last(inner)
        case Conjunction(parts=parts) | Alternative(branches=parts):
            for part in parts:
                yield from _last(part)
        case Sequence(parts=parts, links=links):
            if isinstance(parts[-1], Negation) and parts[-1].duration is None and links[-1] is Link.STRICT:
                yield parts[-1]
            for part in reversed(parts):
                yield from _last(part)
                if not may_be_empty(part):
                    return
        case _:
            assert_never(pattern)


def _is_greedy(quantifier: Quantifier) -> bool:
    return not quantifier.every_length and quantifier.minimum != quantifier.maximum


def _is_closed(pattern: Pattern, windows: Iterable[Window], matched: Iterable[str]) -> bool:
    """Whether a last NOT waits until its WINDOW, which names all variables, lets nothing be repeated any more."""
    if not isinstance(pattern, Sequence) or not isinstance(pattern.parts[-1], Negation):
        return False
    correlations = [window for window in windows if isinstance(window, CorrelationWindow)]
    shortest = min((window.width for window in correlations), default=None)
    whole = any(window.width == shortest and set(matched) <= set(window.variables) for window in correlations)
    return pattern.parts[-1].duration is None and pattern.links[-1] is not Link.STRICT and whole


def _by_output(draft: Draft) -> LateDecision | None:
    output = draft.tree.output
    if output is None or output.which == "FIRST":
        return None
    message = f"OUTPUT {output.which} hands rows over after their time"
    return LateDecision(output.span, message, "write OUTPUT FIRST, or leave it out")


def _by_source(draft: Draft, streams: Mapping[str, StreamType]) -> LateDecision | None:
    for variable, stream in streams.items():
        if stream.decided_late:
            message = f"rows of '{stream.name}' may be decided after their time"
            hint = "read what it reads, without OUTPUT LAST or ALL, a last `=> NOT` or a greedy quantifier at its end"
            return LateDecision(_place(draft, variable), message, hint)
    return None


def _place(draft: Draft, variable: str) -> Span:
    return next((s.stream.span for s in draft.tree.sources if s.variable.name == variable), draft.tree.span)


def check_decided(scope: Scope, draft: Draft) -> None:
    """Whoever changes contexts or emits events knows at the `_time` of a row what it says, and brings about no cause.

    Raises:
        QueryTypeError: it does not, or does.
    """
    if draft.change is not None:
        _check_windows(scope, draft)
    actions = [] if draft.rule is None else [a for a in draft.rule.actions if a.kind is not ActionKind.CALL]
    if draft.change is None and not actions:
        return
    late = late_decision(draft, scope.streams)
    if late is not None:
        emits = any(action.kind is ActionKind.EMIT for action in actions)
        what = "an event would be emitted" if emits else "a context would begin or end"
        raise scope.error(late.span, f"{what} in the past: {late.message}", late.hint)
    if draft.change is not None:
        _check_change(scope, draft, draft.change)
    for action in actions:
        _check_circle(scope, draft, action)


def _check_windows(scope: Scope, draft: Draft) -> None:
    for window in draft.windows:
        if isinstance(window, ContextWindow):
            hint = "take another window, such as batch"
            raise scope.error(window.span, "a deriving query reports no whole contexts", hint)


def _check_change(scope: Scope, draft: Draft, change: ContextChange) -> None:
    """A deriving query goes by no change of the set that it changes."""
    changed = change.context.set
    for variable, stream in scope.streams.items():
        causes = row_causes(draft, {variable: stream})
        way = way_back(scope.names.vocabulary, causes, changed)
        if way is not None:
            message = f"changes of '{changed}' would change '{changed}'{_by_way_of(way)}"
            hint = "a deriving query does not read CONTEXTS of what it changes; ask IN CONTEXT instead"
            raise scope.error(
                _place(draft, variable), message, _GO_ON if ends_of(changed) in causes.depends_on else hint
            )


def _check_circle(scope: Scope, draft: Draft, action: RuleAction) -> None:
    """A rule brings about no event or change at the time of its row that the row goes by."""
    target = action.target
    goal = events_of(target) if action.kind is ActionKind.EMIT else target
    causes = row_causes(draft, scope.streams)
    way = way_back(scope.names.vocabulary, causes, goal)
    if way is None:
        return
    if action.kind is ActionKind.CHANGE:
        message = f"changes of '{target}' would change '{target}'{_by_way_of(way)}"
        hint = "the rows of a rule do not come from CONTEXTS of what it changes; ask IN CONTEXT instead"
        hint = _GO_ON if ends_of(target) in causes.depends_on else hint
    else:
        message = f"events of '{target}' would bring about events of '{target}' at the same time{_by_way_of(way)}"
        hint = _GO_ON
    raise scope.error(action.span, message, hint)


def _by_way_of(way: Iterable[str]) -> str:
    names = [repr(name.removeprefix("EVENTS(").removesuffix(")")) for name in way]
    return f", by way of {listed(names, 'and')}" if names else ""
