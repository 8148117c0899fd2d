"""The tables of the project file, key by key; prefixed names stay as written."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal, Self

from pydantic import AliasChoices, BeforeValidator, Field, field_validator, model_validator

from ..storage import is_bucket_url
from .quantities import Duration, Endpoint, Size, Timeout, parse_size
from .source_settings import SourceSettings
from .strict_table import Table
from .time_settings import TimeSettings

ReasonerName = Literal["rl", "hermit", "pellet", "none"]
"""The reasoners; what each does stands in `ontology/reasoners`, a file per name."""
Hosting = Literal["driver", "executors", "auto"]
"""Who reads and answers the batches of an engine."""
OnContradiction = Literal["refuse", "leave_out", "warn"]
"""What becomes of modules that contradict themselves."""
_STRINGS = frozenset({"xsd:string", "<http://www.w3.org/2001/XMLSchema#string>"})


class KnowledgeSettings(Table):
    """`[knowledge]`: the ontology modules and how they are closed.

    Attributes:
        modules: files or glob patterns, relative to the project file, in any RDF syntax.
        catalog: folders in which `owl:imports` are looked up by the ontology IRI of the files there.
        reasoner: `rl` (OWL 2 RL), `hermit`, `pellet` (OWL 2 DL), or `none`.
        strict_imports: whether an import that nothing declares is refused; else it is told, and done without.
        names_per_thing: so many names may mean the same; modules of which more follows are refused.
        pairs_per_statement: so many pairs of classes, or of properties, may follow for each statement; likewise.
        on_contradiction: modules that contradict themselves are refused, taken without the fewest statements that make
            them contradict themselves, or taken as they are.
        cache: folder in which closures are kept, or `never`; `None`: that of the user.
        cache_size: bytes that it may hold.
    """

    modules: tuple[str, ...] = ()
    catalog: tuple[str, ...] = ()
    reasoner: ReasonerName = "rl"
    strict_imports: bool = False
    names_per_thing: int = Field(default=100, ge=1)
    pairs_per_statement: int = Field(default=20, ge=1)
    on_contradiction: OnContradiction = "refuse"
    cache: str | None = None
    cache_size: Annotated[int, BeforeValidator(parse_size)] = 2 * 10**9


class AttributeSettings(Table):
    """What one attribute of a raw tuple stands for.

    Attributes:
        property: the property whose object the value (or its individual) is.
        same_as: the property that the attribute's name is the same as; the value is its literal.
        datatype: XSD datatype of the value; by default the property's range, else `xsd:string` for individuals.
        unit: QUDT unit of the value.
        unit_of: attribute that stands for individuals: where the knowledge says in which unit these measure, the value
            is converted from there to `unit`.
        value_of: attribute whose value this is, in another unit; nothing where the units cannot be converted.
        individual: IRI template: in `ee:{}` the value is percent-encoded, in `ee:{+}`, and in `{}` alone, as it is.
        key: property whose value identifies the individual: value `D105VOL` → the individual with that key.
        of_class: class whose individuals are meant, where others have the same key.
        ignore_case: whether a value that fits no individual as it is may fit one but for its case.
    """

    property: str | None = None
    same_as: str | None = None
    datatype: str | None = None
    unit: str | None = None
    unit_of: str | None = None
    value_of: str | None = None
    individual: str | None = None
    key: str | None = None
    of_class: str | None = None
    ignore_case: bool = False

    def has_texts(self) -> bool:
        """Whether its values are texts, by what stands here: then 1.10 is another one than 1.1."""
        return self.datatype in _STRINGS or (self.datatype is None and (self.individual or self.key) is not None)

    @field_validator("individual")
    @classmethod
    def _has_a_place_for_the_value(cls, template: str | None) -> str | None:
        if template is not None and template.count("{}") + template.count("{+}") != 1:
            message = f"the template '{template}' needs exactly one {{}} for the value, such as \"ee:{{}}\""
            raise ValueError(message)
        return template


class StreamSettings(Table):
    """`[streams.NAME]`: one stream's source and annotation.

    Attributes:
        event_type: class of the stream's events.
        time: time attribute.
        attributes: in declared order; the time attribute need not be repeated.
        identity: attributes that identify an event; none: the whole tuple does.
        lateness: how far an event may lie behind the greatest time stamp so far.
        idle_timeout: how long it may be silent before its watermark goes on by wall clock; `None`: the engine's.
        max_ahead: how far an event may be ahead of the wall clock when the engine reads it; `timedelta.max`: any time.
        source: where raw events come from; `None` for a stream that only `evaluate` and `try` feed.
        annotation: file, relative to the project file, that says what is not written here.
    """

    event_type: str
    time: TimeSettings
    attributes: dict[str, AttributeSettings] = Field(default_factory=dict)
    identity: tuple[str, ...] = ()
    lateness: Duration = timedelta(0)
    idle_timeout: Timeout | None = None
    max_ahead: Timeout = timedelta(hours=1)
    source: SourceSettings | None = None
    annotation: str | None = None

    @model_validator(mode="after")
    def _source_fills_attributes(self) -> Self:
        source = self.source
        unpivot = None if source is None else source.unpivot
        filled = {
            "source.file_name": None if source is None else source.file_name,
            "source.unpivot.name": None if unpivot is None else unpivot.name,
            "source.unpivot.value": None if unpivot is None else unpivot.value,
            **({} if source is None or source.kafka is None else source.kafka.filled),
            **({} if source is None or source.mqtt is None else source.mqtt.filled),
        }
        for key, name in filled.items():
            if name is not None and name not in {self.time.attribute, *self.attributes}:
                known = ", ".join(self.attributes) or "none"
                message = f"{key}: '{name}' is no attribute of the stream; its attributes: {known}"
                raise ValueError(message)
        return self


class ArchiveSettings(Table):
    """`[archive]`: where events, and what queries found, are kept.

    Attributes:
        path: its folder.
        log: where its logs lie, `s3://bucket/prefix`; `None`: in the folder, as all the rest does.
        enabled: whether events are archived at all.
        matches: whether the rows of named queries are archived, too.
        store: whether there is a semantic store beside the log.
        delta: where the log is copied to as tables of Delta Lake, a path or `s3://bucket/prefix`; `None`: nowhere.
        endpoint: URL of a SPARQL 1.1 endpoint that is the store; `None`: the store is in the archive's folder.
        endpoint_update: URL that takes the endpoint's updates; `None`: `…/update` beside `…/query` or `…/sparql`, else
            the same.
        bucket: the time range of one named graph of the store.
        log_age: events so much older than the newest one leave the log, by whole segments; `timedelta.max`: never.
        log_size: bytes that the log may take; the oldest segments go first. `None`: any number.
        store_age: events so much older than the newest one leave the store, by whole buckets.
        store_size: bytes that the store may take; the oldest buckets go first.
        compact: whether small segments of the log are put together.
        in_flight: how long a query about the past waits for events that are on their way to the log.
        rewrite_timeout: how long SPARQL may take into which a query about the past is rewritten.
    """

    path: str = "var/archive"
    log: str | None = None
    enabled: bool = True
    matches: bool = True
    store: bool = True
    delta: str | None = None
    endpoint: Endpoint = None
    endpoint_update: Endpoint = None
    bucket: Duration = timedelta(minutes=1)
    log_age: Timeout = timedelta.max
    log_size: Size = None
    store_age: Timeout = timedelta.max
    store_size: Size = None
    compact: bool = True
    in_flight: Duration = timedelta(seconds=10)
    rewrite_timeout: Duration = timedelta(seconds=60)

    @model_validator(mode="after")
    def _size_is_known(self) -> Self:
        if self.endpoint is not None and self.store_size is not None:
            message = "store_size cannot be kept by an endpoint, whose size nobody outside knows; use store_age"
            raise ValueError(message)
        return self

    @field_validator("path")
    @classmethod
    def _is_a_folder(cls, path: str) -> str:
        if is_bucket_url(path):
            message = "path is a folder, since the store has locks and renames; write log for what may be in a bucket"
            raise ValueError(message)
        return path

    @field_validator("log")
    @classmethod
    def _is_in_a_bucket(cls, log: str | None) -> str | None:
        if log is not None and not is_bucket_url(log):
            message = "log is no bucket: write s3://bucket/prefix, or name a folder for the whole archive with path"
            raise ValueError(message)
        return log

    def apart(self, path: str, *, store: bool) -> Self:
        """Those of an archive that is gone afterwards: in this folder, and nothing of it in an endpoint or a lake."""
        return self.model_copy(update={"path": path, "log": None, "store": store, "endpoint": None, "delta": None})


class ContextSettings(Table):
    """`[engine.contexts]`: how queries in contexts are answered.

    Attributes:
        grouping: look for a match once for all the windows that overlap.
        push_down: leave out events that lie in no window before FILTER and PATH are asked.
        sharing: look for a match once for all queries that are equal but for their contexts.

    Rows are the same without: they are switched off only to see what they gain.
    """

    grouping: bool = True
    push_down: bool = True
    sharing: bool = True


class EngineSettings(Table):
    """`[engine]`: the running job.

    Attributes:
        trigger: buffer interval = trigger interval of the micro-batches; 0 runs them back to back.
        idle_timeout: how long a stream may be silent before its watermark goes on by wall clock; `timedelta.max`:
            never.
        state: folder of checkpoint, snapshots and dead letters.
        umask: rights that what an engine writes does not have, as the shell's umask, in octal digits.
        dead_letter_size: bytes that the dead letters of each stream may take; the oldest go first.
        compiled: apply the compile-time rules to PATHs; off only to see what they gain.
        buffer: evaluate the PATHs of a batch's events together; off only to see what it gains.
        cache_size: verdicts kept per semantic subquery; 0 keeps none.
        table_size: up to so many rows, the verdicts of all individuals are computed ahead; 0 never.
        path_timeout: how long a PATH may take for the events of a batch; a query whose PATH takes longer is parked.
        query_timeout: how long a query may take for the events of a batch, for each 100,000 of them.
        matches_per_event: a query of which more matches become true with one event is stopped.
        partial_matches_per_partition: a query of which more partial matches are under way at one place of its pattern
            is stopped.
        distinct_rows: a query with DISTINCT that has reported more different rows is stopped.
        identities: so many are remembered of a stream whose identities do not have the time stamp.
        pairs_per_event: a query that compares more pairs to find the matches of one event is stopped.
        rows_per_batch: likewise one whose pattern gives more rows in one batch, or has more matches at once.
        windows_per_batch: likewise one that reports more windows in one batch.
        bytes_per_batch: likewise one of which what is held at once takes more memory.
        contexts: how queries in contexts are answered.
        hosting: who reads and answers batches: the `driver`, Spark's `executors`, or `auto`: these where the master is
            not local.
        shards: into how many a query is cut at most where executors answer, when the first batch is done; `None`: as
            many as they have cores then.
        shared: folder for what executors leave for each other, and for the states of shards, which all of them reach: a
            path, or `s3://bucket/prefix`; `None`: in that of the state.
        master: Spark master.
        spark: more Spark configuration, key by key.
    """

    trigger: Duration = timedelta(seconds=1)
    idle_timeout: Timeout = timedelta(seconds=30)
    state: str = "var/state"
    umask: str = Field(default="077", pattern=r"^0?[0-7]{3}$")
    dead_letter_size: Annotated[int, BeforeValidator(parse_size)] = 100 * 10**6
    compiled: bool = True
    buffer: bool = True
    cache_size: int = Field(default=100_000, ge=0)
    table_size: int = Field(default=200_000, ge=0)
    path_timeout: Duration = timedelta(seconds=10)
    query_timeout: Timeout = timedelta(seconds=10)
    matches_per_event: int = Field(default=100_000, ge=1)
    partial_matches_per_partition: int = Field(
        default=100_000,
        ge=1,
        validation_alias=AliasChoices("partial_matches_per_partition", "runs_per_partition"),  # as it was called before
    )
    pairs_per_event: int = Field(default=10_000_000, ge=1)
    rows_per_batch: int = Field(default=2_000_000, ge=1)
    windows_per_batch: int = Field(default=2_000_000, ge=1)
    bytes_per_batch: Annotated[int, BeforeValidator(parse_size)] = 10**9
    distinct_rows: int = Field(default=1_000_000, ge=1)
    identities: int = Field(default=1_000_000, ge=1)
    contexts: ContextSettings = ContextSettings()
    hosting: Hosting = "auto"
    shards: int | None = Field(default=None, ge=1)
    shared: str | None = None
    master: str = "local[*]"
    spark: dict[str, str] = Field(default_factory=dict)

    @field_validator("state")
    @classmethod
    def _is_a_folder(cls, state: str) -> str:
        if is_bucket_url(state):
            message = "state is a folder, in which Spark has its checkpoint; shared, log and sources may be in a bucket"
            raise ValueError(message)
        return state
