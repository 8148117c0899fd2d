"""Why a FILTER is true of an event, or by how much it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import get_close_matches
from math import inf

import polars as pl
import pyarrow as pa

from ...expressions import column_expression, companion, frame_of, plain_name
from ...language import Span
from ...language.nodes import (
    Binary,
    Call,
    Column,
    Constant,
    Expression,
    Intrinsic,
    Membership,
    ValueType,
    columns_of,
    is_wide,
)
from .reason import Reason, ReasonKind

__all__ = ["FilterWording", "explain_condition", "explain_filter"]

_SHOWN = 5
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class FilterWording:
    """How a FILTER's parts are written.

    Attributes:
        quote: the characters of a place in the query.
        iri: an IRI as a prefixed name.
    """

    quote: Callable[[Span], str]
    iri: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Found:
    reason: Reason
    distance: float


def explain_filter(condition: Expression, rows: pa.Table, wording: FilterWording) -> Reason:
    """Why a condition is true of a row, or false of all.

    Args:
        condition: a FILTER of one event variable.
        rows: the event, once per solution of its PATHs.
        wording: how its parts are written.

    Returns:
        The reason for the first row of which it is true, else for the row that is nearest to that.
    """
    names = sorted({plain_name(node) for node in columns_of(condition)})
    frame = frame_of(rows, names or rows.column_names[:1])
    found = [_explain(condition, frame[i], wording) for i in range(len(frame))]
    best = next((f for f in found if f.reason.holds), None) or min(found, key=lambda f: f.distance)
    note = best.reason.note
    if len(found) > 1 and best.distance == inf:
        note = " or ".join(list(dict.fromkeys(f.reason.note for f in found))[:_SHOWN])
    elif len(found) > 1 and best.distance:
        note += f" (the nearest of {len(found)} solutions)"
    text = f"FILTER ({wording.quote(condition.span)})"
    return Reason(ReasonKind.CLAUSE, text, best.reason.holds, best.reason.parts, note=note)


def explain_condition(e: Expression, row: pl.DataFrame, wording: FilterWording) -> Reason:
    """Why a condition is true of a row, or not; a junction has its parts."""
    return _explain(e, row, wording).reason


def _explain(e: Expression, row: pl.DataFrame, wording: FilterWording) -> _Found:
    holds = _value(e, row) is True
    if isinstance(e, Binary) and e.operator in ("AND", "OR"):
        return _junction(e, row, wording, holds=holds)
    if isinstance(e, Binary) and e.operator in _COMPARISONS:
        note, distance = _comparison(e, row, wording)
    elif isinstance(e, Membership):
        note, distance = _membership(e, row, wording)
    else:
        note, distance = _values(e, row, wording), 0.0
    return _Found(
        Reason(ReasonKind.CONDITION, wording.quote(e.span), holds, note=note), 0.0 if holds else distance or 1.0
    )


def _junction(e: Binary, row: pl.DataFrame, wording: FilterWording, *, holds: bool) -> _Found:
    parts = [_explain(side, row, wording) for side in _operands(e, e.operator)]
    distances = [part.distance for part in parts]
    distance = sum(distances) if e.operator == "AND" else min(distances)
    text = "all of" if e.operator == "AND" else "any of"
    return _Found(
        Reason(ReasonKind.JUNCTION, text, holds, tuple(part.reason for part in parts)), 0.0 if holds else distance
    )


def _operands(e: Expression, operator: str) -> list[Expression]:
    """What an operator joins, however many: `a AND b AND c`."""
    if isinstance(e, Binary) and e.operator == operator:
        return [*_operands(e.left, operator), *_operands(e.right, operator)]
    return [e]


def _comparison(e: Binary, row: pl.DataFrame, wording: FilterWording) -> tuple[str, float]:
    left, right = _value(e.left, row), _value(e.right, row)
    sides = ((e.left, left), (e.right, right))
    words = [said for side, value in sides if (said := _said(side, value, row, wording)) is not None]
    match left, right:
        case (bool(), _) | (_, bool()):
            distance = inf
        case int() | float(), int() | float():
            distance = abs(left - right)
            words.append(f"{distance:g} {'below' if left < right else 'above'}" if distance else "equal")
        case datetime(), datetime():
            distance = abs(left - right).total_seconds()
            words.append(f"{abs(left - right)} {'before' if left < right else 'after'}" if distance else "equal")
        case _:
            distance = inf
    return ", ".join(words), distance


def _said(side: Expression, value: object, row: pl.DataFrame, wording: FilterWording) -> str | None:
    """What a side of a comparison is, in its unit, and converted; `None`: what its text says."""
    written = wording.quote(side.span)
    match side:
        case Constant(unit=str(unit)):
            said = f"{_shown(value, side, wording)} {wording.iri(unit)}"
            return None if _is_written(value, written) else f"{written} is {said}"
        case Constant():
            return None
        case Column(unit=str(unit)) if value is not None:
            return f"{written} is {_shown(value, side, wording)} {wording.iri(unit)}"
        case Call(function=Intrinsic.CONVERT, arguments=(operand, Constant(unit=str(unit)), *_)) if value is not None:
            given = _said(operand, _value(operand, row), row, wording)
            return f"{given}, that is {_shown(value, side, wording)} {wording.iri(unit)}"
    return f"{written} is {_shown(value, side, wording)}"


def _is_written(value: object, written: str) -> bool:
    """Whether a quantity's text begins with its value: if not, it was converted."""
    try:
        return float(written.split(maxsplit=1)[0]) == value
    except ValueError:
        return False


def _membership(e: Membership, row: pl.DataFrame, wording: FilterWording) -> tuple[str, float]:
    value = _value(e.operand, row)
    said = f"{wording.quote(e.operand.span)} is {_shown(value, e.operand, wording)}"
    options = [option.value for option in e.options]
    if isinstance(value, int | float) and not isinstance(value, bool):
        numbers = [o for o in options if isinstance(o, int | float)]
        near = min(numbers, key=lambda o: abs(o - value), default=None)
        return (
            (said, inf)
            if near is None
            else (f"{said}; nearest: {_shown(near, e.operand, wording)}", float(abs(near - value)))
        )
    close = get_close_matches(str(value), [str(o) for o in options], n=1)
    return (f"{said}; nearest: {_shown(close[0], e.operand, wording)}" if close else said), inf


def _values(e: Expression, row: pl.DataFrame, wording: FilterWording) -> str:
    named = {wording.quote(node.span): _shown(_value(node, row), node, wording) for node in columns_of(e)}
    return ", ".join(f"{name} is {value}" for name, value in named.items())


def _value(e: Expression, row: pl.DataFrame) -> object:
    value: object = row.select(column_expression(e)).item()
    if value is None and is_wide(e):
        value = row.select(column_expression(companion(e))).item()
    return value


def _shown(value: object, e: Expression, wording: FilterWording) -> str:
    if isinstance(value, str) and e.type is ValueType.IRI:
        return wording.iri(value)
    match value:
        case None:
            return "unbound"
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:g}"
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case timedelta() | int():
            return str(value)
        case _:
            return str(value) if e.type is ValueType.TERM else f'"{value}"'
