"""A project: its settings, its knowledge, its annotated streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from ..annotator import Annotator, EventShape
from ..cep import Limits
from ..config import Settings
from ..errors import PlanError, QueryTypeError, did_you_mean
from ..language import Query, StreamType, Vocabulary, compile_document
from ..language.text import SourceText
from ..ontology import KnowledgeBase, Module, knowledge_of, stated_modules, with_module, without_module
from ..planner import Strategy, outline
from ..semfilter import FilterOptions, with_prefixes
from .dataflow import Dataflow, shape_of
from .evaluation import evaluate
from .flow import QueryFlow, Registration
from .knowledge_store import KnowledgeStore
from .outage_simulation import Down
from .simulation import Gap
from .tuples import RawTuples
from .why import EventOrId, Explanation, explain_event

_STRATEGIES = ("live", *(strategy.value for strategy in Strategy))


@dataclass(frozen=True, slots=True)
class Project:
    """Settings with the knowledge loaded and the annotations checked.

    Example:
        >>> project = Project.parse({"streams": {"door": {
        ...     "event_type": "<urn:Opened>", "time": {"attribute": "at"},
        ...     "attributes": {"seconds": {"datatype": "xsd:double"}}}}})
        >>> project.evaluate("SELECT ?e.seconds FILTER (?e.seconds > 5)",
        ...                  {"door": [{"at": "2026-01-01T08:00:00Z", "seconds": 7.0}]})[0]["seconds"]
        7.0
    """

    settings: Settings
    knowledge: KnowledgeBase
    annotators: Mapping[str, Annotator]

    @classmethod
    def load(cls, path: str | Path) -> Project:
        """Read a project file, load its knowledge, check its annotations.

        Raises:
            ConfigError, OntologyError, AnnotationError: what is wrong, where, and the way out.
        """
        return cls.of(Settings.load(path))

    @classmethod
    def parse(cls, content: Mapping[str, Any], *, root: Path | None = None) -> Project:
        """The same from the content of a project file; relative paths start from `root`, by default this folder."""
        return cls.of(Settings.parse(content, root=root))

    @classmethod
    def of(cls, settings: Settings) -> Project:
        """The same from checked settings, with what `kaicep ontology` has changed of the modules."""
        modules = KnowledgeStore.of(settings).changed(stated_modules(settings))
        return cls._with(settings, knowledge_of(settings, modules))

    @classmethod
    def _with(cls, settings: Settings, knowledge: KnowledgeBase) -> Project:
        annotators = {name: Annotator(name, settings, knowledge) for name in settings.streams}
        return cls(settings, knowledge, annotators)

    def with_knowledge(self, knowledge: KnowledgeBase) -> Project:
        """The same project over another knowledge base.

        Raises:
            AnnotationError: an annotation does not go with it.
        """
        return self._with(self.settings, knowledge)

    def with_module(self, path: str | Path, *, replacing: str | None = None) -> Project:
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

    def without_module(self, name: str) -> Project:
        """The same project without the ontology module of this file, file name or ontology IRI.

        Raises:
            OntologyError, AnnotationError: there is none, or another needs it.
        """
        change = without_module(self.knowledge.modules, name)
        return self.with_knowledge(knowledge_of(self.settings, change.modules))

    def vocabulary(self, outputs: Sequence[Query] = ()) -> Vocabulary:
        """What a query may speak of; `outputs` are named queries whose rows it may read."""
        sources = {name: annotator.stream_type for name, annotator in self.annotators.items()}
        derived = {q.name: q.output for q in outputs if q.name is not None}
        return Vocabulary(sources | derived, self.settings.prefixes, self.knowledge, tuple(sources))

    def compile(
        self,
        text: str,
        *,
        source: str = "query",
        retention: timedelta | None = None,
        outputs: Sequence[Query] = (),
    ) -> tuple[Query, ...]:
        """Check a χ-CEP document against this project.

        Args:
            text: the document.
            source: what it is called in messages, such as its file name.
            retention: bounds the state of queries that no WINDOW bounds.
            outputs: queries whose output streams it may name.

        Raises:
            QuerySyntaxError, QueryTypeError: with place, caret and way out.
        """
        return compile_document(text, self.vocabulary(outputs), source, retention)

    def shape(self, stream: StreamType) -> EventShape:
        """How the events of a stream, a source or the output of a query, become triples."""
        return shape_of(stream, self.annotators, self.knowledge)

    def dataflow(self, workers: int = 1, *, isolated: bool = False) -> Dataflow:
        """The data path of this project, with no query registered yet; see `Dataflow`."""
        lateness = {name: stream.lateness for name, stream in self.settings.streams.items()}
        engine = self.settings.engine
        limits = Limits(engine.matches_per_event, engine.runs_per_partition)
        return Dataflow(
            self.annotators, lateness, self.knowledge, self.options, workers, limits=limits, isolated=isolated
        )

    @property
    def options(self) -> FilterOptions:
        """How PATHs are evaluated."""
        return FilterOptions.of(self.settings.engine)

    @property
    def shapes(self) -> dict[str, EventShape]:
        """Source stream → how its events become triples."""
        return {name: annotator.shape for name, annotator in self.annotators.items()}

    def explain(self, query: Query, past: Sequence[str] = ()) -> str:
        """How a compiled query would be answered if it were registered before the first event, in words.

        Args:
            query: of this project.
            past: lines that come before those about the strategies for its past.
        """
        flow = QueryFlow(
            Registration(query, query.name or "query"),
            self.dataflow().shape,
            self.knowledge,
            self.options,
        )
        flow.past = [*past, *outline(query, self.shapes, self.knowledge)]
        return self.explain_flow(flow)

    def explain_flow(self, flow: QueryFlow) -> str:
        """How a registered query is answered, and by which version of the knowledge, in words."""
        text = with_prefixes(flow.explain(), self.knowledge.prefixes)
        known = KnowledgeStore.of(self.settings).in_words(self.knowledge)
        return f"{text}\n  knowledge: {known}" if self.knowledge.modules else text

    def check_stream(self, name: str) -> None:
        """Make sure that there is a stream of this name.

        Raises:
            QueryTypeError: there is none.
        """
        if name not in self.annotators:
            hint = did_you_mean(name, list(self.annotators)) or f"its streams: {', '.join(self.annotators)}"
            raise QueryTypeError(f"the project has no stream '{name}'", hint=hint)

    def evaluate(
        self,
        text: str,
        streams: Mapping[str, RawTuples],
        *,
        strategy: Literal["live", "replay", "rewrite", "hybrid"] | None = "live",
        registered_at: datetime | None = None,
        overlap: timedelta = timedelta(0),
        in_flight: timedelta = timedelta(0),
        outage: tuple[datetime, datetime] | None = None,
        snapshots: bool = True,
        retention: timedelta | None = None,
    ) -> list[dict[str, Any]]:
        """The rows of a document's last query over recorded events, without Spark.

        With a strategy other than `live` this tries what happens when the query is registered in the middle of the
        stream: what came before lies in an archive of its own that is gone afterwards, the rest comes live.

        Args:
            text: a χ-CEP document.
            streams: by stream name, raw tuples as dictionaries or a table, in order of arrival; they end then.
            strategy: how the past is answered: everything `live`, or from an archive by `replay`, `rewrite`, `hybrid`,
                or as the planner chooses (`None`); the rows never depend on it.
            registered_at: the moment of registration in the time of the streams; by default before the first event.
            overlap: how much of the past is live as well; never changes the rows.
            in_flight: how much of the past is archived late; never changes the rows.
            outage: from when to when no engine runs and events are only archived; never changes the rows. `overlap`
                and `in_flight` then are those at its ends.
            snapshots: whether the state of the operators survives the outage; never changes the rows.
            retention: bounds the state of queries that no WINDOW bounds.

        Returns:
            One dictionary per row: items, `_time`, `_events`, `_id`, and `_window` of aggregates (LANGUAGE §3, Output).

        Raises:
            QuerySyntaxError, QueryTypeError, PlanError: with the way out.
        """
        if strategy is not None and strategy not in _STRATEGIES:
            raise PlanError(
                f"there is no strategy '{strategy}'",
                hint=did_you_mean(strategy, list(_STRATEGIES)) or f"choose {', '.join(_STRATEGIES)}, or None",
            )
        for name, duration in (("overlap", overlap), ("in_flight", in_flight)):
            if duration < timedelta(0):
                raise PlanError(f"{name} is negative: {duration}", hint="give a duration of zero or more")
        for name in streams:
            self.check_stream(name)
        queries = self.compile(text, retention=retention)
        if outage is not None and outage[1] < outage[0]:
            raise PlanError("the outage ends before it begins", hint="give its beginning first")
        down = None if outage is None else Down(*outage, overlap, in_flight, snapshots)
        gap = None if registered_at is None else Gap(registered_at, overlap, in_flight)
        chosen = Strategy(strategy) if strategy in list(Strategy) else None
        return evaluate(self, queries, streams, gap, chosen, archived=strategy != "live", down=down)

    def why(
        self,
        text: str,
        event: EventOrId,
        *,
        stream: str | None = None,
        variable: str | None = None,
        now: datetime | None = None,
        source: str = "query",
    ) -> Explanation:
        """Why an event is a candidate of a query, with proofs, or the clauses that it fails and by how much.

        Args:
            text: a χ-CEP document; of several queries the last one that reads the event's stream is asked.
            event: a raw tuple, or the id of an archived event.
            stream: what stream a tuple is of, if the document reads several.
            variable: the event variable to explain; by default all over that stream.
            now: the query's `now` (WITHIN); by default bounds relative to it are not judged.
            source: what the document is called in messages.

        Raises:
            QuerySyntaxError, QueryTypeError, PipelineError: with the way out.
        """
        return explain_event(self, SourceText(source, text), event, stream=stream, variable=variable, now=now)

    def registrations(
        self, text: str, label: str, outputs: Sequence[Query] = (), retention: timedelta | None = None
    ) -> tuple[Registration, ...]:
        """The queries of a document, labelled by their names, else by `label` without its ending and their position."""
        queries = self.compile(text, source=label, retention=retention, outputs=outputs)
        several = sum(q.name is None for q in queries) > 1
        stem = Path(label).stem
        return tuple(
            Registration(q, q.name or (f"{stem}-{position}" if several else stem))
            for position, q in enumerate(queries, 1)
        )
