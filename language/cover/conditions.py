"""What follows from conditions that are true: bounds of numbers and moments, sets of values, equality.

Sound, and not complete: what does not follow by these rules may be true all the same. A condition that is true has no
unbound operand and no NaN among what it compares, so that bounds may be compared as they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from ..nodes import Binary, Call, Constant, Expression, Membership, Unary, ValueType, conjuncts, structural_key

__all__ = ["Facts"]

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_WEAKER = {"<": ("<=", "!="), ">": (">=", "!="), "=": ("<=", ">=")}
_ARITHMETIC = ("+", "-", "*")
_EXACT = 2**53

Key: TypeAlias = tuple[object, ...]
Value: TypeAlias = bool | int | float | str | datetime | timedelta


class _Term(str):
    """An IRI, or a text with its language: no plain text equals it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A term compared with a constant."""

    term: Key
    operator: str
    value: Value


class Facts:
    """Conditions that are all true.

    Args:
        conditions: them.
    """

    def __init__(self, conditions: Iterable[Expression]) -> None:
        self._known = tuple(part for condition in conditions for part in conjuncts(condition))
        self._keys = {structural_key(flipped) for part in self._known for flipped in _both_ways(part)}
        self._compared = [c for part in self._known if (c := _comparison(part)) is not None]
        self._same = _classes(self._known)

    def imply(self, goal: Expression) -> bool:
        """Whether a condition is true whenever they are."""
        return all(self._implies(part) for part in conjuncts(goal))

    def _implies(self, goal: Expression) -> bool:
        if structural_key(goal) in self._keys or self._holds(goal):
            return True
        match goal:
            case Binary(operator="OR", left=left, right=right) if self.imply(left) or self.imply(right):
                return True
        return any(
            Facts((*rest, case.left)).imply(goal) and Facts((*rest, case.right)).imply(goal)
            for case, rest in self._cases()
        )

    def _cases(self) -> Iterator[tuple[Binary, Sequence[Expression]]]:
        """What is known to be one or the other, beside the rest."""
        for place, part in enumerate(self._known):
            if isinstance(part, Binary) and part.operator == "OR":
                yield part, (*self._known[:place], *self._known[place + 1 :])

    def _holds(self, goal: Expression) -> bool:
        """Whether a condition that is neither AND nor OR is true."""
        match goal:
            case Membership(operand=operand, options=options):
                return self._is_one_of(structural_key(operand), options)
            case Unary(operator="NOT", operand=Membership(operand=operand, options=options)):
                term = structural_key(operand)
                return all(self._lies(_Comparison(term, "!=", _value_of(option))) for option in options)
            case Call(function="BOUND", arguments=(operand,)):
                return any(structural_key(operand) in _needed(part) for part in self._known)
            case Binary():
                compared = _comparison(goal)
                return self._are_so(goal) if compared is None else self._lies(compared)
            case _:
                return False

    def _are_so(self, goal: Binary) -> bool:
        """Whether two terms compare as they should: since a stronger comparison says so, or they are equal."""
        left, right = structural_key(goal.left), structural_key(goal.right)
        if goal.operator in ("=", "<=", ">=") and self._same.get(left, left) == self._same.get(right, right):
            return left in self._same  # which is known of what is bound only
        return any(
            isinstance(known, Binary)
            and (structural_key(known.left), structural_key(known.right)) == (left, right)
            and goal.operator in _WEAKER.get(known.operator, ())
            for part in self._known
            for known in _both_ways(part)
        )

    def _is_one_of(self, term: Key, options: Sequence[Constant]) -> bool:
        possible = self._possible(term)
        return possible is not None and all(any(_equal(v, _value_of(o)) for o in options) for v in possible)

    def _possible(self, term: Key) -> Sequence[Value] | None:
        """The values that a term may have; `None`: they are not listed."""
        listed = [[c.value] for c in self._compared if c.term in self._names(term) and c.operator == "="]
        listed += [
            [_value_of(option) for option in part.options]
            for part in self._known
            if isinstance(part, Membership) and structural_key(part.operand) in self._names(term)
        ]
        return min(listed, key=len) if listed else None

    def _lies(self, goal: _Comparison) -> bool:
        """Whether a term compares with a constant as it should."""
        possible = self._possible(goal.term)
        if possible is not None:
            return all(_compares(value, goal.operator, goal.value) for value in possible)
        names = self._names(goal.term)
        return any(_follows(c, goal) for c in self._compared if c.term in names)

    def _names(self, term: Key) -> set[Key]:
        """A term, and those that are equal to it."""
        own = self._same.get(term)
        return {term} | ({other for other, of in self._same.items() if of == own} if own is not None else set())


def _both_ways(part: Expression) -> Iterator[Expression]:
    """A condition, and a comparison the other way round."""
    yield part
    if isinstance(part, Binary) and part.operator in _FLIPPED:
        yield Binary(_FLIPPED[part.operator], part.right, part.left, part.type, part.span)  # type: ignore[arg-type]


def _comparison(part: Expression) -> _Comparison | None:
    for known in _both_ways(part):
        if not isinstance(known, Binary) or known.operator not in _FLIPPED or isinstance(known.left, Constant):
            continue
        if isinstance(known.right, Constant):
            return _Comparison(structural_key(known.left), known.operator, _value_of(known.right))
    return None


def _classes(known: Iterable[Expression]) -> dict[Key, int]:
    """Terms that are known to be equal have the same number."""
    number: dict[Key, int] = {}
    for place, part in enumerate(known):
        if isinstance(part, Binary) and part.operator == "=" and _comparison(part) is None:
            left, right = structural_key(part.left), structural_key(part.right)
            merged = {number.get(left, -place - 1), number.get(right, -place - 1)}
            number |= {term: place for term, of in number.items() if of in merged} | {left: place, right: place}
    return number


def _needed(part: Expression) -> set[Key]:
    """The terms that are bound if a condition is true."""
    match part:
        case Binary(operator=operator, left=left, right=right) if operator in _FLIPPED:
            return _operands(left) | _operands(right)
        case Membership(operand=operand):
            return _operands(operand)
        case _:
            return set()


def _operands(term: Expression) -> set[Key]:
    below: set[Key] = set()
    if isinstance(term, Binary) and term.operator in _ARITHMETIC:
        below = _operands(term.left) | _operands(term.right)
    return {structural_key(term)} | below


def _value_of(constant: Constant) -> Value:
    value = constant.value
    return _Term(value) if isinstance(value, str) and constant.type is not ValueType.STRING else value


def _kind(value: Value) -> str:
    """Values of one kind compare as they do when they are asked; of a large integer no double may be exactly that."""
    if isinstance(value, int) and not isinstance(value, bool):
        return "number" if abs(value) <= _EXACT else "integer"
    return "number" if isinstance(value, float) else type(value).__name__


def _equal(one: Value, other: Value) -> bool:
    return _kind(one) == _kind(other) and one == other


def _compares(value: Value, operator: str, bound: Value) -> bool:
    """Whether a comparison of two constants is true; of different kinds it is not known."""
    if _kind(value) != _kind(bound):
        return False
    if operator in ("=", "!="):
        return (value == bound) is (operator == "=")
    below, same = value < bound, value == bound  # type: ignore[operator]  # of one kind
    return {"<": below, "<=": below or same, ">": not (below or same), ">=": not below}[operator]


def _follows(known: _Comparison, goal: _Comparison) -> bool:
    """Whether one comparison of a term with a constant follows from another; NaN compares with nothing but by `!=`."""
    if known.operator == "!=":
        return goal.operator == "!=" and _equal(known.value, goal.value)
    if known.operator not in ("<", "<=", ">", ">=") or _kind(known.value) != _kind(goal.value):
        return False
    upward = known.operator in (">", ">=")
    if goal.operator == "!=":
        return _compares(goal.value, "<" if upward else ">", known.value) or (
            known.operator in ("<", ">") and _equal(goal.value, known.value)
        )
    if goal.operator[0] != known.operator[0]:
        return False
    if known.operator == goal.operator or goal.operator in ("<=", ">="):
        return _compares(known.value, ">=" if upward else "<=", goal.value)
    return _compares(known.value, ">" if upward else "<", goal.value)
