"""The errors of kaicep: each says what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from typing import Any

__all__ = [
    "AnnotationError",
    "ArchiveError",
    "ConfigError",
    "KaicepError",
    "OntologyError",
    "OperatorError",
    "PipelineError",
    "Place",
    "PlanError",
    "QuerySyntaxError",
    "QueryTypeError",
    "did_you_mean",
    "error_fields",
    "error_of",
]

_WIDEST = 500
"""So many characters of a line are shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a text something stands.

    Attributes:
        source: file name, or a name such as `query` for text that has no file.
        line: counted from 1; 0 when the place is the file as a whole.
        column: counted from 1.
        length: how many characters are marked, at least 1.
        text: the whole line, without its line break.
    """

    source: str
    line: int = 0
    column: int = 1
    length: int = 1
    text: str = ""

    @classmethod
    def at(cls, source: str, text: str, start: int, end: int) -> Place:
        """The place of `text[start:end]`; a span over several lines is marked to the end of its first."""
        start = min(start, len(text))
        line = text.count("\n", 0, start) + 1
        begin = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", begin)
        stop = len(text) if stop < 0 else stop
        return cls(source, line, start - begin + 1, max(1, min(end, stop) - start), text[begin:stop].rstrip("\r"))

    def clipped(self) -> Place:
        """The same place with what a terminal shows of a long line: the neighbourhood of what is marked."""
        if len(self.text) <= _WIDEST:
            return self
        begin = max(0, self.column - 1 - _WIDEST // 2)
        text = self.text[begin : begin + _WIDEST]
        length = min(self.length, len(text) - (self.column - 1 - begin))
        return replace(self, text=text, column=self.column - begin, length=max(1, length))

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source


class KaicepError(Exception):
    """What is wrong, where, and the way out.

    Args:
        message: what is wrong, in one line.
        place: where; `None` when there is no text to point at.
        hint: what to do, in one line.
    """

    def __init__(self, message: str, *, place: Place | None = None, hint: str | None = None) -> None:
        super().__init__(message, place, hint)
        self.message = message
        self.place = place
        self.hint = hint

    def _render_traceback_(self) -> list[str]:
        """What notebooks show of it: the message, without the lines of kaicep that it came from."""
        return [*str(self).splitlines(), *getattr(self, "__notes__", ())]

    def __str__(self) -> str:
        message, hint = _clipped(self.message), _clipped(self.hint or "")
        if self.place is None:
            return f"{message}: {hint}" if hint else message
        head = f"{self.place}: {message}"
        if not self.place.line:
            return f"{head}: {hint}" if hint else head
        number = str(self.place.line)
        gutter = " " * len(number)
        shown = self.place.clipped()
        caret = " " * (shown.column - 1) + "^" * shown.length
        marked = f"  {gutter} | {caret}" + (f" {hint}" if hint else "")
        return f"{head}\n  {number} | {shown.text}\n{marked}"


def _clipped(text: str) -> str:
    """A message that tells of a word of any length, without most of that."""
    return text if len(text) <= 4 * _WIDEST else f"{text[:_WIDEST]} … {text[-_WIDEST:]}"


class ConfigError(KaicepError):
    """The project file says something that kaicep cannot use."""


class QuerySyntaxError(KaicepError):
    """The text is no χ-CEP query."""


class QueryTypeError(KaicepError):
    """The query is well formed but cannot mean anything (docs/semantics.md 4.2)."""


class OntologyError(KaicepError):
    """An ontology module cannot be loaded, resolved, or is inconsistent."""


class AnnotationError(KaicepError):
    """The annotation of a stream contradicts itself, its knowledge, or its events."""


class OperatorError(KaicepError):
    """An operator was asked for something that it cannot do, or its state cannot be restored."""


class CeilingError(OperatorError):
    """A query asks for more than its ceilings allow; it is stopped, and nothing else is."""


class ArchiveError(KaicepError):
    """The archive cannot be opened, written or queried."""


class PlanError(KaicepError):
    """A query cannot be planned over past, present and future."""


class PipelineError(KaicepError):
    """The running engine cannot go on."""


def error_fields(error: KaicepError) -> dict[str, Any]:
    """An error as a JSON value, from which `error_of` makes it again: in another process, or at a later start."""
    place = None if error.place is None else asdict(error.place)
    fields = {"error": type(error).__name__, "message": error.message, "hint": error.hint, "place": place}
    notes = getattr(error, "__notes__", None)
    return fields | {"notes": list(notes)} if notes else fields


def error_of(fields: Mapping[str, Any]) -> KaicepError:
    """The error that `error_fields` described."""
    kind = globals().get(fields["error"])
    of = kind if isinstance(kind, type) and issubclass(kind, KaicepError) else KaicepError
    place = None if fields["place"] is None else Place(**fields["place"])
    found = of(fields["message"], place=place, hint=fields["hint"])
    for note in fields.get("notes", ()):
        found.add_note(note)
    return found


def did_you_mean(name: str, known: Sequence[str]) -> str | None:
    """`did you mean 'flowrate'?` for the known name nearest to `name`, or `None`."""
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else None
