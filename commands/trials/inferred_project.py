"""A project for files of events alone: streams by the files' names, attributes and types as they are found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...annotator import cast_time
from ...annotator.recognition import ColumnRoles
from ...api import Project
from ...config import TimeSettings
from ...errors import PlanError
from ...storage import uncompressed_name
from .event_sample import EventSample, roles_of

__all__ = ["InferredProject", "infer_project", "refuse_paths"]

_NAME = re.compile(r"[^\W\d]\w*")
_PATH = re.compile(r"(?i)\bPATH\s*\{")
_SHOWN = 12
_HINT = (
    "kaicep reads ISO 8601, seconds to nanoseconds since 1970, dates with the day, month or year first; "
    "a project file can state any other (time.format)"
)


@dataclass(frozen=True, slots=True)
class InferredProject:
    """A project that nobody has written.

    Attributes:
        project: without knowledge.
        files: `STREAM=FILE` for each file.
        told: what was found out, a line for each stream and each doubt.
    """

    project: Project
    files: tuple[str, ...]
    told: tuple[str, ...]


def infer_project(files: Sequence[str], stream: str | None = None) -> InferredProject:
    """Make a project of files of events.

    Args:
        files: each `FILE` or `STREAM=FILE`; files of one stream have the columns of its first one.
        stream: what a plain `FILE` is called; `None`: as its name says.

    Raises:
        PipelineError: a file cannot be read, has no records, or none of its columns holds time stamps.
    """
    entries = [_stream_and_path(entry, stream) for entry in files]
    samples = {name: EventSample.of(path) for name, path in reversed(entries)}
    found = {name: roles_of(sample, hint=_HINT) for name, sample in reversed(samples.items())}
    content = {"streams": {name: _stream(samples[name], roles) for name, roles in found.items()}}
    told = tuple(line for name, roles in found.items() for line in _told(name, roles, samples[name]))
    return InferredProject(Project.parse(content), tuple(f"{name}={path}" for name, path in entries), told)


def refuse_paths(text: str) -> None:
    """Refuse a document that asks knowledge, where there is none.

    Raises:
        PlanError: it has a PATH.
    """
    if _PATH.search(text):
        raise PlanError(
            "a PATH asks the knowledge of a project, and without one there is none",
            hint="name a project with --project; kaicep init makes one of a model and a file of events",
        )


def _stream_and_path(entry: str, stream: str | None) -> tuple[str, Path]:
    before, equals, after = entry.partition("=")
    if equals and _NAME.fullmatch(before) and not Path(entry).exists():
        return before, Path(after)
    path = Path(entry)
    stem = uncompressed_name(path.name).partition(".")[0] if not path.is_dir() else path.resolve().name
    return stream or _identifier(stem) or "events", path


def _identifier(text: str) -> str:
    name = re.sub(r"\W+", "_", text).strip("_")
    return f"_{name}" if name[:1].isdigit() else name


def _stream(sample: EventSample, roles: ColumnRoles) -> dict[str, Any]:
    source: dict[str, Any] = {"format": sample.form}
    if sample.separator is not None:
        source["sep"] = sample.separator
    if sample.encoding is not None:
        source["encoding"] = sample.encoding
    if len(sample.files) > 1 or not _goes_on(sample, roles):
        source["order"] = "time"
    attributes = {name: _attribute(name, kind) for name, kind in roles.types.items() if name and name[0] not in "_?"}
    time = {"attribute": roles.time, "format": roles.written.format}
    return {"event_type": "<urn:kaicep:Event>", "time": time, "attributes": attributes, "source": source}


def _attribute(name: str, kind: str) -> dict[str, str]:
    """A name that queries cannot write is called by the local name of its property."""
    own = {} if _NAME.fullmatch(name) else {"property": f"<urn:kaicep:column:{_identifier(name) or 'x'}>"}
    return {"datatype": f"xsd:{kind}", **own}


def _goes_on(sample: EventSample, roles: ColumnRoles) -> bool:
    """Whether time stamps never go back."""
    time = TimeSettings(attribute=roles.time, format=roles.written.format)
    moments = cast_time(sample.table[roles.time], time).values.drop_nulls()
    return bool(moments.is_sorted())


def _told(name: str, roles: ColumnRoles, sample: EventSample) -> Iterator[str]:
    zone = "" if roles.written.zoned else ", taken as UTC"
    columns = [_shown(column, kind) for column, kind in roles.types.items()]
    more = f" and {len(columns) - _SHOWN} more" if len(columns) > _SHOWN else ""
    yield f"stream {name}: time {roles.time} ({roles.written.format}{zone}), {', '.join(columns[:_SHOWN])}{more}"
    if sample.encoding is not None:
        yield f"{sample.path} is not UTF-8: it is read as {sample.encoding}"
    if roles.written.rival is not None:
        yield (
            f"nothing in {roles.time} tells {roles.written.format} from {roles.written.rival}: "
            f"{roles.written.format} is taken; a project file can state the other (time.format)"
        )


def _shown(column: str, kind: str) -> str:
    called = column if _NAME.fullmatch(column) else f"{_identifier(column)} ('{column}')"
    return f"{called} {kind}"
