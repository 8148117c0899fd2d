"""Raw tuples of a stream in, semantic events out: Arrow tables whose columns stand for properties of the knowledge."""

from __future__ import annotations

from .annotation import compile_annotation
from .annotator import Annotated, Annotator
from .casting import cast_column, to_series
from .datatypes import COLUMN_TYPES, EXACT_INTEGERS, MOMENT, lexical_text
from .identity import ids_of, without
from .shape import (
    EVENT_NAMESPACE,
    USUAL_DATATYPES,
    AttributeShape,
    EventShape,
    RootProperty,
    attribute_iri,
    event_prefix,
    event_shape,
)
from .triples import ambiguous_properties, event_quads, literal_terms

__all__ = [
    "COLUMN_TYPES",
    "EVENT_NAMESPACE",
    "EXACT_INTEGERS",
    "MOMENT",
    "USUAL_DATATYPES",
    "Annotated",
    "Annotator",
    "AttributeShape",
    "EventShape",
    "RootProperty",
    "ambiguous_properties",
    "attribute_iri",
    "cast_column",
    "compile_annotation",
    "event_prefix",
    "event_quads",
    "event_shape",
    "ids_of",
    "lexical_text",
    "literal_terms",
    "to_series",
    "without",
]
