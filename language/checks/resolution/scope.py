"""What expressions of one query may speak of, and what is demanded of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from ....errors import QueryTypeError, did_you_mean
from ... import syntax_tree as syntax
from ...literals import CALENDAR
from ...name_lookup import Names
from ...nodes import (
    AttributeType,
    Binding,
    Column,
    ContextReference,
    Expression,
    StreamType,
    ValueType,
    Wanted,
)
from ...source_text import Span
from .type_rules import accepts, spoken


@dataclass(frozen=True, slots=True)
class WindowVariable:
    """What IN CONTEXT … AS calls the windows of a context.

    Attributes:
        context: of which context, and how it is called.
        attributes: those of its windows by name, `_since` among them, and the doubles beside integers that may leave
            64 bits.
    """

    context: ContextReference
    attributes: Mapping[str, AttributeType]


@dataclass(frozen=True, slots=True)
class Beside:
    """An event variable whose events lie in the query's context window, and so have its attributes."""

    variable: str
    several: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """What expressions of one query may speak of.

    Attributes:
        names: prefixes, vocabulary and text.
        streams: the event variables, in order of FROM.
        bindings: the semantic variables; a name that several PATHs bind has several.
        used: the semantic variables that were looked up, in order of first use; grows as expressions are resolved.
        windows: the variables of IN CONTEXT … AS.
        placed: the event variables whose events lie in a context window.
        beside: where attributes of the window are taken from: the one variable that a match surely binds, else the
            first of several that it does bind.
        used_windows: the attributes of windows that were looked up, by event variable and name; grows likewise.
        consecutive: whether nothing but one event variable is there, so that PREV is of the candidate before.
    """

    names: Names
    streams: Mapping[str, StreamType]
    bindings: Mapping[str, Sequence[Binding]]
    used: dict[str, Binding] = field(default_factory=dict)
    windows: Mapping[str, WindowVariable] = field(default_factory=dict)
    placed: Sequence[str] = ()
    beside: tuple[Beside, ...] = ()
    used_windows: dict[tuple[str, str], ValueType] = field(default_factory=dict)
    consecutive: bool = False

    def error(self, span: Span, message: str, hint: str) -> QueryTypeError:
        """An error at `span`."""
        return self.names.source.type_error(span, message, hint)

    def quote(self, span: Span) -> str:
        """What stands at `span`."""
        return self.names.source.quote(span)

    def stream(self, variable: syntax.Variable) -> StreamType:
        """The stream of an event variable.

        Raises:
            QueryTypeError: it is none.
        """
        if variable.name in self.streams:
            return self.streams[variable.name]
        name = f"?{variable.name}"
        if variable.name in self.bindings:
            raise self.error(variable.span, f"{name} is no event", "a PATH binds it; events come from FROM")
        if variable.name in self.windows:
            message = f"{name} is a window of a context, not an event"
            raise self.error(variable.span, message, f"name one of its attributes: {name}._since")
        hint = did_you_mean(name, [f"?{v}" for v in (*self.streams, *self.bindings, *self.windows)])
        raise self.error(variable.span, f"unknown variable {name}", hint or f"name its stream: FROM ({name}, …)")

    def variable(self, variable: syntax.Variable) -> Column | Binding:
        """A bare variable: an event's id, or a semantic variable.

        Raises:
            QueryTypeError: nothing binds it, or two PATHs do.
        """
        bound = self.bindings.get(variable.name, ())
        if variable.name in self.streams or not bound:
            self.stream(variable)
            return Column(variable.name, "_id", ValueType.IRI, variable.span)
        if len(bound) > 1:
            name = f"?{variable.name}"
            hint = f"rename one of them, say {name}2, and relate them: JOIN ({name} = {name}2)"
            raise self.error(variable.span, f"two PATHs bind {name}", hint)
        self.used.setdefault(bound[0].name, bound[0])
        return Binding(bound[0].variable, bound[0].name, bound[0].type, variable.span)


def check_length(scope: Scope, duration: timedelta, span: Span, what: str) -> None:
    """A stretch of time fits into the calendar.

    Raises:
        QueryTypeError: it does not; `what` it is.
    """
    if duration > CALENDAR:
        hint = f"{CALENDAR.days}d reach over all of its years, 1 to 9999"
        raise scope.error(span, f"{what} longer than the calendar", hint)


def demand(scope: Scope, value: Expression, wanted: Wanted, whose: str, hint: str) -> None:
    """Refuse a value of a type that is not wanted.

    Args:
        scope: of the query.
        value: what has a type.
        wanted: what its type has to be.
        whose: begins the message: `AVG takes`.
        hint: the way out.

    Raises:
        QueryTypeError: it is of another type.
    """
    if not accepts(wanted, value.type):
        raise scope.error(value.span, f"{whose} {wanted}, and this is {spoken(value.type)}", hint)
