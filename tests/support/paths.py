"""Random PATHs about an event of the campus."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

__all__ = ["Path", "paths"]


@dataclass(frozen=True)
class Path:
    """PATHs joined by AND and OR.

    Attributes:
        text: the clauses.
        numbers, strings, iris, terms: semantic variables that may be used outside, with `?`, by their type.
    """

    text: str
    numbers: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    iris: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()

    def joined(self, word: str, other: Path) -> Path:
        """Both, joined by AND or OR."""
        return Path(
            f"{self.text} {word} {other.text}",
            self.numbers + other.numbers,
            self.strings + other.strings,
            self.iris + other.iris,
            self.terms + other.terms,
        )


_CLASSES = ("bd:Office", "bd:Room", "bd:MeetingRoom", "bd:FacultyOffice", "bd:Workplace")


@st.composite
def paths(draw: st.DrawFn, variable: str, *, most: int = 2) -> Path:
    """One PATH or a few, joined; most hold for some sensors."""
    found = draw(_path(variable, f"{variable}0"))
    for position in range(1, draw(st.sampled_from((1, 1, 1, *range(2, most + 1))))):
        found = found.joined(draw(st.sampled_from(("AND", "OR"))), draw(_path(variable, f"{variable}{position}")))
    return found


@st.composite
def _path(draw: st.DrawFn, variable: str, tag: str) -> Path:
    e, src, loc = f"?{variable}", f"?src{tag}", f"?loc{tag}"
    located = f"{e} evt:hasSource {src} . {src} bd:hasLocation {loc}"
    kind, department = draw(st.sampled_from(_CLASSES)), draw(st.sampled_from(("org:EE", "org:CS")))
    cap, dept, label, rate = f"?cap{tag}", f"?dept{tag}", f"?label{tag}", f"?rate{tag}"
    code = f"?code{tag}"
    bodies = (
        Path(f"{located} . {loc} rdf:type {kind}", iris=(loc, src)),
        Path(f"{located} . {loc} a {kind} ; bd:belongsTo {department} .", iris=(loc,)),
        Path(f"{e} evt:hasSource/bd:hasLocation/bd:belongsTo {department}"),
        Path(f"{located} . {loc} bd:belongsTo {dept}", iris=(dept, loc)),
        Path(f"{located} . {loc} bd:capacity {cap}", numbers=(cap,), iris=(loc,)),
        Path(f"{located} . OPTIONAL {{ {loc} bd:capacity {cap} }}", numbers=(cap,), iris=(loc,)),
        Path(f"{located} . {loc} bd:label {label}", strings=(label,), iris=(loc,)),
        Path(f"{located} . {loc} bd:code {code}", terms=(code,)),
        Path(f"{e} hvc:airflow {rate} . hvc:GreenOfficeAirflow hvc:hasValue ?gaf{tag} . FILTER ({rate} > ?gaf{tag})"),
        Path(f"{located} . {loc} bd:capacity {cap} . {e} hvc:airflow {rate} . FILTER ({rate} > {cap})", numbers=(cap,)),
        Path(f"{located} . FILTER NOT EXISTS {{ {loc} bd:belongsTo {department} }}"),
        Path(f"{{ {e} evt:hasSource ee:s0 }} UNION {{ {located} . {loc} a {kind} }}"),
        Path(f"{e} a evt:SensorEvent ; evt:hasOrigin {src} . {src} rdf:type ee:AirflowSensor", iris=(src,)),
        Path(f"{e} evt:hasSource ?s{tag} . {loc} bd:isLocationOf ?s{tag} . {loc} a {kind} # in a room of that type\n"),
    )
    body = draw(st.sampled_from(bodies))
    return Path(f"PATH {{ {body.text} }}", body.numbers, body.strings, body.iris, body.terms)
