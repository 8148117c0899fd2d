"""Which ids are known, what they are, and what would make the others known."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.annotator import EntityLinker
from kaicep.explain.mapping.id_mapping import IdMapping, map_ids
from kaicep.explain.mapping.individual_names import IndividualNames
from kaicep.pipeline.profile import StreamProfiler
from kaicep.pipeline.sources import raw_table
from support.mapping import mapped

MODEL = """
@prefix m: <http://b/model#> . @prefix o: <http://o/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
o:Sensor a owl:Class . o:CO2 rdfs:subClassOf o:Sensor . o:Carbon owl:equivalentClass o:CO2 .
m:s1 a o:CO2 ; o:serial "A1" . m:s2 a o:CO2 ; o:serial "A2" . m:t1 a o:Sensor ; rdfs:label "twin" .
m:t2 a o:Room ; rdfs:label "twin" .
"""


RDFS = {"rdfs": "http://www.w3.org/2000/01/rdf-schema#"}


def ids(folder: Path, values: Sequence[str], **way: str) -> IdMapping:
    (folder / "m.ttl").write_text(MODEL)
    stream = {
        "event_type": "o:Reading",
        "time": {"attribute": "at"},
        "attributes": {"sensor": {"property": "o:sensor", **way}},
    }
    prefixes = {"o": "http://o/", "m": "http://b/model#", "bare": "http://b/model", "x": "http://x/"} | RDFS
    settings = {"prefixes": prefixes, "knowledge": {"modules": ["m.ttl"]}, "streams": {"air": stream}}
    project = Project.parse(settings, root=folder)
    annotator = project.annotators["air"]
    profiler = StreamProfiler(annotator.shape)
    rows = [{"at": f"2026-01-01T00:00:{i:02d}Z", "sensor": value} for i, value in enumerate(values)]
    profiler.note(annotator.annotate(raw_table(rows)))
    (found,) = map_ids(annotator, profiler.profile, project.knowledge, IndividualNames(project.knowledge))
    return found


def test_known_ids_tell_their_most_specific_classes_once(tmp_path: Path) -> None:
    found = ids(tmp_path, ["s1", "s2", "t1", "s1"], individual="m:{}")
    assert (found.known, found.unknown, found.distinct, found.events) == (3, 0, 3, 0)
    assert found.classes == (("http://o/CO2", 2), ("http://o/Sensor", 1))
    assert (found.advice, found.examples) == ("", ())


def test_unknown_ids_come_by_their_events_with_what_is_near(tmp_path: Path) -> None:
    found = ids(tmp_path, ["s1", "S-1", "zz", "zz"], individual="m:{}")
    assert (found.known, found.unknown, found.events) == (1, 2, 3)
    assert [(one.name, one.events, one.nearest) for one in found.examples] == [("zz", 2, ()), ("S-1", 1, ("s1",))]


@pytest.mark.parametrize(
    ("values", "way", "advice"),
    [
        (
            ["s1", "s2"],
            {"individual": "bare:{}"},
            "the individuals begin with 'http://b/model#': the prefix, or the template, lacks its '#'",
        ),
        (
            ["s1", "zz"],
            {"individual": "x:{}"},
            '1 of 2 are names in http://b/model#: write individual = "<http://b/model#{}>"',
        ),
        (
            ["A1", "A2"],
            {"individual": "m:{}"},
            '2 of 2 are values of <http://o/serial>: write key = "<http://o/serial>"',
        ),
        (["s1"], {"key": "o:serial"}, '1 of 1 are names in http://b/model#: write individual = "<http://b/model#{}>"'),
        (["zz"], {"key": "o:nothing"}, "no individual has <http://o/nothing>"),
        (
            ["zz"],
            {"individual": "x:{}"},
            "no individual's IRI begins with 'http://x/'; those that there are begin with http://b/model# (4)",
        ),
        (["zz"], {"individual": "m:{}"}, ""),
        (
            ["twin", "zz"],
            {"key": "rdfs:label"},
            '1 of 2 are names of several individuals, and so of none: add of_class = "<http://o/Sensor>"',
        ),
    ],
)
def test_advice_says_what_to_write(tmp_path: Path, values: list[str], way: dict[str, str], advice: str) -> None:
    found = ids(tmp_path, values, **way)
    assert found.known == 0
    assert found.advice == advice


def test_only_the_first_few_are_examples(tmp_path: Path) -> None:
    found = ids(tmp_path, [f"z{i}" for i in range(12)], individual="m:{}")
    assert (found.unknown, len(found.examples)) == (12, 10)


def test_the_individuals_that_there_are_are_looked_for_only_where_an_id_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large model that takes longer than all else of the report."""
    asked: list[str] = []

    def known(linker: EntityLinker) -> Mapping[str, str]:
        asked.append(str(linker.linkage.template))
        return {}

    monkeypatch.setattr(EntityLinker, "known", known)
    assert ids(tmp_path, ["s1", "s2"], individual="m:{}").unknown == 0
    assert asked == []
    assert ids(tmp_path, ["s1", "s9"], individual="m:{}").unknown == 1
    assert asked


