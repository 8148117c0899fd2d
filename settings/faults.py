"""What the validation refuses, in the words of the project file."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_core import ErrorDetails

from ..errors import ConfigError, Place, did_you_mean
from .tables import (
    ArchiveSettings,
    AttributeSettings,
    EngineSettings,
    KnowledgeSettings,
    QuerySettings,
    StreamSettings,
    Table,
    TimeSettings,
)

__all__ = ["fault"]

_TABLES: dict[str, type[Table]] = {
    "knowledge": KnowledgeSettings,
    "archive": ArchiveSettings,
    "engine": EngineSettings,
    "queries": QuerySettings,
    "time": TimeSettings,
}
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


def fault(found: ErrorDetails, place: Place, tables: Sequence[str]) -> ConfigError:
    """Say what is wrong with a key or its value, and what to write.

    Args:
        found: what the validation says.
        place: the file.
        tables: the keys of the file itself.
    """
    location, context = found["loc"], found.get("ctx", {})
    key = ".".join(str(part) for part in location)
    match found["type"]:
        case "extra_forbidden":
            name, known = str(location[-1]), _known_keys(location, tables)
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


def _known_keys(location: tuple[int | str, ...], tables: Sequence[str]) -> list[str]:
    if len(location) == 1:
        return sorted(tables)
    if location[0] == "streams" and len(location) == 3:
        return sorted(StreamSettings.model_fields)
    if location[0] == "streams" and "attributes" in location:
        return sorted(AttributeSettings.model_fields)
    return sorted(_TABLES[str(location[-2])].model_fields)
