"""A project as people have it in Python: its catalog, and what can be asked of it without an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from ..config import Settings
from ..errors import PipelineError, PlanError, did_you_mean
from ..language import SourceText
from ..language.nodes import Query
from ..ontology import knowledge_of
from ..ontology.modules import Module, with_module, without_module
from ..ontology.reasoners import Closing, close
from ..pipeline import Catalog, queries_read
from ..pipeline.knowledge import modules_in_force
from ..pipeline.sources import RawColumns, RecordedEvents, RecordFile, raw_table, with_objects
from ..storage import BucketFile
from .project_summary import project_html, project_text

if TYPE_CHECKING:
    from ..explain import EventOrId, Explanation, RowExplanation
    from ..pipeline.results import Rows


@dataclass(frozen=True, slots=True)
class Project(Catalog):
    """Settings with the knowledge loaded and the annotations checked.

    Example:
        >>> project = Project.parse({"streams": {"door": {
        ...     "event_type": "<urn:Opened>", "time": {"attribute": "at"},
        ...     "attributes": {"seconds": {"datatype": "xsd:double"}}}}})
        >>> project.evaluate("SELECT ?e.seconds FILTER (?e.seconds > 5)",
        ...                  {"door": [{"at": "2026-01-01T08:00:00Z", "seconds": 7.0}]})[0]["seconds"]
        7.0
    """

    @classmethod
    def load(cls, path: str | Path, *, closing: Closing = close) -> Self:
        """Read a project file, load its knowledge, check its annotations.

        Args:
            path: of the file, or its folder.
            closing: closes the knowledge, unless its closure is kept.

        Raises:
            ConfigError, OntologyError, AnnotationError: what is wrong, where, and the way out.
        """
        return cls.of(Settings.load(path), closing)

    @classmethod
    def parse(cls, content: Mapping[str, Any], *, root: Path | None = None) -> Self:
        """The same from the content of a project file; relative paths start from `root`, by default this folder."""
        return cls.of(Settings.parse(content, root=root))

    @classmethod
    def of(cls, settings: Settings, closing: Closing = close) -> Self:
        """The same from checked settings, with what `kaicep ontology` has changed of the modules."""
        return cls.over(settings, modules_in_force(settings), closing)

    def with_module(self, path: str | Path, *, replacing: str | None = None) -> Self:
        """The same project with one more ontology module.

        Args:
            path: of its file; it takes the place of the module of the same file or ontology IRI.
            replacing: file, file name or ontology IRI of the module whose place it takes.

        Raises:
            OntologyError, AnnotationError: the module is broken, contradicts the others, or is there already.
        """
        module = Module.load(Path(path).absolute(), self.settings.root)
        change = with_module(self.knowledge.modules, module, replacing=replacing)
        return self.with_knowledge(knowledge_of(self.settings, change.modules))

    def without_module(self, name: str) -> Self:
        """The same project without the ontology module of this file, file name or ontology IRI.

        Raises:
            OntologyError, AnnotationError: there is none, or another needs it.
        """
        change = without_module(self.knowledge.modules, name)
        return self.with_knowledge(knowledge_of(self.settings, change.modules))

    def evaluate(
        self,
        text: str,
        streams: Mapping[str, RecordedEvents],
        *,
        strategy: Literal["live", "replay", "rewrite", "hybrid"] | None = "live",
        registered_at: datetime | None = None,
        overlap: timedelta = timedelta(0),
        in_flight: timedelta = timedelta(0),
        outage: tuple[datetime, datetime] | None = None,
        snapshots: bool = True,
        retention: timedelta | None = None,
        ask_at: datetime | None = None,
        spark: Any = None,
        folder: str | Path | None = None,
    ) -> Rows:
        """The rows of a document's last query over recorded events, without Spark unless it is given.

        With a strategy other than `live` this tries what happens when the query is registered in the middle of the
        stream: what came before lies in an archive of its own that is gone afterwards, the rest comes live.

        Args:
            text: a χ-CEP document; it may read the output of the project's named queries.
            streams: by stream name, raw tuples in order of arrival; they end then. Dictionaries; anything with
                `__arrow_c_stream__` or `__dataframe__`: data frames of Polars and pandas, relations of DuckDB, tables,
                readers and datasets of pyarrow; the path of a JSON, CSV or Parquet file, or a list of such paths; of
                objects in buckets `s3://bucket/…`, one, a prefix, or a pattern.
            strategy: how the past is answered: everything `live`, or from an archive by `replay`, `rewrite`, `hybrid`,
                or as the planner chooses (`None`); the rows never depend on it.
            registered_at: the moment of registration in the time of the streams; by default before the first event.
            overlap: how much of the past is live as well; never changes the rows.
            in_flight: how much of the past is archived late; never changes the rows.
            outage: from when to when no engine runs and events are only archived; never changes the rows. `overlap`
                and `in_flight` then are those at its ends.
            snapshots: whether the state of the operators survives the outage; never changes the rows.
            retention: bounds the state of queries that no WINDOW bounds.
            ask_at: the last query is asked once, of the states of the others at this moment (STATE, PARTIAL); what is
                later has not come. Without strategy, registration and outage.
            spark: a Spark session whose executors read and answer: `streams` then are paths that all of them reach,
                each file read by one of them; the rows are the same. Without strategy, registration, outage, `ask_at`.
            folder: where executors leave files for each other, which all of them reach: a path, or
                `s3://bucket/prefix`; by default a temporary one of this machine, which suffices where the session's
                master is local.

        Returns:
            The rows in order, a sequence of dictionaries: items, `_time`, `_events`, `_id`, `_window` of aggregates
            (docs/semantics.md 3.16); also as Arrow, Polars, pandas, HTML, and drawn.

        Raises:
            QuerySyntaxError, QueryTypeError, PlanError: with the way out.

        Warns:
            UserWarning: of records that are no events: how many, and the first few with place and reason.
        """
        from ..pipeline.simulation import Gap, Outage, ask_recorded, evaluate  # noqa: PLC0415 - loads the archive
        from ..planner import Strategy  # noqa: PLC0415 - likewise

        strategies = ("live", *(one.value for one in Strategy))
        if strategy is not None and strategy not in strategies:
            raise PlanError(
                f"there is no strategy '{strategy}'",
                hint=did_you_mean(strategy, list(strategies)) or f"choose {', '.join(strategies)}, or None",
            )
        for name, duration in (("overlap", overlap), ("in_flight", in_flight)):
            if duration < timedelta(0):
                raise PlanError(f"{name} is negative: {duration}", hint="give a duration of zero or more")
        for name in streams:
            self.check_stream(name)
        read = queries_read(self, text)
        own = self.compile(text, retention=retention, outputs=read, asked=ask_at is not None)
        if not own:
            raise PipelineError("the document asks nothing", hint="add a query, such as SELECT … IN CONTEXT …")
        queries = (*read, *own)
        streams = {name: with_objects(recording, self.settings.s3.options) for name, recording in streams.items()}
        if spark is not None:
            from ..pipeline.executors import evaluate_on  # noqa: PLC0415 - likewise

            alone = strategy == "live" and registered_at is None and outage is None and ask_at is None
            given = _files_for_executors(streams, alone=alone)
            return evaluate_on(spark, self, queries, given, folder)
        if ask_at is not None:
            _check_moment(ask_at, plain=strategy == "live" and registered_at is None and outage is None)
            return ask_recorded(self, queries, streams, ask_at)
        if outage is not None and outage[1] < outage[0]:
            raise PlanError("the outage ends before it begins", hint="give its beginning first")
        down = None if outage is None else Outage(*outage, overlap, in_flight, snapshots)
        gap = None if registered_at is None else Gap(registered_at, overlap, in_flight)
        chosen = Strategy(strategy) if strategy in list(Strategy) else None
        return evaluate(self, queries, streams, gap, chosen, archived=strategy != "live", down=down)

    def explain(self, query: Query) -> str:
        """How a compiled query would be answered if it were registered before the first event, in words."""
        from ..explain import explain_query, plan_text  # noqa: PLC0415 - the rest of a project needs none of it

        return plan_text(explain_query(self, query), self.knowledge.prefixes)

    def why(
        self,
        text: str,
        event: EventOrId | RawColumns,
        *,
        stream: str | None = None,
        variable: str | None = None,
        now: datetime | None = None,
        source: str = "query",
    ) -> Explanation:
        """Why an event is a candidate of a query, with proofs, or the clauses that it fails and by how much.

        Args:
            text: a χ-CEP document; of several queries the last one that reads the event's stream is asked.
            event: a raw tuple (a dictionary, or columns of one row, as `evaluate` takes them), or the id of an
                archived event.
            stream: what stream a tuple is of, if the document reads several.
            variable: the event variable to explain; by default all over that stream.
            now: the query's `now` (WITHIN); by default bounds relative to it are not judged.
            source: what the document is called in messages.

        Raises:
            QuerySyntaxError, QueryTypeError, PipelineError: with the way out.
        """
        from ..explain import explain_event  # noqa: PLC0415 - the rest of a project needs none of it

        asked = event if isinstance(event, str | Mapping) else _only_tuple(event)
        return explain_event(self, SourceText(source, text), asked, stream=stream, variable=variable, now=now)

    def why_row(self, row: str) -> RowExplanation:
        """In which windows of contexts a row lies that an engine has reported, and who opened these.

        Args:
            row: its `_id`; of a named query that is registered, or of a deriving query.

        Raises:
            PipelineError: no row has it, no engine has answered yet, or the log does not reach back far enough.
        """
        from ..explain import explain_row  # noqa: PLC0415 - the rest of a project needs none of it

        return explain_row(self, row)

    def __repr__(self) -> str:
        """Its file, streams and knowledge, on a line."""
        return project_text(self)

    def _repr_html_(self) -> str:
        """Its streams as a table, for notebooks."""
        return project_html(self)


def _files_for_executors(streams: Mapping[str, Any], *, alone: bool) -> dict[str, list[RecordFile]]:
    """The paths of recorded events that executors read; `alone`: nothing else is said of how.

    Raises:
        PlanError: something is no path, or something else is said.
    """
    if not alone:
        raise PlanError("spark beside a strategy, a registration, an outage or ask_at", hint="give spark alone")
    found: dict[str, list[RecordFile]] = {}
    for name, recording in streams.items():
        parts = recording if isinstance(recording, Sequence) and not isinstance(recording, str) else [recording]
        found[name] = [
            part if isinstance(part, BucketFile) else Path(part)
            for part in parts
            if isinstance(part, str | PathLike | BucketFile)
        ]
        if len(found[name]) < len(parts):
            hint = "executors read files: give paths; a DataFrame of Spark's goes to kaicep.spark.matches"
            raise PlanError(f"the events of '{name}' are no files", hint=hint)
    return found


def _check_moment(moment: datetime, *, plain: bool) -> None:
    """Make sure that a document may be asked at a moment; `plain`: nothing else is said of how.

    Raises:
        PlanError: it may not.
    """
    if not plain:
        raise PlanError("ask_at beside a strategy, a registration or an outage", hint="give ask_at alone")
    if moment.tzinfo is None:
        raise PlanError(f"ask_at has no time zone: {moment}", hint="pass an aware datetime")


def _only_tuple(columns: RawColumns) -> dict[str, Any]:
    """The tuple that columns hold.

    Raises:
        PipelineError: they hold none, or several.
    """
    table = raw_table(columns)
    if table.num_rows != 1:
        raise PipelineError(
            f"one event is explained at a time, and there are {table.num_rows:,} rows", hint="give one, such as df[:1]"
        )
    return {name: value for name, value in table.to_pylist()[0].items() if value is not None}
