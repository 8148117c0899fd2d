"""PATH and FILTER of one event variable as SPARQL: its candidates among the archived events (paper §5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

import polars as pl
import pyarrow as pa
from rdflib import RDF, Literal, URIRef, Variable

from ...annotator import MOMENT, EventShape, IriTemplate
from ...cep import apply_filters
from ...expressions import RefusedError, forgives_unbound, sparql_text
from ...language.nodes import (
    AllOf,
    AnyOf,
    Binary,
    Binding,
    Call,
    Column,
    Constant,
    Expression,
    Semantics,
    Source,
    Subquery,
    Unary,
    ValueType,
    walk,
)
from ...ontology import KnowledgeBase
from ..store import KNOWLEDGE, LATE, Store
from .path_query import semantics_text
from .solutions import iri_of, read_solutions, typed
from .sparql_terms import constant, iri, iris, moment_text
from .stored_columns import StoredColumn, stored_columns


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """A SELECT of one event variable's candidates.

    Attributes:
        source: the event variable.
        text: the SPARQL, to be asked of `datasets`.
        columns: stem of the variables → stored column.
        bindings: variables that PATHs bind.
        rest: FILTERs that SPARQL does not say the same; they are asked of the columns that come back.
        notes: why each of `rest` is left.
        apart: whether all that is asked of the default graph is knowledge.
    """

    source: Source
    text: str
    columns: Mapping[str, StoredColumn]
    rest: tuple[Expression, ...]
    notes: tuple[str, ...]
    apart: bool

    def datasets(self, graphs: Sequence[str]) -> tuple[list[str], list[str]]:
        """The default graph (knowledge; perhaps events) and the named graphs (events) that it is asked of."""
        return datasets(graphs, apart=self.apart)

    @property
    def indexed(self) -> bool:
        """Whether a PATH names an object of the events' own triples: the store finds those events by its index."""
        return self.source.semantics is not None and _names_an_object(self.source.semantics)

    @property
    def variables(self) -> list[str]:
        """The variables of the result, without `?`."""
        stored = [v for stem, column in self.columns.items() for v in column.variables(stem)]
        return [self.source.variable, *stored, *(name for name, _ in self.source.bindings)]

    def read(self, tsv: bytes) -> pa.Table:
        """The candidates, with `_time`, `_id` and the columns of the source, in order of time stamp and id.

        Args:
            tsv: the answer to `text` in SPARQL's TSV format.
        """
        frame = self.columns_of(read_solutions(tsv, self.variables))
        if isinstance(self.source.semantics, AnyOf):
            frame = frame.unique(maintain_order=True)
        frame = frame.sort("_time", "_id", maintain_order=True)
        table = apply_filters(frame.to_arrow(), self.rest)
        return table.select(["_time", "_id", *self.source.columns])

    def columns_of(self, terms: pl.DataFrame) -> pl.DataFrame:
        """The columns of candidates from a result that has all of `variables`, row by row."""
        columns = {"_id": iri_of(terms[self.source.variable])}
        columns |= {c.name if s != self.time else "_time": c.read(terms, s) for s, c in self.columns.items()}
        columns["_time"] = columns["_time"].cast(MOMENT)
        columns |= {f"?{name}": typed(terms[name], kind) for name, kind in self.source.bindings}
        return pl.DataFrame(columns)

    @property
    def time(self) -> str:
        """The stem of the variable that holds the time stamp."""
        return f"kaicep_{self.source.variable}_time"

    @property
    def moment(self) -> str:
        """SPARQL text of the time stamp."""
        return self.columns[self.time].value(self.time)

    def value(self, node: Column | Binding) -> str:
        """SPARQL text of a column or binding that comes back.

        Raises:
            RefusedError: SPARQL does not have it.
        """
        if isinstance(node, Binding):
            if node.type is not ValueType.IRI:
                raise RefusedError(f"?{node.name} counts as unbound where its value does not fit its type")
            return f"IF(isIRI(?{node.name}), ?{node.name}, 1 / 0)"
        if node.name == "_id":
            return f"?{self.source.variable}"
        stem = self._stem(node.name)
        return self.columns[stem].value(stem)

    def named(self, column: Column) -> tuple[IriTemplate, str] | None:
        """The template of the IRIs that hold a raw value, and the variable that they are; `None`: they do not."""
        if column.name == "_id":
            return None
        stem = self._stem(column.name)
        stored = self.columns[stem]
        return None if stored.template is None else (stored.template, f"?{stored.variables(stem)[0]}")

    def plain(self, name: str) -> str | None:
        """The one variable that is a column, if equal values are equal terms there; else `None`."""
        stem = self._stem(name)
        stored = self.columns[stem]
        one = len(stored.properties) == 1 and stored.type is not ValueType.DOUBLE
        return f"?{stored.variables(stem)[0]}" if one else None

    def _stem(self, name: str) -> str:
        return next((s for s, c in self.columns.items() if s != self.time and c.name == name), self.time)

    def text_with(self, graphs: Sequence[str] | None, start: datetime | None, end: datetime | None) -> str:
        """The SELECT for events of some graphs (`None`: of any) and of start <= `_time` < end, to stand in another."""
        tests = [] if start is None else [f"{self.moment} >= {moment_text(start)}"]
        tests += [] if end is None else [f"{self.moment} < {moment_text(end)}"]
        lines = [] if graphs is None else [f"  VALUES ?kaicep_{self.source.variable}_graph {{ {iris(graphs)} }}"]
        lines += [f"  FILTER ({test})" for test in tests]
        return self.text.removesuffix("}") + "".join(f"{line}\n" for line in lines) + "}"


