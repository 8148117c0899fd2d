"""The project file: everything that a project can say, read once at the edge.

`Settings` mirrors `kaicep.toml` key by key. Prefixed names stay as written; `Settings.expand` resolves them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from .errors import ConfigError, Place, did_you_mean
from .settings import (
    ActionName,
    ActionSettings,
    ArchiveSettings,
    AttributeSettings,
    EngineSettings,
    KnowledgeSettings,
    MonitoringSettings,
    QuerySettings,
    S3Settings,
    ServerSettings,
    SourceSettings,
    StreamSettings,
    Table,
    TimeSettings,
    UnpivotSettings,
    fault,
)
from .settings.sinks import SinkSettings
from .storage import folder_name

__all__ = [
    "ActionSettings",
    "ArchiveSettings",
    "AttributeSettings",
    "EngineSettings",
    "KnowledgeSettings",
    "MonitoringSettings",
    "QuerySettings",
    "S3Settings",
    "ServerSettings",
    "Settings",
    "SinkSettings",
    "SourceSettings",
    "StreamSettings",
    "TimeSettings",
    "UnpivotSettings",
]

_WELL_KNOWN_PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "unit": "http://qudt.org/vocab/unit/",
    "prov": "http://www.w3.org/ns/prov#",
    "kaicep": "urn:kaicep:",
    "brick": "https://brickschema.org/schema/Brick#",
    "ref": "https://brickschema.org/schema/Brick/ref#",
    "rec": "https://w3id.org/rec#",
    "sosa": "http://www.w3.org/ns/sosa/",
    "ssn": "http://www.w3.org/ns/ssn/",
    "saref": "https://w3id.org/saref#",
    "qudt": "http://qudt.org/schema/qudt/",
    "quantitykind": "http://qudt.org/vocab/quantitykind/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}

_LONG_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){64}""")
"""A key with more parts than anything lies deep."""


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
    monitoring: MonitoringSettings = MonitoringSettings()
    queries: QuerySettings = QuerySettings()
    s3: S3Settings = S3Settings()
    server: ServerSettings = ServerSettings()
    streams: dict[str, StreamSettings] = Field(default_factory=dict)
    actions: dict[ActionName, ActionSettings] = Field(default_factory=dict)
    sinks: dict[ActionName, SinkSettings] = Field(default_factory=dict)
    root: Path = Field(default=Path(), exclude=True)
    file: str = Field(default="project", exclude=True)

    @classmethod
    def load(cls, path: str | Path) -> Settings:
        """Read a project file.

        Raises:
            ConfigError: no such file, no TOML, or a key or value that kaicep does not know.
        """
        path = Path(path)
        if path.is_dir():
            path = path / "kaicep.toml"
        content = _read_toml(path, "the project file", "name a kaicep.toml or the folder that holds one")
        return cls.parse(content, root=path.resolve().parent, file=str(path))

    @classmethod
    def parse(cls, content: Mapping[str, Any], *, root: Path | None = None, file: str = "project") -> Settings:
        """Check the content of a project file, given as the mapping that its TOML stands for.

        Raises:
            ConfigError: a key or value that kaicep does not know; the message names it, notes name all others.
        """
        root = Path.cwd() if root is None else root
        streams = content.get("streams", {})
        files = _annotation_files(streams)
        for name, written in files.items():
            annotation = _read_toml(root / written, f"the annotation of stream '{name}'", "it takes a TOML file")
            streams = {**streams, name: annotation | streams[name]}
        try:
            settings = cls.model_validate({**content, "streams": streams, "root": root, "file": file})
        except ValidationError as error:
            places = {name: _beside(file, written) for name, written in files.items()}
            first, *others = (fault(found, _place_of(found["loc"], places, file), cls) for found in error.errors())
            for other in others:
                first.add_note(str(other))
            raise first from error
        _check_services(settings)
        _check_sinks(settings)
        changed = {"prefixes": _WELL_KNOWN_PREFIXES | settings.prefixes, "streams": _with_inboxes(settings)}
        return settings.model_copy(update=changed)

    def idle_timeouts(self) -> dict[str, timedelta]:
        """By stream, how long it may be silent before its watermark goes on by wall clock."""
        default = self.engine.idle_timeout
        return {n: default if s.idle_timeout is None else s.idle_timeout for n, s in self.streams.items()}

    def path(self, relative: str) -> Path:
        """A path of the project file, made absolute."""
        return self.root / relative

    def place(self, stream: str) -> Place:
        """The file that holds the annotation of a stream."""
        settings = self.streams.get(stream)
        return (
            Place(self.file)
            if settings is None or settings.annotation is None
            else _beside(self.file, settings.annotation)
        )

    def expand(self, name: str, where: str, place: Place | None = None) -> str:
        """The IRI that a prefixed name or `<iri>` stands for.

        Args:
            name: as written.
            where: the key that says it, for the message.
            place: the file that says it; by default the project file.

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
        if colon:
            what = f"unknown prefix '{prefix}:'"
            hint = did_you_mean(prefix, sorted(self.prefixes)) or f'add {prefix} = "…" to [prefixes]'
        else:
            what, hint = f"'{name}' is no IRI", f"write prefix:{name} or <…>"
        raise ConfigError(f"{where}: {what}", place=place or Place(self.file), hint=hint)


def _with_inboxes(settings: Settings) -> dict[str, StreamSettings]:
    """The streams, those that come by MQTT with the folder in which messages are kept until they are read."""
    streams = dict(settings.streams)
    for name, stream in streams.items():
        if stream.source is not None and stream.source.mqtt is not None:
            folder = Path(settings.engine.state, "inbox", folder_name(name))
            streams[name] = stream.model_copy(update={"source": stream.source.in_folder(str(folder))})
    return streams


def _check_services(settings: Settings) -> None:
    """What waits for others is answered from the log.

    Raises:
        ConfigError: there is none.
    """
    services = settings.queries.services
    asked = next((name for name, one in services.items() if one.latency is not None), None)
    if asked is not None and not settings.archive.enabled:
        raise ConfigError(
            f"queries.{asked}.latency: without an archive no query can wait for another one",
            place=Place(settings.file),
            hint="drop it, or let archive.enabled be true: what waits is answered from there",
        )


def _check_sinks(settings: Settings) -> None:
    """A file has one sink that writes it.

    Raises:
        ConfigError: it has two.
    """
    for (name, one), (other, its) in combinations(settings.sinks.items(), 2):
        if one.shares_file(its):
            raise ConfigError(
                f"sinks.{other}.{its.kind}: sinks.{name} writes there as well, and one of them would take rows away",
                place=Place(settings.file),
                hint="write to another place, or let one sink have the rows of all",
            )


def _read_toml(path: Path, what: str, hint: str) -> dict[str, Any]:
    try:
        return _parsed(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"cannot read {what}: {error.strerror}", place=Place(str(path)), hint=hint) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"no TOML: {error}", place=Place(str(path)), hint="see docs/project.md") from error
    except RecursionError as error:
        hint = "nothing that a project file says lies so deep"
        raise ConfigError("arrays and tables are nested too deep", place=Place(str(path)), hint=hint) from error


def _parsed(text: str) -> dict[str, Any]:
    if _LONG_KEY.search(text):  # the reader takes time by the square of its parts
        raise RecursionError
    return tomllib.loads(text)


def _annotation_files(streams: object) -> dict[str, str]:
    """By stream, the file that holds its annotation."""
    tables = streams.items() if isinstance(streams, Mapping) else ()
    return {
        name: str(table["annotation"]) for name, table in tables if isinstance(table, Mapping) and "annotation" in table
    }


def _beside(file: str, annotation: str) -> Place:
    return Place(str(Path(file).parent / annotation))


def _place_of(location: tuple[int | str, ...], places: Mapping[str, Place], file: str) -> Place:
    stream = str(location[1]) if len(location) > 1 and location[0] == "streams" else None
    return places.get(stream, Place(file)) if stream is not None else Place(file)
