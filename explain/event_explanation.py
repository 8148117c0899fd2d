"""Why an event is a candidate of a query, or why it was dropped, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import unquote

import pyarrow as pa

from ..annotator import EVENT_NAMESPACE
from ..cep import apply_filters
from ..errors import PipelineError
from ..expressions import column_expression, frame_of
from ..language import Prefix, SourceText, Span
from ..language.nodes import (
    Bounds,
    CheckWindow,
    InContext,
    Instant,
    Placement,
    Query,
    Semantics,
    Source,
    Subquery,
    columns_of,
    expression_text,
    uses_bindings,
)
from ..language.syntax import parse_document
from ..ontology.proofs import TurtleWriter
from ..pipeline import Catalog, queries_read
from ..pipeline.sinks import iso, rows
from ..pipeline.sources import raw_table
from ..planner import bounds_in_words, resolve_bounds
from ..semfilter import SemanticFilter
from ..semfilter.runtime import FilterOptions
from .archived_event import archived_event
from .candidacy import Candidacy, Explanation
from .reasons import (
    EventMapping,
    FilterWording,
    PathExplainer,
    Reason,
    ReasonKind,
    explain_filter,
    explain_window,
)

__all__ = ["EventOrId", "explain_event"]

EventOrId = Mapping[str, object] | str


def explain_event(
    project: Catalog,
    text: SourceText,
    event: EventOrId,
    *,
    stream: str | None,
    variable: str | None,
    now: datetime | None,
) -> Explanation:
    """Explain an event; see `Project.why`."""
    queries = project.compile(text.text, source=text.source, outputs=queries_read(project, text.text, text.source))
    name = _stream_of(project, queries, event, stream)
    query = next((q for q in reversed(queries) if any(s.stream.name == name for s in q.sources)), None)
    if query is None:
        read = sorted({s.stream.name for q in queries for s in q.sources})
        raise PipelineError(
            f"no query of the document reads stream '{name}'", hint=f"it reads {', '.join(read)}; choose with --stream"
        )
    sources = [s for s in query.sources if s.stream.name == name and variable in (None, s.variable)]
    if not sources:
        known = ", ".join(f"?{s.variable}" for s in query.sources if s.stream.name == name)
        raise PipelineError(f"?{variable} is no event variable over stream '{name}'", hint=f"there is {known}")
    asked = _Asked(project, text, _prefixes(text), query, name, now)
    if isinstance(event, str):
        return asked.explanation(sources, archived_event(project, name, event))
    return asked.of_tuple(sources, event)


@dataclass(frozen=True, slots=True)
class _Asked:
    project: Catalog
    text: SourceText
    prefixes: Mapping[str, str]
    query: Query
    stream: str
    now: datetime | None

    def of_tuple(self, sources: Sequence[Source], raw: Mapping[str, object]) -> Explanation:
        annotated = self.project.annotators[self.stream].annotate(raw_table([raw]))
        if annotated.events.num_rows:
            return self.explanation(sources, annotated.events)
        why = annotated.rejected["reason"][0].as_py()
        reason = Reason(ReasonKind.EVENT, f"the tuple is no event of {self.stream}", holds=False, note=why)
        candidacies = tuple(Candidacy(s.variable, holds=False, clauses=(reason,)) for s in sources)
        return Explanation(self._label(), self.stream, None, raw, candidacies, self.prefixes)

    def explanation(self, sources: Sequence[Source], events: pa.Table) -> Explanation:
        explainer = PathExplainer(self.project.knowledge, self.prefixes)
        candidacies = tuple(self._candidacy(source, events, explainer) for source in sources)
        (said,) = rows(events.select([a.name for a in self.project.annotators[self.stream].shape.attributes]))
        event = events["_id"][0].as_py()
        return Explanation(self._label(), self.stream, event, said, candidacies, self.prefixes)

    def _candidacy(self, source: Source, events: pa.Table, explainer: PathExplainer) -> Candidacy:
        annotation, wording = self._annotation(), self._wording()
        clauses: list[tuple[int, Reason]] = []
        if "_late" in events.column_names and events["_late"][0].as_py():
            clauses.append((-2, Reason(ReasonKind.EVENT, "it came late: below its stream's watermark", holds=False)))
        if (within := self._within(events)) is not None:
            clauses.append((-1, within))
        if self.query.in_context is not None:
            asked = self.query.in_context
            clauses += [
                (asked.span.start, self._lying(asked, p, events))
                for p in asked.placements
                if p.variable == source.variable
            ]
        before = [f for f in source.filters if not uses_bindings(f)]
        windows = {name for name, _ in source.window_attributes}  # what these say, events before it decide
        after = [f for f in source.filters if uses_bindings(f) and not windows & {c.name for c in columns_of(f)}]
        clauses += [(f.span.start, explain_filter(f, events, wording)) for f in before]
        semantics = SemanticFilter(source, annotation.shape, self.project.knowledge, FilterOptions(table_size=0))
        solutions = semantics.select(events)
        fitting = apply_filters(solutions, after)
        chosen = (fitting if fitting.num_rows else solutions).slice(0, 1)
        values = {name: _scalar(chosen, f"?{name}") for name, _ in source.bindings} if chosen.num_rows else None
        paths = explainer.explain(source, annotation, events, values)
        if paths is not None and source.semantics is not None:
            clauses.append((_start(source.semantics), paths))
        ordered = [reason for _, reason in sorted(clauses, key=lambda clause: clause[0])]
        ordered += [explain_filter(f, solutions, wording) for f in after if solutions.num_rows]
        if all(reason.holds for reason in ordered):
            ordered += [
                explain_window(window, chosen, wording)
                for window in self.query.windows
                if isinstance(window, CheckWindow) and window.variable == source.variable
            ]
        return Candidacy(source.variable, all(reason.holds for reason in ordered), tuple(ordered))

    def _wording(self) -> FilterWording:
        return FilterWording(self._quote, TurtleWriter(self.project.knowledge, self.prefixes).iri)

    def _annotation(self) -> EventMapping:
        annotator = self.project.annotators[self.stream]
        return EventMapping(annotator.shape, annotator.linkers)

    def _within(self, events: pa.Table) -> Reason | None:
        bounds = self.query.bounds
        if bounds.span is None:
            return None
        text = self.text.quote(bounds.span)
        judged = bounds if self.now is not None else _absolute(bounds)
        inside = resolve_bounds(judged, self.now).select(events).num_rows == 1
        if judged == bounds or not inside:
            note = f"the event is of {iso(events['_time'][0].as_py())}, WITHIN is {resolve_bounds(judged, self.now)}"
        else:
            note = f"{bounds_in_words(bounds)}: that depends on when the query is registered"
        return Reason(ReasonKind.CLAUSE, text, inside, note=note)

    def _lying(self, asked: InContext, placement: Placement, events: pa.Table) -> Reason:
        """In which partition an event lies; which contexts hold there, events before it say."""
        names = " or ".join(c.context for c in asked.contexts if c.set == placement.set)
        text = f"IN CONTEXT {names} of {placement.set}"
        known = [key for key in placement.keys if not uses_bindings(key)]
        frame = frame_of(events, events.column_names)
        pairs = [(expression_text(key), frame.select(column_expression(key)).item()) for key in known]
        unbound = next((key for key, value in pairs if value is None), None)
        if unbound is not None:
            return Reason(
                ReasonKind.CLAUSE, text, holds=False, note=f"{unbound} is unbound: the event is in no context"
            )
        of = f"in the partition of {', '.join(f'{key} = {value}' for key, value in pairs)}, " if pairs else ""
        note = f"{of}if one holds at {iso(events['_time'][0].as_py())}: that depends on the events before"
        return Reason(ReasonKind.CLAUSE, text, holds=True, note=note)

    def _quote(self, span: Span) -> str:
        """What stands there; an outer parenthesis that belongs to it, and that its place leaves out, is taken in."""
        text, start, end = self.text.text, span.start, span.end
        while text.count("(", start, end) > text.count(")", start, end) and (closing := text.find(")", end)) >= 0:
            end = closing + 1
        while text.count(")", start, end) > text.count("(", start, end) and (opening := text.rfind("(", 0, start)) >= 0:
            start = opening
        return self.text.quote(Span(start, end))

    def _label(self) -> str:
        return self.query.name or self.text.source


def _prefixes(text: SourceText) -> dict[str, str]:
    """The prefixes that a document declares; of one that is declared twice, the last."""
    return {part.name: part.iri for part in parse_document(text.text, text.source) if isinstance(part, Prefix)}


def _stream_of(project: Catalog, queries: Sequence[Query], event: EventOrId, stream: str | None) -> str:
    if isinstance(event, str):
        if not event.startswith(EVENT_NAMESPACE):
            raise PipelineError(
                f"'{event}' is no event: neither a JSON object nor an id",
                hint=f'write {{"attribute": value, …}}, or an id as _events has it: {EVENT_NAMESPACE}<stream>/…',
            )
        stream = unquote(event.removeprefix(EVENT_NAMESPACE).split("/")[0])
    if stream is None:
        read = [n for n in project.annotators if any(s.stream.name == n for q in queries for s in q.sources)]
        if len(read) != 1:
            raise PipelineError(
                "which stream is the event of?",
                hint=f"add --stream NAME; NAME is {' or '.join(read or project.annotators)}",
            )
        return read[0]
    project.check_stream(stream)
    return stream


def _start(semantics: Semantics) -> int:
    """Where the first PATH stands in the text."""
    if isinstance(semantics, Subquery):
        return semantics.span.start
    return min(_start(part) for part in semantics.parts)


def _scalar(table: pa.Table, column: str) -> object:
    return table[column][0].as_py()


def _absolute(bounds: Bounds) -> Bounds:
    """The bounds that do not depend on the moment of registration."""

    def fixed(bound: Instant | None) -> Instant | None:
        return None if bound is None or bound.moment is None else bound

    return replace(bounds, lower=fixed(bounds.lower), upper=fixed(bounds.upper))
