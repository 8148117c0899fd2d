"""The semantic store in somebody else's hands: any SPARQL 1.1 endpoint over HTTP, as the paper's was 4store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import pyoxigraph as ox

from ...errors import ArchiveError, Place
from ...ontology import KnowledgeBase
from ...settings import ArchiveSettings
from ..folder_layout import archive_identity, require_archive
from ..log import Position
from ..sparql import Result, SparqlRequest, Timeout, collected, explain_syntax, is_intricate, names_dataset
from .copy_requests import make_room
from .endpoint import AskedWrongError, Endpoint, update_url
from .endpoint_updates import drop, in_one, insert_quads, insert_triples, set_value
from .graphs import KNOWLEDGE, graphs_between
from .oxigraph_folder import open_folder
from .store import Store, StoreUnavailableError, WritableStore
from .store_copy import StoreCopy
from .store_metadata import (
    EVENTS_BY_GRAPH,
    GRAPH,
    HOLDS,
    IDENTITY,
    IS_SEEN,
    KNOWS,
    SINCE,
    SUBJECT,
    CommittedOffset,
    events_by_graph,
    values_query,
)

_END_OF_TIME = datetime.max.replace(tzinfo=UTC)
_DEFAULT, _NAMED, _UNION = "default-graph-uri", "named-graph-uri", "union-default-graph"


class EndpointStore(WritableStore):
    """What an archive writes to and asks of an endpoint; it has the endpoint's graphs to itself.

    Args:
        endpoint: where.
        bucket: the time range of one graph.
        identity: of the archive.
        root: the archive's folder.
    """

    events_per_load = 2_000
    """Endpoints limit requests, and do each as one transaction."""

    def __init__(self, endpoint: Endpoint, bucket: timedelta, identity: str, root: Path) -> None:
        self.endpoint, self.bucket = endpoint, bucket
        self._identity, self._root = identity, root
        self._union: Sequence[tuple[str, str]] | None = None

    @classmethod
    def open(cls, settings: ArchiveSettings, root: Path) -> Self:
        """Open the store of the archive in a folder; see `WritableStore`.

        Raises:
            ArchiveError: `[archive]` names no endpoint, or the archive's identity cannot be kept.
        """
        if settings.endpoint is None:
            raise ArchiveError("[archive] names no SPARQL endpoint", hint="set endpoint under [archive]")
        endpoint = Endpoint(settings.endpoint, settings.endpoint_update or update_url(settings.endpoint))
        return cls(endpoint, settings.bucket, archive_identity(root), root)

    @classmethod
    @contextmanager
    def reading(cls, settings: ArchiveSettings, root: Path, timeout: float) -> Iterator[Store]:
        """Give the endpoint itself, which answers as of now."""
        del timeout  # whoever writes need not answer
        require_archive(root)
        store = cls.open(settings, root)
        try:
            with suppress(StoreUnavailableError):  # whoever asks it learns that
                store.claim()
            yield store
        finally:
            store.close()

    def claim(self) -> CommittedOffset | None:
        """Make sure that the endpoint's graphs are of this archive; see `WritableStore`."""
        owners = self._values(IDENTITY)
        if not owners:
            self._set(IDENTITY, self._identity)
        elif self._identity not in owners:
            raise ArchiveError(
                "the SPARQL endpoint holds the events of another archive",
                place=Place(self.endpoint.queries),
                hint="name another endpoint, or clear this one: the log fills it again",
            )
        return self.committed()

    def require_log(self, newest: Position | None) -> None:
        """Refuse an endpoint that holds batches behind the newest one of the log: nobody could tell which it has."""
        held = self.committed()
        if held is not None and (newest is None or held.position > newest):
            raise ArchiveError(
                f"the SPARQL endpoint holds batch {held.position}, the log none behind {newest}",
                place=Place(self.endpoint.queries),
                hint="clear the endpoint: the log fills it again",
            )

    def add(self, quads: bytes, offset: CommittedOffset | None = None, log: ox.NamedNode = HOLDS) -> None:
        """Add N-Quads, and after them their offset; see `WritableStore`."""
        updates = [insert_quads(quads)] if quads else []
        updates += [] if offset is None else [_saying(log, str(offset))]
        if updates:
            self.endpoint.update(in_one(updates))

    def committed(self, log: ox.NamedNode = HOLDS) -> CommittedOffset | None:
        """How far it is with a log; `None` when it holds no batch of it."""
        return max(map(CommittedOffset.parse, self._values(log)), default=None)

    @property
    def knowledge_version(self) -> str | None:
        """The version of the knowledge that it holds."""
        return next(iter(self._values(KNOWS)), None)

    def set_knowledge(self, knowledge: KnowledgeBase) -> None:
        """Hold this knowledge base's closure instead of another; of the same version, do nothing."""
        if self.knowledge_version == knowledge.version:
            return
        closure = knowledge.store.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph()) or b""
        graph = ox.NamedNode(KNOWLEDGE)
        # In one request, because a blank node is the same one within a request only; the version goes last.
        updates = (drop(graph), insert_triples(graph, closure), _saying(KNOWS, knowledge.version))
        self.endpoint.update(in_one(updates))

    def answer(self, request: SparqlRequest, prefixes: Mapping[str, str]) -> Result:
        """Let the endpoint answer; see `Store`.

        Raises:
            StoreUnavailableError: it does not answer.
            ArchiveError: the text is no query, or there is no answer in time.
        """
        if names_dataset(request.text):
            options: Sequence[tuple[str, str]] = ()
        elif request.start is None and request.end is None:
            options = self._all()
        else:
            graphs = graphs_between(self.named_graphs(), self.bucket, request.start, request.end)
            options = _dataset(graphs, graphs)
        # On one line, so that the lines of messages are those of the query.
        declared = " ".join(f"PREFIX {name}: {ox.NamedNode(iri)}" for name, iri in prefixes.items())
        text = f"{declared} {request.text}"
        try:
            answer = self.endpoint.ask(text, options, timeout=request.timeout, cancelled=request.cancelled)
            return collected(answer, prefixes)
        except AskedWrongError:
            _raise_syntax(request.text, prefixes)
            raise

    def closure(self) -> bytes:
        """The knowledge that it holds, as N-Triples.

        Raises:
            StoreUnavailableError: it does not answer.
        """
        found = self.endpoint.ask("CONSTRUCT WHERE { ?s ?p ?o }", _dataset([KNOWLEDGE], []))
        if not isinstance(found, ox.QuadParser):
            raise TypeError(type(found))
        return ox.serialize((quad.triple for quad in found), format=ox.RdfFormat.N_TRIPLES) or b""

    def select(self, text: str, default: Sequence[str], named: Sequence[str], timeout: Timeout | None = None) -> bytes:
        """Answer a SELECT of our own over some graphs, in SPARQL's TSV format; see `Store`."""
        until, cancelled = (None, None) if timeout is None else (timeout.left, timeout.cancelled)
        found = self.endpoint.ask(text, _dataset(default, named), timeout=until, cancelled=cancelled)
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
        return max(map(datetime.fromisoformat, self._values(SINCE)), default=None)

    def announce(self, since: datetime) -> None:
        """Say that from now on it has events from this moment on only."""
        self._set(SINCE, since.isoformat())

    def drop_graphs(self, names: Sequence[str]) -> None:
        """Drop some graphs."""
        self.endpoint.update(in_one(drop(ox.NamedNode(name)) for name in names))

    @contextmanager
    def scratch(self) -> Iterator[StoreCopy]:
        """Give a store with the endpoint's knowledge and none of its events."""
        closure = self.closure()
        with make_room(self._root) as folder:
            store = open_folder(folder)
            store.bulk_load(closure, format=ox.RdfFormat.N_TRIPLES, to_graph=ox.NamedNode(KNOWLEDGE), lenient=True)
            del store
            yield StoreCopy(folder, self.bucket, since=_END_OF_TIME)

    def serve_copies(self) -> None:
        """Leave readers to the endpoint, which any process may ask."""

    def set_aside(self, *, keep: bool) -> None:
        """Leave damage to whoever runs the endpoint."""
        del keep

    def remove_copies(self) -> None:
        """There are none."""

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

    def _values(self, predicate: ox.NamedNode) -> set[str]:
        rows = self._rows(values_query(predicate))
        return {row[0].value for row in rows if isinstance(row[0], ox.Literal)}

    def _set(self, predicate: ox.NamedNode, value: str) -> None:
        self.endpoint.update(_saying(predicate, value))


def _saying(predicate: ox.NamedNode, value: str) -> str:
    """The update that lets the archive say this of itself, and nothing else with that predicate."""
    return set_value(GRAPH, SUBJECT, predicate, ox.Literal(value))


def _dataset(default: Iterable[str], named: Iterable[str]) -> list[tuple[str, str]]:
    return [*((_DEFAULT, name) for name in default), *((_NAMED, name) for name in named)]


def _raise_syntax(text: str, prefixes: Mapping[str, str]) -> None:
    """Explain what is wrong with a query that the endpoint does not understand, if it is its syntax."""
    if is_intricate(text):
        return  # it may end whoever parses it
    try:
        ox.Store().query(text, prefixes=dict(prefixes))
    except SyntaxError as error:
        raise explain_syntax(error, text, prefixes, "query") from error
    except (OSError, RuntimeError, ValueError):
        return  # the endpoint's own words say more
