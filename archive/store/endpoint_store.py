"""The semantic store in somebody else's hands: any SPARQL 1.1 endpoint over HTTP, as the paper's was 4store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

import pyoxigraph as ox

from ...errors import ArchiveError, Place
from ...ontology import KnowledgeBase
from ..sparql import Question, Result, collected, explain_syntax, names_dataset
from .endpoint import AskedWrongError, Endpoint
from .endpoint_updates import drop, in_one, insert_quads, insert_triples, set_value
from .graphs import KNOWLEDGE, bucket_start, graphs_between
from .store_metadata import (
    EVENTS_BY_GRAPH,
    GRAPH,
    HOLDS,
    IDENTITY,
    IS_SEEN,
    KNOWS,
    SINCE,
    SUBJECT,
    Progress,
    events_by_graph,
    values_query,
)
from .stored_graphs import AskedStore

_DEFAULT, _NAMED, _UNION = "default-graph-uri", "named-graph-uri", "union-default-graph"


class EndpointStore(AskedStore):
    """What an archive writes to and asks of an endpoint; it has the endpoint's graphs to itself.

    Args:
        endpoint: where.
        bucket: the time range of one graph.
        identity: of the archive.
    """

    events_per_load = 2_000
    """Endpoints limit requests, and do each as one transaction."""

    def __init__(self, endpoint: Endpoint, bucket: timedelta, identity: str) -> None:
        self.endpoint, self.bucket = endpoint, bucket
        self._identity = identity
        self._union: Sequence[tuple[str, str]] | None = None

    def claim(self) -> Progress | None:
        """Make sure that the endpoint's graphs are of this archive; tell how far they are.

        Raises:
            EndpointError: it does not answer.
            ArchiveError: they are another archive's.
        """
        owners = self._marks(IDENTITY)
        if not owners:
            self._mark(IDENTITY, self._identity)
        elif self._identity not in owners:
            raise ArchiveError(
                "the SPARQL endpoint holds the events of another archive",
                place=Place(self.endpoint.queries),
                hint="name another endpoint, or clear this one: the log fills it again",
            )
        return self.progress

    def add(self, quads: bytes, progress: Progress | None = None, mark: ox.NamedNode = HOLDS) -> None:
        """Add N-Quads; what is there already changes nothing. `progress`, of what `mark` says, is said last.

        Raises:
            EndpointError: that they are there is not certain.
        """
        updates = [insert_quads(quads)] if quads else []
        updates += [] if progress is None else [_saying(mark, str(progress))]
        if updates:
            self.endpoint.update(in_one(updates))

    def progress_of(self, mark: ox.NamedNode) -> Progress | None:
        """How far it is with events or with matches; `None` when it holds no batch of them."""
        return max(map(Progress.parse, self._marks(mark)), default=None)

    @property
    def knowledge_version(self) -> str | None:
        """The version of the knowledge that it holds."""
        return next(iter(self._marks(KNOWS)), None)

    def set_knowledge(self, knowledge: KnowledgeBase) -> None:
        """Hold this knowledge base's closure instead of another; of the same version, do nothing."""
        if self.knowledge_version == knowledge.version:
            return
        closure = knowledge.store.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph()) or b""
        graph = ox.NamedNode(KNOWLEDGE)
        # In one request, because a blank node is the same one within a request only; the version goes last.
        updates = (drop(graph), insert_triples(graph, closure), _saying(KNOWS, knowledge.version))
        self.endpoint.update(in_one(updates))

    def answer(self, question: Question, prefixes: Mapping[str, str]) -> Result:
        """Answer SPARQL over events and knowledge; as `EventStore.answer`, perhaps with a limit of time.

        Raises:
            EndpointError: it does not answer.
            ArchiveError: the text is no query, or there is no answer in time.
        """
        if names_dataset(question.text):
            options: Sequence[tuple[str, str]] = ()
        elif question.start is None and question.end is None:
            options = self._all()
        else:
            graphs = graphs_between(self.named_graphs(), self.bucket, question.start, question.end)
            options = _dataset(graphs, graphs)
        # On one line, so that the lines of messages are those of the query.
        declared = " ".join(f"PREFIX {name}: {ox.NamedNode(iri)}" for name, iri in prefixes.items())
        text = f"{declared} {question.text}"
        try:
            answer = self.endpoint.ask(text, options, timeout=question.timeout, cancelled=question.cancelled)
            return collected(answer, prefixes)
        except AskedWrongError:
            _raise_syntax(question.text, prefixes)
            raise

    def closure(self) -> bytes:
        """The knowledge that it holds, as N-Triples.

        Raises:
            EndpointError: it does not answer.
        """
        found = self.endpoint.ask("CONSTRUCT WHERE { ?s ?p ?o }", _dataset([KNOWLEDGE], []))
        if not isinstance(found, ox.QuadParser):
            raise TypeError(type(found))
        return ox.serialize((quad.triple for quad in found), format=ox.RdfFormat.N_TRIPLES) or b""

    def select(self, text: str, default: Sequence[str], named: Sequence[str]) -> bytes:
        """Answer a SELECT of our own over some graphs, in SPARQL's TSV format; see `AskedStore`."""
        found = self.endpoint.ask(text, _dataset(default, named))
        if not isinstance(found, ox.QuerySolutions):
            raise TypeError(type(found))
        return found.serialize(format=ox.QueryResultsFormat.TSV) or b""

    def named_graphs(self) -> list[str]:
        """Name all graphs."""
        found = (graph for (graph,) in self._rows("SELECT DISTINCT ?g { GRAPH ?g { } }"))
        return [graph.value for graph in found if isinstance(graph, ox.NamedNode)]

    @property
    def since(self) -> datetime | None:
        """From when on it has the log's events; `None`: from the first."""
        return max(map(datetime.fromisoformat, self._marks(SINCE)), default=None)

    def announce(self, since: datetime) -> None:
        """Say that from now on it has events from this moment on only."""
        self._mark(SINCE, since.isoformat())

    def drop_before(self, moment: datetime) -> int:
        """Drop the graphs, of events and of matches, whose buckets end at this moment or before; count them."""
        starts = {name: bucket_start(name) for name in self.named_graphs()}
        gone = [name for name, start in starts.items() if start is not None and start + self.bucket <= moment]
        if gone:
            self.endpoint.update(in_one(drop(ox.NamedNode(name)) for name in gone))
        return len(gone)

    def reclaim(self) -> None:
        """Leave that to whoever runs the endpoint."""

    def size(self) -> None:
        """Nobody outside knows its bytes."""

    def quads(self) -> int:
        """Count all quads, knowledge included."""
        (row,) = self._rows("SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }")
        return int(row[0].value)

    def events_by_graph(self) -> dict[str, int]:
        """Count the events of each graph."""
        return events_by_graph(self._rows(EVENTS_BY_GRAPH))

    def close(self) -> None:
        """Close the connections."""
        self.endpoint.close()

    def _all(self) -> Sequence[tuple[str, str]]:
        """What makes all graphs the default graph: nothing where they are anyway, else an option that Oxigraph has."""
        if self._union is None:
            ways: list[tuple[tuple[str, str], ...]] = [(), ((_UNION, "true"),)]
            self._union = next((way for way in ways if bool(self.endpoint.ask(IS_SEEN, way))), None)
        if self._union is not None:
            return self._union
        every = self.named_graphs()
        return _dataset(every, every)

    def _rows(self, text: str, graph: str | None = None) -> Iterable[ox.QuerySolution]:
        found = self.endpoint.ask(text, () if graph is None else _dataset([graph], [graph]))
        if not isinstance(found, ox.QuerySolutions):
            raise TypeError(type(found))
        return found

    def _marks(self, predicate: ox.NamedNode) -> set[str]:
        rows = self._rows(values_query(predicate))
        return {row[0].value for row in rows if isinstance(row[0], ox.Literal)}

    def _mark(self, predicate: ox.NamedNode, value: str) -> None:
        self.endpoint.update(_saying(predicate, value))


def _saying(predicate: ox.NamedNode, value: str) -> str:
    """The update that lets the archive say this of itself, and nothing else with that predicate."""
    return set_value(GRAPH, SUBJECT, predicate, ox.Literal(value))


def _dataset(default: Iterable[str], named: Iterable[str]) -> list[tuple[str, str]]:
    return [*((_DEFAULT, name) for name in default), *((_NAMED, name) for name in named)]


def _raise_syntax(text: str, prefixes: Mapping[str, str]) -> None:
    """Explain what is wrong with a query that the endpoint does not understand, if it is its syntax."""
    try:
        ox.Store().query(text, prefixes=dict(prefixes))
    except SyntaxError as error:
        raise explain_syntax(error, text, prefixes, "query") from error
    except (OSError, RuntimeError, ValueError):
        return  # the endpoint's own words say more
