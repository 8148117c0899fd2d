"""How deep the values of raw tuples are nested, and how deep they may be: what handles them goes down level by level.

Polars ends the process at some hundred levels, Arrow at some thousand, Python's own writers raise RecursionError at a
thousand. Nothing in here goes down that way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pyarrow as pa

__all__ = ["MOST_NESTED", "TOO_DEEP", "array_items", "json_nesting", "leading_items", "type_nesting", "value_nesting"]

MOST_NESTED = 64
"""So many arrays and objects of a value may lie in one another."""
TOO_DEEP = f"nested more than {MOST_NESTED} deep"
_COUNTED = MOST_NESTED + 2

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]', re.DOTALL)
_OPENING, _CLOSING = frozenset("[{"), frozenset("]}")


def json_nesting(text: str) -> int:
    """Return how many brackets of a JSON text, the outermost included, are open at once; of any other text likewise."""
    depth = deepest = 0
    for found in _TOKEN.finditer(text):
        if found[0] in _OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif found[0] in _CLOSING:
            depth -= 1
    return deepest


def array_items(text: str) -> Iterator[str]:
    """Return the texts of the items of a JSON array, without reading what is in them; a text that is none is one."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        yield text
        return
    depth, start = 0, 1
    for found in _TOKEN.finditer(text):
        depth += (found[0] in _OPENING) - (found[0] in _CLOSING)
        if (found[0] == "," and depth == 1) or (depth == 0 and found.end() == len(text)):
            yield text[start : found.start()].strip()
            start = found.end()


def leading_items(text: str) -> tuple[list[str], str, bool]:
    """Split the items of a JSON array off that end in a text: their texts, what is behind them, whether the array ends.

    Args:
        text: of an array behind its bracket, or behind the comma of an item.
    """
    items, depth, start = list[str](), 1, 0
    for found in _TOKEN.finditer(text):
        depth += (found[0] in _OPENING) - (found[0] in _CLOSING)
        if depth == 0 or (depth == 1 and found[0] == ","):
            items.append(text[start : found.start()].strip())
            start = found.end()
        if depth == 0:
            break
    return items, text[start:], depth == 0


def value_nesting(value: object) -> int:
    """Return how many dictionaries and lists lie in one another, up to a few more than may; 0: the value is neither."""
    depth, level = 0, [value]
    while depth < _COUNTED and (level := [v for v in level if isinstance(v, Mapping | list | tuple)]):
        depth += 1
        level = [inner for v in level for inner in (v.values() if isinstance(v, Mapping) else v)]
    return depth


def type_nesting(kind: pa.DataType) -> int:
    """Return how many lists, structs and maps of a column's type lie in one another; 0: its values have no parts."""
    depth, level = 0, [_values(kind)]
    while level := [each for each in level if pa.types.is_nested(each)]:  # of a struct without fields, too
        depth += 1
        level = [part for each in level for part in _parts(each)]
    return depth


def _parts(kind: pa.DataType) -> list[pa.DataType]:
    return [_values(kind.field(number).type) for number in range(kind.num_fields)]


def _values(kind: pa.DataType) -> pa.DataType:
    """The type of the values that a column stands for."""
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return kind.value_type if pa.types.is_dictionary(kind) else kind
