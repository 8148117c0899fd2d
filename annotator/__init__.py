"""Raw tuples of a stream in, semantic events out: Arrow tables whose columns stand for properties of the knowledge."""

from .annotation import Annotation, Attribute, compile_annotation
from .annotator import Annotated, Annotator
from .identity import ids_of, without
from .shape import AttributeShape, EventShape, RootProperty, attribute_iri, event_prefix, event_shape

__all__ = [
    "Annotated",
    "Annotation",
    "Annotator",
    "Attribute",
    "AttributeShape",
    "EventShape",
    "RootProperty",
    "attribute_iri",
    "compile_annotation",
    "event_prefix",
    "event_shape",
    "ids_of",
    "without",
]
