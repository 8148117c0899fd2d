"""The project file: everything that a project can say, read once at the edge.

`Settings` mirrors `kaicep.toml` key by key. Prefixed names stay as written; `Settings.expand` resolves them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from .errors import ConfigError, Place, did_you_mean

_UNITS = {
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "hour": 3600.0,
    "d": 86400.0,
    "day": 86400.0,
    "week": 604800.0,
}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|sec|s|min|hour|h|day|d|week)\s*")

WELL_KNOWN_PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "unit": "http://qudt.org/vocab/unit/",
}


def parse_duration(text: object) -> object:
    """`"5s"`, `"1.5 min"` as a `timedelta`; anything else is left for the validation to refuse."""
    if isinstance(text, str) and (found := _DURATION.fullmatch(text)):
        return timedelta(seconds=float(found[1]) * _UNITS[found[2]])
    if isinstance(text, str):
        message = f"'{text}' is no duration; write a number and one of ms, s, min, h, d, week, such as \"5s\""
        raise ValueError(message)  # noqa: TRY004 - pydantic takes it for a refusal
    return text


def parse_timeout(text: object) -> object:
    """A duration, or `"never"`: the longest one that there is."""
    return timedelta.max if text == "never" else parse_duration(text)


_BYTES = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(kB|MB|GB|TB)\s*")


def parse_size(text: object) -> object:
    """`"500 MB"` as a number of bytes; anything else is refused."""
    if isinstance(text, str) and (found := _SIZE.fullmatch(text)):
        return int(float(found[1]) * _BYTES[found[2]])
    if text is None:
        return None
    message = f"'{text}' is no size; write a number and one of kB, MB, GB, TB, such as \"50GB\""
    raise ValueError(message)


Duration = Annotated[timedelta, BeforeValidator(parse_duration), Field(ge=timedelta(0))]
Timeout = Annotated[timedelta, BeforeValidator(parse_timeout), Field(ge=timedelta(0))]

Size = Annotated[int | None, BeforeValidator(parse_size)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class KnowledgeSettings(_Table):
    """`[knowledge]`: the ontology modules and how they are closed.

    Attributes:
        modules: files or glob patterns, relative to the project file, in any RDF syntax.
        catalog: folders in which `owl:imports` are looked up by the ontology IRI of the files there.
        reasoner: `rl` (OWL 2 RL), `hermit`, `pellet` (OWL 2 DL), or `none`.
    """

    modules: tuple[str, ...] = ()
    catalog: tuple[str, ...] = ()
    reasoner: Literal["rl", "hermit", "pellet", "none"] = "rl"


class TimeSettings(_Table):
    """The attribute that is the time stamp, and the property that it stands for."""

    attribute: str
    property: str | None = None


class SourceSettings(_Table, extra="allow"):
    """Where a stream comes from: a format (`json`, `csv`, `parquet`, or any Spark format) and its options.

    `path` is relative to the project file. Every other key goes to Spark's reader as an option, as it is.
    """

    format: str = "json"
    path: str | None = None

    def options(self) -> dict[str, str]:
        """Options for Spark's reader: its names, its values as text."""
        extra = self.model_extra or {}
        return {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in extra.items()}


class AttributeSettings(_Table):
    """What one attribute of a raw tuple stands for.

    Attributes:
        property: the property whose object the value (or its individual) is.
        same_as: the property that the attribute's name is the same as; the value is its literal.
        datatype: XSD datatype of the value; by default the property's range, else `xsd:string` for individuals.
        unit: QUDT unit of the value.
        individual: IRI template in which `{}` is the value, percent-encoded: `ee:{}`.
        key: property whose value identifies the individual: value `D105VOL` → the individual with that key.
    """

    property: str | None = None
    same_as: str | None = None
    datatype: str | None = None
    unit: str | None = None
    individual: str | None = None
    key: str | None = None

    @field_validator("individual")
    @classmethod
    def _has_a_place_for_the_value(cls, template: str | None) -> str | None:
        if template is not None and template.count("{}") != 1:
            message = f"the template '{template}' needs exactly one {{}} for the value, such as \"ee:{{}}\""
            raise ValueError(message)
        return template


