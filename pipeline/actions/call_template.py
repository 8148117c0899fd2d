"""Templates of what an action writes: `{room}` is the argument `room` of the call, `{{` and `}}` are braces.

A value is put in as a text of its own; nothing in it is read as a template again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from string import Formatter
from typing import Any

from ...errors import ConfigError, Place
from .action import ActionSpec, DeliveryError
from .call import ActionCall

__all__ = ["CallTemplate"]


@dataclass(frozen=True, slots=True)
class CallTemplate:
    """A template.

    Attributes:
        parts: text, and the name of the value behind it; `None`: nothing is.
    """

    parts: tuple[tuple[str, str | None], ...]

    @classmethod
    def parse(cls, spec: ActionSpec, key: str, text: str) -> CallTemplate:
        """Read a template.

        Raises:
            ConfigError: its braces do not close, or hold more than a name.
        """
        try:
            parts = [(before, name, form, conversion) for before, name, form, conversion in Formatter().parse(text)]
        except ValueError as error:
            raise _unreadable(spec, key, text, str(error)) from error
        for _, name, form, conversion in parts:
            if name is not None and (not name.isidentifier() or form or conversion):
                raise _unreadable(spec, key, text, f"{{{name}}} is no name")
        return cls(tuple((before, name) for before, name, _, _ in parts))

    @property
    def names(self) -> frozenset[str]:
        """The values that a call has to have."""
        return frozenset(name for _, name in self.parts if name is not None)

    @property
    def begins_with_value(self) -> bool:
        """Whether a value is the first thing in the text."""
        return bool(self.parts) and not self.parts[0][0] and self.parts[0][1] is not None

    def filled(self, call: ActionCall, written: Callable[[str], str] = str) -> str:
        """The text for a call.

        Args:
            call: whose values are put in.
            written: makes of a value's text what may stand there.

        Raises:
            DeliveryError: the call lacks a value.
        """
        values = call.values()
        found = []
        for before, name in self.parts:
            found.append(before)
            if name is not None:
                if values.get(name) is None:
                    why = "has no value" if name in values else "is none of its arguments"
                    raise DeliveryError(f"the template needs {{{name}}}, which {why}", hopeless=True)
                found.append(written(_text(values[name])))
        return "".join(found)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _unreadable(spec: ActionSpec, key: str, text: str, why: str) -> ConfigError:
    return ConfigError(
        f"{spec.place}.{key}: '{text}' is no template: {why}",
        place=Place(spec.file),
        hint="write {name} for the argument that CALL names so, and {{ or }} for a brace",
    )
