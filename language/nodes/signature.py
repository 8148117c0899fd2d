"""What functions and aggregates take and give: the checker is told with the vocabulary, and knows no names itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from .expression import Expression
from .types import ValueType

__all__ = [
    "AggregateSignature",
    "ChangeSignature",
    "ConstantParameter",
    "Fault",
    "Signature",
    "UnitRule",
    "Wanted",
    "wanted_by",
]

Wanted = Literal[
    "a number",
    "a string",
    "a boolean",
    "a dateTime",
    "a value",
    "an ordered value",
    "an attribute",
    "one type",
    "a unit",
]
"""What may stand as an argument; arguments of `one type` are brought to one type and one unit."""


class UnitRule(Enum):
    """Which unit a result has, and how many points of that unit's scale are added up in it."""

    NONE = "none"
    KEPT = "that of the first argument"
    AGREED = "that of the arguments of one type"
    DIFFERENCE = "that of the argument, without the zero of its scale"
    NAMED = "that which the second argument names; the checker writes the conversion"
    TOTAL = "that of the argument, of nobody knows how many points"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with the arguments of a call.

    Attributes:
        argument: which one it is; `None`: the whole call.
        message: what is wrong.
        hint: the way out.
    """

    argument: int | None
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Signature:
    """A scalar function, as the checker sees it.

    Attributes:
        parameters: what it takes; the last `optional` ones may be left out.
        optional: how many parameters may be left out.
        repeated: whether the last parameter may be given any number of times.
        result: its type; `None`: that of its arguments of one type, or else of its first argument.
        unit: of its result.
        check: what is wrong with its arguments beyond their types; `None`: nothing ever.
    """

    parameters: tuple[Wanted, ...]
    optional: int
    repeated: bool
    result: ValueType | None
    unit: UnitRule
    check: Callable[[Sequence[Expression]], Fault | None] | None


@dataclass(frozen=True, slots=True)
class ConstantParameter:
    """A number that an aggregate takes behind its argument, written as such.

    Attributes:
        default: what it is where it is left out; `None`: it has to be written.
        accepts: whether a number may stand there.
        message: what is wrong with another one.
        hint: the way out.
        counts_events: whether it counts events of a run, and so means nothing of a single one.
    """

    default: int | float | None
    accepts: Callable[[int | float], bool]
    message: str
    hint: str
    counts_events: bool


@dataclass(frozen=True, slots=True)
class AggregateSignature:
    """An aggregate, as the checker sees it.

    Attributes:
        argument: what it is taken of.
        parameters: the numbers behind that.
        result: its type; `None`: that of its argument.
        unit: of its result.
        distinct: whether DISTINCT may stand before its argument.
        of_events: whether `?e` alone means the events themselves.
        several: whether it gives several values, so that it may only be reported.
    """

    argument: Wanted
    parameters: tuple[ConstantParameter, ...]
    result: ValueType | None
    unit: UnitRule
    distinct: bool
    of_events: bool
    several: bool


class ChangeMeasure(Enum):
    """How a value has changed from the older to the newer of two events, or reports (EStreams §5.1.3)."""

    DIFFERENCE = "new - old"
    RATIO = "(new - old) / (old + p)"
    SLOPE = "(new - old) / (new y - old y + p)"


@dataclass(frozen=True, slots=True)
class ChangeSignature:
    """A measure of change, which the checker writes with OLD and NEW.

    Attributes:
        measure: which one.
        values: how many values it is of; a number may follow but for the difference.
    """

    measure: ChangeMeasure
    values: int


def wanted_by(signature: Signature, count: int) -> tuple[Wanted, ...]:
    """What each of so many arguments has to be."""
    return tuple(signature.parameters[min(place, len(signature.parameters) - 1)] for place in range(count))
