"""Files of recorded events in the place of a project's sources."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...config import Settings
from ...errors import PipelineError, did_you_mean
from ...pipeline.sources import file_format

__all__ = ["all_recorded", "with_recorded_sources"]


def with_recorded_sources(settings: Settings, files: Sequence[str]) -> Settings:
    """The settings, with files as the sources of streams; what was recorded may be of any time.

    How a source of the same format is written (its separator, its layout) holds for the file as well.

    Args:
        settings: of a project.
        files: each `FILE` or `STREAM=FILE`; a stream has one, which may be a folder.

    Raises:
        PipelineError: no such stream or file, it is not said which stream a file is of, or a stream has two.
    """
    streams = dict(settings.streams)
    for name, path in _by_stream(settings, files).items():
        stream = streams[name]
        source = {} if stream.source is None else stream.source.model_dump(exclude_unset=True)
        source.pop("kafka", None)
        if source.pop("mqtt", None) is not None:  # its folder, and that files are removed there, is of the messages
            source = {"format": source["format"]}
        form = file_format(path, stream)
        kept = source if source.get("format") == form else {}
        read = {"source": kept | {"format": form, "path": str(path)}, "max_ahead": "never"}
        changed = stream.model_dump(exclude_unset=True) | read
        streams[name] = type(stream).model_validate(changed)
    return settings.model_copy(update={"streams": streams})


def all_recorded(settings: Settings, files: Sequence[str]) -> bool:
    """Whether the files are all that the streams of a project are read from: none of them goes on."""
    given = _by_stream(settings, files)
    return all(name in given for name, stream in settings.streams.items() if stream.source is not None)


def _by_stream(settings: Settings, files: Sequence[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for entry in files:
        name, path = _stream_and_path(list(settings.streams), entry)
        if name in found:
            raise PipelineError(
                f"stream {name} has two files: {found[name]} and {path}", hint="put them into one folder, and name that"
            )
        if not path.exists():
            raise PipelineError(f"cannot read {path}: No such file or directory", hint="name a file that is there")
        found[name] = path.absolute()
    return found


def _stream_and_path(names: Sequence[str], entry: str) -> tuple[str, Path]:
    before, equals, after = entry.partition("=")
    if equals and (before in names or not Path(entry).exists()):
        if before not in names:
            hint = did_you_mean(before, names) or f"its streams: {', '.join(names)}"
            raise PipelineError(f"the project has no stream '{before}'", hint=hint)
        return before, Path(after)
    if len(names) == 1:
        return names[0], Path(entry)
    raise PipelineError(f"which stream is {entry} of?", hint=f"write NAME={entry}; NAME is {' or '.join(names)}")
