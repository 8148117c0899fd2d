"""The project file: everything that a project can say, read once at the edge.

`Settings` mirrors `kaicep.toml` key by key. Prefixed names stay as written; `Settings.expand` resolves them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import ErrorDetails

from .errors import ConfigError, Place, did_you_mean
from .settings.tables import (
    ArchiveSettings,
    AttributeSettings,
    EngineSettings,
    KnowledgeSettings,
    QuerySettings,
    SourceSettings,
    StreamSettings,
    Table,
    TimeSettings,
)

__all__ = [
    "ArchiveSettings",
    "AttributeSettings",
    "EngineSettings",
    "KnowledgeSettings",
    "QuerySettings",
    "Settings",
    "SourceSettings",
    "StreamSettings",
    "TimeSettings",
]

_WELL_KNOWN_PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "unit": "http://qudt.org/vocab/unit/",
}


class Settings(Table):
    """A whole project file.

    Attributes:
        root: folder that relative paths start from.
        file: the file's name for messages; `project` when there is none.
    """

    prefixes: dict[str, str] = Field(default_factory=dict)
    knowledge: KnowledgeSettings = KnowledgeSettings()
    archive: ArchiveSettings = ArchiveSettings()
    engine: EngineSettings = EngineSettings()
    queries: QuerySettings = QuerySettings()
    streams: dict[str, StreamSettings] = Field(default_factory=dict)
    root: Path = Path()
    file: str = "project"

    @classmethod
    def load(cls, path: str | Path) -> Settings:
        """Read a project file.

        Raises:
            ConfigError: no such file, no TOML, or a key or value that kaicep does not know.
        """
        path = Path(path)
        if path.is_dir():
            path = path / "kaicep.toml"
        return cls.parse(_read_toml(path), root=path.resolve().parent, file=str(path))

    @classmethod
    def parse(cls, content: Mapping[str, Any], *, root: Path | None = None, file: str = "project") -> Settings:
        """Check the content of a project file, given as the mapping that its TOML stands for.

        Raises:
            ConfigError: a key or value that kaicep does not know; the message names it, notes name all others.
        """
        root = Path.cwd() if root is None else root
        merged = {**content, "streams": _with_annotation_files(content.get("streams", {}), root)}
        try:
            settings = cls.model_validate(merged | {"root": root, "file": file})
        except ValidationError as error:
            first, *others = (_explain(problem, file) for problem in error.errors())
            for other in others:
                first.add_note(str(other))
            raise first from error
        return settings.model_copy(update={"prefixes": _WELL_KNOWN_PREFIXES | settings.prefixes})

    def idle_timeouts(self) -> dict[str, timedelta]:
        """By stream, how long it may be silent before its watermark goes on by wall clock."""
        default = self.engine.idle_timeout
        return {n: default if s.idle_timeout is None else s.idle_timeout for n, s in self.streams.items()}

    def path(self, relative: str) -> Path:
        """A path of the project file, made absolute."""
        return self.root / relative

    def expand(self, name: str, where: str) -> str:
        """The IRI that a prefixed name or `<iri>` stands for; `where` is the key that says it, for the message.

        Raises:
            ConfigError: an unknown prefix, or neither form.
        """
        if name.startswith("<") and name.endswith(">"):
            return name[1:-1]
        prefix, colon, local = name.partition(":")
        if colon and local.startswith("//"):
            return name
        if colon and prefix in self.prefixes:
            return self.prefixes[prefix] + local
        hint = did_you_mean(prefix, sorted(self.prefixes)) or f'add {prefix} = "…" to [prefixes]'
        what = f"unknown prefix '{prefix}:'" if colon else f"'{name}' is no prefixed name"
        raise ConfigError(f"{where}: {what}", place=Place(self.file), hint=hint)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"cannot read the project file: {error.strerror}",
            place=Place(str(path)),
            hint="name a kaicep.toml or the folder that holds one",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"no TOML: {error}", place=Place(str(path)), hint="see docs/project.md") from error


def _with_annotation_files(streams: object, root: Path) -> object:
    if not isinstance(streams, Mapping):
        return streams
    return {name: _with_annotation_file(stream, root) for name, stream in streams.items()}


def _with_annotation_file(stream: object, root: Path) -> object:
    if not isinstance(stream, Mapping) or "annotation" not in stream:
        return stream
    rest = {k: v for k, v in stream.items() if k != "annotation"}
    return _read_toml(root / str(stream["annotation"])) | rest


def _explain(first: ErrorDetails, file: str) -> ConfigError:
    key = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        known = _known_keys(first["loc"])
        name = str(first["loc"][-1])
        return ConfigError(
            f"{key}: unknown key '{name}'",
            place=Place(file),
            hint=did_you_mean(name, known) or f"known here: {', '.join(known)}",
        )
    if first["type"] == "missing":
        return ConfigError(f"{key}: is missing", place=Place(file), hint="see docs/project.md")
    return ConfigError(f"{key}: {message[0].lower()}{message[1:]}", place=Place(file), hint="see docs/project.md")


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    tables: dict[str, type[BaseModel]] = {
        "knowledge": KnowledgeSettings,
        "archive": ArchiveSettings,
        "engine": EngineSettings,
        "queries": QuerySettings,
        "time": TimeSettings,
    }
    if len(location) == 1:
        return sorted(set(Settings.model_fields) - {"root", "file"})
    if location[0] == "streams" and len(location) == 3:
        return sorted({*StreamSettings.model_fields, "annotation"})
    if location[0] == "streams" and "attributes" in location:
        return sorted(AttributeSettings.model_fields)
    return sorted(tables[str(location[-2])].model_fields)
