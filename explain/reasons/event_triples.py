"""The triples of one event, each with the words of the annotation that gives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyoxigraph as ox

from ...annotator import EntityLinker, EventShape, RootProperty, lexical_text, to_series
from .event_view import EventView

_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def event_triples(
    view: EventView, shape: EventShape, events: pa.Table, linkers: Mapping[str, EntityLinker]
) -> dict[ox.Triple, str | None]:
    """triples(e) of an event table's only row.

    Args:
        view: says of individuals where their keys are stated.
        shape: of the event's stream.
        events: one row.
        linkers: attribute → what finds the individuals that its values stand for.

    Returns:
        Each triple with who gives it; `None` for what follows from the knowledge.
    """
    event = ox.NamedNode(events["_id"][0].as_py())
    found: dict[ox.Triple, str | None] = {}
    for kind in shape.types:
        words = f"every event of {shape.stream} is one" if kind == shape.event_type else None
        found[ox.Triple(event, _TYPE, ox.NamedNode(kind))] = words
    for prop in shape.properties:
        for term in _values(prop, events):
            words = _words(view, prop, term, events, linkers.get(prop.column)) if prop.canonical else None
            triple = ox.Triple(event, ox.NamedNode(prop.iri), term)
            found[triple] = found.get(triple) or words
    return found


def _values(prop: RootProperty, events: pa.Table) -> Iterator[ox.NamedNode | ox.Literal]:
    iri = None if prop.individual is None else events[prop.individual][0].as_py()
    text = _lexical(prop, events)
    if iri is not None:
        yield ox.NamedNode(iri)
    elif text is not None:
        yield ox.Literal(text, datatype=ox.NamedNode(prop.datatype))


def _lexical(prop: RootProperty, events: pa.Table) -> str | None:
    text: str | None = lexical_text(to_series(events[prop.column]), prop.datatype).cast(str)[0]
    return text


def _words(
    view: EventView,
    prop: RootProperty,
    term: ox.NamedNode | ox.Literal,
    events: pa.Table,
    linker: EntityLinker | None,
) -> str:
    raw = _lexical(prop, events)
    said = f"{prop.column} is {raw}" if isinstance(term, ox.Literal) else f'{prop.column} is "{raw}"'
    if isinstance(term, ox.Literal) or linker is None or linker.linkage.key is None:
        return said
    key, meant = ox.NamedNode(linker.linkage.key), linker.value(term.value)
    holding = [q.triple for q in view.store.quads_for_pattern(None, key, None) if _text(q.object) in (raw, meant)]
    stated = [triple for triple in holding if triple.subject == term] or holding  # of a reference, if not its own
    files = {file for triple in stated if (leaf := view.prover.leaf(triple)) for file in leaf.sources}
    where = f", says {', '.join(sorted(files))}" if files else ""
    return f"{said}, the {view.wording.term(key)} of {view.wording.term(term)}{where}"


def _text(term: object) -> str | None:
    return term.value if isinstance(term, ox.Literal | ox.NamedNode) else None
