"""A small campus: the stream of the paper's queries, a second one, and the knowledge that the language asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction

from kaicep.expressions import SIGNATURES
from kaicep.language.checks import compile_document
from kaicep.language.nodes import AttributeType, Query, StreamType, ValueType, Vocabulary
from kaicep.language.nodes.measures import Unit

from . import prefixes

PREFIXES = prefixes.CAMPUS | {name: prefixes.STANDARD[name] for name in ("rdf", "rdfs", "xsd")}
PREFIXES |= {"unit": "http://qudt.org/vocab/unit/"}


def iri(name: str) -> str:
    """The IRI of a prefixed name."""
    prefix, _, local = name.partition(":")
    return PREFIXES[prefix] + local


def _unit(name: str, multiplier: str, vector: str, offset: str = "0") -> Unit:
    unit = Unit.of(iri(name), multiplier, vector, offset)
    assert unit is not None
    return unit


_FLOW, _TEMPERATURE, _POWER = "A0E0L3I0M0H0T-1D0", "A0E0L0I0M0H1T0D0", "A0E0L2I0M1H0T-3D0"
UNITS = {
    unit.iri: unit
    for unit in (
        _unit("unit:FT3-PER-MIN", "0.0004719474432", _FLOW),
        _unit("unit:L-PER-SEC", "0.001", _FLOW),
        _unit("unit:DEG_C", "1", _TEMPERATURE, "273.15"),
        _unit("unit:DEG_F", "0.5555555555555555555555555555555556", _TEMPERATURE, "459.67"),
        _unit("unit:K", "1", _TEMPERATURE),
        _unit("unit:PERCENT", "0.01", "A0E0L0I0M0H0T0D1"),
        _unit("unit:L", "0.001", "A0E0L3I0M0H0T0D0"),
        _unit("unit:MIN", "60", "A0E0L0I0M0H0T1D0"),
    )
    if unit.iri is not None
}


_SENSOR, _AIRFLOW_SENSOR = iri("ee:Sensor"), iri("ee:AirflowSensor")


@dataclass(frozen=True, slots=True)
class Terms:
    """Knowledge by enumeration; implements `KnownTerms`."""

    classes: frozenset[str] = frozenset()
    ranges: dict[str, ValueType] = field(default_factory=dict)
    individuals: frozenset[str] = frozenset()

    def is_class(self, iri: str) -> bool:
        return iri in self.classes

    def is_property(self, iri: str) -> bool:
        return iri in self.ranges

    def is_known(self, iri: str) -> bool:
        return iri in self.classes or iri in self.ranges or iri in self.individuals

    def terms(self) -> tuple[str, ...]:
        return (*sorted(self.classes), *self.ranges)

    def range_of(self, prop: str) -> ValueType:
        return self.ranges.get(prop, ValueType.TERM)

    def superclasses(self, iri: str) -> frozenset[str]:
        return frozenset({_SENSOR}) if iri == _AIRFLOW_SENSOR else frozenset()

    def superproperties(self, iri: str) -> frozenset[str]:
        return frozenset()

    def unit(self, iri: str) -> Unit | None:
        return UNITS.get(iri)

    def nearest_unit(self, name: str, dimension: tuple[Fraction, ...] | None) -> str | None:
        known = [u for u in UNITS if dimension is None or UNITS[u].dimension == dimension]
        return next(iter(get_close_matches(name, known, n=1, cutoff=0.9)), None)


CAMPUS_TERMS = Terms(
    classes=frozenset(
        map(iri, ["ee:AirflowSensor", "ee:Sensor", "bd:Office", "bd:MeetingRoom", "bd:Space", "evt:AirflowReport"])
    ),
    ranges={
        iri("evt:hasSource"): ValueType.IRI,
        iri("evt:hasTime"): ValueType.DATETIME,
        iri("bd:hasLocation"): ValueType.IRI,
        iri("bd:belongsTo"): ValueType.IRI,
        iri("bd:area"): ValueType.DOUBLE,
        iri("bd:floor"): ValueType.INTEGER,
        iri("hvc:airflow"): ValueType.DOUBLE,
        iri("hvc:hasValue"): ValueType.INTEGER,
        iri("rdfs:label"): ValueType.STRING,
        iri("bd:note"): ValueType.TERM,
    },
    individuals=frozenset(map(iri, ("org:EEDepartment", "org:CSDepartment", "hvc:GreenOfficeAirflow"))),
)

AIRFLOW = StreamType(
    "airflowReport",
    (
        AttributeType("sensorID", ValueType.STRING, iri("evt:hasSource"), individual=True),
        AttributeType("timestamp", ValueType.DATETIME, iri("evt:hasTime")),
        AttributeType(
            "flowrate",
            ValueType.DOUBLE,
            iri("hvc:airflow"),
            aliases=frozenset({"airvolume", iri("hvc:flowrate")}),
            unit=iri("unit:FT3-PER-MIN"),
        ),
    ),
    event_type=iri("evt:AirflowReport"),
    time="timestamp",
)

TEMPERATURE = StreamType(
    "temperatureReport",
    (
        AttributeType("sensorID", ValueType.STRING, iri("evt:hasSource"), individual=True),
        AttributeType("timestamp", ValueType.DATETIME, iri("evt:hasTime")),
        AttributeType("celsius", ValueType.DOUBLE, unit=iri("unit:DEG_C")),
        AttributeType("battery", ValueType.INTEGER),
        AttributeType("valid", ValueType.BOOLEAN),
        AttributeType("day", ValueType.INTEGER),
        AttributeType("flow", ValueType.DOUBLE, unit=iri("unit:L-PER-SEC")),
    ),
    event_type=iri("evt:TemperatureReport"),
    time="timestamp",
)

CAMPUS = Vocabulary({"airflowReport": AIRFLOW}, SIGNATURES, PREFIXES, CAMPUS_TERMS, ("airflowReport",))
"""One source stream: FROM may be left out."""

TWO_STREAMS = Vocabulary(
    {"airflowReport": AIRFLOW, "temperatureReport": TEMPERATURE},
    SIGNATURES,
    PREFIXES,
    CAMPUS_TERMS,
    ("airflowReport", "temperatureReport"),
)
"""Two source streams."""


def compiled(text: str, vocabulary: Vocabulary = CAMPUS) -> Query:
    """The last query of a document."""
    return compile_document(text, vocabulary)[-1]
