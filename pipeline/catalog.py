"""The catalog of a project: its settings, its knowledge, its annotated streams, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Self

from ..annotator import Annotator, EventShape
from ..cep import Limits
from ..config import Settings
from ..errors import QueryTypeError, did_you_mean
from ..expressions import SIGNATURES
from ..language.checks import compile_document
from ..language.nodes import Query, StreamType, Vocabulary
from ..ontology import KnowledgeBase, knowledge_of
from ..ontology.modules import Module
from ..ontology.reasoners import Closing, close
from ..semfilter.runtime import FilterOptions
from .flow import Judgement, Registration

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
        knowledge = knowledge_of(settings, modules, closing)
        return cls(settings, knowledge, _annotators(settings, knowledge))

    def with_knowledge(self, knowledge: KnowledgeBase) -> Self:
        """The same project over another knowledge base.

        Raises:
            AnnotationError: an annotation does not go with it.
        """
        return replace(self, knowledge=knowledge, annotators=_annotators(self.settings, knowledge))

    def vocabulary(self, outputs: Sequence[Query] = ()) -> Vocabulary:
        """What a query may speak of; `outputs` are named queries whose rows it may read."""
        sources = {name: annotator.stream_type for name, annotator in self.annotators.items()}
        derived = {q.name: q.output for q in outputs if q.name is not None}
        return Vocabulary(sources | derived, SIGNATURES, self.settings.prefixes, self.knowledge, tuple(sources))

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


def _annotators(settings: Settings, knowledge: KnowledgeBase) -> dict[str, Annotator]:
    return {name: Annotator(name, settings, knowledge) for name in settings.streams}
