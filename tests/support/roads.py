"""Streams of a road and of rooms, for contexts: keys under other names, and one that stands for individuals."""

from __future__ import annotations

from kaicep.expressions import SIGNATURES
from kaicep.language.nodes import AttributeType, StreamType, ValueType, Vocabulary

from .vocabulary import CAMPUS_TERMS, PREFIXES, iri

POSITIONS = StreamType(
    "positions",
    (
        AttributeType("id", ValueType.STRING),
        AttributeType("car", ValueType.INTEGER),
        AttributeType("seg", ValueType.INTEGER, iri("bd:floor")),
        AttributeType("v", ValueType.DOUBLE),
        AttributeType("lane", ValueType.STRING),
        AttributeType("t", ValueType.DATETIME),
    ),
    time="t",
)
CALLS = StreamType(
    "calls",
    (
        AttributeType("id", ValueType.STRING),
        AttributeType("segment", ValueType.INTEGER, iri("bd:floor"), aliases=frozenset({"seg"})),
        AttributeType("kind", ValueType.STRING),
        AttributeType("t", ValueType.DATETIME),
    ),
    time="t",
)
SENSORS = StreamType(
    "sensors",
    (
        AttributeType("id", ValueType.STRING),
        AttributeType("room", ValueType.STRING, iri("bd:hasLocation"), individual=True),
        AttributeType("degrees", ValueType.DOUBLE),
        AttributeType("t", ValueType.DATETIME),
    ),
    time="t",
)
ROADS = Vocabulary(
    {"positions": POSITIONS, "calls": CALLS, "sensors": SENSORS},
    SIGNATURES,
    PREFIXES,
    CAMPUS_TERMS,
    ("positions", "calls", "sensors"),
)

ROAD = "CREATE CONTEXTS road (clear DEFAULT, jam, accident) BY seg;"
