"""The segments of an expressway, as Turtle.

`python -m kaicep.examples.linear_road.model` writes `roads.ttl` anew: a carriageway in each direction, of 100 segments.
"""

from __future__ import annotations

from pathlib import Path

ROADS_FILE = Path(__file__).parent / "roads.ttl"
SEGMENTS = 100
CARRIAGEWAYS = (("east", 0, 1), ("west", 1, -1))
"""Name, direction in the reports, and by how much the numbers of the segments grow as one drives."""

_HEADER = """\
# The segments of an expressway. Made by `python -m kaicep.examples.linear_road.model`; do not edit.

@prefix lr: <https://example.org/linear-road#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

<https://example.org/linear-road> a owl:Ontology ;
    rdfs:label "Linear Road"@en .

lr:PositionReport a owl:Class ; rdfs:label "position report"@en .
lr:Segment a owl:Class ; rdfs:label "segment of a carriageway, a mile long"@en .
lr:number a owl:DatatypeProperty ; rdfs:label "has the number, counted from the west end"@en .
lr:direction a owl:DatatypeProperty ; rdfs:label "leads (0: east, 1: west)"@en .
lr:at a owl:DatatypeProperty ; rdfs:label "was made at"@en .
lr:second a owl:DatatypeProperty ; rdfs:label "was made at the second"@en .
lr:vehicle a owl:DatatypeProperty ; rdfs:label "is of the vehicle"@en .
lr:speed a owl:DatatypeProperty ; rdfs:label "has the speed, in miles per hour"@en .
lr:expressway a owl:DatatypeProperty ; rdfs:label "is on the expressway"@en .
lr:lane a owl:DatatypeProperty ; rdfs:label "is on the lane (0: entry, 4: exit)"@en .
lr:position a owl:DatatypeProperty ; rdfs:label "is so many feet from the west end"@en .
lr:leadsTo a owl:ObjectProperty ; rdfs:domain lr:Segment ; rdfs:range lr:Segment ;
    rdfs:label "leads to the segment"@en .

"""


def build_model() -> str:
    """Return the model as Turtle: the same text each time."""
    return _HEADER + "".join(
        _segment(name, number, direction, number + step)
        for name, direction, step in CARRIAGEWAYS
        for number in range(SEGMENTS)
    )


def _segment(name: str, number: int, direction: int, following: int) -> str:
    leads = f" ; lr:leadsTo lr:{name}{following}" if 0 <= following < SEGMENTS else ""
    return f"lr:{name}{number} a lr:Segment ; lr:direction {direction} ; lr:number {number}{leads} .\n"


if __name__ == "__main__":
    ROADS_FILE.write_text(build_model(), encoding="utf-8")