class StreamSettings(_Table):
    """`[streams.NAME]`: one stream's source and annotation.

    Attributes:
        event_type: class of the stream's events.
        time: time attribute.
        attributes: in declared order; the time attribute need not be repeated.
        identity: attributes that identify an event; none: the whole tuple does.
        lateness: how far an event may lie behind the greatest time stamp so far.
        idle_timeout: how long it may be silent before its watermark goes on by wall clock; `None`: the engine's.
        source: where raw events come from; `None` for a stream that only `evaluate` and `try` feed.
        annotation: file with these keys, relative to the project file, instead of writing them here.
    """

    event_type: str
    time: TimeSettings
    attributes: dict[str, AttributeSettings] = Field(default_factory=dict)
    identity: tuple[str, ...] = ()
    lateness: Duration = timedelta(0)
    idle_timeout: Timeout | None = None
    source: SourceSettings | None = None


class ArchiveSettings(_Table):
    """`[archive]`: where events are kept.

    Attributes:
        path: its folder.
        enabled: whether events are archived at all.
        store: whether there is a semantic store beside the log.
        bucket: the time range of one named graph of the store.
        log_age: events so much older than the newest one leave the log, by whole segments; `timedelta.max`: never.
        log_size: bytes that the log may take; the oldest segments go first. `None`: any number.
        store_age: events so much older than the newest one leave the store, by whole buckets.
        store_size: bytes that the store may take; the oldest buckets go first.
        compact: whether small segments of the log are put together.
        in_flight: how long a query about the past waits for events that are on their way to the log.
    """

    path: str = "var/archive"
    enabled: bool = True
    store: bool = True
    bucket: Duration = timedelta(minutes=1)
    log_age: Timeout = timedelta.max
    log_size: Size = None
    store_age: Timeout = timedelta.max
    store_size: Size = None
    compact: bool = True
    in_flight: Duration = timedelta(seconds=10)


class EngineSettings(_Table):
    """`[engine]`: the running job.

    Attributes:
        trigger: buffer interval = trigger interval of the micro-batches; 0 runs them back to back.
        idle_timeout: how long a stream may be silent before its watermark goes on by wall clock; `timedelta.max`:
            never.
        state: folder of checkpoint, snapshots and dead letters.
        compiled: apply the compile-time rules to PATHs; off only to see what they gain.
        buffer: evaluate the PATHs of a batch's events together; off only to see what it gains.
        cache_size: verdicts kept per semantic subquery; 0 keeps none.
        table_size: up to so many rows, the verdicts of all individuals are computed ahead; 0 never.
        matches_per_event: a query of which more matches become true with one event is stopped.
        runs_per_partition: a query of which more runs are under way at one place of its pattern is stopped.
        master: Spark master.
        spark: more Spark configuration, key by key.
    """

    trigger: Duration = timedelta(seconds=1)
    idle_timeout: Timeout = timedelta(seconds=30)
    state: str = "var/state"
    compiled: bool = True
    buffer: bool = True
    cache_size: int = Field(default=100_000, ge=0)
    table_size: int = Field(default=200_000, ge=0)
    matches_per_event: int = Field(default=100_000, ge=1)
    runs_per_partition: int = Field(default=100_000, ge=1)
    master: str = "local[*]"
    spark: dict[str, str] = Field(default_factory=dict)


class QuerySettings(_Table):
    """`[queries]`: files or glob patterns of χ-CEP documents that `run` registers when it is given none."""

    files: tuple[str, ...] = ()


class Settings(_Table):
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
        return settings.model_copy(update={"prefixes": WELL_KNOWN_PREFIXES | settings.prefixes})

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
