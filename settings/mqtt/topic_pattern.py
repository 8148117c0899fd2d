"""Topics with wildcards whose levels have names: `building/{room}/+/{kind}`.

Source: MQTT 5.0, §4.7 (topic names and topic filters).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["TopicPattern"]

_NAME = re.compile(r"\{([^{}#]+)(#?)\}")
_ONE, _REST = "+", "#"


@dataclass(frozen=True, slots=True)
class TopicPattern:
    """A pattern, level by level.

    Attributes:
        levels: the text of a level, or `+` for any one; `#`, the last, for all that are left.
        names: of each level, what it is called; `None`: nothing.
    """

    levels: tuple[str, ...]
    names: tuple[str | None, ...]

    @classmethod
    def parse(cls, text: str) -> TopicPattern:
        """Read a pattern.

        Args:
            text: levels with `/` between them: a text, `+`, `{name}`, and as the last one `#` or `{name#}`.

        Raises:
            ValueError: it is none; the message says why.
        """
        found = [_level(text, level) for level in text.split("/")]
        levels = tuple(level for level, _ in found)
        names = tuple(name for _, name in found)
        named = [name for name in names if name is not None]
        if not text or "\0" in text or len(text.encode()) > 65_535:
            raise _wrong(text, "a topic has 1 to 65,535 bytes, and no zero among them")
        if levels[0] == "$share":
            raise _wrong(text, "a subscription that is shared gives each message to somebody else")
        if _REST in levels[:-1]:
            raise _wrong(text, "# stands for all levels that are left, so it is the last one")
        if len(set(named)) < len(named):
            raise _wrong(text, "two of its levels have the same name")
        return cls(levels, names)

    @property
    def filter(self) -> str:
        """As a broker is told it."""
        return "/".join(self.levels)

    def values(self, topic: str) -> dict[str, str] | None:
        """By name, what stands in a topic; `None`: it is another one.

        Args:
            topic: of a message.
        """
        found = topic.split("/")
        open_ended = self.levels[-1] == _REST
        fixed = self.levels[:-1] if open_ended else self.levels
        # `#` is also the level above it, and no wildcard in the first place is a topic of the broker itself (§4.7.2).
        if len(found) < len(fixed) or (len(found) > len(fixed) and not open_ended):
            return None
        if found[0].startswith("$") and self.levels[0] in (_ONE, _REST):
            return None
        if any(level not in (_ONE, own) for level, own in zip(fixed, found, strict=False)):
            return None
        values = [*found[: len(fixed)], "/".join(found[len(fixed) :])]
        return {name: value for name, value in zip(self.names, values, strict=False) if name is not None}


def _level(text: str, level: str) -> tuple[str, str | None]:
    named = _NAME.fullmatch(level)
    if named is not None:
        return (_REST if named[2] else _ONE), named[1]
    if level not in (_ONE, _REST) and re.search(r"[+#{}]", level):
        raise _wrong(text, f"'{level}' is no level: a wildcard or a name is a level of its own")
    return level, None


def _wrong(text: str, why: str) -> ValueError:
    return ValueError(f"'{text}' is no pattern of topics: {why}; write one such as \"building/{{room}}/+/temperature\"")