def rewrite_candidates(source: Source, shape: EventShape, knowledge: KnowledgeBase) -> CandidateQuery:
    """Rewrite the PATHs and FILTERs of an event variable.

    Raises:
        RefusedError: a PATH has no SPARQL that means the same.
    """
    stored = stored_columns(shape)
    filters, rest, notes = _split(source, stored)
    names = _needed(source, rest)
    prefix, time = f"kaicep_{source.variable}", f"kaicep_{source.variable}_time"
    stems = {time: stored["_time"]} | {f"{prefix}_{i}": stored[name] for i, name in enumerate(names)}
    by_name = {column.name: stem for stem, column in stems.items() if stem != time} | {"_time": time}
    tests = {n.name for f in filters for n in walk(f) if isinstance(n, Column)} - {"_id", *by_name}
    tested = {f"{prefix}_test_{i}": stored[name] for i, name in enumerate(sorted(tests))}
    by_name |= {column.name: stem for stem, column in tested.items()}
    event = f"?{source.variable}"

    def value(node: Column | Binding | Constant) -> str:
        return _value(node, event, stored, by_name)

    required = _required(filters)
    every = [(stem, c, stem == time or c.name in required) for stem, c in [*stems.items(), *tested.items()]]
    graph = f"?{prefix}_graph"
    found = semantics_text(source, shape, knowledge, _anchor(event, stored["_time"]))
    own = [c.patterns(event, s, required=True) for s, c, wanted in every if c.sure(required=wanted)]
    body: list[str] = [" ".join(found.before), f"GRAPH {graph} {{ {' '.join([*found.own, *own])} }}", *found.behind]
    body += [c.patterns(event, s, graph=graph) for s, c, wanted in every if not c.sure(required=wanted)]
    body.append(f"FILTER NOT EXISTS {{ GRAPH {graph} {{ {event} {iri(LATE)} true }} }}")
    body += [f"FILTER ({sparql_text(f, value)})" for f in filters]
    variables = [v for stem, column in stems.items() for v in column.variables(stem)]
    chosen = " ".join(f"?{v}" for v in (source.variable, *variables, *(name for name, _ in source.bindings)))
    head = f"DISTINCT {chosen}" if found.own else chosen
    text = "\n".join([f"SELECT {head} WHERE {{", *(f"  {line}" for line in body if line), "}"])
    return CandidateQuery(source, text, stems, tuple(rest), tuple(notes), found.apart)


def find_candidates(store: Store, query: CandidateQuery, start: datetime | None, end: datetime | None) -> pa.Table:
    """The candidates in the buckets that overlap start <= `_time` < end."""
    graphs = store.graphs(query.source.stream.name, start, end)
    return query.read(store.select(query.text, *query.datasets(graphs)) if graphs else b"")


def datasets(graphs: Sequence[str], *, apart: bool) -> tuple[list[str], list[str]]:
    """The default graph and the named graphs of a query; `apart`: it asks the default graph for knowledge only."""
    return [KNOWLEDGE, *(() if apart else graphs)], list(graphs)


def _anchor(event: str, time: StoredColumn) -> str:
    return f"GRAPH ?kaicep_graph {{ {time.patterns(event, 'kaicep_at', required=True)} }}"


def _split(source: Source, stored: Mapping[str, StoredColumn]) -> tuple[list[Expression], list[Expression], list[str]]:
    """The FILTERs that SPARQL can say, the others, and why."""
    filters, rest, notes = [], [], []
    for test in source.filters:
        try:
            sparql_text(test, lambda node: _value(node, "?e", stored, dict.fromkeys([*stored, "_time"], "x")))
            filters.append(test)
        except RefusedError as reason:
            rest.append(test)
            notes.append(str(reason))
    return filters, rest, notes


def _value(
    node: Column | Binding | Constant, event: str, stored: Mapping[str, StoredColumn], stems: Mapping[str, str]
) -> str:
    if isinstance(node, Constant):
        return constant(node)
    if isinstance(node, Binding):
        raise RefusedError(f"?{node.name} counts as unbound where its value does not fit its type")
    if node.name == "_id":
        return event if node.type is ValueType.IRI else f"STR({event})"
    return stored[node.name].value(stems[node.name])


def _names_an_object(semantics: Semantics) -> bool:
    match semantics:
        case Subquery(variable=variable, triples=triples):
            own = [t for t in triples if t.subject == Variable(variable) and t.predicate != RDF.type]
            return any(isinstance(t.object, URIRef | Literal) for t in own)
        case AllOf(parts):
            return any(map(_names_an_object, parts))
        case AnyOf(parts):
            return all(map(_names_an_object, parts))
        case _:
            assert_never(semantics)


def _needed(source: Source, rest: Sequence[Expression]) -> list[str]:
    """Columns that have to come back, `_time` and `_id` not counted."""
    used = {n.name for f in rest for n in walk(f) if isinstance(n, Column)}
    return sorted(({name for name in source.columns if not name.startswith("?")} | used) - {"_time", "_id"})


def _required(filters: Sequence[Expression]) -> frozenset[str]:
    """Columns without a value in which some FILTER is not true: SPARQL need not look for the events that lack them."""
    return frozenset(n.name for f in filters if not _forgives(f) for n in walk(f) if isinstance(n, Column))


def _forgives(test: Expression) -> bool:
    """Whether a test may be true although something in it is unbound."""
    return any(
        (isinstance(n, Binary) and n.operator == "OR")
        or (isinstance(n, Call) and forgives_unbound(n))
        or (isinstance(n, Unary) and n.operator == "NOT")
        for n in walk(test)
    )
