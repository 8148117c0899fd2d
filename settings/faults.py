"""What the validation refuses, in the words of the project file."""

from __future__ import annotations

from collections.abc import Sequence
from types import UnionType
from typing import Any, get_args, get_origin

from pydantic_core import ErrorDetails

from ..errors import ConfigError, Place, did_you_mean
from .strict_table import Table

__all__ = ["fault"]

_TABLE = "a table, {{ … }}"
_TAKEN = {
    "string_type": "a text in quotes",
    "tuple_type": "a list, [ … ]",
    "dict_type": _TABLE,
    "model_type": _TABLE,
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "greater_than_equal": "{ge} or more",
    "literal_error": "{expected}",
}


def fault(found: ErrorDetails, place: Place, project: type[Table]) -> ConfigError:
    """Say what is wrong with a key or its value, and what to write.

    Args:
        found: what the validation says.
        place: the file.
        project: the table of all tables; fields that are excluded from it are no keys.
    """
    location, context = found["loc"], found.get("ctx", {})
    key = ".".join(str(part) for part in location)
    match found["type"]:
        case "extra_forbidden":
            name, known = str(location[-1]), _known_keys(location, project)
            message, hint = f"unknown key '{name}'", did_you_mean(name, known) or f"known here: {', '.join(known)}"
        case "missing":
            message, hint = "is missing", "see docs/project.md"
        case kind if kind in _TAKEN:
            near = (
                did_you_mean(str(found["input"]), context["expected"].split("'")[1::2])
                if kind == "literal_error"
                else None
            )
            message, hint = (
                f"takes {_TAKEN[kind].format(**context)}, not {found['input']!r}",
                near or "see docs/project.md",
            )
        case _:
            message, hint = found["msg"].removeprefix("Value error, "), "see docs/project.md"
            message = message[0].lower() + message[1:]
    return ConfigError(f"{key}: {message}", place=place, hint=hint)


def _known_keys(location: Sequence[int | str], project: type[Table]) -> list[str]:
    """The keys beside the last one of a location."""
    kind: Any = project
    for part in location[:-1]:
        if _is_table(kind) and str(part) not in kind.model_fields:
            kind = kind.others
            continue
        inside = kind.model_fields[str(part)].annotation if _is_table(kind) else get_args(kind)[-1]
        kind = next(filter(_is_table, get_args(inside)), inside) if get_origin(inside) is UnionType else inside
    return sorted(name for name, field in kind.model_fields.items() if not field.exclude)


def _is_table(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Table)