ROOMS = """
@prefix m: <urn:m:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
m:CO2 rdfs:subClassOf m:Sensor . m:Warmth rdfs:subClassOf m:Sensor . m:Aim a owl:Class . m:Reading a owl:Class .
m:R1_CO2 a m:CO2 ; rdfs:label "Room 1 CO2" . m:a1 a m:Aim ; rdfs:label "Room 1 CO2" .
m:R2_CO2 a m:CO2 ; rdfs:label "Room 2 CO2" . m:a2 a m:Aim ; rdfs:label "Room 2 CO2" .
m:R1_T a m:Warmth ; rdfs:label "Room 1 Temp" . m:R2_T a m:Warmth ; rdfs:label "Room 2 Temp" .
m:sensor a owl:ObjectProperty .
"""
WAYS: dict[str, dict[str, object]] = {
    "IRI": {"individual": "m:{}"},
    "another IRI": {"individual": "m:x_{}"},
    "label": {"key": "rdfs:label"},
    "label of a class": {"key": "rdfs:label", "of_class": "m:CO2"},
    "label of a class in any case": {"key": "rdfs:label", "of_class": "m:Sensor", "ignore_case": True},
}
NAMES = {
    "local names": ["R1_CO2", "R2_T"],
    "labels of one": ["Room 1 Temp", "Room 2 Temp"],
    "labels of several": ["Room 1 CO2", "Room 2 CO2"],
}


@pytest.mark.parametrize("fold", [str, str.upper], ids=["", "in another case"])
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_who_follows_the_advice_has_all_ids_known(
    way: dict[str, object], names: list[str], fold: Callable[[str], str], tmp_path: Path
) -> None:
    """In one step: whatever of key, class and case it takes is told together."""
    (tmp_path / "m.ttl").write_text(ROOMS)
    tuples: list[dict[str, object]] = [
        {"at": f"2026-01-01T00:00:0{second}Z", "sensor": fold(name)} for second, name in enumerate(names)
    ]

    def mapped_by(way: dict[str, object]) -> IdMapping:
        attributes = {"sensor": {"property": "m:sensor", **way}}
        stream = {"event_type": "m:Reading", "time": {"attribute": "at"}, "attributes": attributes}
        prefixes = {"m": "urn:m:", "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
        content = {"prefixes": prefixes, "knowledge": {"modules": ["m.ttl"]}, "streams": {"air": stream}}
        report = mapped(Project.parse(content, root=tmp_path), "SELECT ?e FROM (?e, air)", {"air": tuples})
        return report.streams[0].ids[0]

    found = mapped_by(way)
    if found.unknown:
        dropped = {"of_class"} if "drop of_class" in found.advice else set()
        written = dict(re.findall(r'(\w+) = (?:"([^"]*)"|true)', found.advice))
        dropped |= {"individual", "key", "of_class"} if written.keys() & {"individual", "key"} else set()
        advised = {key: value or True for key, value in written.items()}
        found = mapped_by({key: value for key, value in way.items() if key not in dropped} | advised)
    assert (found.known, found.unknown, found.advice) == (2, 0, "")
