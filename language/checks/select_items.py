"""SELECT: items, their names, and the stream that they form for later queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from .. import syntax_tree as syntax
from ..name_lookup import Names, attribute_column, local_name
from ..nodes import (
    COMPANION,
    Aggregate,
    AggregateSignature,
    AttributeType,
    Binary,
    Binding,
    Call,
    Column,
    Constant,
    Expression,
    Item,
    Membership,
    StreamType,
    Unary,
    ValueType,
    aggregates_of,
    is_wide,
)
from .resolution import Scope, condition, resolve, unit_of

_COMPARISONS = frozenset({"=", "!=", "<", "<=", ">", ">="})


def resolve_items(scope: Scope, nodes: Sequence[syntax.SelectItem | syntax.AllAttributes]) -> tuple[Item, ...]:
    """The output columns in order, `?e.*` written out.

    Raises:
        QueryTypeError: an item without a name, or two of one name, or what `resolve` raises.
    """
    items: list[Item] = []
    for node in nodes:
        new = list(_star(scope, node)) if isinstance(node, syntax.AllAttributes) else [_item(scope, node)]
        for item in new:
            _check_name(scope, node, item, items)
            items.append(item)
    return tuple(items)


def _star(scope: Scope, node: syntax.AllAttributes) -> Iterator[Item]:
    stream = scope.stream(node.variable)
    for attribute in stream.attributes:
        if attribute.name != "_time" and not attribute.name.endswith(COMPANION):
            column = attribute_column(node.variable.name, stream, attribute, node.span)
            yield Item(attribute.name, column, None, attribute.type, node.span)


def _item(scope: Scope, node: syntax.SelectItem) -> Item:
    value = resolve(scope, node.value)
    test: Expression | None = None
    if isinstance(value, Binary) and value.operator in _COMPARISONS and aggregates_of(value):
        test = condition(scope, node.value)
        value = value.left if aggregates_of(value.left) else value.right
    name = node.name.text if node.name is not None else _default_name(scope, node.value, value)
    if name is None:
        written = scope.quote(node.span)
        raise scope.error(node.span, "this item has no name", f"name it: {written} AS value")
    return Item(name, value, test, value.type, node.span)


def _default_name(scope: Scope, written: syntax.Expression, value: Expression) -> str | None:
    if isinstance(written, syntax.AttributeReference) and written.variable.name in scope.windows:
        return scope.quote(written.name.span)
    match value:
        case Column(variable=variable, name="_id") if isinstance(written, syntax.Variable):
            return variable
        case Column() | Binding():
            return _short(value)
        case Aggregate(function=function, argument=argument, variable=variable):
            inner = variable if argument is None else _short(argument)
        case Call(function=function, arguments=(first, *_)):
            inner = _short(first)
        case Call() | Constant() | Unary() | Binary() | Membership():
            return None
        case _:
            assert_never(value)
    return f"{function}_{inner}".lower() if inner is None else f"{function.lower()}_{inner}"


def _short(value: Expression) -> str | None:
    match value:
        case Column(name=name):
            return local_name(name)
        case Binding(name=name):
            return name.rpartition(".")[2]
        case Constant() | Unary() | Binary() | Membership() | Call() | Aggregate():
            return None
        case _:
            assert_never(value)


def _check_name(
    scope: Scope, node: syntax.SelectItem | syntax.AllAttributes, item: Item, before: Sequence[Item]
) -> None:
    span = node.name.span if isinstance(node, syntax.SelectItem) and node.name is not None else node.span
    if item.name.startswith("_"):
        raise scope.error(
            span, f"the name '{item.name}' is kaicep's own", f"name the item with AS {item.name.strip('_')}"
        )
    if any(item.name == other.name for other in before):
        hint = (
            "name its items one by one, with AS"
            if isinstance(node, syntax.AllAttributes)
            else "give it another name with AS"
        )
        raise scope.error(span, f"two items are named '{item.name}'", hint)


def hidden_items(items: Sequence[Item], streams: Mapping[str, StreamType]) -> tuple[Item, ...]:
    """For each selected raw value that stands for an individual, the individual's IRI, named by its property."""
    found: dict[str, Item] = {}
    for item in (item for item in items if not item.hidden):
        attribute = _attribute_of(item, streams)
        if attribute is None or not attribute.individual or attribute.property is None:
            continue
        if isinstance(item.value, Column) and item.value.name == attribute.name:
            column = Column(item.value.variable, attribute.property, ValueType.IRI, item.span)
            hidden = Item(attribute.property, column, None, ValueType.IRI, item.span, hidden=True)
            found.setdefault(attribute.property, hidden)
    return tuple(found.values())


def _attribute_of(item: Item, streams: Mapping[str, StreamType]) -> AttributeType | None:
    value = item.value
    if not isinstance(value, Column):
        return None
    return next((a for a in streams[value.variable].attributes if value.name in (a.name, a.property)), None)


def is_list(names: Names, value: Expression) -> bool:
    """Whether it is a LIST, or another aggregate that has several values."""
    if not isinstance(value, Aggregate):
        return False
    signature = names.vocabulary.functions[value.function]
    return isinstance(signature, AggregateSignature) and signature.several


def output_stream(names: Names, name: str, items: Sequence[Item], streams: Mapping[str, StreamType]) -> StreamType:
    """The stream that a query's rows form: an attribute per item, and `_time`.

    An item that is a plain attribute keeps what the attribute stands for, so that PATHs work on rows too. Where two
    items stand for one property, the first has it. A LIST is no value that an attribute could have, and is left out.
    An integer that may leave 64 bits has a second attribute, which no query can name, for the double.
    """
    claimed: set[str] = set()
    attributes: list[AttributeType] = []
    for item in items:
        if item.hidden or is_list(names, item.value):
            continue
        if is_wide(item.value):
            attributes.append(AttributeType(f"{item.name}{COMPANION}", ValueType.DOUBLE))
        origin = _attribute_of(item, streams)
        prop = origin.property if origin is not None and origin.property not in claimed else None
        if origin is None or prop is None:
            attributes.append(AttributeType(item.name, item.type, unit=unit_of(names, item.value)))
            continue
        claimed.add(prop)
        raw = isinstance(item.value, Column) and item.value.name == origin.name
        aliases = frozenset(alias for alias in origin.aliases if ":" in alias)
        individual = origin.individual and raw
        attributes.append(AttributeType(item.name, item.type, prop, aliases, individual, origin.unit))
    return StreamType(name, (*attributes, AttributeType("_time", ValueType.DATETIME)))
