"""Raw tuples of a stream in, semantic events out: Arrow tables whose columns stand for properties of the knowledge.

`annotation` checks what a stream declares, `shape` says which column stands for which triple, and
`annotator` makes events of tuples: `type_casts` and `timestamps` type the values, `unit_conversion` brings them to one
unit, `linking` finds individuals, `undeclared_attributes` keeps the rest, `identity`
gives ids. `triples` writes events as N-Quads, and back.
"""

from __future__ import annotations

from ..language.nodes import attribute_iri
from .annotation import compile_annotation
from .annotator import AnnotatedBatch, Annotator
from .datatypes import COLUMN_TYPES, EXACT_INTEGERS, MOMENT, USUAL_DATATYPES, lexical_text
from .identity import exclude_ids, ids_of
from .linking import EntityLinker, IriTemplate, Linkage
from .nesting import MOST_NESTED, TOO_DEEP, array_items, json_nesting, leading_items, type_nesting, value_nesting
from .shape import (
    EVENT_NAMESPACE,
    AttributeShape,
    EventShape,
    RootProperty,
    event_prefix,
    event_shape,
)
from .time_casts import cast_time
from .triples import ambiguous_properties, event_quads, literal_terms
from .type_casts import cast_column, to_series

__all__ = [
    "COLUMN_TYPES",
    "EVENT_NAMESPACE",
    "EXACT_INTEGERS",
    "MOMENT",
    "MOST_NESTED",
    "TOO_DEEP",
    "USUAL_DATATYPES",
    "AnnotatedBatch",
    "Annotator",
    "AttributeShape",
    "EntityLinker",
    "EventShape",
    "IriTemplate",
    "Linkage",
    "RootProperty",
    "ambiguous_properties",
    "array_items",
    "attribute_iri",
    "cast_column",
    "cast_time",
    "compile_annotation",
    "event_prefix",
    "event_quads",
    "event_shape",
    "exclude_ids",
    "ids_of",
    "json_nesting",
    "leading_items",
    "lexical_text",
    "literal_terms",
    "to_series",
    "type_nesting",
    "value_nesting",
]
