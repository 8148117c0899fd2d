"""A request that is refused, as an error that any process may raise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import KaicepError

__all__ = ["ProblemError", "first_fault"]

_OF_THE_WHOLE = frozenset({"missing", "json_invalid", "extra_forbidden"})
_SHOWN = 60


class ProblemError(Exception):
    """A request that is refused.

    Args:
        status: of HTTP.
        error: what is wrong, where, and the way out; or its message alone.
        hint: the way out, beside a message.
        headers: of the response; `_` in their names stands for `-`.
    """

    def __init__(self, status: int, error: KaicepError | str, hint: str = "", **headers: str) -> None:
        self.error = KaicepError(error, hint=hint or None) if isinstance(error, str) else error
        super().__init__(status, str(self.error))
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def first_fault(errors: Sequence[Mapping[str, Any]]) -> KaicepError:
    """What is wrong first with what was sent, as Pydantic has found it: which part, what it says, what it may.

    Args:
        errors: their `loc` begins with the name of a parameter, or of a part of the body.
    """
    error = errors[0]
    where, written = ".".join(map(str, error["loc"])) or "body", _written(error.get("input"))
    wrong, hint = _told(error["type"], error.get("ctx", {}), error["msg"])
    said = wrong if error["type"] in _OF_THE_WHOLE else f"{written} {wrong}"
    return KaicepError(f"{where}: {said}", hint=hint)


def _written(value: object) -> str:
    text = str(value)
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[:_SHOWN]}…'"


def _told(kind: str, context: Mapping[str, Any], message: str) -> tuple[str, str | None]:
    """What is wrong with a value, and the way out."""
    match kind:
        case "missing":
            return "it is missing", "add it"
        case "extra_forbidden":
            return "nothing is called so", "leave it out"
        case "int_parsing" | "int_parsing_size" | "int_type" | "int_from_float":
            return "is no whole number", "write one, such as 20"
        case "greater_than_equal":
            return f"is less than {context['ge']}", f"write {context['ge']} or more"
        case "less_than_equal":
            return f"is more than {context['le']}", f"write {context['le']} or less"
        case "literal_error":
            return "is no choice that there is", f"write {context['expected']}"
        case "json_invalid":
            return message, "send JSON"
        case "string_type":
            return "is no text", "write it in quotation marks"
        case "bool_type" | "bool_parsing":
            return "is neither true nor false", "write one of them"
        case _:
            return f"is wrong: {message}", None
