"""The catalog of a project: its settings, its knowledge, its annotated streams, as data."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Self

from ..annotator import Annotator, EventShape
from ..cep import Limits
from ..config import Settings
from ..errors import QueryTypeError, did_you_mean
from ..expressions import SIGNATURES
from ..language.checks import compile_document, known_contexts, known_state, with_emissions
from ..language.nodes import ActionKind, ContextChange, Query, StreamType, Vocabulary
from ..ontology import KnowledgeBase, knowledge_of
from ..ontology.modules import Module
from ..ontology.reasoners import Closing, close
from ..semfilter.runtime import FilterOptions
from ..settings import ContextSettings
from .flow import Judgement, Registration
from .query_documents import context_sets

if TYPE_CHECKING:
    from .flow import Dataflow


@dataclass(frozen=True, slots=True)
class Catalog:
    """What queries are compiled and answered against; what is done with it are functions.

    Source: the catalog of databases, as Flink and DataFusion have it.
    """

    settings: Settings
    knowledge: KnowledgeBase
    annotators: Mapping[str, Annotator]

    @classmethod
    def over(cls, settings: Settings, modules: Sequence[Module], closing: Closing = close) -> Self:
        """The catalog of checked settings and the ontology modules in force; `closing` closes these.

        Raises:
            OntologyError, AnnotationError: what is wrong, where, and the way out.
        """
        return cls.of_knowledge(settings, knowledge_of(settings, modules, closing))

    @classmethod
    def of_knowledge(cls, settings: Settings, knowledge: KnowledgeBase) -> Self:
        """The catalog of checked settings and knowledge that is closed.

        Raises:
            AnnotationError: an annotation does not go with it.
        """
        return cls(settings, knowledge, _annotators(settings, knowledge))

    def with_knowledge(self, knowledge: KnowledgeBase) -> Self:
        """The same project over another knowledge base.

        Raises:
            AnnotationError: an annotation does not go with it.
        """
        return replace(self, knowledge=knowledge, annotators=_annotators(self.settings, knowledge))

    def vocabulary(self, outputs: Sequence[Query] = (), text: str = "") -> Vocabulary:
        """What a query may speak of.

        Args:
            outputs: queries whose rows and whose sets of contexts it may name; it may name sets of query files, too.
            text: the document that it stands in, whose own sets go before those of files.
        """
        sources = {name: annotator.stream_type for name, annotator in self.annotators.items()}
        streams = sources | {q.name: q.output for q in outputs if q.name is not None}
        for query in outputs:
            streams = with_emissions(streams, query)
        known = Vocabulary(streams, SIGNATURES, self.settings.prefixes, self.knowledge, tuple(sources))
        registered = (each for query in outputs for each in query.context_sets)
        sets = (*registered, *context_sets(self.settings, known, text))
        states = {q.called: known_state(q) for q in outputs if q.called is not None}
        return replace(known, contexts=known_contexts(sets, outputs), states=states)

    def compile(
        self,
        text: str,
        *,
        source: str = "query",
        retention: timedelta | None = None,
        outputs: Sequence[Query] = (),
        asked: bool = False,
    ) -> tuple[Query, ...]:
        """Check a χ-CEP document against this project.

        Args:
            text: the document.
            source: what it is called in messages, such as its file name.
            retention: bounds the state of queries that no WINDOW bounds.
            outputs: queries whose output streams it may name.
            asked: whether its last query is asked once, of the states of others.

        Raises:
            QuerySyntaxError, QueryTypeError: with place, caret and way out.
        """
        queries = compile_document(text, self.vocabulary(outputs, text), source, retention, asked=asked)
        return tuple(_switched(query, self.settings.engine.contexts) for query in queries)

    def shape(self, stream: StreamType) -> EventShape:
        """How the events of a stream, a source or the output of a query, become triples."""
        return self.judgement.shape(stream)

    def dataflow(self, workers: int = 1, *, isolated: bool = False, timely: bool = False) -> Dataflow:
        """The data path of this project, with no query registered yet; see `Dataflow`.

        Args:
            workers: queries that are evaluated at the same time.
            isolated: whether one that fails stops nothing but itself.
            timely: whether one that takes longer than `query_timeout` for a live batch fails.
        """
        from .flow import Dataflow  # noqa: PLC0415 - who looks at queries needs what answers them not

        lateness = {name: stream.lateness for name, stream in self.settings.streams.items()}
        return Dataflow(
            self.judgement,
            lateness,
            self.options,
            workers,
            limits=self.limits,
            isolated=isolated,
            identities=self.settings.engine.identities,
            query_timeout=self.settings.engine.query_timeout if timely else None,
            services=self.settings.queries,
        )

    @property
    def limits(self) -> Limits:
        """How much a query may take."""
        engine = self.settings.engine
        return Limits(
            engine.matches_per_event,
            engine.partial_matches_per_partition,
            engine.pairs_per_event,
            engine.distinct_rows,
            engine.rows_per_batch,
            engine.windows_per_batch,
            engine.bytes_per_batch,
        )

    @property
    def judgement(self) -> Judgement:
        """By what events are judged."""
        return Judgement(self.annotators, self.knowledge)

    @property
    def options(self) -> FilterOptions:
        """How PATHs are evaluated."""
        return FilterOptions.of(self.settings.engine)

    @property
    def shapes(self) -> dict[str, EventShape]:
        """Source stream → how its events become triples."""
        return {name: annotator.shape for name, annotator in self.annotators.items()}

    def check_stream(self, name: str) -> None:
        """Make sure that there is a stream of this name.

        Raises:
            QueryTypeError: there is none.
        """
        if name not in self.annotators:
            hint = did_you_mean(name, list(self.annotators)) or f"its streams: {', '.join(self.annotators)}"
            raise QueryTypeError(f"the project has no stream '{name}'", hint=hint)

    def check_actions(self, queries: Sequence[Query]) -> None:
        """Make sure that the project has the actions that rules call, and that these give what templates need.

        Raises:
            QueryTypeError: it has not, with the place and what was probably meant; or they do not.
        """
        if (missing := next(self.missing_actions(queries), None)) is not None:
            raise missing
        rules = [query.rule for query in queries if query.rule is not None]
        called = {action.target for rule in rules for action in rule.actions if action.kind is ActionKind.CALL}
        if called:
            from .actions import check_arguments, needs_of  # noqa: PLC0415 - most queries call nobody

            check_arguments(queries, needs_of(self.settings, called))

    def missing_actions(self, queries: Sequence[Query]) -> Iterator[QueryTypeError]:
        """What is said of each CALL of an action that the project has not."""
        known = list(self.settings.actions)
        for query in queries:
            for action in () if query.rule is None else query.rule.actions:
                if action.kind is ActionKind.CALL and action.target not in known and query.document is not None:
                    others = f"its actions: {', '.join(known)}" if known else f"declare it: [actions.{action.target}]"
                    hint = did_you_mean(action.target, known) or others
                    message = f"the project has no action '{action.target}'"
                    yield query.document.type_error(action.span, message, hint)

    def registrations(
        self,
        text: str,
        label: str,
        outputs: Sequence[Query] = (),
        retention: timedelta | None = None,
        taken: Collection[str] = (),
    ) -> tuple[Registration, ...]:
        """The queries of a document, labelled by their names, else by `label` without its ending and their position.

        Those that change a context are labelled by that, numbered from the second on; not by one of `taken`.
        """
        queries = self.compile(text, source=label, retention=retention, outputs=outputs)
        self.check_actions(queries)
        several = sum(q.called is None and q.change is None for q in queries) > 1
        stem, found = Path(label).stem, list[Registration]()
        for position, q in enumerate(queries, 1):
            known = {*taken, *(registration.label for registration in found)}
            own = f"{stem}-{position}" if several else stem
            found.append(Registration(q, q.called or (own if q.change is None else change_label(q.change, known))))
        return tuple(found)


def labelled(queries: Sequence[Query]) -> list[Registration]:
    """Queries that others read, labelled by their names; those that change a context by that."""
    found: list[Registration] = []
    for query in queries:
        taken = [registration.label for registration in found]
        changed = "" if query.change is None else change_label(query.change, taken)
        found.append(Registration(query, query.called or changed))
    return found


def change_label(change: ContextChange, taken: Collection[str] = ()) -> str:
    """What a query is called that changes a context: `road.jam.initiate`, the second `road.jam.initiate-2`."""
    label = f"{change.context.set}.{change.context.context}.{change.kind.value.lower()}"
    numbered = (f"{label}-{number}" for number in count(2))
    return next(name for name in chain([label], numbered) if name not in taken)


def _annotators(settings: Settings, knowledge: KnowledgeBase) -> dict[str, Annotator]:
    return {name: Annotator(name, settings, knowledge) for name in settings.streams}


def _switched(query: Query, switches: ContextSettings) -> Query:
    """The query, answered without what is switched off."""
    within = query.in_context
    if within is None or switches == ContextSettings():
        return query
    switched = replace(
        within,
        grouped=switches.grouping,
        pushed_down=switches.push_down,
        together=switches.sharing and switches.grouping,
    )
    return replace(query, in_context=switched)
