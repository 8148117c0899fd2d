"""Events that are put in order by classes of individuals are found as by a mask for each PATH."""

from __future__ import annotations

import pyarrow as pa
from kaicep.annotator import Annotator
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter import SemanticFilter
from kaicep.semfilter.runtime import BatchVerdicts, FilterOptions, IndividualClasses, MaterialisedVerdicts
from support.prefixes import turtle_head
from support.streams import reports
from support.subqueries import PREFIXES, source, subquery

_ROOMS = " ".join(f"ee:s{i} bd:hasLocation bd:r{i % 3} , bd:r{i % 5} ." for i in range(20))
_KNOWLEDGE = KnowledgeBase.of_turtle(turtle_head(PREFIXES) + _ROOMS, "none")
_ANNOTATOR = Annotator("report", reports(sensor={"property": "evt:hasSource", "individual": "ee:{}"}), _KNOWLEDGE)


def verdicts(room: str) -> MaterialisedVerdicts:
    tested = source(subquery(f"?e evt:hasSource ?s . ?s bd:hasLocation bd:{room}", ()), {})
    single = SemanticFilter(tested, _ANNOTATOR.shape, _KNOWLEDGE, FilterOptions()).single
    assert single is not None
    assert single.ahead is not None
    return single.ahead


def events(*sensors: str | None) -> pa.Table:
    moments = [f"2012-05-07T00:00:{i % 60:02}Z" for i in range(len(sensors))]
    return _ANNOTATOR.annotate(pa.table({"at": moments, "sensor": pa.array(sensors, pa.string())})).events


def test_places_are_those_of_a_mask() -> None:
    """Of several rooms for a sensor, of sensors that nobody knows, and from batch to batch."""
    paths = [verdicts(room) for room in ("r0", "r1", "r4", "nowhere", "r0")]
    classes = IndividualClasses(paths)
    batches = [
        events(*(f"s{i * 7 % 20}" for i in range(60))),
        events(*(f"s{i * 3 % 20}" for i in range(60))),
        events("s3", None, "nobody", "s0", None, "s15", "s3"),
        events(None),
        events(),
    ]
    for batch in batches:
        places = classes.places(batch, BatchVerdicts())
        masks = [path.holds(batch, BatchVerdicts()) for path in paths]
        assert [of.tolist() for of in places] == [mask.nonzero()[0].tolist() for mask in masks]
    assert any(len(of) for of in classes.places(batches[0], BatchVerdicts()))
