"""χ-CEP text and a vocabulary go in; checked, typed queries come out, or an error with its place and the way out."""

from .compiler import compile_document
from .expressions import (
    Aggregate,
    Binary,
    Binding,
    Call,
    Column,
    Constant,
    Expression,
    Membership,
    Span,
    Unary,
)
from .parser import parse_document
from .pattern import (
    Alternative,
    BatchWindow,
    Conjunction,
    CorrelationWindow,
    CumulateWindow,
    Element,
    Group,
    HoppingWindow,
    Link,
    Negation,
    Pattern,
    Quantifier,
    Sequence,
    SessionWindow,
    SlidingWindow,
    Window,
)
from .query import (
    AfterMatch,
    AfterMatchKind,
    AllOf,
    AnyOf,
    Bounds,
    Instant,
    Item,
    Kind,
    Output,
    Policy,
    Query,
    Semantics,
    Source,
    Subquery,
    Triple,
    ValueFilter,
)
from .syntax import Document
from .types import XSD, ValueType, type_of_datatype
from .vocabulary import AttributeType, KnownTerms, StreamType, Vocabulary

__all__ = [
    "XSD", "AfterMatch", "AfterMatchKind", "Aggregate", "AllOf", "Alternative", "AnyOf", "AttributeType", "BatchWindow",
    "Binary", "Binding", "Bounds", "Call", "Column", "Conjunction", "Constant", "CorrelationWindow", "CumulateWindow",
    "Document", "Element", "Expression", "Group", "HoppingWindow", "Instant", "Item", "Kind", "KnownTerms", "Link",
    "Membership", "Negation", "Output", "Pattern", "Policy", "Quantifier", "Query", "Semantics", "Sequence",
    "SessionWindow", "SlidingWindow", "Source", "Span", "StreamType", "Subquery", "Triple", "Unary", "ValueFilter",
    "ValueType", "Vocabulary", "Window", "compile_document", "parse_document", "type_of_datatype",
]  # fmt: skip
